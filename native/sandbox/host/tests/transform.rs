//! Transforms: one instance, many calls, and every size the guest names is held against its memory.

mod guest;

use guest::with_stack;
use host::{Cancel, Error, Limits, Sandbox, Transform};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

const LIMITS: Limits = Limits {
    memory: 16 << 20,
    time: Duration::from_millis(300),
};

/// What every guest here has: 64 bytes in, 64 bytes out, and a count of its calls.
const PREAMBLE: &str = "\
#![no_std]
use core::ptr::addr_of_mut;
static mut IN: [u8; 64] = [0; 64];
static mut OUT: [u8; 64] = [0; 64];
static mut CALLS: u8 = 0;
#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { core::arch::wasm32::unreachable() }
#[unsafe(no_mangle)] pub extern \"C\" fn in_ptr() -> i32 { addr_of_mut!(IN) as i32 }
";

const OUT_PTR: &str = "#[unsafe(no_mangle)] pub extern \"C\" fn out_ptr() -> i32 { addr_of_mut!(OUT) as i32 }\n";

fn compile(source: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("kernel.rs");
    std::fs::write(&file, source).unwrap();
    let out = dir.path().join("kernel.wasm");
    let done = Command::new("rustc")
        .args([
            "--edition=2024",
            "--crate-type=cdylib",
            "--target=wasm32-unknown-unknown",
            "-O",
            "-Awarnings",
        ])
        .args(["-C", "panic=abort", "-o"])
        .arg(&out)
        .arg(&file)
        .output()
        .expect("rustc runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(out).unwrap()
}

fn transform(process: &str, out_ptr: &str) -> Transform {
    let body = format!(
        "{PREAMBLE}{out_ptr}#[unsafe(no_mangle)] pub unsafe extern \"C\" fn process(n: i32) -> i32 {{ unsafe {{ {process} }} }}\n"
    );
    Transform::load(sandbox(), &compile(&body), LIMITS).unwrap()
}

fn sandbox() -> Arc<Sandbox> {
    let cache = tempfile::tempdir().unwrap();
    Arc::new(Sandbox::new(&cache.path().join("cache")).unwrap())
}

#[test]
fn a_transform_is_instantiated_once_and_called_in_a_loop() {
    with_stack(|| {
        let counting = "CALLS += 1; OUT[0] = CALLS; for i in 0..n as usize { OUT[i + 1] = IN[i] ^ 0xff; } n + 1";
        let mut found = transform(counting, OUT_PTR);
        for call in 1..=200u8 {
            let answer = found.process(&[call, 0], &Cancel::default()).unwrap();
            assert_eq!(answer, [call, !call, 0xff]);
        }
        assert_eq!(found.started(), 1);
        assert_eq!(found.process(&[], &Cancel::default()).unwrap(), [201]);
    });
}

#[test]
fn every_size_that_the_guest_names_is_checked() {
    with_stack(|| {
        let odd = |at: &str| OUT_PTR.replace("addr_of_mut!(OUT) as i32", at);
        for (process, out_ptr, wrong) in [
            ("-1", OUT_PTR.to_owned(), "answers -1 bytes"),
            ("i32::MAX", OUT_PTR.to_owned(), "answers 2147483647 bytes"),
            ("8", odd("-4"), "answers 8 bytes at 4294967292"),
            ("1", odd("i32::MAX"), "answers 1 bytes at 2147483647"),
        ] {
            let mut found = transform(process, &out_ptr);
            match found.process(b"x", &Cancel::default()) {
                Err(Error::Trap(why)) => assert!(why.contains(wrong), "{why}"),
                other => panic!("{process}: {other:?}"),
            }
        }
        let mut found = transform("n", OUT_PTR);
        let large = vec![0; 32 << 20];
        assert!(
            matches!(found.process(&large, &Cancel::default()), Err(Error::Trap(why)) if why.contains("there is room for"))
        );
    });
}

#[test]
fn a_guest_that_traps_or_spins_is_stopped_and_the_next_call_is_fresh() {
    with_stack(|| {
        let body = "CALLS += 1; match IN[0] { b't' => core::arch::wasm32::unreachable(), b's' => loop { CALLS = CALLS.wrapping_add(1); }, b'm' => { core::arch::wasm32::memory_grow(0, 4096) as i32 } _ => { OUT[0] = CALLS; 1 } }";
        let mut found = transform(body, OUT_PTR);
        let cancel = Cancel::default();
        assert_eq!(found.process(b"x", &cancel).unwrap(), [1]);
        assert_eq!(found.process(b"x", &cancel).unwrap(), [2]);
        assert!(matches!(found.process(b"t", &cancel), Err(Error::Trap(_))));
        assert_eq!(
            found.process(b"x", &cancel).unwrap(),
            [1],
            "a trap poisons the instance"
        );
        assert!(matches!(found.process(b"s", &cancel), Err(Error::Deadline(_))));
        assert_eq!(found.process(b"x", &cancel).unwrap(), [1]);
        // Growing past the limit fails inside the guest: the answer is -1, which no length is.
        assert!(found.process(b"m", &cancel).is_err());
        assert_eq!(found.process(b"x", &cancel).unwrap(), [1]);
        assert_eq!(found.started(), 4);
        cancel.cancel();
        assert!(matches!(found.process(b"x", &cancel), Err(Error::Cancelled)));
    });
}

#[test]
fn what_is_no_transform_is_named() {
    let unfit = |wasm: &[u8]| match Transform::load(sandbox(), wasm, LIMITS) {
        Err(Error::Unfit(why)) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it fits"),
    };
    let empty = [0, b'a', b's', b'm', 1, 0, 0, 0];
    assert_eq!(
        unfit(&empty),
        "it does not export `memory`; it does not export `in_ptr() -> i32`; it does not export `out_ptr() -> i32`; it \
         does not export `process(i32) -> i32`"
    );
    assert_eq!(unfit(b"not wasm"), "it is not a core module");
    let importing = format!(
        "{PREAMBLE}{OUT_PTR}unsafe extern \"C\" {{ fn outside(); }} #[unsafe(no_mangle)] pub extern \"C\" fn process(n: i32) -> i32 {{ unsafe {{ outside() }}; n }}"
    );
    assert!(unfit(&compile(&importing)).contains("it imports `env.outside`"));
}

//! What is not a kernel is refused when it is loaded.

use host::{Error, Kernel, Sandbox};
use std::sync::Arc;

fn refusal(wasm: &[u8]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Arc::new(Sandbox::new(&dir.path().join("cache")).unwrap());
    match Kernel::load(sandbox, wasm) {
        Err(Error::Unfit(why)) => why,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("it was taken for a kernel"),
    }
}

#[test]
fn bytes_that_are_not_wasm_are_refused() {
    for bytes in [&b""[..], b"not wasm", b"\0asm", &[0xff; 1_000]] {
        refusal(bytes);
    }
}

#[test]
fn a_core_module_is_refused() {
    refusal(b"\0asm\x01\0\0\0");
}

#[test]
fn a_component_without_the_exports_is_refused_by_name() {
    assert_eq!(refusal(b"\0asm\x0d\0\x01\0"), "missing export `parse-headlines`");
}

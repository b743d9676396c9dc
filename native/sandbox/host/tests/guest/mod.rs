//! Builds the components that the tests run: the real kernel and the one that misbehaves.

use host::{Kernel, Sandbox};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The kernel as the BEAM gets it.
#[allow(dead_code, reason = "not every test file needs both")]
pub fn kernel() -> Kernel {
    load(&["--lib"], "oql_component.wasm")
}

/// A component of the same world that does as its text says.
#[allow(dead_code, reason = "not every test file needs both")]
pub fn misbehaving() -> Kernel {
    load(&["--example", "misbehaving"], "examples/misbehaving.wasm")
}

/// Runs `work` on a thread with the stack that guests need.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(host::STACK);
        let running = thread.spawn_scoped(scope, work).expect("a thread");
        running.join().expect("no panic")
    })
}

fn load(what: &[&str], module: &str) -> Kernel {
    let cache = tempfile::tempdir().expect("a directory for the cache");
    let sandbox = Arc::new(Sandbox::new(&cache.path().join("cache")).expect("an engine"));
    Kernel::load(sandbox, &component(what, module)).expect("a kernel").0
}

fn component(what: &[&str], module: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--profile",
            "guest",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .args(["--package", "oql-component", "--target-dir"])
        .arg(&target)
        .args(what)
        .current_dir(root)
        .status()
        .expect("cargo runs");
    assert!(
        built.success(),
        "the guest does not build; is the target installed? (`make setup`)"
    );
    let module = std::fs::read(target.join("wasm32-unknown-unknown/guest").join(module)).expect("a module");
    wit_component::ComponentEncoder::default()
        .module(&module)
        .expect("a module with its WIT")
        .encode()
        .expect("a component")
}

//! Descriptors are few. This is a process of its own, because it takes most of them away.

mod agent;

use std::fs;

use agent::{THREE, open, start};
use session_store::{Sweep, Swept};

/// The kernel lets a process have some thousand descriptors; a sweep needs a handful, however many sessions there are.
#[test]
fn a_sweep_holds_no_descriptor_for_a_session() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    for _ in 0..300 {
        start(&engine, THREE);
    }
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let open_now = fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    let few = rustix::process::Rlimit {
        current: Some(open_now + 64),
        maximum: limit.maximum,
    };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, few).unwrap();
    let sweep = Sweep {
        now: 0,
        ttl: Some(1),
        dry_run: false,
    };
    let swept = engine.store().sweep(&sweep);
    let listed = engine.list();
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    assert_eq!(swept.unwrap(), Swept::default());
    assert_eq!(listed.unwrap().len(), 300);
}

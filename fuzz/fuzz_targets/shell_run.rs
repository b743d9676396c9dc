//! Any bytes run to an end within their bounds, and nothing leaves the directory.
#![no_main]

use cap_std::fs::Dir;
use futures_util::future::BoxFuture;
use libfuzzer_sys::fuzz_target;
use shell_exec::{Commands, Ended, Limits, Run, Start};
use std::sync::Arc;
use pipe::Stream;

/// `cat`, and `sub` to start another command.
struct Few;

impl Commands for Few {
    fn has(&self, name: &str) -> bool {
        matches!(name, "cat" | "sub")
    }

    fn run(&self, start: Start) -> BoxFuture<'static, Ended> {
        Box::pin(async move {
            if start.name == "sub" {
                let (stdin, stdout, stderr) = (start.stdin, start.stdout, start.stderr);
                let argv = start.argv[1..].to_vec();
                return Ended::Status(start.nested.run(argv, None, None, stdin, stdout, stderr).await);
            }
            let mut chunk = [0; 512];
            while let Ok(count @ 1..) = start.stdin.read(&mut chunk).await {
                if start.stdout.write_all(&chunk[..count]).await.is_err() {
                    return Ended::Status(141);
                }
            }
            Ended::Status(0)
        })
    }
}

fuzz_target!(|script: &[u8]| {
    let directory = tempfile::tempdir().expect("a directory");
    let inside = directory.path().join("inside");
    std::fs::create_dir(&inside).expect("a directory in it");
    std::os::unix::fs::symlink("..", inside.join("up")).expect("a link out of it");
    let root = Dir::open_ambient_dir(&inside, cap_std::ambient_authority()).expect("it is there");
    let limits = Limits {
        script: 16 << 10,
        nesting: 60,
        steps: 2_000,
        argv: 8 << 10,
        pipes: 8,
        jobs: 8,
        memory: 4 << 20,
        written: 1 << 20,
    };
    let run = shell_exec::run(Run {
        dialect: if script.len() % 2 == 0 { shell_exec::Dialect::Bash } else { shell_exec::Dialect::Sh },
        script: script.to_vec(),
        name: "sh".into(),
        args: vec![b"one".to_vec(), b"two words".to_vec()],
        env: vec![(b"HOME".to_vec(), b"/".to_vec())],
        root: Arc::new(root),
        cwd: "/".into(),
        stdin: Stream::bytes(script.to_vec()),
        stdout: Stream::null(),
        stderr: Stream::null(),
        commands: Arc::new(Few),
        allow: None,
        limits,
    });
    // A script may wait for what never comes, such as a job that waits for it. Its owner would let it go.
    let mut run = Box::pin(run);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..10_000 {
        if run.as_mut().poll(&mut cx).is_ready() {
            break;
        }
    }
    drop(run);
    assert_eq!(std::fs::read_dir(directory.path()).expect("it is there").count(), 1);
});

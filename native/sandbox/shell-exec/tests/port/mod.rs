//! A port with a handful of commands that run in this very process, and a way to run scripts with it.
#![allow(dead_code)]

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use pipe::Stream;
use shell_exec::{Commands, Dialect, Ended, Error, Limits, Outcome, Run, Start};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// What the commands of the port are.
pub const NAMES: &[&str] = &[
    "args", "cat", "env", "fail", "fatal", "first", "forever", "spawn", "upper", "yes",
];

/// The stack of a run. Unoptimised frames are many times as large.
const STACK: usize = if cfg!(debug_assertions) { 16 << 20 } else { 2 << 20 };

#[derive(Default)]
pub struct Port {
    /// Commands that have started and not ended.
    pub alive: Arc<AtomicUsize>,
}

/// Counts a command as alive for as long as its future is.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Alive {
        count.fetch_add(1, Ordering::SeqCst);
        Alive(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Commands for Port {
    fn has(&self, name: &str) -> bool {
        NAMES.contains(&name) || name.starts_with("exit-")
    }

    fn run(&self, start: Start) -> BoxFuture<'static, Ended> {
        let alive = Alive::new(&self.alive);
        Box::pin(async move {
            let _alive = alive;
            let _ = start.module.set([7; 32]);
            match command(start).await {
                Ok(ended) => ended,
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ended::Status(141),
                Err(error) => Ended::Failed {
                    status: 1,
                    why: error.to_string(),
                },
            }
        })
    }
}

async fn command(start: Start) -> std::io::Result<Ended> {
    let Start {
        name,
        argv,
        env,
        cwd,
        stdin,
        stdout,
        stderr,
        nested,
        descriptors,
        ..
    } = start;
    match &name[..] {
        "args" => {
            for arg in &argv {
                stdout.write_all(&[b"[", &arg[..], b"]"].concat()).await?;
            }
            stdout.write_all(b"\n").await?;
        }
        "env" => {
            for (name, value) in env {
                stdout.write_all(&[&name[..], b"=", &value, b"\n"].concat()).await?;
            }
            stdout.write_all(format!("in {cwd}\n").as_bytes()).await?;
        }
        "cat" if argv.len() > 1 => {
            for arg in &argv[1..] {
                let number = String::from_utf8_lossy(arg)
                    .strip_prefix("/dev/fd/")
                    .and_then(|n| n.parse().ok());
                let found = descriptors.iter().find(|(own, _)| Some(*own) == number);
                let (_, stream) = found.ok_or(std::io::ErrorKind::NotFound)?;
                stdout.write_all(&stream.read_to_end(1 << 20).await?).await?;
            }
        }
        "cat" | "upper" => {
            let mut chunk = vec![0; 4096];
            loop {
                let count = stdin.read(&mut chunk).await?;
                if count == 0 {
                    break;
                }
                let bytes = &mut chunk[..count];
                if name == "upper" {
                    bytes.make_ascii_uppercase();
                }
                stdout.write_all(bytes).await?;
            }
        }
        "first" => {
            let line = stdin.read_until(b'\n', 1 << 20).await?;
            stdout.write_all(&line).await?;
        }
        "yes" => loop {
            stdout.write_all(b"y\n").await?;
        },
        "forever" => std::future::pending().await,
        "fail" => {
            return Ok(Ended::Failed {
                status: 9,
                why: "out of luck".into(),
            });
        }
        "fatal" => {
            return Ok(Ended::Fatal(Error::Port("the port is broken".into())));
        }
        "spawn" => {
            let status = nested.run(argv[1..].to_vec(), None, None, stdin, stdout, stderr).await;
            return Ok(Ended::Status(status));
        }
        name => return Ok(Ended::Status(name["exit-".len()..].parse().unwrap_or(0))),
    }
    Ok(Ended::Status(0))
}

/// A directory and what a script did in it.
pub struct Bench {
    pub directory: TempDir,
    pub dialect: Dialect,
    pub limits: Limits,
    pub stdin: Vec<u8>,
    pub allow: Option<HashSet<String>>,
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub alive: Arc<AtomicUsize>,
}

pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    pub outcome: Result<Outcome, Error>,
}

impl Ran {
    pub fn status(&self) -> u8 {
        self.outcome.as_ref().expect("the run has an outcome").status
    }
}

pub fn bench() -> Bench {
    Bench {
        directory: tempfile::tempdir().expect("a directory"),
        dialect: Dialect::Sh,
        limits: Limits::default(),
        stdin: Vec::new(),
        allow: None,
        env: Vec::new(),
        alive: Arc::default(),
    }
}

/// Runs a script in an empty directory.
pub fn run(script: impl AsRef<[u8]>) -> Ran {
    bench().run(script)
}

impl Bench {
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn run(&self, script: impl AsRef<[u8]>) -> Ran {
        let (stdout, out) = collector();
        let (stderr, err) = collector();
        let run = self.start(script, stdout, stderr);
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn(move || pipe::block_on(run)).expect("a thread");
        let outcome = thread.join().expect("no panic");
        Ran {
            stdout: text(&out),
            stderr: text(&err),
            outcome,
        }
    }

    /// The run as a future.
    pub fn start(
        &self,
        script: impl AsRef<[u8]>,
        stdout: Stream,
        stderr: Stream,
    ) -> impl Future<Output = Result<Outcome, Error>> + Send + 'static {
        let root = cap_std::fs::Dir::open_ambient_dir(self.path(), cap_std::ambient_authority()).expect("it is there");
        shell_exec::run(Run {
            script: script.as_ref().to_vec(),
            name: self.dialect.name().into(),
            dialect: self.dialect,
            args: Vec::new(),
            env: self.env.clone(),
            root: Arc::new(root),
            tmp: None,
            fence: None,
            cwd: "/".into(),
            stdin: Stream::bytes(self.stdin.clone()),
            stdout,
            stderr,
            commands: Arc::new(Port {
                alive: self.alive.clone(),
            }),
            allow: self.allow.clone(),
            limits: self.limits,
            seal: None,
        })
    }
}

/// A stream, and what was written to it.
pub fn collector() -> (Stream, Arc<Mutex<Vec<u8>>>) {
    let written = Arc::new(Mutex::new(Vec::new()));
    let sink = written.clone();
    let stream = Stream::sink(move |bytes| {
        sink.lock().extend_from_slice(bytes);
        Ok(())
    });
    (stream, written)
}

pub fn text(written: &Mutex<Vec<u8>>) -> String {
    String::from_utf8_lossy(&written.lock()).into_owned()
}

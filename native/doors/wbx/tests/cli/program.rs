//! Running wbx and seeing how it ends.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// A wbx that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

/// wbx in an environment that says nothing about agents, colours or engines.
pub fn wbx(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wbx"));
    command.args(args);
    for name in ["WBX_AGENT", "NO_COLOR", "WB_ENGINE_URL", "XDG_STATE_HOME"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm");
    command
}

/// Runs with nothing on standard input.
pub fn run(command: &mut Command) -> Ended {
    feed(command, b"")
}

/// Runs with these bytes on standard input.
pub fn feed(command: &mut Command, input: &[u8]) -> Ended {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // wbx may refuse before it has read everything, so a broken pipe is fine here.
    thread::spawn(move || stdin.write_all(&input));
    let stdout = drain(child.stdout.take().unwrap());
    let stderr = drain(child.stderr.take().unwrap());
    let exit = wait(&mut child);
    Ended {
        exit,
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

/// Waits for the exit code, but not for ever.
pub fn wait(child: &mut Child) -> i32 {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().expect("wbx ends by itself, not by a signal");
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("wbx hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Reads a stream to its end, so that the writer never waits.
pub fn drain(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).expect("wbx speaks UTF-8")
    })
}

/// A directory that lasts as long as the test.
pub struct Folder(TempDir);

impl Folder {
    /// A new directory with these files in it.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let folder = Folder(TempDir::new().unwrap());
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// wbx, standing in this directory.
    pub fn wbx(&self, args: &[&str]) -> Command {
        let mut command = wbx(args);
        command.current_dir(self.path());
        command
    }
}

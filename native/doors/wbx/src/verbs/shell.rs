//! `wbx shell`: a script at the terminal, every command of it in WebAssembly.

use crate::{
    answer::Answer,
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
    root,
};
use host::{Cancel, Limits};
use pipe::Stream;
use serde::Serialize;
use shell::{Dialect, Finished, Job, Shell};
use std::{
    env,
    ffi::OsString,
    fs::File,
    io,
    os::{
        fd::AsFd,
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
    process, thread,
    time::Duration,
};

/// What a person at a terminal can stop by hand has no other bound than the memory of each command.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
const MEMORY: usize = host::MAX_MEMORY;
/// What is kept for an envelope.
const OUTPUT: usize = 16 << 20;

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let dir = PathBuf::from(call.path("dir").unwrap_or(".".as_ref()));
    let root = dir.canonicalize().map_err(|e| not_found(&dir, &e))?;
    let shell = Shell {
        sandbox: root::engine().sandbox()?,
        registry: root::engine().registry()?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| failed(&e))?;
    let job = job(call, root)?;
    if call.flag("json") {
        let (finished, stdout, stderr) = runtime.block_on(shell.capture(job, OUTPUT, None)).map_err(refusal)?;
        return Ok(told(&finished, &stdout, &stderr));
    }
    let finished = runtime.block_on(shell.run(job)).map_err(refusal)?;
    // The script has said all there is to say; its status is ours.
    process::exit(finished.status.into());
}

/// The shell itself reads the words, as `sh` or `bash` would.
fn job(call: &Call, root: PathBuf) -> Result<Job, Failure> {
    let bytes = |word: OsString| word.into_vec();
    let dialect = if call.flag("bash") { Dialect::Bash } else { Dialect::Sh };
    Ok(Job {
        script: format!("{} \"$@\"", dialect.name()).into_bytes(),
        dialect: Dialect::Sh,
        name: "wbx shell".to_owned(),
        args: call.paths("SH").map(|word| word.as_bytes().to_vec()).collect(),
        env: env::vars_os()
            .map(|(name, value)| (bytes(name), bytes(value)))
            .collect(),
        cwd: within(&root),
        workdir: Some(root),
        own_tmp: false,
        read_only: Vec::new(),
        listener: None,
        seal: None,
        streams: [
            input().map_err(|e| failed(&e))?,
            output(io::stdout()).map_err(|e| failed(&e))?,
            output(io::stderr()).map_err(|e| failed(&e))?,
        ],
        commands: None,
        each: Limits {
            memory: MEMORY,
            time: FOR_EVER,
        },
        limits: shell::Limits {
            steps: usize::MAX,
            written: u64::MAX,
            ..shell::Limits::default()
        },
        cancel: Cancel::default(),
    })
}

/// Where the script starts: here, if that is below the root.
fn within(root: &Path) -> String {
    let here = env::current_dir().ok();
    let below = here.as_deref().and_then(|here| here.strip_prefix(root).ok());
    match below.and_then(Path::to_str) {
        Some(below) => format!("/{below}"),
        None => "/".to_owned(),
    }
}

/// A file is read by its position, as a shell does; anything else by a thread that can wait.
fn input() -> io::Result<Stream> {
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    if file.metadata()?.is_file() {
        return Ok(Stream::open(file));
    }
    let (reader, writer) = pipe::pipe();
    thread::spawn(move || {
        let from = Stream::open(file);
        let mut chunk = vec![0; pipe::CAPACITY];
        pipe::block_on(async {
            while let Ok(n @ 1..) = from.read(&mut chunk).await {
                if writer.write_all(&chunk[..n]).await.is_err() {
                    break;
                }
            }
        });
    });
    Ok(reader)
}

fn output(stream: impl AsFd) -> io::Result<Stream> {
    Ok(Stream::open(File::from(stream.as_fd().try_clone_to_owned()?)))
}

#[derive(Serialize)]
struct Told<'a> {
    status: u8,
    stdout: &'a str,
    stderr: &'a str,
    missing: &'a [String],
    stages: Vec<Stage<'a>>,
}

#[derive(Serialize)]
struct Stage<'a> {
    name: &'a str,
    sha256: Option<String>,
    status: Option<u8>,
}

fn told(finished: &Finished, stdout: &[u8], stderr: &[u8]) -> Answer {
    let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    let hex = |digest: [u8; 32]| data_encoding::HEXLOWER.encode(&digest);
    let stages = finished.stages.iter().map(|stage| Stage {
        name: &stage.name,
        sha256: stage.module.map(hex),
        status: stage.status,
    });
    let told = Told {
        status: finished.status,
        stdout: &stdout,
        stderr: &stderr,
        missing: &finished.missing,
        stages: stages.collect(),
    };
    let exit = if finished.status == 0 { Exit::Ok } else { Exit::Other };
    Answer {
        exit,
        ..Answer::told(&told, stdout.clone().into_owned())
    }
}

fn refusal(error: shell::Error) -> Failure {
    error.into()
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Code::Internal, error.to_string(), "run `wbx doctor`")
}

fn not_found(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Code::NotFound, format!("{}: {error}", path.display()), "check the path")
}

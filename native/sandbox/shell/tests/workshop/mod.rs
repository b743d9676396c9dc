//! A shell with the real batteries, for the tests. `make commands` builds them.
#![allow(dead_code, reason = "not every test file needs all of it")]

use host::{Cancel, Limits, Registry, Sandbox};
use pipe::Stream;
use shell::{Error, Finished, Job, Shell};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

static SHELL: LazyLock<Shell> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap().keep();
    let batteries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../priv/wasm/commands");
    assert!(
        batteries.join("commands.json").exists(),
        "the commands are not built: `make commands`"
    );
    Shell {
        sandbox: Arc::new(Sandbox::new(&dir.join("code")).unwrap()),
        registry: Arc::new(Registry::open(&batteries, &dir.join("commands")).unwrap()),
    }
});

/// What a script printed, and its status.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub finished: Finished,
}

pub fn job(script: &str, workdir: Option<PathBuf>) -> Job {
    Job {
        script: script.into(),
        name: "sh".into(),
        args: Vec::new(),
        env: Vec::new(),
        workdir,
        dialect: shell::Dialect::Sh,
        own_tmp: false,
        read_only: Vec::new(),
        listener: None,
        seal: None,
        cwd: "/".into(),
        streams: [Stream::null(), Stream::null(), Stream::null()],
        commands: None,
        each: Limits {
            memory: 512 << 20,
            time: Duration::from_secs(120),
        },
        limits: shell::Limits::default(),
        cancel: Cancel::default(),
    }
}

pub fn run(job: Job) -> Result<Ran, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (finished, stdout, stderr) = runtime.block_on(SHELL.capture(job, 16 << 20, None))?;
    Ok(Ran {
        stdout,
        stderr,
        finished,
    })
}

/// Runs a script in a directory.
pub fn sh(script: &str, workdir: &Path) -> Ran {
    run(job(script, Some(workdir.to_owned()))).unwrap_or_else(|error| panic!("{script}: {error}"))
}

//! Scripts in the shell whose commands are WebAssembly.

use crate::Context;
use crate::row::{Here, ask};
use failure::Failure;
use host::{Limits, RegistryError};
use pipe::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shell::{Job, Shell};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a script may print.
const OUTPUT: usize = 16 << 20;
/// Its time, when nothing is said, in milliseconds.
const TIMEOUT: u64 = 30_000;
/// The profile of scripts: the widest that grants commands. The shell has no network whatever it grants.
const PROFILE: &str = "posix";

/// A script.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// Its text.
    script: String,
    /// Its language: `sh`, which is the default, or `bash`. A `#!` line in the text counts more.
    #[serde(default)]
    dialect: Dialect,
    /// `$1` and on.
    #[serde(default)]
    args: Vec<String>,
    /// Its variables; nothing is inherited.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Its input.
    #[serde(default)]
    stdin: String,
    /// The directory that becomes `/`; without one it is an empty one that is gone afterwards.
    workdir: Option<String>,
    /// The names that may be started; every one by default.
    commands: Option<Vec<String>>,
    /// Milliseconds; 30,000 by default.
    timeout: Option<u64>,
}

/// The language of a script.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Dialect {
    /// The shell of POSIX.
    #[default]
    Sh,
    /// bash.
    Bash,
}

impl From<Dialect> for shell::Dialect {
    fn from(dialect: Dialect) -> shell::Dialect {
        match dialect {
            Dialect::Sh => shell::Dialect::Sh,
            Dialect::Bash => shell::Dialect::Bash,
        }
    }
}

/// What came of a script.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Ran {
    /// What it printed. Bytes that are no UTF-8 are replaced.
    stdout: String,
    /// What it complained about.
    stderr: String,
    /// Its exit status.
    status: u8,
    /// The commands that were started, in order.
    stages: Vec<Stage>,
    /// The names that are no commands.
    missing: Vec<String>,
    /// How long it took, in microseconds.
    duration_us: u64,
}

/// A command that was started.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Stage {
    /// Its name.
    name: String,
    /// Its exit status; none when it was stopped.
    status: Option<u8>,
}

ask!(Run: "shell.run", Runs, Run => Ran, [shell::Error, host::Error, RegistryError], long, "Runs a script, every command of it in WebAssembly.");

impl Here for Run {
    fn answer(self, context: &Context) -> Result<Ran, Failure> {
        let Limits { memory, time } = context.parts.limits(PROFILE)?;
        let bytes = |text: String| text.into_bytes();
        let job = Job {
            script: self.script.into_bytes(),
            dialect: self.dialect.into(),
            name: shell::Dialect::from(self.dialect).name().into(),
            args: self.args.into_iter().map(bytes).collect(),
            env: self
                .env
                .into_iter()
                .map(|(name, value)| (bytes(name), bytes(value)))
                .collect(),
            workdir: self.workdir.map(|dir| context.path(&dir)),
            own_tmp: true,
            read_only: Vec::new(),
            listener: None,
            seal: None,
            cwd: "/".into(),
            streams: [Stream::bytes(self.stdin.as_bytes()), Stream::null(), Stream::null()],
            commands: self.commands.map(|names| names.into_iter().collect()),
            each: Limits {
                memory,
                time: time.min(Duration::from_millis(self.timeout.unwrap_or(TIMEOUT))),
            },
            limits: shell::Limits::default(),
            cancel: context.cancel.clone(),
        };
        let (finished, stdout, stderr) = capture(context, job)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ran {
            stdout: text(stdout),
            stderr: text(stderr),
            status: finished.status,
            stages: finished
                .stages
                .into_iter()
                .map(|stage| Stage {
                    name: stage.name,
                    status: stage.status,
                })
                .collect(),
            missing: finished.missing,
            duration_us: u64::try_from(finished.duration.as_micros()).unwrap_or(u64::MAX),
        })
    }
}

/// Runs a job on this thread, and keeps what it prints.
pub(crate) fn capture(context: &Context, job: Job) -> Result<(shell::Finished, Vec<u8>, Vec<u8>), Failure> {
    let shell = Shell {
        sandbox: context.parts.sandbox()?,
        registry: context.parts.registry()?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| host::Error::Engine(e.to_string()))?;
    Ok(runtime.block_on(shell.capture(job, OUTPUT, None))?)
}

/// Nothing to say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {}

ask!(Words: "shell.words", Reads, Read => Vec<String>, [host::Error, RegistryError], "Lists every word that a script may call: builtins and commands.");

impl Here for Words {
    fn answer(self, context: &Context) -> Result<Vec<String>, Failure> {
        Ok(shell::words(&*context.parts.registry()?)?)
    }
}

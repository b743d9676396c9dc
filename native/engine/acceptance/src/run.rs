//! Asking a check.

use crate::check::{Check, Task};
use crate::journal::Journal;
use crate::judge::judge;
use crate::verdict::{Command, ReadFile, Verdict, listed};
use data_encoding::HEXLOWER;
use host::{Cancel, Limits};
use oql::Circular;
use pipe::Stream;
use shell::{Job, Seal, Shell};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a check may take, unless told otherwise.
pub const TIME: Duration = Duration::from_secs(30);
/// The memory that each of its commands may have, in bytes.
pub const MEMORY: usize = 256 << 20;
/// What it may print.
const OUTPUT: usize = 16 << 20;
/// How the last line of a check that succeeded begins. A fresh nonce follows.
const SENTINEL: &str = "__WB_CHECK_OK__";

/// Where a check is asked, and within what bounds.
pub struct Place {
    /// What it sees as `/`, and all it sees but for an empty `/tmp` of its own.
    pub workdir: PathBuf,
    /// Files that it can read and not change, wherever they lie: the plan.
    pub read_only: Vec<PathBuf>,
    /// `$1` and on.
    pub args: Vec<Vec<u8>>,
    /// What is known of the work that it judges.
    pub work: Work,
    /// How long it may take.
    pub time: Duration,
    /// The memory that each of its commands may have, in bytes.
    pub memory: usize,
    /// Stops it.
    pub cancel: Cancel,
}

/// The work that a check judges, as far as the host saw it.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// The script that did it.
    pub script: String,
    /// The files of the working directory that it wrote.
    pub wrote: Vec<String>,
}

impl Place {
    /// A directory, with the usual bounds.
    pub fn at(workdir: impl Into<PathBuf>) -> Place {
        Place {
            workdir: workdir.into(),
            read_only: Vec::new(),
            args: Vec::new(),
            work: Work::default(),
            time: TIME,
            memory: MEMORY,
            cancel: Cancel::default(),
        }
    }
}

/// Asks the check of a task on this thread, and waits for its verdict.
pub fn ask(shell: &Shell, task: Task, place: Place) -> Verdict {
    let Some(check) = Check::of(task) else {
        return Verdict::unchecked();
    };
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(run(shell, &check, place)),
        Err(error) => Verdict::cannot_run(&check, &error.to_string()),
    }
}

/// Asks a check. What cannot be run does not pass, so there is always a verdict.
pub async fn run(shell: &Shell, check: &Check, place: Place) -> Verdict {
    let (script, dialect, how) = match check {
        Check::Fit { script, dialect, how } => (script, *dialect, how),
        Check::Unfit { reason } => return Verdict::cannot_run(check, reason),
    };
    let cannot = |why: String| Verdict::cannot_run(check, &why);
    let journal = match Journal::of(&place.workdir) {
        Ok(journal) => Arc::new(journal),
        Err(error) => return cannot(format!("the working directory cannot be opened: {error}")),
    };
    let mut nonce = [0; 16];
    if let Err(error) = getrandom::fill(&mut nonce) {
        return cannot(format!("there are no random numbers: {error}"));
    }
    let sentinel = format!("{SENTINEL}{}", HEXLOWER.encode(&nonce));
    let time = place.time;
    let job = Job {
        script: script.clone().into_bytes(),
        dialect,
        name: dialect.name().into(),
        args: place.args,
        env: Vec::new(),
        workdir: Some(place.workdir),
        own_tmp: true,
        read_only: place.read_only,
        listener: Some(journal.clone()),
        seal: Some(Seal(sentinel.clone().into_bytes())),
        cwd: "/".into(),
        streams: [Stream::null(), Stream::null(), Stream::null()],
        commands: None,
        each: Limits {
            memory: place.memory,
            time,
        },
        limits: shell::Limits::default(),
        cancel: place.cancel,
    };
    let answer = shell.capture(job, OUTPUT, None).await;
    let reason = judge(&answer, script, &sentinel, time).err();
    let mut verdict = Verdict::failed(how.clone(), reason);
    verdict.pass = verdict.reason.is_none();
    if let Ok((finished, stdout, stderr)) = answer {
        verdict.status = Some(finished.status);
        verdict.commands = commands(&finished.stages);
        verdict.stdout = without(stdout, &sentinel);
        verdict.stderr = stderr;
    }
    verdict.changed = journal.changed();
    verdict.files_read = journal.files_read();
    verdict.circular = circular(script, &place.work, &verdict);
    verdict
}

/// Whether the check proves nothing new: by its text, or because all that it held against each other came from the same
/// hand. A check that reads one file and holds it against its own text is none: that is what checks are for.
fn circular(script: &str, work: &Work, verdict: &Verdict) -> Option<Circular> {
    let own = |file: &ReadFile| work.wrote.contains(&file.path);
    let compared = || {
        let files: Vec<&str> = verdict.files_read.iter().map(|file| file.path.as_str()).collect();
        (verdict.pass && files.len() > 1 && verdict.files_read.iter().all(own)).then(|| Circular {
            code: "WB016",
            message: format!(
                "the check compares what the worker wrote with what the same worker wrote: {}",
                listed(&files)
            ),
        })
    };
    oql::circular(script, &work.script).or_else(compared)
}

/// The commands that ran, each once.
fn commands(stages: &[shell::Stage]) -> Vec<Command> {
    let commands: BTreeSet<Command> = stages
        .iter()
        .map(|stage| Command {
            name: stage.name.clone(),
            sha256: stage.module.map(|digest| HEXLOWER.encode(&digest)),
        })
        .collect();
    commands.into_iter().collect()
}

/// What the check itself printed.
fn without(mut stdout: Vec<u8>, sentinel: &str) -> Vec<u8> {
    let end = format!("\n{sentinel}\n");
    if stdout.ends_with(end.as_bytes()) {
        stdout.truncate(stdout.len() - end.len());
    }
    stdout
}

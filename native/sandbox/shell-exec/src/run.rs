//! One run, from a script to its outcome.

use crate::ast::Bytes;
use crate::exec::nested::live;
use crate::shell::Shell;
use crate::world::{Given, World};
use crate::{Commands, Dialect, Error, Limits};
use cap_std::fs::Dir;
use fence::Fence;
use pipe::Stream;
use std::collections::HashSet;
use std::sync::Arc;

/// What to run, and with what.
pub struct Run {
    /// The script. Any bytes will do; those that are not a script are a syntax error.
    pub script: Vec<u8>,
    /// `$0`.
    pub name: String,
    /// The language of the script, unless its `#!` line says another.
    pub dialect: Dialect,
    /// `$1` and following.
    pub args: Vec<Vec<u8>>,
    /// The environment. Names that cannot be variables are left out.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// What the script sees as `/`, and all it sees.
    pub root: Arc<Dir>,
    /// What the script sees as `/tmp`; without it, that is what the root has under this name.
    pub tmp: Option<Arc<Dir>>,
    /// Asked before a file is written, and told of what is read.
    pub fence: Option<Arc<Fence>>,
    /// Where it starts: an absolute path below the root.
    pub cwd: String,
    /// Standard input.
    pub stdin: Stream,
    /// Standard output.
    pub stdout: Stream,
    /// Standard error.
    pub stderr: Stream,
    /// Starts what is not a builtin.
    pub commands: Arc<dyn Commands>,
    /// The commands that may be started; without it, all of them.
    pub allow: Option<HashSet<String>>,
    /// The bounds.
    pub limits: Limits,
    /// The run is a check.
    pub seal: Option<Seal>,
}

/// The last line of a check that succeeded.
///
/// The script then runs in a subshell, and this line is written to standard output by the run itself, after a newline, and
/// only when the status of that subshell is 0. It is no part of the script, its variables or its environment, so the script
/// can neither print it nor keep it from being printed. An action on EXIT cannot turn a failure into a success, and
/// signals sent to `$$` end the whole.
pub struct Seal(pub Vec<u8>);

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The script's exit status.
    pub status: u8,
    /// Commands that were called and are not there, each once, in order.
    pub missing: Vec<String>,
    /// Commands that were started, in order.
    pub stages: Vec<Stage>,
    /// Commands that a trap or a limit cut off; the script saw only a status.
    pub broken: Vec<Broken>,
    /// Whether any command was run, be it a builtin: a text may be nothing but comments.
    pub ran: bool,
}

/// A command that was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Its name.
    pub name: String,
    /// What ended it.
    pub why: String,
}

/// One command that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Its status, unless it was cut off.
    pub status: Option<u8>,
    /// When it started, counted in starts and ends.
    pub started: usize,
    /// When it ended, unless it was cut off.
    pub ended: Option<usize>,
    /// The sha256 of what ran, if the port said so.
    pub module: Option<[u8; 32]>,
}

/// Runs a script to its end. Dropping the future ends everything in it.
pub async fn run(run: Run) -> Result<Outcome, Error> {
    let world = World::new(Given {
        root: run.root,
        tmp: run.tmp,
        fence: run.fence,
        sealed: run.seal.is_some(),
        commands: run.commands,
        allow: run.allow,
        limits: run.limits,
    });
    let result = world.tasks.drive(main(
        world.clone(),
        Script {
            text: run.script,
            name: run.name,
            dialect: run.dialect,
            args: run.args,
            env: run.env,
            cwd: run.cwd,
            descriptors: [run.stdin, run.stdout, run.stderr],
            seal: run.seal,
        },
    ));
    let status = result.await??;
    Ok(world.report(status))
}

struct Script {
    text: Bytes,
    name: String,
    dialect: Dialect,
    args: Vec<Bytes>,
    env: Vec<(Bytes, Bytes)>,
    cwd: String,
    descriptors: [Stream; 3],
    seal: Option<Seal>,
}

async fn main(world: Arc<World>, script: Script) -> Result<u8, Error> {
    let descriptors = script.descriptors.into_iter().map(Some).collect();
    let cwd = script.cwd.into_bytes().into();
    let dialect = Dialect::of_script(&script.text).unwrap_or(script.dialect);
    let mut shell = Shell::fresh(world.clone(), script.env, cwd, descriptors, 0o022, dialect)?;
    shell.name = script.name.into_bytes().into();
    shell.set_positional(script.args)?;
    let process = shell.process.clone();
    let mut text = script.text;
    text.retain(|byte| *byte != 0);
    let work = async move {
        match script.seal {
            Some(seal) => sealed(&shell, text, seal).await,
            None => {
                let flow = shell.whole_script(text.into()).await;
                shell.end(flow).await
            }
        }
    };
    let status = live(&process, work).await?;
    world.substitutions_end().await;
    Ok(status)
}

/// Runs a check; see [`Seal`].
async fn sealed(shell: &Shell, text: Bytes, Seal(line): Seal) -> Result<u8, Error> {
    let mut inside = shell.subshell();
    let flow = inside.whole_script(text.into()).await;
    let status = inside.end(flow).await?;
    if status == 0
        && let Some(stdout) = shell.descriptor(1)
    {
        let written = stdout.write_all(&[b"\n", &line[..], b"\n"].concat()).await;
        // Whoever looks for the line finds that it is not there.
        return Ok(u8::from(written.is_err()));
    }
    Ok(status)
}

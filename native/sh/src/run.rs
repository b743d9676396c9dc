//! One run, from a script to its outcome.

use crate::ast::Bytes;
use crate::exec::nested::live;
use crate::shell::Shell;
use crate::world::World;
use crate::{Commands, Error, Limits};
use cap_std::fs::Dir;
use std::collections::HashSet;
use std::sync::Arc;
use stream::Stream;

/// What to run, and with what.
pub struct Run {
    /// The script. Any bytes will do; those that are not a script are a syntax error.
    pub script: Vec<u8>,
    /// `$0`.
    pub name: String,
    /// `$1` and following.
    pub args: Vec<Vec<u8>>,
    /// The environment. Names that cannot be variables are left out.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// What the script sees as `/`, and all it sees.
    pub root: Arc<Dir>,
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
}

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The script's exit status.
    pub status: u8,
    /// Commands that were called and are not there, each once, in order.
    pub missing: Vec<String>,
    /// Commands that were started, in order.
    pub stages: Vec<Stage>,
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
    let world = World::new(run.root, run.commands, run.allow, run.limits);
    let result = world.tasks.drive(main(
        world.clone(),
        Script {
            text: run.script,
            name: run.name,
            args: run.args,
            env: run.env,
            cwd: run.cwd,
            descriptors: [run.stdin, run.stdout, run.stderr],
        },
    ));
    let status = result.await??;
    let (missing, stages) = world.report();
    Ok(Outcome {
        status,
        missing,
        stages,
    })
}

struct Script {
    text: Bytes,
    name: String,
    args: Vec<Bytes>,
    env: Vec<(Bytes, Bytes)>,
    cwd: String,
    descriptors: [Stream; 3],
}

async fn main(world: Arc<World>, script: Script) -> Result<u8, Error> {
    let descriptors = script.descriptors.into_iter().map(Some).collect();
    let cwd = script.cwd.into_bytes().into();
    let mut shell = Shell::fresh(world, script.env, cwd, descriptors, 0o022)?;
    shell.name = script.name.into_bytes().into();
    shell.set_positional(script.args)?;
    let process = shell.process.clone();
    let mut text = script.text;
    text.retain(|byte| *byte != 0);
    let work = async move {
        let flow = shell.script(text.into(), 1).await;
        shell.end(flow).await
    };
    live(&process, work).await
}

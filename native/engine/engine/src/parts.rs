//! The engine: its parts, each made when it is first needed.

use crate::part::Part;
use crate::{Error, Place, Places, Policy};
use acceptance::{Check, Task, Verdict};
use history::Home;
use host::{Registry, Sandbox};
use lanes::Lanes;
use ledger::Signer;
use shell::Shell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolkit_build::{Asked, Checked, Foundry};

/// Everything that a door starts from.
pub struct Engine {
    places: Places,
    policy: Policy,
    sandbox: Part<Sandbox>,
    registry: Part<Registry>,
    lanes: Part<Lanes>,
}

/// What a caller of toolkits decides; everything else is the engine's.
pub struct ToolkitOptions {
    /// The directory of toolkits, if one is named.
    pub root: Option<PathBuf>,
    /// Where relative paths begin.
    pub here: PathBuf,
    /// Where artifacts and grants are kept; by default where the engine has its place for them.
    pub state: Option<PathBuf>,
    /// The history directory whose key signs; by default the user's.
    pub history: Option<PathBuf>,
    /// Whether recipes may run.
    pub execute: bool,
    /// Whether the operator allows native programs.
    pub posix: bool,
}

impl Engine {
    /// An engine with the built-in policy. Nothing is opened yet.
    pub fn new(places: Places) -> Engine {
        Engine::with_policy(places, Policy::built_in().clone())
    }

    /// An engine whose policy has more profiles.
    pub fn with_policy(places: Places, policy: Policy) -> Engine {
        Engine {
            places,
            policy,
            sandbox: Part::default(),
            registry: Part::default(),
            lanes: Part::default(),
        }
    }

    /// Where things are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Who may do what.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What runs WebAssembly. Starting it takes milliseconds.
    pub fn sandbox(&self) -> Result<Arc<Sandbox>, Error> {
        self.sandbox.get(|| Ok(Sandbox::new(&self.places.get(Place::Cache)?)?))
    }

    /// The commands of the shell: those that came with Workbooks, and those that the user registered. Where the first are
    /// missing there is no registry: a check would fail for want of `grep`, and that is no verdict on anybody's work.
    pub fn registry(&self) -> Result<Arc<Registry>, Error> {
        self.registry.get(|| {
            let batteries = self.places.get(Place::Batteries)?;
            if !Registry::has_batteries(&batteries) {
                return Err(Error::CommandsMissing(batteries));
            }
            Ok(Registry::open(&batteries, &self.places.get(Place::Commands)?)?)
        })
    }

    /// The shell: scripts, and every command of theirs in the sandbox.
    pub fn shell(&self) -> Result<Shell, Error> {
        Ok(Shell {
            sandbox: self.sandbox()?,
            registry: self.registry()?,
        })
    }

    /// The verdict on a task's check. What cannot be run does not pass.
    pub fn check(&self, task: Task, place: acceptance::Place) -> Verdict {
        let Some(check) = Check::of(task) else {
            return Verdict::unchecked();
        };
        match self.shell() {
            Ok(shell) => acceptance::ask(&shell, task, place),
            Err(error) => Verdict::cannot_run(&check, &error.to_string()),
        }
    }

    /// The compilers.
    pub fn lanes(&self) -> Result<Arc<Lanes>, Error> {
        self.lanes.get(|| {
            let tools = self.places.get(Place::Lanes)?;
            Ok(Lanes::open(&tools, &self.places.get(Place::Builds)?, self.sandbox()?)?)
        })
    }

    /// A history directory: the one named, or the user's.
    pub fn history(&self, named: Option<&Path>) -> Result<Home, Error> {
        let dir = match named {
            Some(dir) => dir.to_owned(),
            None => self.places.get(Place::History)?,
        };
        Ok(Home::open(&dir)?)
    }

    /// The key that signs, made on first use.
    pub fn signer(&self, history: Option<&Path>) -> Result<Signer, Error> {
        Ok(self.history(history)?.signer()?)
    }

    /// What builds, registers and runs toolkits.
    pub fn foundry(self: &Arc<Self>, options: ToolkitOptions) -> Result<Foundry, Error> {
        let state = match options.state {
            Some(state) => state,
            None => self.places.get(Place::Toolkits)?,
        };
        let [key, sandbox, registry, lanes] = [(); 4].map(|()| self.clone());
        Ok(Foundry {
            root: options.root,
            here: options.here,
            state,
            policy: self.policy.clone(),
            execute: options.execute,
            posix: options.posix,
            signer: Box::new(move || key.signer(options.history.as_deref()).map_err(refused)),
            sandbox: Arc::new(move || sandbox.sandbox().map_err(refused)),
            registry: Arc::new(move || registry.registry().map_err(refused)),
            lanes: Arc::new(move || Ok(lanes.lanes().map_err(refused)?)),
            check: Arc::new(recipe),
        })
    }
}

/// The verdict on the check of a toolkit's recipe.
fn recipe(asked: Asked) -> Checked {
    let task = Task {
        check: Some((&asked.lang, &asked.script)),
        ..Task::default()
    };
    let place = acceptance::Place {
        args: asked.args,
        cancel: asked.cancel,
        ..acceptance::Place::at(asked.workdir)
    };
    let verdict = acceptance::ask(&asked.shell, task, place);
    Checked {
        status: verdict.status,
        stdout: verdict.stdout,
        stderr: verdict.stderr,
        reason: verdict.reason,
    }
}

/// A part that a toolkit needed and that is not there.
fn refused(error: Error) -> toolkit_build::Error {
    match error {
        Error::Host(error) => error.into(),
        Error::History(error) => error.into(),
        Error::NoDirectory { .. } => toolkit_build::Error::BadOption(error.to_string()),
        other => host::Error::Engine(other.to_string()).into(),
    }
}

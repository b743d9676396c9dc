//! The engine's parts, as operations ask for them.

use crate::{Parts, ToolkitPlace};
use deploy::Workbooks;
use engine::{Engine, Place, ToolkitOptions};
use failure::Failure;
use history::Home;
use host::{Limits, Registry, Sandbox};
use oql::Facts;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use toolkit_build::Foundry;

/// An engine, and what whoever runs it decided about toolkits.
pub struct EngineParts {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The directory of toolkits that is meant when a caller names none.
    pub toolkits_root: Option<PathBuf>,
    /// Where grants, kernels and components are kept; by default where the engine has its place for them.
    pub toolkits_dir: Option<PathBuf>,
    /// Whether recipes may run.
    pub execute: bool,
    /// Whether the operator allows native programs.
    pub posix: bool,
}

impl Parts for EngineParts {
    fn sandbox(&self) -> Result<Arc<Sandbox>, Failure> {
        Ok(self.engine.sandbox()?)
    }

    fn registry(&self) -> Result<Arc<Registry>, Failure> {
        Ok(self.engine.registry()?)
    }

    fn limits(&self, profile: &str) -> Result<Limits, Failure> {
        let profile = self.engine.policy().profile(profile);
        Ok(Limits {
            memory: (profile.memory_mib as usize) << 20,
            time: Duration::from_secs(profile.time_s),
        })
    }

    fn facts(&self) -> Result<Facts, Failure> {
        Ok(Facts {
            // Where the shell cannot say, no command is judged.
            commands: self.registry().ok().and_then(|registry| shell::words(&registry).ok()),
            capabilities: Some(self.engine.policy().names()),
        })
    }

    fn history(&self, named: Option<&Path>) -> Result<Home, Failure> {
        Ok(self.engine.history(named)?)
    }

    fn workbooks(&self) -> Result<Workbooks, Failure> {
        Ok(Workbooks::of_data(self.engine.places().get(Place::Data)?))
    }

    fn sessions(&self) -> Result<PathBuf, Failure> {
        Ok(self.engine.places().get(Place::Sessions)?)
    }

    fn tokens(&self) -> Result<PathBuf, Failure> {
        Ok(self.engine.places().get(Place::Tokens)?)
    }

    fn foundry(&self, place: ToolkitPlace) -> Result<Foundry, Failure> {
        Ok(self.engine.foundry(ToolkitOptions {
            root: place.root.or_else(|| self.toolkits_root.clone()),
            here: place.here,
            state: self.toolkits_dir.clone(),
            history: place.history,
            execute: self.execute,
            posix: self.posix,
        })?)
    }

    fn check(&self, task: acceptance::Task, place: acceptance::Place) -> acceptance::Verdict {
        self.engine.check(task, place)
    }
}

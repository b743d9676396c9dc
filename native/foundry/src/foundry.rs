//! What every verb needs: where toolkits are, where artifacts go, what may be done.

use crate::{Error, Lanes, Shelf};
use host::{Registry, Sandbox};
use ledger::Signer;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use toolkit::{Grants, Profile, Root, Toolkit};

type Lazy<T> = Arc<dyn Fn() -> Result<Arc<T>, Error> + Send + Sync>;

/// The foundry. The engine is started when something is compiled or run, not before.
pub struct Foundry {
    /// The directory that `WB_TOOLKITS_ROOT` names, if any.
    pub root: Option<PathBuf>,
    /// Where relative paths begin.
    pub here: PathBuf,
    /// Grants, kernels and components are kept here.
    pub state: PathBuf,
    /// Where the user's key is.
    pub history: Option<PathBuf>,
    /// The policy.
    pub policy: Policy,
    /// Whether recipes may run: `WB_TOOLKIT_EXEC=1`.
    pub execute: bool,
    /// Whether the operator allows native programs.
    pub posix: bool,
    /// The engine.
    pub sandbox: Lazy<Sandbox>,
    /// The commands.
    pub registry: Lazy<Registry>,
    /// The compilers.
    pub lanes: Lazy<dyn Lanes>,
}

/// The policy table.
#[derive(Debug, Clone, Deserialize)]
pub struct Policy {
    profiles: BTreeMap<String, Granted>,
}

#[derive(Debug, Clone, Deserialize)]
struct Granted {
    memory_mib: usize,
    time_s: u64,
    capabilities: Vec<String>,
}

impl Policy {
    /// Reads the table of `priv/policy.json`, or the same with more profiles in it.
    ///
    /// # Errors
    ///
    /// [`Error::BadOption`] when it is something else.
    pub fn read(json: &str) -> Result<Policy, Error> {
        serde_json::from_str(json).map_err(|e| Error::BadOption(format!("the policy cannot be read: {e}")))
    }

    /// The profiles, the narrowest first.
    pub(crate) fn profiles(&self) -> Vec<Profile> {
        let mut all: Vec<Profile> = self
            .profiles
            .iter()
            .map(|(name, granted)| Profile {
                name: name.clone(),
                capabilities: granted.capabilities.clone(),
            })
            .collect();
        all.sort_by_key(|profile| (profile.capabilities.len(), profile.name.clone()));
        all
    }

    /// What a profile allows; an unknown one is `compute`.
    pub(crate) fn limits(&self, name: &str) -> Option<(host::Limits, &[String])> {
        let granted = self.profiles.get(name).or_else(|| self.profiles.get("compute"))?;
        let limits = host::Limits {
            memory: granted.memory_mib << 20,
            time: Duration::from_secs(granted.time_s),
        };
        Some((limits, &granted.capabilities))
    }
}

impl Foundry {
    /// The directory of toolkits.
    pub fn toolkits(&self) -> Result<Root, Error> {
        Ok(Root::open(&toolkit::find_root(self.root.as_deref(), &self.here)?)?)
    }

    /// A toolkit by its name.
    pub fn toolkit(&self, id: &str) -> Result<Toolkit, Error> {
        Ok(self.toolkits()?.toolkit(id)?)
    }

    /// The recorded grants.
    pub fn grants(&self) -> Grants {
        Grants::at(&self.state)
    }

    /// The kernels that are registered.
    pub fn kernels(&self) -> Shelf {
        Shelf::new("kernel", &self.state.join("kernels"))
    }

    /// The components that were built.
    pub fn components(&self) -> Shelf {
        Shelf::new("component", &self.state.join("components"))
    }

    /// The user's key.
    pub(crate) fn signer(&self) -> Result<Signer, Error> {
        let home = history::Home::open_or_default(self.history.as_deref())?;
        Ok(home.signer()?)
    }

    /// Milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or_default()
    }

    /// A path that a caller named.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.here.join(Path::new(path))
    }
}

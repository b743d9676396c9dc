//! What every verb needs: where toolkits are, where artifacts go, what may be done.

use crate::{Checker, Error, Lanes, Shelf};
use host::{Limits, Registry, Sandbox};
use ledger::Signer;
use policy::Policy;
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
    /// The policy.
    pub policy: Policy,
    /// Whether recipes may run: `WB_TOOLKIT_EXEC=1`.
    pub execute: bool,
    /// Whether the operator allows native programs.
    pub posix: bool,
    /// The user's key, which is made when something is signed.
    pub signer: Box<dyn Fn() -> Result<Signer, Error> + Send + Sync>,
    /// The engine.
    pub sandbox: Lazy<Sandbox>,
    /// The commands.
    pub registry: Lazy<Registry>,
    /// Who judges recipes that are checks.
    pub check: Checker,
    /// The compilers.
    pub lanes: Lazy<dyn Lanes>,
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

    /// The profiles, the narrowest first.
    pub(crate) fn profiles(&self) -> Vec<Profile> {
        let profiles = self.policy.profiles().into_iter();
        profiles
            .map(|(name, profile)| Profile {
                name: name.to_owned(),
                capabilities: profile.capabilities.clone(),
            })
            .collect()
    }

    /// What a guest of a profile may use up.
    pub(crate) fn limits(&self, profile: &str) -> Limits {
        let profile = self.policy.profile(profile);
        Limits {
            memory: usize::try_from(profile.memory_mib).unwrap_or(usize::MAX) << 20,
            time: Duration::from_secs(profile.time_s),
        }
    }

    /// Milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or_default()
    }

    /// A path that a caller named.
    pub fn path(&self, path: &str) -> PathBuf {
        self.here.join(Path::new(path))
    }
}

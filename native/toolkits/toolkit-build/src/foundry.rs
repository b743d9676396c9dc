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

    /// A toolkit by its name: one of the directory of toolkits, else one that was pushed.
    pub fn toolkit(&self, id: &str) -> Result<Toolkit, Error> {
        let found = self.toolkits().and_then(|root| Ok(root.toolkit(id)?));
        match (found, self.pushed()) {
            (Err(Error::Toolkit(toolkit::Error::NotFound(_) | toolkit::Error::NoRoot)), Some(pushed)) => {
                Ok(pushed.toolkit(id)?.as_third_party())
            }
            (found, _) => found,
        }
    }

    /// Every toolkit, by name. Of two with one name the one that was not pushed is meant.
    pub fn all(&self) -> Result<Vec<Toolkit>, Error> {
        let Some(pushed) = self.pushed() else {
            return Ok(self.toolkits()?.list()?);
        };
        let mut all = match self.toolkits() {
            Ok(root) => root.list()?,
            Err(Error::Toolkit(toolkit::Error::NoRoot)) => Vec::new(),
            Err(error) => return Err(error),
        };
        let others = pushed.list()?.into_iter().map(Toolkit::as_third_party);
        let others: Vec<Toolkit> = others
            .filter(|one| !all.iter().any(|known| known.id() == one.id()))
            .collect();
        all.extend(others);
        all.sort_by(|a, b| a.id().cmp(b.id()));
        Ok(all)
    }

    /// The toolkits that an `:agent:` node names in its `:TOOLKITS:`, in that order; names that nobody has are dropped.
    pub fn for_agent(&self, org: &str, agent: &str) -> Result<Vec<Toolkit>, Error> {
        let names = toolkit::names_for_agent(org, agent)?;
        Ok(names.iter().filter_map(|name| self.toolkit(name).ok()).collect())
    }

    /// Where toolkits are put that somebody pushes.
    pub(crate) fn pushed_dir(&self) -> PathBuf {
        self.state.join("pushed")
    }

    /// Those that somebody pushed, if anybody did.
    fn pushed(&self) -> Option<Root> {
        Root::open(&self.pushed_dir()).ok()
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

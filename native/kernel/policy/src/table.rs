//! The table and its one reader.

use failure::{Code, fails};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// The profile that every unknown name means.
pub const LEAST: &str = "compute";

/// The most memory that the engine can give one guest.
pub const MAX_MEMORY_MIB: u32 = 512;

/// What a guest gets.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Memory.
    pub memory_mib: u32,
    /// Wall time of one call.
    pub time_s: u64,
    /// What it may touch.
    pub capabilities: Vec<String>,
}

/// Profiles by name, and what the names in a plan's `:uses` ask for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    profiles: BTreeMap<String, Profile>,
    uses: BTreeMap<String, String>,
}

/// Why there is no table.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// It is not JSON, or JSON of another shape.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// It has no profile for unknown names.
    #[error("the policy has no profile `{LEAST}`, which every unknown name means")]
    NoLeast,
    /// A profile grants nothing that a guest could live with, or more than there is.
    #[error("profile `{0}` needs 1 to {MAX_MEMORY_MIB} MiB and at least a second")]
    BadLimits(String),
    /// A name in `:uses` asks for a capability that no profile grants.
    #[error("`{name}` asks for `{capability}`, which no profile grants")]
    UnknownCapability {
        /// The name.
        name: String,
        /// What it asks for.
        capability: String,
    },
    /// An application may add profiles. It cannot change what a built-in one means.
    #[error("profile `{0}` is built in and cannot be replaced")]
    BuiltIn(String),
}

const BAD_POLICY: Code = Code::usage("bad_policy", "a profile or the policy table makes no sense");

fails! {
    Error {
        Error::BuiltIn(_) => BAD_POLICY, "give the profile another name";
        Error::Unreadable(_) | Error::NoLeast | Error::BadLimits(_) | Error::UnknownCapability { .. } => BAD_POLICY,
            "correct the table, see docs/dock.md";
    }
}

impl Policy {
    /// Reads a table, all of it or nothing: a field that nobody knows is an error too, for it was meant to limit something.
    ///
    /// ```
    /// let table = r#"{"profiles": {"compute": {"memory_mib": 64, "time_s": 5, "capabilities": ["vfs"]}}, "uses": {}}"#;
    /// assert_eq!(policy::Policy::read(table)?.profile("compute").capabilities, ["vfs"]);
    /// assert!(policy::Policy::read("{}").is_err());
    /// # Ok::<(), policy::Error>(())
    /// ```
    pub fn read(json: &str) -> Result<Policy, Error> {
        let policy: Policy = serde_json::from_str(json).map_err(|cause| Error::Unreadable(cause.to_string()))?;
        if !policy.profiles.contains_key(LEAST) {
            return Err(Error::NoLeast);
        }
        for (name, profile) in &policy.profiles {
            profile.check(name)?;
        }
        let granted: BTreeSet<&str> = policy.capabilities();
        for (name, capability) in &policy.uses {
            if !granted.contains(capability.as_str()) {
                return Err(Error::UnknownCapability {
                    name: name.clone(),
                    capability: capability.clone(),
                });
            }
        }
        Ok(policy)
    }

    /// The same table with an application's own profiles beside the built-in ones.
    ///
    /// ```
    /// use policy::{Policy, Profile};
    ///
    /// let tiny = Profile { memory_mib: 4, time_s: 1, capabilities: vec![] };
    /// let policy = Policy::built_in().with([("tiny".to_owned(), tiny.clone())])?;
    /// assert_eq!(policy.profile("tiny"), &tiny);
    /// assert!(Policy::built_in().with([("posix".to_owned(), tiny)]).is_err());
    /// # Ok::<(), policy::Error>(())
    /// ```
    pub fn with(&self, added: impl IntoIterator<Item = (String, Profile)>) -> Result<Policy, Error> {
        let mut policy = self.clone();
        for (name, profile) in added {
            profile.check(&name)?;
            if self.profiles.contains_key(&name) {
                return Err(Error::BuiltIn(name));
            }
            policy.profiles.insert(name, profile);
        }
        Ok(policy)
    }

    /// The profile of that name. A name that is not in the table means the least profile, never more.
    ///
    /// ```
    /// let policy = policy::Policy::built_in();
    /// assert_eq!(policy.profile("netwrok"), policy.profile("compute"));
    /// ```
    pub fn profile(&self, name: &str) -> &Profile {
        self.profiles.get(name).unwrap_or(&self.profiles[LEAST])
    }

    /// Every profile with its name, the narrowest first.
    ///
    /// ```
    /// let names: Vec<&str> = policy::Policy::built_in().profiles().into_iter().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["compute", "minimal", "network", "posix"]);
    /// ```
    pub fn profiles(&self) -> Vec<(&str, &Profile)> {
        let mut all: Vec<_> = self
            .profiles
            .iter()
            .map(|(name, profile)| (name.as_str(), profile))
            .collect();
        all.sort_by_key(|(name, profile)| (profile.capabilities.len(), *name));
        all
    }

    /// What each `workbook:` name in a plan's `:uses` asks for. A trailing `*` stands for any ending.
    pub fn uses(&self) -> &BTreeMap<String, String> {
        &self.uses
    }

    /// Every capability that some profile grants.
    pub fn capabilities(&self) -> BTreeSet<&str> {
        let granted = self.profiles.values().flat_map(|profile| &profile.capabilities);
        granted.map(String::as_str).collect()
    }

    /// Every name that a plan's `:uses` may carry, sorted: the capabilities themselves, and the `workbook:` names for them.
    ///
    /// ```
    /// let names = policy::Policy::built_in().names();
    /// assert!(names.contains(&"vfs".to_owned()) && names.contains(&"workbook:net/*".to_owned()));
    /// ```
    pub fn names(&self) -> Vec<String> {
        let names: BTreeSet<&str> = self
            .uses
            .keys()
            .map(String::as_str)
            .chain(self.capabilities())
            .collect();
        names.into_iter().map(str::to_owned).collect()
    }
}

impl Profile {
    fn check(&self, name: &str) -> Result<(), Error> {
        match (1..=MAX_MEMORY_MIB).contains(&self.memory_mib) && self.time_s > 0 {
            true => Ok(()),
            false => Err(Error::BadLimits(name.to_owned())),
        }
    }
}

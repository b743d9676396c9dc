//! What a token allows.

use serde::{Deserialize, Serialize};

/// What whoever asks is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To look.
    Read,
    /// To change.
    Write,
    /// To run what somebody wrote.
    Run,
    /// To decide for the operator: everything.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 4] = [Scope::Read, Scope::Write, Scope::Run, Scope::Admin];

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Run => "run",
            Scope::Admin => "admin",
        }
    }

    /// The scope of a name.
    ///
    /// ```
    /// use access::Scope;
    /// assert_eq!(Scope::named("run"), Some(Scope::Run));
    /// assert_eq!(Scope::named("root"), None);
    /// ```
    pub fn named(name: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

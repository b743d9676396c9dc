use std::fmt::{self, Display, Formatter};

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The upgrade breaks a promise.
    Error,
    /// The upgrade asks for more of `wasi:*`, which every host provides.
    Warning,
}

/// One thing that an upgrade changes for those who use the component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeFinding {
    /// Where: `run`, `run.param.input`, `run.result.ok`, `acme:mail/outbox@1.0.0.send`.
    pub path: String,
    /// The type there in the old component, if there was one.
    pub was: Option<String>,
    /// The type there in the new component, if there is one.
    pub now: Option<String>,
    /// Why that breaks.
    pub why: String,
    /// How much it weighs.
    pub level: Level,
}

impl Display for UpgradeFinding {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let or_absent = |ty: &Option<String>| ty.clone().unwrap_or_else(|| "absent".to_owned());
        write!(
            f,
            "{}: was {}, now {}: {}",
            self.path,
            or_absent(&self.was),
            or_absent(&self.now),
            self.why
        )
    }
}

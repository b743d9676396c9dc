//! What a code is: a name that programs match on, and the kind of trouble it stands for.

use serde::{Serialize, Serializer};

/// A stable name for one way to fail. The set of all of them is closed: `docs/reference/errors.md` lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code {
    /// As programs see it.
    pub name: &'static str,
    /// What kind of trouble it is; doors make exit codes and status codes of it.
    pub kind: Kind,
    /// What happened, for the list of codes.
    pub meaning: &'static str,
    passes: bool,
}

/// What kind of trouble a code stands for. Each door has one table from this to its own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// What was asked cannot be understood or is not allowed to be asked like that.
    Usage,
    /// It is not there.
    NotFound,
    /// It was looked at, and it does not hold what it promises.
    Verification,
    /// Somebody else has it, or it is there already.
    Conflict,
    /// Whoever asks may not.
    Auth,
    /// There is more of it than is taken.
    TooLarge,
    /// A bound of time, memory or work was reached.
    Limit,
    /// Too much is going on at this moment; the same call may succeed later.
    Busy,
    /// The engine is not there; it may be later.
    Unreachable,
    /// The machine, or we ourselves.
    Other,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 10] = [
        Kind::Usage,
        Kind::NotFound,
        Kind::Verification,
        Kind::Conflict,
        Kind::Auth,
        Kind::TooLarge,
        Kind::Limit,
        Kind::Busy,
        Kind::Unreachable,
        Kind::Other,
    ];

    /// As the list of codes writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Usage => "usage",
            Kind::NotFound => "not found",
            Kind::Verification => "verification",
            Kind::Conflict => "conflict",
            Kind::Auth => "auth",
            Kind::TooLarge => "too large",
            Kind::Limit => "limit",
            Kind::Busy => "busy",
            Kind::Unreachable => "unreachable",
            Kind::Other => "other",
        }
    }
}

macro_rules! of_kind {
    ($($(#[$doc:meta])* $make:ident $kind:ident;)*) => {
        impl Code {
            $($(#[$doc])*
            pub const fn $make(name: &'static str, meaning: &'static str) -> Code {
                Code { name, kind: Kind::$kind, meaning, passes: false }
            })*
        }
    };
}

of_kind! {
    /// A code of [`Kind::Usage`].
    usage Usage;
    /// A code of [`Kind::NotFound`].
    not_found NotFound;
    /// A code of [`Kind::Verification`].
    verification Verification;
    /// A code of [`Kind::Conflict`].
    conflict Conflict;
    /// A code of [`Kind::Auth`].
    auth Auth;
    /// A code of [`Kind::TooLarge`].
    too_large TooLarge;
    /// A code of [`Kind::Limit`].
    limit Limit;
    /// A code of [`Kind::Busy`].
    busy Busy;
    /// A code of [`Kind::Unreachable`].
    unreachable Unreachable;
    /// A code of [`Kind::Other`].
    other Other;
}

impl Code {
    /// The same code, for trouble that passes by itself: a conflict with somebody who will be gone.
    pub const fn passing(self) -> Code {
        Code { passes: true, ..self }
    }

    /// Whether the same call can succeed later without any change.
    ///
    /// ```
    /// use failure::{Code, codes};
    ///
    /// assert!(codes::BUSY.retryable() && !codes::NOT_FOUND.retryable());
    /// let taken = Code::conflict("data_in_use", "another engine owns it");
    /// assert!(taken.passing().retryable() && !taken.retryable());
    /// ```
    pub const fn retryable(self) -> bool {
        self.passes || matches!(self.kind, Kind::Busy | Kind::Unreachable)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

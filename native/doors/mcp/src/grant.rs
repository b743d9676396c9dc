//! What a caller may do.

use crate::Directories;
use failure::Failure;
use failure::codes::{BAD_OPTION, NOT_GRANTED};
use operations::{Operation, Scope};

/// Which scopes are given. Looking is always allowed; deciding for the operator never is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scopes {
    /// To change files.
    pub write: bool,
    /// To run what somebody wrote.
    pub run: bool,
}

impl Scopes {
    /// Reads `read,write,run`.
    ///
    /// ```
    /// let scopes = mcp::Scopes::read("run").unwrap();
    /// assert!(scopes.run && !scopes.write);
    /// assert!(mcp::Scopes::read("read,admin").is_err());
    /// ```
    pub fn read(words: &str) -> Result<Scopes, Failure> {
        let mut scopes = Scopes::default();
        for word in words.split(',').map(str::trim) {
            match word {
                "read" => {}
                "write" => scopes.write = true,
                "run" => scopes.run = true,
                _ => {
                    return Err(Failure::new(
                        BAD_OPTION,
                        format!("there is no scope `{word}` to allow"),
                        "name some of read, write and run, with commas between them",
                    ));
                }
            }
        }
        Ok(scopes)
    }

    /// Whether an operation of this scope may be asked.
    pub const fn allow(self, scope: Scope) -> bool {
        match scope {
            Scope::Read => true,
            Scope::Write => self.write,
            Scope::Run => self.run,
            Scope::Admin => false,
        }
    }
}

/// What may be asked, and where.
#[derive(Debug, Clone)]
pub struct Grant {
    /// What may be asked.
    pub scopes: Scopes,
    /// Where.
    pub directories: Directories,
}

impl Grant {
    /// A grant.
    pub const fn new(scopes: Scopes, directories: Directories) -> Grant {
        Grant { scopes, directories }
    }

    /// Refuses an operation that was not granted.
    pub(crate) fn require(&self, row: &Operation) -> Result<(), Failure> {
        if self.scopes.allow(row.scope) {
            return Ok(());
        }
        let scope = row.scope.name();
        Err(Failure::new(
            NOT_GRANTED,
            format!("this server was not given the scope `{scope}`"),
            format!("its operator starts it with `wbx mcp --allow {scope}`, or gives the token that scope"),
        ))
    }
}

/// Who asks over HTTP, and what they may do. Whoever checks tokens puts it into the extensions of a request; a request
/// without one has the grant of the service.
#[derive(Debug, Clone)]
pub struct Caller {
    /// A name for the log of calls, such as that of the token.
    pub name: String,
    /// What they may do.
    pub grant: Grant,
}

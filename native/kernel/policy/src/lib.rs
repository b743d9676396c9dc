//! Who may do what: data, not code.
//!
//! The table is `priv/policy.json`. It is built in: a build without it fails, and a program that was built with one that
//! makes no sense refuses everything that needs a policy. Every door asks this crate: `Workbooks.Policy` gets the table as
//! terms, the command line its names, toolkits their limits.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod table;

pub use table::{Error, LEAST, MAX_MEMORY_MIB, Policy, Profile};

use std::sync::LazyLock;

impl Policy {
    /// The table that this program was built with.
    ///
    /// # Panics
    ///
    /// When that table makes no sense: nobody may go on without knowing what is granted. The tests read it first.
    ///
    /// ```
    /// assert_eq!(policy::Policy::built_in().profile("network").time_s, 30);
    /// ```
    pub fn built_in() -> &'static Policy {
        static BUILT_IN: LazyLock<Policy> = LazyLock::new(|| {
            let table = include_str!("../../../../priv/policy.json");
            Policy::read(table).unwrap_or_else(|error| panic!("priv/policy.json: {error}"))
        });
        &BUILT_IN
    }
}

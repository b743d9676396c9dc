//! The closed set of codes: those of every crate, read off their errors, and those that Elixir and the doors raise.

use failure::codes::{
    ALREADY_RUNNING, BUILD_FAILED, CONFLICT, CORRUPT, EXISTS, IO, NOT_FOUND, NOT_GRANTED, SHARED, TIMEOUT,
    UNKNOWN_VERSION,
};
use failure::{Code, Fails};
use std::sync::OnceLock;

/// A family of codes that no Rust error has: Elixir raises them.
macro_rules! raised_in_elixir {
    ($($(#[$doc:meta])* $name:ident [$($code:expr),* $(,)?];)*) => {
        $($(#[$doc])*
        #[derive(Debug)]
        pub(crate) enum $name {}

        impl std::fmt::Display for $name {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match *self {}
            }
        }

        impl Fails for $name {
            fn codes() -> Vec<Code> {
                vec![$($code),*]
            }

            fn failing(&self) -> Code {
                match *self {}
            }

            fn advice(&self) -> std::borrow::Cow<'_, str> {
                match *self {}
            }
        })*

        fn elixir() -> Vec<Code> {
            [$(<$name as Fails>::codes()),*].concat()
        }
    };
}

raised_in_elixir! {
    /// A plan that somebody runs already.
    AlreadyRunning [
        ALREADY_RUNNING,
    ];
    /// A plan that cannot be worked off.
    PlanRefused [
        NOT_FOUND,
        Code::verification("cycle", "the tasks of the plan, or its components, wait for each other"),
        Code::verification("invalid_plan", "the plan does not cohere; `details` has the `diagnostics`"),
        Code::not_found("unknown_task", "no task has that id"),
        Code::not_found("no_history", "no run of the plan is known"),
        IO,
    ];
    /// A run that is not there, or does not wait.
    UnknownRun [
        Code::not_found("unknown_run", "no run has that id"),
        Code::conflict("not_waiting", "the task waits for no report"),
        TIMEOUT,
    ];
    /// Events that nobody keeps any more.
    EventsGone [
        crate::door::EVENTS_LOST,
    ];
    /// What the gate of a deploy refuses.
    Gate [
        Code::verification("invalid_plan", "the plan does not cohere; `details` has the `diagnostics`"),
        Code::verification("breaking", "the plan would break a promise of the one that is live; `details` has the `diagnostics`"),
        Code::verification("no_checkpoint", "a `:persist` component of the live version gave no checkpoint; `details` has the `failures`"),
        Code::verification("cycle", "the tasks of the plan, or its components, wait for each other"),
        BUILD_FAILED, CONFLICT, CORRUPT, IO, NOT_FOUND, NOT_GRANTED, UNKNOWN_VERSION,
    ];
    /// What the life of a workbook refuses.
    Lifecycle [
        engine::NO_DATA_DIR,
        Code::conflict("illegal_move", "a workbook in that state cannot go there"),
        Code::not_found("unknown_workbook", "no workbook has that id"),
        EXISTS,
    ];
    /// Schedules of a VM that has no scheduler.
    NoScheduler [
        Code::unreachable("schedules_off", "no scheduler runs in this VM"),
        NOT_FOUND,
    ];
    /// What is fetched for a toolkit.
    Fetching [
        Code::other("fetch_failed", "a source or an artifact could not be fetched"),
    ];
}

/// Every code there is, by name.
///
/// ```
/// let names: Vec<&str> = operations::codes().iter().map(|code| code.name).collect();
/// assert!(names.contains(&"unknown_toolkit") && names.contains(&"TOKEN_BAD_SIGNATURE"));
/// ```
pub fn codes() -> &'static [Code] {
    static ALL: OnceLock<Vec<Code>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = [
            SHARED.to_vec(),
            crate::door::CODES.to_vec(),
            elixir(),
            access::Error::codes(),
            bundle::Error::codes(),
            certificate::Error::codes(),
            conformance::Nonconformance::codes(),
            deploy::Error::codes(),
            engine::Error::codes(),
            history::Error::codes(),
            host::Error::codes(),
            host::KernelError::codes(),
            host::RegistryError::codes(),
            lanes::Error::codes(),
            ledger::Error::codes(),
            oql::Error::codes(),
            schedule::Error::codes(),
            session::Error::codes(),
            shell::Error::codes(),
            toolkit::Error::codes(),
            toolkit_build::Error::codes(),
            toolkit_import::Error::codes(),
            vfs::Error::codes(),
        ]
        .concat();
        all.sort();
        all.dedup();
        all
    })
}

/// The code of a name. Elixir writes codes in lower case, and that is the same code.
///
/// ```
/// assert_eq!(operations::code("token_bad_signature"), operations::code("TOKEN_BAD_SIGNATURE"));
/// assert_eq!(operations::code("teleported"), None);
/// ```
pub fn code(name: &str) -> Option<Code> {
    codes()
        .iter()
        .find(|code| code.name.eq_ignore_ascii_case(name))
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_thing_wherever_it_is_declared() {
        let pairs = codes().windows(2);
        let unlike: Vec<_> = pairs
            .filter(|pair| pair[0].name.eq_ignore_ascii_case(pair[1].name))
            .collect();
        assert!(unlike.is_empty(), "declared twice, and not alike: {unlike:#?}");
    }

    #[test]
    fn every_code_of_an_operation_is_in_the_set() {
        for row in crate::all() {
            for code in row.codes() {
                assert!(codes().contains(&code), "{}: {code:?}", row.name);
            }
        }
    }

    #[test]
    fn names_can_be_atoms_and_are_said_to_mean_something() {
        for code in codes() {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            assert!(code.name.bytes().all(plain) && !code.meaning.is_empty(), "{code:?}");
        }
    }
}

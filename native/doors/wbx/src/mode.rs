//! Who is reading the answer.

use std::{
    env,
    ffi::OsString,
    io::{self, IsTerminal},
};

/// Whom the printer talks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A person at a terminal.
    Human,
    /// A program that wants the bare data.
    Agent,
    /// A program that wants the envelope.
    Json,
}

/// What the mode is chosen from, so that the choice is a function of its input.
#[derive(Debug, Clone, Copy)]
pub struct Signs {
    pub json: bool,
    pub agent: bool,
    pub terminal: bool,
}

impl Mode {
    /// The mode that this process was started in.
    pub fn of_process() -> Self {
        let args: Vec<OsString> = env::args_os().collect();
        Mode::choose(Signs::of(&args, env::var_os("WBX_AGENT"), io::stdout().is_terminal()))
    }

    /// `--json` beats `--agent` beats a terminal beats nothing.
    pub fn choose(signs: Signs) -> Self {
        match signs {
            Signs { json: true, .. } => Mode::Json,
            Signs { agent: true, .. } => Mode::Agent,
            Signs { terminal: true, .. } => Mode::Human,
            _ => Mode::Agent,
        }
    }
}

impl Signs {
    /// Reads the raw arguments, because a command line that cannot be parsed still says how it wants to hear so.
    pub fn of(args: &[OsString], agent_variable: Option<OsString>, terminal: bool) -> Self {
        let given = |flag: &str| args.iter().take_while(|arg| *arg != "--").any(|arg| arg == flag);
        Signs {
            json: given("--json"),
            agent: given("--agent") || agent_variable.is_some_and(|v| !v.is_empty() && v != "0"),
            terminal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_louder_wish_wins() {
        for (json, agent, terminal, expected) in [
            (true, true, true, Mode::Json),
            (true, false, false, Mode::Json),
            (false, true, true, Mode::Agent),
            (false, true, false, Mode::Agent),
            (false, false, true, Mode::Human),
            (false, false, false, Mode::Agent),
        ] {
            let signs = Signs { json, agent, terminal };
            assert_eq!(Mode::choose(signs), expected, "{signs:?}");
        }
    }

    #[test]
    fn flags_after_two_dashes_are_not_flags() {
        let args = ["wbx", "lint", "--", "--json"].map(OsString::from);
        assert!(!Signs::of(&args, None, false).json);
    }

    #[test]
    fn the_agent_variable_counts_unless_it_is_empty_or_zero() {
        for (value, expected) in [(None, false), (Some(""), false), (Some("0"), false), (Some("1"), true)] {
            let signs = Signs::of(&[], value.map(OsString::from), true);
            assert_eq!(signs.agent, expected, "{value:?}");
        }
    }
}

//! What one run may use.

/// The bounds of a run. Whatever goes beyond one is an [`Error`](crate::Error) for the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a script, and of each text that it evaluates.
    pub script: usize,
    /// How deeply commands and substitutions nest, and how deeply functions call.
    pub nesting: usize,
    /// Commands run. Work without commands, such as matching a long pattern, counts by its size.
    pub steps: usize,
    /// Bytes of one command's arguments.
    pub argv: usize,
    /// Pipes open at once.
    pub pipes: usize,
    /// Background jobs alive at once.
    pub jobs: usize,
    /// Bytes that variables, functions and expansions hold.
    pub memory: usize,
    /// Bytes written to files, by the shell and by its commands.
    pub written: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            script: 256 << 10,
            nesting: 200,
            steps: 100_000,
            argv: 256 << 10,
            pipes: 64,
            jobs: 64,
            memory: 64 << 20,
            written: 1 << 30,
        }
    }
}

impl Limits {
    /// Those of the grammar.
    pub(crate) fn grammar(&self) -> shell_grammar::Limits {
        shell_grammar::Limits {
            script: self.script,
            nesting: self.nesting,
            memory: self.memory,
        }
    }
}

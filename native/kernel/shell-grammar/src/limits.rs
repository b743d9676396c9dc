//! How much of a text is read.

/// The bounds of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a script, and of each text inside it.
    pub script: usize,
    /// How deeply commands and substitutions nest.
    pub nesting: usize,
    /// Bytes that the tree takes.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            script: 256 << 10,
            nesting: 200,
            memory: 64 << 20,
        }
    }
}

/// The bound that a text goes beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It is too long.
    ScriptTooLong,
    /// It nests too deeply.
    TooDeep,
    /// Its tree is too large.
    TooMuchMemory,
}

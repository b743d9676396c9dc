//! The functions that come with the language.

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Builtin {
    And,
    Asort,
    Asorti,
    Atan2,
    Close,
    Compl,
    Cos,
    Exp,
    Fflush,
    Gensub,
    Gsub,
    Index,
    Int,
    Length,
    Log,
    Lshift,
    Match,
    Mktime,
    Or,
    Rand,
    Rshift,
    Sin,
    Split,
    Sprintf,
    Sqrt,
    Srand,
    Strftime,
    Strtonum,
    Sub,
    Substr,
    System,
    Systime,
    Tolower,
    Toupper,
    Xor,
}

/// A builtin by its name, with the fewest and the most arguments it takes.
pub struct Entry {
    pub name: &'static str,
    pub builtin: Builtin,
    pub fewest: usize,
    pub most: usize,
    /// POSIX knows it: no function of a program can have its name. A program's own function hides any other.
    pub reserved: bool,
}

const ANY: usize = 255;

const fn posix(name: &'static str, builtin: Builtin, fewest: usize, most: usize) -> Entry {
    Entry {
        name,
        builtin,
        fewest,
        most,
        reserved: true,
    }
}

const fn extra(name: &'static str, builtin: Builtin, fewest: usize, most: usize) -> Entry {
    Entry {
        name,
        builtin,
        fewest,
        most,
        reserved: false,
    }
}

/// All of them, in the order of their names.
pub const TABLE: &[Entry] = &[
    extra("and", Builtin::And, 2, ANY),
    extra("asort", Builtin::Asort, 1, 2),
    extra("asorti", Builtin::Asorti, 1, 2),
    posix("atan2", Builtin::Atan2, 2, 2),
    posix("close", Builtin::Close, 1, 2),
    extra("compl", Builtin::Compl, 1, 1),
    posix("cos", Builtin::Cos, 1, 1),
    posix("exp", Builtin::Exp, 1, 1),
    posix("fflush", Builtin::Fflush, 0, 1),
    extra("gensub", Builtin::Gensub, 3, 4),
    posix("gsub", Builtin::Gsub, 2, 3),
    posix("index", Builtin::Index, 2, 2),
    posix("int", Builtin::Int, 1, 1),
    posix("length", Builtin::Length, 0, 1),
    posix("log", Builtin::Log, 1, 1),
    extra("lshift", Builtin::Lshift, 2, 2),
    posix("match", Builtin::Match, 2, 3),
    extra("mktime", Builtin::Mktime, 1, 2),
    extra("or", Builtin::Or, 2, ANY),
    posix("rand", Builtin::Rand, 0, 0),
    extra("rshift", Builtin::Rshift, 2, 2),
    posix("sin", Builtin::Sin, 1, 1),
    posix("split", Builtin::Split, 2, 3),
    posix("sprintf", Builtin::Sprintf, 1, ANY),
    posix("sqrt", Builtin::Sqrt, 1, 1),
    posix("srand", Builtin::Srand, 0, 1),
    extra("strftime", Builtin::Strftime, 0, 3),
    extra("strtonum", Builtin::Strtonum, 1, 1),
    posix("sub", Builtin::Sub, 2, 3),
    posix("substr", Builtin::Substr, 2, 3),
    posix("system", Builtin::System, 1, 1),
    extra("systime", Builtin::Systime, 0, 0),
    posix("tolower", Builtin::Tolower, 1, 1),
    posix("toupper", Builtin::Toupper, 1, 1),
    extra("xor", Builtin::Xor, 2, ANY),
];

impl Entry {
    /// What is wrong with so many arguments.
    pub fn wrong_count(&self, count: usize) -> String {
        let problem = if count < self.fewest { "not enough" } else { "too many" };
        format!("{problem} arguments to {}", self.name)
    }
}

impl Builtin {
    /// Its line of the table.
    pub fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// The function of that name.
    pub fn named(name: &str) -> Option<&'static Entry> {
        TABLE.iter().find(|entry| entry.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_has_its_line() {
        for (at, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.builtin as usize, at, "{}", entry.name);
        }
    }
}

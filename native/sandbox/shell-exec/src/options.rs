//! The options of `set`.

use crate::Dialect;

/// Which options are on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Options(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Flag {
    AllExport,
    Notify,
    NoClobber,
    ErrExit,
    NoGlob,
    HashAll,
    Monitor,
    NoExec,
    NoUnset,
    Verbose,
    XTrace,
    PipeFail,
    IgnoreEof,
    NoLog,
    Vi,
    Emacs,
    Interactive,
    Stdin,
    CommandString,
    ErrTrace,
    FuncTrace,
    BraceExpand,
    Physical,
}

use Flag::*;

/// Flags that `set` can change: the letter and the long name.
const SETTABLE: &[(Flag, Option<u8>, &str)] = &[
    (AllExport, Some(b'a'), "allexport"),
    (Notify, Some(b'b'), "notify"),
    (NoClobber, Some(b'C'), "noclobber"),
    (ErrExit, Some(b'e'), "errexit"),
    (NoGlob, Some(b'f'), "noglob"),
    (HashAll, Some(b'h'), "hashall"),
    (Monitor, Some(b'm'), "monitor"),
    (NoExec, Some(b'n'), "noexec"),
    (NoUnset, Some(b'u'), "nounset"),
    (Verbose, Some(b'v'), "verbose"),
    (XTrace, Some(b'x'), "xtrace"),
    (PipeFail, None, "pipefail"),
    (IgnoreEof, None, "ignoreeof"),
    (NoLog, None, "nolog"),
    (Vi, None, "vi"),
    (Emacs, None, "emacs"),
];

/// Those that only bash has.
const SETTABLE_IN_BASH: &[(Flag, Option<u8>, &str)] = &[
    (BraceExpand, Some(b'B'), "braceexpand"),
    (ErrTrace, Some(b'E'), "errtrace"),
    (FuncTrace, Some(b'T'), "functrace"),
    (Physical, Some(b'P'), "physical"),
];

/// What `set` can change in that language.
pub(crate) fn settable(dialect: Dialect) -> impl Iterator<Item = &'static (Flag, Option<u8>, &'static str)> {
    let more: &[_] = match dialect {
        Dialect::Bash => SETTABLE_IN_BASH,
        Dialect::Sh => &[],
    };
    SETTABLE.iter().chain(more)
}

impl Options {
    pub fn is(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u8) != 0
    }

    pub fn set(&mut self, flag: Flag, on: bool) {
        match on {
            true => self.0 |= 1 << flag as u8,
            false => self.0 &= !(1 << flag as u8),
        }
    }

    /// `$-`.
    pub fn letters(self) -> Vec<u8> {
        let settable = settable(Dialect::Bash).filter_map(|(flag, letter, _)| Some((*flag, (*letter)?)));
        let started = [(Interactive, b'i'), (Stdin, b's'), (CommandString, b'c')];
        settable
            .chain(started)
            .filter(|(flag, _)| self.is(*flag))
            .map(|(_, letter)| letter)
            .collect()
    }
}

impl Options {
    /// The names of those that are on, sorted.
    pub fn names(self) -> Vec<&'static str> {
        let on = settable(Dialect::Bash).filter(|(flag, ..)| self.is(*flag));
        let mut names: Vec<_> = on.map(|(.., name)| *name).collect();
        names.sort_unstable();
        names
    }
}

pub(crate) fn by_letter(letter: u8, dialect: Dialect) -> Option<Flag> {
    settable(dialect)
        .find(|(_, own, _)| *own == Some(letter))
        .map(|(flag, ..)| *flag)
}

pub(crate) fn by_name(name: &[u8], dialect: Dialect) -> Option<Flag> {
    settable(dialect)
        .find(|(.., own)| own.as_bytes() == name)
        .map(|(flag, ..)| *flag)
}

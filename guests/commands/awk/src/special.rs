//! The variables that mean something to the language: the first of the globals.

/// Their names, in the order of [`Special`].
pub const NAMES: &[&str] = &[
    "NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "FILENAME", "RSTART", "RLENGTH", "ARGC",
    "ARGV", "ENVIRON", "PROCINFO",
];

/// A variable that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Special {
    Nf,
    Nr,
    Fnr,
    Fs,
    Ofs,
    Ors,
    Rs,
    Subsep,
    Convfmt,
    Ofmt,
    Filename,
    Rstart,
    Rlength,
    Argc,
    Argv,
    Environ,
    Procinfo,
}

/// Reading or setting the globals below this number does more than that; the others are ordinary variables that only
/// begin with a value.
pub const WATCHED: u32 = Special::Filename as u32;

impl Special {
    /// The one with this number, if reading or setting it does more than that.
    pub fn watched(number: u32) -> Option<Special> {
        use Special::{Convfmt, Fnr, Fs, Nf, Nr, Ofmt, Ofs, Ors, Rs, Subsep};
        [Nf, Nr, Fnr, Fs, Ofs, Ors, Rs, Subsep, Convfmt, Ofmt]
            .get(number as usize)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(NAMES[Special::Procinfo as usize], "PROCINFO");
        assert_eq!(NAMES[WATCHED as usize], "FILENAME");
        assert_eq!(Special::watched(9), Some(Special::Ofmt));
        assert_eq!(Special::watched(WATCHED), None);
    }
}

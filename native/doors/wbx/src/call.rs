//! What a verb was asked, already parsed.

use crate::{failure::Failure, source::Source};
use clap::ArgMatches;
use std::ffi::{OsStr, OsString};

/// The arguments of one verb, by the names that the table gives them.
pub struct Call(pub ArgMatches);

impl Call {
    pub fn flag(&self, name: &str) -> bool {
        self.0.get_flag(name)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get_one::<String>(name).map(String::as_str)
    }

    /// Every value of an argument that may be repeated.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        let values = self.0.get_many::<String>(name);
        values.into_iter().flatten().map(String::as_str).collect()
    }

    pub fn path(&self, name: &str) -> Option<&OsStr> {
        self.0.get_one::<OsString>(name).map(OsString::as_os_str)
    }

    /// Every value of a path that may be repeated, byte for byte.
    pub fn paths(&self, name: &str) -> impl Iterator<Item = &OsStr> {
        let values = self.0.get_many::<OsString>(name);
        values.into_iter().flatten().map(OsString::as_os_str)
    }

    /// The text behind a path that a flag may give.
    pub fn source_of_flag(&self, name: &str) -> Result<Option<Source>, Failure> {
        self.path(name).map(Source::read).transpose()
    }

    /// The text behind a path that the table requires.
    pub fn source(&self, name: &str) -> Result<Source, Failure> {
        Source::read(self.path(name).unwrap_or_default())
    }
}

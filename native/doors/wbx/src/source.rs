//! Where a plan's text comes from: a file, standard input, or git.

use crate::{
    failure::{Code, Failure},
    place::Place,
    revision,
};
use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    path::Path,
    sync::OnceLock,
};

/// A text and the name that people know it by.
#[derive(Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
    line_starts: OnceLock<Vec<usize>>,
}

impl Source {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &OsStr) -> Result<Self, Failure> {
        if path == "-" {
            return Source::from_reader("<stdin>", io::stdin().lock());
        }
        let name = Path::new(path).display().to_string();
        let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
        Source::from_reader(&name, file)
    }

    /// Reads what [`Source::read`] reads, or `git:REV:PATH`.
    pub fn read_revision(path: &OsStr) -> Result<Self, Failure> {
        match path.to_str().and_then(|path| path.strip_prefix("git:")) {
            Some(object) => revision::read(object),
            None => Source::read(path),
        }
    }

    /// Reads no further than the kernel would: an endless pipe must not fill the memory.
    pub fn from_reader(name: &str, reader: impl Read) -> Result<Self, Failure> {
        let mut bytes = Vec::new();
        reader
            .take(oql::MAX_TEXT as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(name, &error))?;
        if bytes.len() > oql::MAX_TEXT {
            return Err(Failure::new(
                Code::Of(failure::codes::TOO_LARGE),
                format!("`{name}` is larger than {} MiB", oql::MAX_TEXT >> 20),
                "split the plan into smaller ones",
            ));
        }
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(name, &error))?;
        Ok(Source {
            name: name.to_owned(),
            text,
            line_starts: OnceLock::new(),
        })
    }

    /// Points at a phrase, or at the word that stands in its place. Lines and columns count from 1.
    pub fn phrase(&self, line: usize, column: usize, phrase: &str) -> Place {
        Place::phrase(&self.name, line, self.line(line), column, phrase)
    }

    /// Points at a whole line, counted from 1.
    pub fn whole_line(&self, line: usize) -> Place {
        Place::line(&self.name, line, self.line(line))
    }

    fn line(&self, line: usize) -> &str {
        let starts = self.line_starts.get_or_init(|| {
            let ends = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(ends).collect()
        });
        let start = starts.get(line.saturating_sub(1)).copied();
        let rest = &self.text[start.unwrap_or(self.text.len())..];
        let line = rest.split('\n').next().unwrap_or_default();
        line.strip_suffix('\r').unwrap_or(line)
    }
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Failure {
    let at = error.utf8_error().valid_up_to();
    let before = &error.as_bytes()[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    Failure::new(
        Code::Of(failure::codes::NOT_UTF8),
        format!(
            "`{name}` is not UTF-8: byte 0x{:02X} on line {line}",
            error.as_bytes()[at]
        ),
        "save the plan as UTF-8",
    )
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Failure::new(
            Code::NotFound,
            format!("there is no file `{name}`"),
            "check the path; - reads standard input",
        ),
        io::ErrorKind::IsADirectory => Failure::new(
            Code::Unreadable,
            format!("`{name}` is a directory"),
            "name the plan file inside it",
        ),
        io::ErrorKind::PermissionDenied => Failure::new(
            Code::Unreadable,
            format!("`{name}` may not be read"),
            "check the file's permissions",
        ),
        _ => Failure::new(Code::Unreadable, format!("cannot read `{name}`: {error}"), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::from_reader("plan.org", text.as_bytes()).unwrap()
    }

    #[test]
    fn a_place_shows_the_line_without_its_end() {
        let place = source("one\r\ntwo three\r\n").phrase(2, 5, "no such");
        assert_eq!((place.text.as_str(), place.span), ("two three", 4..9));
    }

    #[test]
    fn a_column_counts_characters_and_not_bytes() {
        let place = source("* 🦀 crab pool :tag:").phrase(1, 5, "crab pool");
        assert_eq!(&place.text[place.span], "crab pool");
    }

    #[test]
    fn a_place_past_the_end_is_empty_and_no_panic() {
        let place = source("one").phrase(7, 9, "gone");
        assert_eq!((place.text.as_str(), place.span), ("", 0..0));
    }

    #[test]
    fn the_first_bad_byte_is_named() {
        let failure = Source::from_reader("p", &b"ok\n\xFFx"[..]).unwrap_err();
        assert_eq!(failure.message, "`p` is not UTF-8: byte 0xFF on line 2");
    }

    #[test]
    fn an_endless_pipe_is_too_large() {
        let failure = Source::from_reader("p", io::repeat(b'*')).unwrap_err();
        assert_eq!(failure.message, "`p` is larger than 16 MiB");
    }
}

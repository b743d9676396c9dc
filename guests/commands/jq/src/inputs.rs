//! The input values, read as they are asked for.

use crate::BAD_INPUT;
use crate::options::Options;
use jaq_all::json::{Val, read};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

type Values<'a> = Box<dyn Iterator<Item = io::Result<Val>> + 'a>;

/// Every value of every file. A file that cannot be opened is reported and sets the status.
pub fn values<'a>(options: &'a Options, status: &'a Cell<i32>) -> Values<'a> {
    let stdin = PathBuf::from("-");
    let files = if options.files.is_empty() {
        vec![stdin]
    } else {
        options.files.clone()
    };
    let readers = files.into_iter().filter_map(move |path| match open(&path) {
        Ok(reader) => Some(reader),
        Err(error) => {
            eprintln!("jq: error: Could not open {}: {error}", path.display());
            status.set(BAD_INPUT);
            None
        }
    });
    match (options.raw_input, options.slurp) {
        (false, false) => Box::new(readers.flat_map(read::read_many)),
        (false, true) => once(move || readers.flat_map(read::read_many).collect()),
        (true, false) => Box::new(readers.flat_map(lines)),
        (true, true) => once(move || {
            let mut text = Vec::new();
            for mut reader in readers {
                reader.read_to_end(&mut text)?;
            }
            Ok(Val::utf8_str(text))
        }),
    }
}

/// What `input_filename` answers.
pub fn name(options: &Options) -> Val {
    match options.files.as_slice() {
        [only] => Val::from(only.to_string_lossy().into_owned()),
        _ => Val::Null,
    }
}

/// Where a message says it happened.
pub fn place(options: &Options) -> String {
    options
        .files
        .first()
        .map_or("<stdin>".into(), |path| path.display().to_string())
}

fn once<'a>(make: impl FnOnce() -> io::Result<Val> + 'a) -> Values<'a> {
    Box::new(std::iter::once_with(make))
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    match path.to_str() {
        Some("-") => Ok(Box::new(BufReader::new(io::stdin()))),
        _ => Ok(Box::new(BufReader::with_capacity(64 * 1024, File::open(path)?))),
    }
}

fn lines(reader: Box<dyn BufRead>) -> impl Iterator<Item = io::Result<Val>> {
    reader.split(b'\n').map(|line| Ok(Val::utf8_str(line?)))
}

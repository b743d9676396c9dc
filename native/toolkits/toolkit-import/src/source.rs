//! The files of a source, wherever they are.

use serde::Serialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A larger file is not carried.
pub const MAX_FILE: usize = 16 << 20;
/// A larger document is not read.
pub const MAX_DOCUMENT: usize = 4 << 20;

/// A file of the source that did not become a part of the toolkit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Skipped {
    /// Its path in the source.
    pub file: String,
    /// Why it was left behind.
    pub why: &'static str,
}

type Read<'a> = dyn Fn(&str) -> Result<Vec<u8>, &'static str> + 'a;

/// A tree of files that is read on demand. Reading has no other effect.
pub struct Source<'a> {
    name: String,
    paths: BTreeSet<String>,
    only: bool,
    read: Box<Read<'a>>,
    skipped: RefCell<BTreeMap<String, &'static str>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(
        name: &str,
        paths: BTreeSet<String>,
        only: bool,
        skipped: BTreeMap<String, &'static str>,
        read: Box<Read<'a>>,
    ) -> Self {
        Source {
            name: name.to_owned(),
            paths,
            only,
            read,
            skipped: RefCell::new(skipped),
        }
    }

    /// A directory of the given name, in memory.
    pub fn memory<P: Into<String>, T: Into<Vec<u8>>>(name: &str, files: impl IntoIterator<Item = (P, T)>) -> Self {
        let files: BTreeMap<String, Vec<u8>> = files
            .into_iter()
            .map(|(path, text)| (path.into(), text.into()))
            .collect();
        let paths = files.keys().cloned().collect();
        let read = move |path: &str| files.get(path).cloned().ok_or("it is gone");
        Source::new(name, paths, false, BTreeMap::new(), Box::new(read))
    }

    /// A single file, in memory.
    pub fn file(name: &str, text: impl Into<Vec<u8>>) -> Self {
        let only = Source::memory(name, [(name, text)]);
        Source { only: true, ..only }
    }

    /// The name of the directory or of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path of the file, when the source is a single one.
    pub(crate) fn only(&self) -> Option<&str> {
        self.paths.first().filter(|_| self.only).map(String::as_str)
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Every path, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    pub(crate) fn below(&self, prefix: &str) -> impl Iterator<Item = &str> {
        self.paths().filter(move |path| path.starts_with(prefix))
    }

    /// The paths in which no name begins with a dot.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &str> {
        self.paths()
            .filter(|path| !path.split('/').any(|name| name.starts_with('.')))
    }

    /// The bytes of a file; what cannot be read is skipped, and the reason is kept.
    pub(crate) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        if !self.has(path) {
            return None;
        }
        match (self.read)(path) {
            Ok(bytes) if bytes.len() <= MAX_FILE => Some(bytes),
            Ok(_) => self.skip(path, "it is larger than 16 MiB"),
            Err(why) => self.skip(path, why),
        }
    }

    /// The text of a document.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        let bytes = self.bytes(path)?;
        if bytes.len() > MAX_DOCUMENT {
            return self.skip(path, "it is larger than 4 MiB");
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
            Err(_) => self.skip(path, "it is not UTF-8"),
        }
    }

    /// Leaves a file behind.
    pub(crate) fn skip<T>(&self, path: &str, why: &'static str) -> Option<T> {
        self.skipped.borrow_mut().insert(path.to_owned(), why);
        None
    }

    /// What was left behind so far.
    pub(crate) fn skipped(&self) -> Vec<Skipped> {
        let skipped = self.skipped.borrow();
        let skipped = skipped.iter().map(|(file, why)| Skipped {
            file: file.clone(),
            why,
        });
        skipped.collect()
    }
}

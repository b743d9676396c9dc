//! The source of a build, in memory: bounded, and nothing from outside its directory.

use crate::{Error, Source};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// What a project may have.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: usize = 8 << 20;
const MAX_DEPTH: usize = 32;

/// The files of a project by path, `/` between the parts.
pub(crate) struct Project {
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Project {
    /// Reads the source. `name` is what a single file is called.
    pub fn read(source: &Source, name: &str) -> Result<Project, Error> {
        let mut project = Project { files: BTreeMap::new() };
        match source {
            Source::Text(text) => project.add(name.to_owned(), text.clone().into_bytes(), &mut 0)?,
            Source::Dir(path) => {
                let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|e| Error::file(path, e))?;
                project.add_all(&dir, path, "", &mut 0, 0)?;
            }
        }
        Ok(project)
    }

    /// A file that has to be text.
    pub fn text(&self, path: &str) -> Result<&str, Error> {
        let bytes = self.files.get(path).map_or(&[][..], Vec::as_slice);
        std::str::from_utf8(bytes).map_err(|_| Error::Source(format!("{path} is not UTF-8")))
    }

    /// The first of `names` that is there.
    pub fn entry(&self, names: &[&str]) -> Result<String, Error> {
        let found = names.iter().find(|name| self.files.contains_key(**name));
        found
            .map(|name| (*name).to_owned())
            .ok_or_else(|| Error::Source(format!("the project has none of {}", names.join(", "))))
    }

    /// The text files that end in one of `endings`, which have no NUL: they travel as arguments.
    pub fn modules(&self, endings: &[&str]) -> Result<BTreeMap<&str, &str>, Error> {
        let mut modules = BTreeMap::new();
        let chosen = |path: &str| endings.iter().any(|ending| path.ends_with(ending));
        for path in self.files.keys().filter(|path| chosen(path)) {
            let text = self.text(path)?;
            if text.contains('\0') {
                return Err(Error::Source(format!("{path} has a NUL")));
            }
            modules.insert(path.as_str(), text);
        }
        Ok(modules)
    }

    fn add(&mut self, path: String, bytes: Vec<u8>, total: &mut usize) -> Result<(), Error> {
        *total += bytes.len();
        if *total > MAX_BYTES || self.files.len() == MAX_FILES {
            return Err(Error::Source(format!(
                "the project has more than {MAX_FILES} files or {} MiB",
                MAX_BYTES >> 20
            )));
        }
        self.files.insert(path, bytes);
        Ok(())
    }

    fn add_all(&mut self, dir: &Dir, at: &Path, prefix: &str, total: &mut usize, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::Source(format!(
                "{prefix} lies deeper than {MAX_DEPTH} directories"
            )));
        }
        let failed = |e| Error::file(&at.join(prefix), e);
        for entry in dir.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                return Err(Error::Source(format!("{prefix} has a file whose name is not UTF-8")));
            };
            // What version control and tools keep for themselves is no source.
            if name.starts_with('.') || name == "node_modules" || name == "target" {
                continue;
            }
            let path = format!("{prefix}{name}");
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                self.add_all(
                    &dir.open_dir(name).map_err(failed)?,
                    at,
                    &format!("{path}/"),
                    total,
                    depth + 1,
                )?;
            } else if kind.is_file() {
                let mut bytes = Vec::new();
                let file = dir.open(name).map_err(failed)?;
                let left = (MAX_BYTES - *total) as u64 + 1;
                file.take(left).read_to_end(&mut bytes).map_err(failed)?;
                self.add(path, bytes, total)?;
            } else {
                return Err(Error::Source(format!(
                    "{path} is neither a file nor a directory: links are not followed"
                )));
            }
        }
        Ok(())
    }
}

//! The plan of a run: the text that the run knows, and the states that it writes into it.
//!
//! Where the keywords are is found once, see [`oql::States`]. Each write compares the whole file with the text that is
//! known, so an edit by somebody else is never overwritten; it is handed back, and is the known text from then on.

use crate::{Error, Exchanged, exchange_at};
use oql::{HeadlineState, States};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[derive(Default)]
pub(crate) struct Plan {
    /// The text that the caller knows. `None` until it is read.
    text: Option<String>,
    /// Made when the first state is written, and again after an edit.
    states: Option<States>,
    stamp: Option<Stamp>,
}

/// Whether a file may have changed, without reading it. What slips through is found when the file is written.
#[derive(PartialEq, Eq)]
struct Stamp(u64, u64, u64, (i64, i64), (i64, i64));

impl Stamp {
    fn of(about: &Metadata) -> Stamp {
        let changed = (about.ctime(), about.ctime_nsec());
        Stamp(
            about.dev(),
            about.ino(),
            about.len(),
            (about.mtime(), about.mtime_nsec()),
            changed,
        )
    }
}

impl Plan {
    /// Reads the plan, and makes its text the known one.
    pub fn read(&mut self, path: &Path) -> Result<&str, Error> {
        let (bytes, about) = crate::exchange::read(path)?;
        self.know(bytes, Some(Stamp::of(&about)))
    }

    /// The text of the plan if it is not the known one any more. Then it is from now on.
    pub fn edited(&mut self, path: &Path) -> Result<Option<&str>, Error> {
        let about = fs::symlink_metadata(path).ok();
        if self.stamp.is_some() && about.as_ref().map(Stamp::of) == self.stamp {
            return Ok(None);
        }
        let (bytes, about) = crate::exchange::read(path)?;
        if self.text.as_ref().is_some_and(|text| text.as_bytes() == bytes) {
            self.stamp = Some(Stamp::of(&about));
            return Ok(None);
        }
        self.know(bytes, Some(Stamp::of(&about))).map(Some)
    }

    /// Writes states into the known text, and the text into the plan.
    pub fn set(&mut self, path: &Path, states: &[(&str, &str)]) -> Result<Exchanged, Error> {
        let result = self.try_set(path, states);
        if !matches!(result, Ok(Exchanged::Swapped)) {
            // The index may be ahead of the plan.
            self.states = None;
        }
        result
    }

    fn try_set(&mut self, path: &Path, changes: &[(&str, &str)]) -> Result<Exchanged, Error> {
        let states = self.states(path)?;
        for (id, state) in changes {
            states.set(id, state)?;
        }
        let new = states.text();
        let known = self.text.as_deref().unwrap_or_default();
        if new == known {
            return Ok(Exchanged::Swapped);
        }
        match exchange_at(path, known.as_bytes(), new.as_bytes())? {
            Exchanged::Swapped => {
                self.text = Some(new);
                self.stamp = fs::symlink_metadata(path).ok().as_ref().map(Stamp::of);
                Ok(Exchanged::Swapped)
            }
            Exchanged::Changed(current) => {
                self.know(current.clone(), None)?;
                Ok(Exchanged::Changed(current))
            }
        }
    }

    /// A task and everything above it, as the known text has them.
    pub fn line(&mut self, path: &Path, id: &str) -> Result<Vec<HeadlineState>, Error> {
        Ok(self.states(path)?.line(id))
    }

    /// The headlines that have cookies.
    pub fn with_cookies(&mut self, path: &Path) -> Result<Vec<HeadlineState>, Error> {
        Ok(self.states(path)?.with_cookies().collect())
    }

    fn states(&mut self, path: &Path) -> Result<&mut States, Error> {
        if self.text.is_none() {
            self.read(path)?;
        }
        let known = self.text.as_deref().unwrap_or_default();
        Ok(match &mut self.states {
            Some(states) => states,
            none => none.insert(States::read(known)?),
        })
    }

    fn know(&mut self, bytes: Vec<u8>, stamp: Option<Stamp>) -> Result<&str, Error> {
        let text = String::from_utf8(bytes).map_err(|e| Error::NotText(e.utf8_error().valid_up_to()))?;
        self.states = None;
        self.stamp = stamp;
        Ok(self.text.insert(text))
    }
}

//! The file of tokens.

use crate::secret::{Hash, new_id, new_token};
use crate::{Bearer, Error, Scope, fault};
use durable::Target;
use durable::lock::{Lock, Refused};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

const FORMAT: u32 = 1;

/// As many tokens as one engine has. Every request looks at all of them.
const MOST: usize = 1_000;

const LONGEST_NAME: usize = 100;

/// More than [`MOST`] tokens with the longest names take.
const LIMIT: u64 = 4 << 20;

/// How often, and how long, to look again at a lock that somebody holds for the moment of a change.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// What is known of a token. The token itself is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// How it is called to revoke it.
    pub id: String,
    /// What it is for, in the words of whoever made it.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When it ends, in milliseconds since 1970.
    pub expires: Option<i64>,
}

/// A token that was just made. It is not shown again.
pub struct Made {
    /// The token.
    pub token: String,
    /// What is kept.
    pub entry: Entry,
}

#[derive(Clone, Serialize, Deserialize)]
struct Row {
    #[serde(flatten)]
    entry: Entry,
    sha256: String,
}

#[derive(Serialize, Deserialize)]
struct Contents {
    format: u32,
    tokens: Vec<Row>,
}

/// The tokens in a file, which need not be there yet.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// By the path of its file.
    pub fn at(path: impl Into<PathBuf>) -> Store {
        Store { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a token. It is on the disk when this returns.
    pub fn create(&self, name: &str, scopes: &[Scope], expires: Option<i64>, now: i64) -> Result<Made, Error> {
        let plain = |c: char| !c.is_control();
        if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(plain) {
            return Err(Error::Name(LONGEST_NAME));
        }
        let mut scopes = scopes.to_vec();
        scopes.sort();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(Error::NoScope);
        }
        if expires.is_some_and(|end| end <= now) {
            return Err(Error::Expired);
        }
        let token = new_token()?;
        let sha256 = Hash::of(&token)
            .ok_or_else(|| io::Error::other("a token is short"))?
            .text();
        let entry = Entry {
            id: new_id()?,
            name: name.to_owned(),
            scopes,
            created: now,
            expires,
        };
        let row = Row {
            entry: entry.clone(),
            sha256,
        };
        self.change(|rows| {
            // A token whose time is up is of no use to anybody.
            rows.retain(|row| row.entry.expires.is_none_or(|end| end > now));
            if rows.len() >= MOST {
                return Err(Error::TooMany(rows.len()));
            }
            rows.push(row);
            Ok(())
        })?;
        Ok(Made { token, entry })
    }

    /// What there is, the oldest first. Those whose time is up are among them until the next token is made.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        Ok(self.rows()?.into_iter().map(|row| row.entry).collect())
    }

    /// Ends a token. No request that comes after this is allowed by it.
    pub fn revoke(&self, id: &str) -> Result<Entry, Error> {
        let mut gone = None;
        self.change(|rows| {
            let at = rows.iter().position(|row| row.entry.id == id);
            let short = || id.chars().take(64).collect();
            gone = Some(rows.remove(at.ok_or_else(|| Error::Unknown(short()))?).entry);
            Ok(())
        })?;
        gone.ok_or_else(|| Error::Unknown(id.to_owned()))
    }

    /// Whoever holds this token, if it is one and its time is not up.
    pub fn bearer(&self, token: &str, now: i64) -> Result<Option<Bearer>, Error> {
        Ok(self.load()?.bearer(token, now))
    }

    /// What the file says at this moment, to ask more than once.
    pub fn load(&self) -> Result<Loaded, Error> {
        let rows = self.rows()?.into_iter().map(|row| {
            let hash = Hash::read(&row.sha256).ok_or_else(|| Error::Corrupt("a hash is none".into()))?;
            Ok((hash, row.entry))
        });
        Ok(Loaded(rows.collect::<Result<_, Error>>()?))
    }

    /// Something that differs whenever the file does: every change makes a new one.
    pub fn mark(&self) -> Option<(u64, u64, i64, i64)> {
        let about = std::fs::metadata(&self.path).ok()?;
        Some((about.ino(), about.size(), about.mtime(), about.mtime_nsec()))
    }

    fn rows(&self) -> Result<Vec<Row>, Error> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            opened => opened?,
        };
        if file.metadata()?.mode() & 0o077 != 0 {
            return Err(Error::NotPrivate);
        }
        let mut text = Vec::new();
        file.take(LIMIT).read_to_end(&mut text)?;
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let damaged = |error: serde_json::Error| Error::Corrupt(error.to_string());
        let Version { format } = serde_json::from_slice(&text).map_err(damaged)?;
        if format != FORMAT {
            return Err(Error::Version(format));
        }
        let contents: Contents = serde_json::from_slice(&text).map_err(damaged)?;
        Ok(contents.tokens)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Row>) -> Result<(), Error>) -> Result<(), Error> {
        if let Some(dir) = self.path.parent() {
            durable::create_private(dir)?;
        }
        let _lock = self.lock()?;
        let mut tokens = self.rows()?;
        change(&mut tokens)?;
        let format = FORMAT;
        let mut text = serde_json::to_vec_pretty(&Contents { format, tokens }).map_err(io::Error::from)?;
        text.push(b'\n');
        Target::at(&self.path)?
            .temporary_name(".tokens.new")
            .points([
                fault::named("tokens.written"),
                fault::named("tokens.synced"),
                fault::named("tokens.placed"),
            ])
            .replace(&text)?;
        Ok(())
    }

    fn lock(&self) -> Result<Lock, Error> {
        let path = self.path.with_extension("lock");
        for _ in 0..TRIES {
            match Lock::take(&path, b"") {
                Ok(lock) => return Ok(lock),
                Err(Refused::Held(_)) => thread::sleep(PAUSE),
                Err(Refused::Io(cause)) => return Err(cause.into()),
            }
        }
        Err(Error::Busy)
    }
}

/// The tokens as they were when they were read.
pub struct Loaded(Vec<(Hash, Entry)>);

impl Loaded {
    /// Whoever holds this token, if it is one and its time is not up.
    pub fn bearer(&self, token: &str, now: i64) -> Option<Bearer> {
        let asked = Hash::of(token)?;
        let mut found = None;
        for (hash, entry) in &self.0 {
            // Every one is looked at, also after the right one.
            if bool::from(hash.is(&asked)) {
                found = Some(entry);
            }
        }
        let entry = found.filter(|entry| entry.expires.is_none_or(|end| end > now))?;
        Some(Bearer {
            id: entry.id.clone(),
            scopes: entry.scopes.clone(),
            expires: entry.expires,
        })
    }
}

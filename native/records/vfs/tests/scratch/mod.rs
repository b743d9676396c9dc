//! A new disk in a directory that vanishes after the test.
#![allow(dead_code)] // every test file takes what it needs

use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use vfs::{Disk, Error, Options, Stop};

pub struct Scratch {
    pub disk: Disk,
    pub dir: TempDir,
}

impl Scratch {
    pub fn new() -> Scratch {
        Scratch::with(Options::default())
    }

    pub fn with(options: Options) -> Scratch {
        let dir = tempfile::tempdir().unwrap();
        let disk = Disk::open(dir.path().join("disk.sqlite"), options).unwrap();
        Scratch { disk, dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The disk's file, for a look with SQLite and no fence.
    pub fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path("disk.sqlite")).unwrap()
    }

    pub fn sql(&self, sql: &str) -> Result<String, Error> {
        self.disk.query(sql, &Stop::after(Duration::from_secs(20)))
    }

    pub fn refusal(&self, sql: &str) -> &'static str {
        self.sql(sql).expect_err(sql).code()
    }
}

impl Deref for Scratch {
    type Target = Disk;

    fn deref(&self) -> &Disk {
        &self.disk
    }
}

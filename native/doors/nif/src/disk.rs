//! Disks: open one, and do one thing with it.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::json;
use crate::runtime::Runtime;
use ::failure::codes::CLOSED;
use host::Cancel;
use parking_lot::Mutex;
use rustler::{Binary, Encoder, Env, NewBinary, NifMap, NifResult, NifTaggedEnum, Resource, ResourceArc, Term};
use std::sync::Arc;
use std::time::Duration;
use vfs::{Disk, Options, Stop, Volume};

/// An open disk, held by the BEAM.
pub(crate) struct OpenDisk {
    slot: Mutex<Slot>,
    runtime: ResourceArc<Runtime>,
}

enum Slot {
    Open(Arc<Disk>),
    /// Nobody new gets it; whoever has it finishes.
    Closing(Arc<Disk>),
    Closed,
}

#[rustler::resource_impl]
impl Resource for OpenDisk {}

impl OpenDisk {
    pub(crate) fn get(&self) -> Result<Arc<Disk>, Failure> {
        match &*self.slot.lock() {
            Slot::Open(disk) => Ok(disk.clone()),
            _ => Err(Failure::new(CLOSED, "the disk is closed", "open it again")),
        }
    }

    /// Closes the disk to newcomers, and says whether the last user has left.
    fn close(&self) -> bool {
        let mut slot = self.slot.lock();
        match std::mem::replace(&mut *slot, Slot::Closed) {
            Slot::Open(disk) | Slot::Closing(disk) if Arc::strong_count(&disk) > 1 => {
                *slot = Slot::Closing(disk);
                false
            }
            // This was the last one, so the file is closed here.
            _ => true,
        }
    }
}

impl Drop for OpenDisk {
    fn drop(&mut self) {
        // The garbage collector of a scheduler comes by here, and closing a file may take its time.
        let slot = std::mem::replace(self.slot.get_mut(), Slot::Closed);
        let _ = self.runtime.workers.submit(move || drop(slot));
    }
}

/// Opens the disk at `path`, which is created when it is not there. Replies with the disk.
#[rustler::nif]
fn disk_open<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    path: String,
    max_pages: u32,
) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn(env, &runtime.workers, tag, tag, move |_, _| {
        let disk = Arc::new(Disk::open(&path, Options { max_pages })?);
        Ok(ResourceArc::new(OpenDisk {
            slot: Mutex::new(Slot::Open(disk)),
            runtime: keep,
        }))
    })
}

/// What can be done with a disk. A time is in seconds since 1970.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Operation<'a> {
    Read(&'a str, &'a str),
    Write(&'a str, &'a str, Binary<'a>, i64),
    Append(&'a str, &'a str, Binary<'a>, i64),
    Delete(&'a str, &'a str),
    Clear(&'a str),
    List(&'a str),
    Stat(&'a str, &'a str),
    /// SQL, and the milliseconds it may take.
    Query(&'a str, u64),
    Export(&'a str, &'a str),
    Import(&'a str, &'a str, i64),
    Backup(&'a str),
    Restore(&'a str),
    Close,
}

/// Does one thing with a disk. Replies with what came of it.
#[rustler::nif]
fn disk_call<'a>(env: Env<'a>, disk: ResourceArc<OpenDisk>, tag: Term<'a>, operation: Term<'a>) -> NifResult<Term<'a>> {
    let keep = disk.clone();
    jobs::spawn(
        env,
        &disk.runtime.workers,
        tag,
        operation,
        move |operation, cancel| match failure::given(operation)? {
            Operation::Close => Ok(Outcome::Flag(keep.close())),
            operation => perform(&*keep.get()?, operation, cancel),
        },
    )
}

fn perform(disk: &Disk, operation: Operation, cancel: &Cancel) -> Result<Outcome, Failure> {
    let volume = |name: &str| name.parse::<Volume>();
    Ok(match operation {
        Operation::Read(v, path) => Outcome::Bytes(disk.read(volume(v)?, path)?),
        Operation::Write(v, path, content, mtime) => disk.write(volume(v)?, path, &content, mtime)?.into(),
        Operation::Append(v, path, content, mtime) => disk.append(volume(v)?, path, &content, mtime)?.into(),
        Operation::Delete(v, path) => Outcome::Flag(disk.delete(volume(v)?, path)?),
        Operation::Clear(v) => Outcome::Count(disk.clear(volume(v)?)?),
        Operation::List(v) => Outcome::Entries(disk.list(volume(v)?)?),
        Operation::Stat(v, path) => Outcome::Stat(disk.stat(volume(v)?, path)?),
        Operation::Query(sql, time) => {
            let mut stop = Stop::after(Duration::from_millis(time));
            stop.cancel = cancel.flag();
            Outcome::Rows(disk.query(sql, &stop)?)
        }
        Operation::Export(v, dir) => Outcome::Count(disk.export(volume(v)?, dir)?),
        Operation::Import(v, dir, mtime) => Outcome::Count(disk.import(volume(v)?, dir, mtime)?),
        Operation::Backup(path) => disk.backup_to(path)?.into(),
        Operation::Restore(path) => disk.restore_from(path)?.into(),
        Operation::Close => unreachable!("closing needs no open disk"),
    })
}

enum Outcome {
    Done,
    Flag(bool),
    Count(usize),
    Bytes(Vec<u8>),
    Stat(vfs::Stat),
    Entries(Vec<vfs::Entry>),
    /// As JSON.
    Rows(String),
}

impl From<()> for Outcome {
    fn from((): ()) -> Self {
        Outcome::Done
    }
}

#[derive(NifMap)]
#[rustler(encode)]
struct Stat {
    size: u64,
    mtime: i64,
}

#[derive(NifMap)]
#[rustler(encode)]
struct Entry {
    path: String,
    size: u64,
    mtime: i64,
}

impl Answer for Outcome {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok(match self {
            Outcome::Done => return ().into_term(env),
            Outcome::Flag(flag) => flag.encode(env),
            Outcome::Count(count) => count.encode(env),
            Outcome::Bytes(bytes) => NewBinary::from_slice(env, &bytes).into(),
            Outcome::Stat(vfs::Stat { size, mtime }) => Stat { size, mtime }.encode(env),
            Outcome::Entries(entries) => entries.into_iter().map(Entry::from).collect::<Vec<_>>().encode(env),
            Outcome::Rows(rows) => return json::decode(env, &rows),
        })
    }
}

impl From<vfs::Entry> for Entry {
    fn from(entry: vfs::Entry) -> Self {
        Entry {
            path: entry.path,
            size: entry.stat.size,
            mtime: entry.stat.mtime,
        }
    }
}

impl Answer for ResourceArc<OpenDisk> {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok(self.encode(env))
    }
}

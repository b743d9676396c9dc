//! The files behind a guest's descriptors.
//!
//! WASI preview 1 keeps its descriptors to itself; the files they stand for lie in a table that can be looked through. A
//! descriptor's file is the one that is new in the table when the descriptor is.

use crate::command::module::Process;
use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p1::wasi_snapshot_preview1::WasiSnapshotPreview1;
use wasmtime_wasi::{FsPerms, OpenMode, WasiView};
use wiggle::GuestMemory;

/// Where the descriptors of directories begin that a guest has from the start.
const FIRST: i32 = 3;

/// The open files by descriptor. It is empty until somebody asks.
#[derive(Default)]
pub(in crate::command) struct Handles(HashMap<i32, Handle>);

#[derive(Clone)]
pub(in crate::command) struct Handle {
    pub file: Arc<File>,
    pub is_directory: bool,
    /// Whether the guest may change anything there.
    pub writable: bool,
    pub mode: OpenMode,
}

impl Handles {
    pub fn get(&self, fd: i32) -> Option<&Handle> {
        self.0.get(&fd)
    }

    pub fn close(&mut self, fd: i32) {
        self.0.remove(&fd);
    }

    pub fn renumber(&mut self, from: i32, to: i32) {
        if let Some(handle) = self.0.remove(&from) {
            self.0.insert(to, handle);
        }
    }

    fn knows(&self, file: &Arc<File>) -> bool {
        self.0.values().any(|handle| Arc::ptr_eq(&handle.file, file))
    }
}

/// Learns the directories that the guest has from the start.
pub(super) fn learn(process: &mut Process) {
    if !process.handles.0.is_empty() {
        return;
    }
    // They are put into the table when the first descriptor is asked for.
    let mut nothing = [];
    let _ = process
        .wasi
        .fd_prestat_get(&mut GuestMemory::Unshared(&mut nothing), (FIRST as u32).into());
    for (fd, handle) in (FIRST..).zip(table(process)) {
        process.handles.0.insert(fd, handle);
    }
}

/// Learns the file behind a descriptor that was opened just now.
pub(super) fn opened(process: &mut Process, fd: i32) -> Option<Handle> {
    let mut new = table(process)
        .into_iter()
        .filter(|handle| !process.handles.knows(&handle.file));
    let handle = new.next()?;
    // Two would mean that one was opened without us.
    if new.next().is_some() {
        return None;
    }
    process.handles.0.insert(fd, handle.clone());
    Some(handle)
}

/// Everything that the guest has open, in the order of the table.
fn table(process: &mut Process) -> Vec<Handle> {
    let entries = process.wasi.ctx().table.iter_mut();
    entries
        .filter_map(|entry| match entry.downcast_ref::<Descriptor>()? {
            Descriptor::File(file) => Some(Handle {
                file: file.file.clone(),
                is_directory: false,
                writable: file.perms == FsPerms::ReadWrite,
                mode: file.open_mode,
            }),
            Descriptor::Dir(dir) => Some(Handle {
                file: dir.dir.clone(),
                is_directory: true,
                writable: dir.perms == FsPerms::ReadWrite,
                mode: dir.open_mode,
            }),
        })
        .collect()
}

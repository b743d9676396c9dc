//! An imported session appears whole or not at all: it is put together under another name and renamed.

use std::fs;
use std::io::ErrorKind;

use session::bundle::Import;
use session::event::Event;
use session::manifest::{Record, segment_path};
use session::{Error, Log, healthy};

use crate::FileStore;
use crate::blobs;
use crate::durable::{flush_dir, io, make_dir, write_new};

pub(crate) fn run(store: &FileStore, import: &Import) -> Result<(), Error> {
    let _store_lock = store.store_lock()?;
    let (layout, id) = (store.layout(), import.session());
    let unique = id.to_string();
    let probe = |step| store.probe().at(step);
    for (name, bytes) in import.snapshots() {
        blobs::put(&layout.snapshot(*name), bytes, &unique, &probe)?;
    }
    blobs::flush(&layout.snapshots())?;
    for (hash, bytes) in import.workflows() {
        blobs::put(&layout.workflow(*hash), bytes, &unique, &probe)?;
    }
    blobs::flush(&layout.workflows())?;

    let staging = layout.staging(id);
    match fs::remove_dir_all(staging.dir()) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(io("make the session")(error)),
        _ => {}
    }
    make_dir(staging.dir()).map_err(io("make the session"))?;
    make_dir(&staging.events()).map_err(io("make the session"))?;
    let mut log = Log::new(id);
    let mut manifest = Vec::new();
    for events in import.segments() {
        let segment: Vec<u8> = events.iter().flat_map(Event::line).collect();
        let (closed, pins) = log.records_for(&segment, events);
        let lines: Vec<u8> = std::iter::once(closed)
            .chain(pins)
            .flat_map(|record: Record| record.line())
            .collect();
        let first = log.state.next_index;
        log.committed(&lines, &segment);
        healthy(&log)?;
        let path = staging.dir().join(segment_path(first, log.state.next_index - 1));
        write_new(&path, &segment)
            .and_then(|file| file.sync_all())
            .map_err(io("write the events"))?;
        manifest.extend(lines);
    }
    flush_dir(&staging.events()).map_err(io("flush the events"))?;
    write_new(&staging.manifest(), &manifest)
        .and_then(|file| file.sync_all())
        .map_err(io("write the manifest"))?;
    flush_dir(staging.dir()).map_err(io("flush the session"))?;
    // A directory that is there and not empty refuses the rename: nothing is ever overwritten.
    fs::rename(staging.dir(), layout.session(id).dir()).map_err(io("name the session"))?;
    flush_dir(&layout.sessions()).map_err(io("flush the sessions"))
}

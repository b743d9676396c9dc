//! An imported session appears whole or not at all: it is put together under another name and renamed.

use durable::NewDirectory;
use session::bundle::Import;
use session::event::Event;
use session::manifest::{Record, segment_path};
use session::{Error, Log, healthy};

use crate::FileStore;
use crate::blobs;
use crate::io_error::io;
use crate::layout::Layout;

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

    let target = layout.session(id);
    let new = NewDirectory::private(target.dir(), &Layout::staging(id)).map_err(io("make the session"))?;
    new.dir().create_dir("events").map_err(io("make the session"))?;
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
        new.write(segment_path(first, log.state.next_index - 1), &segment)
            .map_err(io("write the events"))?;
        manifest.extend(lines);
    }
    new.write("manifest.jsonl", &manifest)
        .map_err(io("write the manifest"))?;
    // A directory that is there and not empty refuses the rename: nothing is ever overwritten.
    new.place().map_err(io("name the session"))
}

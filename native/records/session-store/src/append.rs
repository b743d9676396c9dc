//! The append: one transaction, in the one order that survives a kill at any moment.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use durable::Target;
use session::manifest::{Record, segment_path};
use session::{Error, Log, Plan};

use crate::blobs;
use crate::io_error::io;
use crate::layout::{Layout, Session};
use crate::probe::Step;

/// Who is told about each step.
pub(crate) struct Probe(pub(crate) Option<Box<dyn Fn(Step) + Send + Sync>>);

impl Probe {
    pub(crate) fn at(&self, step: Step) {
        if let Some(probe) = &self.0 {
            probe(step);
        }
    }
}

/// Commits a plan under the session's lock. Gives the manifest lines that were written.
pub(crate) fn commit(
    layout: &Layout,
    session: &Session,
    log: &Log,
    plan: &Plan,
    probe: &Probe,
) -> Result<Vec<u8>, Error> {
    blobs(layout, plan, probe)?;
    segment(session, plan, probe)?;
    let (closed, pins) = log.records_for(plan.segment(), plan.events());
    let mut lines = closed.line();
    let created = log.records() == 0;
    let mut manifest = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(session.manifest())
        .map_err(io("open the manifest"))?;
    let write = io("write the manifest");
    if probe.0.is_some() {
        // A test may want to see a torn line, which one write would rarely leave.
        let (head, tail) = lines.split_at(lines.len() / 2);
        manifest.write_all(head).map_err(&write)?;
        probe.at(Step::RecordTorn);
        manifest.write_all(tail).map_err(&write)?;
    } else {
        manifest.write_all(&lines).map_err(&write)?;
    }
    probe.at(Step::RecordWritten);
    manifest.sync_data().map_err(io("flush the manifest"))?;
    if created {
        durable::sync_directory(session.dir()).map_err(io("flush the session"))?;
    }
    probe.at(Step::RecordFlushed);
    let pins: Vec<u8> = pins.iter().flat_map(Record::line).collect();
    if !pins.is_empty() {
        manifest.write_all(&pins).map_err(&write)?;
        probe.at(Step::PinsWritten);
        manifest.sync_data().map_err(io("flush the manifest"))?;
        probe.at(Step::PinsFlushed);
    }
    lines.extend_from_slice(&pins);
    Ok(lines)
}

/// Snapshots and the workflow come first: nothing may ever name what is not there.
fn blobs(layout: &Layout, plan: &Plan, probe: &Probe) -> Result<(), Error> {
    let unique = plan.session().to_string();
    for (name, bytes) in plan.snapshots() {
        blobs::put(&layout.snapshot(*name), bytes, &unique, &|step| probe.at(step))?;
    }
    // Flushed also when the file was there: whoever put it there may not have lived to flush it.
    if !plan.snapshots().is_empty() {
        blobs::flush(&layout.snapshots())?;
    }
    if let Some((hash, bytes)) = plan.workflow() {
        blobs::put(&layout.workflow(*hash), bytes, &unique, &|step| probe.at(step))?;
        blobs::flush(&layout.workflows())?;
    }
    probe.at(Step::BlobsFlushed);
    Ok(())
}

/// The segment gets its name only when it is whole. An orphan of the same name is replaced.
fn segment(session: &Session, plan: &Plan, probe: &Probe) -> Result<(), Error> {
    let (first, last) = plan.bounds();
    let target = session.dir().join(segment_path(first, last));
    let write = || -> std::io::Result<()> {
        let mut draft = Target::at(&target)?.temporary_name("segment.tmp").draft()?;
        draft.file().write_all(plan.segment())?;
        probe.at(Step::SegmentWritten);
        let staged = draft.finish()?;
        probe.at(Step::SegmentFlushed);
        staged.place()?;
        probe.at(Step::SegmentRenamed);
        durable::sync_directory(&session.events())
    };
    write().map_err(io("write the events"))?;
    probe.at(Step::DirectoryFlushed);
    Ok(())
}

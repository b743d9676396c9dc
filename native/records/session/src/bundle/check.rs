//! Reading a bundle that a stranger sent. Nothing of it is believed before it is checked.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{Bundle, Import, VERSION};
use crate::canon::canonical;
use crate::error::{Code, Error};
use crate::event::{Event, Fact};
use crate::log::{Log, Segment};
use crate::manifest::{Closed, Record, RecordFact};
use crate::{Compiled, Digest, Snapshot, SnapshotRef, WorkflowHash, limits};

const AGAIN: &str = "export the session again, and send the file unchanged";

impl Import {
    /// Reads a bundle and checks all of it.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > limits::BUNDLE {
            let message = format!("a bundle has at most {} bytes", limits::BUNDLE);
            return Err(Error::new(Code::BundleInvalidFormat, message, AGAIN));
        }
        let bundle = parse(bytes)?;
        integrity(&bundle)?;
        let events = events(&bundle)?;
        let records = manifest(&bundle)?;
        let segments = segments(&events, &records)?;
        let (snapshots, workflows) = (snapshots(&bundle, &events)?, workflows(&bundle, &events)?);
        verify(&bundle, &records, &segments)?;
        Ok(Import {
            session: bundle.session.session_id,
            segments,
            snapshots,
            workflows,
        })
    }
}

fn parse(bytes: &[u8]) -> Result<Bundle, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        bundle_schema_version: u64,
    }
    let invalid =
        |e: serde_json::Error| Error::new(Code::BundleInvalidFormat, format!("this is not a bundle: {e}"), AGAIN);
    let version = serde_json::from_slice::<Version>(bytes)
        .map_err(invalid)?
        .bundle_schema_version;
    if version != VERSION {
        return Err(Error::new(
            Code::BundleUnsupportedVersion,
            format!("the bundle has version {version}, and this program knows version {VERSION}"),
            "use the version of Workbooks that wrote it",
        ));
    }
    serde_json::from_slice(bytes).map_err(invalid)
}

/// Every part has a digest, every digest has a part, and each holds.
fn integrity(bundle: &Bundle) -> Result<(), Error> {
    let found = bundle.session.integrity();
    if found == bundle.integrity {
        return Ok(());
    }
    let of = |entries: &[super::IntegrityEntry]| -> BTreeSet<(String, Digest, u64)> {
        entries.iter().map(|e| (e.path.clone(), e.sha256, e.bytes)).collect()
    };
    let (said, is) = (of(&bundle.integrity.entries), of(&found.entries));
    let wrong = said
        .symmetric_difference(&is)
        .next()
        .map_or("the order of its digests", |(path, ..)| path.as_str());
    let message = format!("{} is not what its digest says", crate::text::clip(wrong, 120));
    Err(Error::new(Code::BundleIntegrityFailed, message, AGAIN))
}

fn events(bundle: &Bundle) -> Result<Vec<Event>, Error> {
    let order = |why: String| Error::new(Code::BundleEventOrderInvalid, why, AGAIN);
    let mut events = Vec::with_capacity(bundle.session.events.len());
    for (i, value) in bundle.session.events.iter().enumerate() {
        let event = Event::read(&value.to_string()).map_err(|e| match e {
            crate::event::BadEvent::UnknownVersion(_) => Error::new(
                Code::BundleUnsupportedVersion,
                e.to_string(),
                "use the version of Workbooks that wrote it",
            ),
            crate::event::BadEvent::Unreadable(_) => {
                Error::new(Code::BundleInvalidFormat, format!("event {i}: {e}"), AGAIN)
            }
        })?;
        if event.event_index != i as u64 {
            return Err(order(format!("event {} stands where {i} is due", event.event_index)));
        }
        if event.session_id != bundle.session.session_id {
            return Err(order(format!("event {i} belongs to another session")));
        }
        events.push(event);
    }
    if events.is_empty() {
        return Err(order("the bundle has no events".into()));
    }
    Ok(events)
}

fn manifest(bundle: &Bundle) -> Result<Vec<Record>, Error> {
    let read = |(i, value): (usize, &Value)| {
        let order = |why: String| Error::new(Code::BundleManifestOrderInvalid, why, AGAIN);
        let record = Record::read(&value.to_string()).map_err(|e| order(format!("manifest record {i}: {e}")))?;
        if record.manifest_index != i as u64 || record.session_id != bundle.session.session_id {
            return Err(order(format!("manifest record {i} stands in the wrong place")));
        }
        Ok(record)
    };
    bundle.session.manifest.iter().enumerate().map(read).collect()
}

/// The events of each append, as the manifest divides them.
fn segments(events: &[Event], records: &[Record]) -> Result<Vec<Vec<Event>>, Error> {
    let order = || {
        Error::new(
            Code::BundleManifestOrderInvalid,
            "the manifest does not cover the events",
            AGAIN,
        )
    };
    let mut segments = Vec::new();
    let mut next = 0;
    for record in records {
        if let RecordFact::SegmentClosed(closed) = &record.fact {
            let end = usize::try_from(closed.last_event_index)
                .ok()
                .and_then(|last| last.checked_add(1))
                .ok_or_else(order)?;
            let segment = events
                .get(next..end)
                .filter(|s| !s.is_empty() && closed.first_event_index == next as u64);
            segments.push(segment.ok_or_else(order)?.to_vec());
            next = end;
        }
    }
    if next == events.len() {
        Ok(segments)
    } else {
        Err(order())
    }
}

fn snapshots(bundle: &Bundle, events: &[Event]) -> Result<Vec<(SnapshotRef, Vec<u8>)>, Error> {
    let needed: BTreeSet<SnapshotRef> = events
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::NodeCreated(created) => Some(created.snapshot_ref),
            _ => None,
        })
        .collect();
    let snapshot = |name: SnapshotRef| {
        let missing = |why: &str| {
            let message = format!("the snapshot {name} {why}");
            Error::new(Code::BundleMissingSnapshot, message, AGAIN)
        };
        let bytes = canonical(
            bundle
                .session
                .snapshots
                .get(&name)
                .ok_or_else(|| missing("is missing"))?,
        );
        Snapshot::decode(name, &bytes).map_err(|e| missing(&format!("cannot be used: {e}")))?;
        Ok((name, bytes))
    };
    needed.into_iter().map(snapshot).collect()
}

fn workflows(bundle: &Bundle, events: &[Event]) -> Result<Vec<(WorkflowHash, Vec<u8>)>, Error> {
    let needed: BTreeSet<WorkflowHash> = events
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::RunStarted(run) => Some(run.workflow_hash),
            _ => None,
        })
        .collect();
    let workflow = |hash: WorkflowHash| {
        let missing = |why: &str| {
            let message = format!("the compiled workflow {hash} {why}");
            Error::new(Code::BundleMissingPinnedWorkflow, message, AGAIN)
        };
        let bytes = canonical(
            bundle
                .session
                .pinned_workflows
                .get(&hash)
                .ok_or_else(|| missing("is missing"))?,
        );
        Compiled::decode(hash, &bytes).map_err(|e| missing(&format!("cannot be used: {e}")))?;
        Ok((hash, bytes))
    };
    needed.into_iter().map(workflow).collect()
}

/// The parts make a healthy session, read by the same code that reads one from disk.
fn verify(bundle: &Bundle, records: &[Record], segments: &[Vec<Event>]) -> Result<(), Error> {
    let lines: Vec<u8> = records.iter().flat_map(Record::line).collect();
    let read = |closed: &Closed| {
        let at = segments.binary_search_by_key(&closed.first_event_index, |segment| segment[0].event_index);
        let bytes = at.map(|at| segments[at].iter().flat_map(Event::line).collect());
        Segment::read(closed, bytes.map_err(|_| "is missing".into()))
    };
    let log = Log::load(bundle.session.session_id, &lines, &mut { read }, &[]);
    let invalid = |why: String| Error::new(Code::BundleManifestOrderInvalid, why, AGAIN);
    if let Some(banner) = log.health.banner() {
        return Err(invalid(banner));
    }
    if let Some(pin) = log.unpinned().first() {
        return Err(invalid(format!(
            "the snapshot of event {} is not pinned",
            pin.event_index
        )));
    }
    Ok(())
}

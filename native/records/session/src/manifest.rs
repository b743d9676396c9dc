//! The control stream: which segments are truth, and which snapshots they need.

use serde::{Deserialize, Serialize};

use crate::canon::canonical;
use crate::{Digest, EventId, SessionId, SnapshotRef};

/// The version of the manifest format.
pub const VERSION: u64 = 1;

/// One line of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    v: u64,
    /// Its place in the manifest, from 0.
    pub manifest_index: u64,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// What it says.
    #[serde(flatten)]
    pub fact: RecordFact,
}

/// What a line of the manifest says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum RecordFact {
    /// These events are truth.
    SegmentClosed(Closed),
    /// This snapshot must be kept.
    SnapshotPinned {
        /// The event that needs it.
        event_index: u64,
        /// The snapshot.
        snapshot_ref: SnapshotRef,
        /// The event that needs it.
        created_by_event_id: EventId,
    },
}

/// A segment that is truth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Closed {
    /// The first of its events.
    pub first_event_index: u64,
    /// The last of its events.
    pub last_event_index: u64,
    /// The file, below the session's directory.
    pub segment_rel_path: String,
    /// The digest of the file.
    pub sha256: Digest,
    /// The length of the file.
    pub bytes: u64,
}

/// Why a line is not a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRecord {
    /// It was written by a newer program.
    #[error("the manifest record has version {0}, and this program knows version {VERSION}")]
    UnknownVersion(u64),
    /// It cannot be read.
    #[error("the manifest record cannot be read: {0}")]
    Unreadable(String),
}

impl Record {
    /// A record of the current version.
    pub const fn new(manifest_index: u64, session_id: SessionId, fact: RecordFact) -> Self {
        Record {
            v: VERSION,
            manifest_index,
            session_id,
            fact,
        }
    }

    /// Reads one line.
    pub fn read(line: &str) -> Result<Self, BadRecord> {
        #[derive(Deserialize)]
        struct Version {
            v: u64,
        }
        let raw: Raw = serde_json::from_str(line).map_err(|error| match serde_json::from_str(line) {
            Ok(Version { v }) if v != VERSION => BadRecord::UnknownVersion(v),
            _ => BadRecord::Unreadable(error.to_string()),
        })?;
        if raw.v != VERSION {
            return Err(BadRecord::UnknownVersion(raw.v));
        }
        let (index, session) = (raw.manifest_index, raw.session_id);
        let fact = raw
            .fact()
            .ok_or_else(|| BadRecord::Unreadable("its fields do not fit its kind".into()))?;
        Ok(Record::new(index, session, fact))
    }

    /// The record as its canonical line, with the newline.
    pub fn line(&self) -> Vec<u8> {
        let mut line = canonical(self);
        line.push(b'\n');
        line
    }
}

/// A line before it is known of which kind it is. Every field is read where it stands, and none is kept aside.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Raw<'a> {
    v: u64,
    manifest_index: u64,
    session_id: SessionId,
    #[serde(borrow)]
    kind: std::borrow::Cow<'a, str>,
    first_event_index: Option<u64>,
    last_event_index: Option<u64>,
    segment_rel_path: Option<String>,
    sha256: Option<Digest>,
    bytes: Option<u64>,
    event_index: Option<u64>,
    snapshot_ref: Option<SnapshotRef>,
    created_by_event_id: Option<EventId>,
}

impl Raw<'_> {
    fn fact(self) -> Option<RecordFact> {
        let segment = self.first_event_index.is_some();
        let pin = self.event_index.is_some();
        match self.kind.as_ref() {
            "segment_closed" if !pin && self.snapshot_ref.is_none() && self.created_by_event_id.is_none() => {
                Some(RecordFact::SegmentClosed(Closed {
                    first_event_index: self.first_event_index?,
                    last_event_index: self.last_event_index?,
                    segment_rel_path: self.segment_rel_path?,
                    sha256: self.sha256?,
                    bytes: self.bytes?,
                }))
            }
            "snapshot_pinned" if !segment && self.sha256.is_none() && self.bytes.is_none() => {
                Some(RecordFact::SnapshotPinned {
                    event_index: self.event_index?,
                    snapshot_ref: self.snapshot_ref?,
                    created_by_event_id: self.created_by_event_id?,
                })
            }
            _ => None,
        }
    }
}

/// Where the segment with these bounds is, below the session's directory.
pub fn segment_path(first: u64, last: u64) -> String {
    format!("events/{first:08}-{last:08}.jsonl")
}

/// The bounds that a segment's file name carries.
pub fn segment_bounds(name: &str) -> Option<(u64, u64)> {
    let (first, last) = name.strip_suffix(".jsonl")?.split_once('-')?;
    let bounds = (first.parse().ok()?, last.parse().ok()?);
    (segment_path(bounds.0, bounds.1) == format!("events/{name}")).then_some(bounds)
}

//! The bundle's shape.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::VERSION;
use crate::canon::canonical;
use crate::event::Event;
use crate::manifest::Record;
use crate::{BundleId, Compiled, Digest, SessionId, Snapshot, SnapshotRef, WorkflowHash};

/// A bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bundle {
    /// Always 1.
    pub bundle_schema_version: u64,
    /// Its name.
    pub bundle_id: BundleId,
    /// When it was made, in seconds since 1970; nothing is ordered by it.
    pub exported_at: u64,
    /// What made it.
    pub producer: Producer,
    /// The digest of every part.
    pub integrity: Integrity,
    /// The parts.
    pub session: SessionPart,
}

/// What made a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Producer {
    /// The program.
    pub name: String,
    /// Its version.
    pub app_version: String,
    /// What to read first, when only the valid part of a damaged session is in here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub banner: Option<String>,
}

/// The digest of every part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Integrity {
    /// Which kind.
    pub kind: IntegrityKind,
    /// The parts, by path.
    pub entries: Vec<IntegrityEntry>,
}

/// Which kind of digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum IntegrityKind {
    /// sha256 over the canonical JSON of each part.
    #[serde(rename = "sha256_manifest_v1")]
    Sha256ManifestV1,
}

/// The digest of one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IntegrityEntry {
    /// Where the part is.
    pub path: String,
    /// The digest of its canonical JSON.
    pub sha256: Digest,
    /// The length of its canonical JSON.
    pub bytes: u64,
}

/// The parts. They stay as they were read, so that their digests are of what was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionPart {
    /// The session.
    pub session_id: SessionId,
    /// The events, in order.
    pub events: Vec<Value>,
    /// The manifest, in order.
    pub manifest: Vec<Value>,
    /// The snapshots, by name.
    pub snapshots: BTreeMap<SnapshotRef, Value>,
    /// The compiled workflows, by name.
    pub pinned_workflows: BTreeMap<WorkflowHash, Value>,
}

impl SessionPart {
    /// The parts of a session.
    pub fn new(
        session_id: SessionId,
        events: &[Event],
        manifest: &[Record],
        snapshots: &BTreeMap<SnapshotRef, Snapshot>,
        workflows: &BTreeMap<WorkflowHash, Compiled>,
    ) -> Self {
        fn value(part: &impl Serialize) -> Value {
            serde_json::to_value(part).expect("our own types are JSON")
        }
        SessionPart {
            session_id,
            events: events.iter().map(value).collect(),
            manifest: manifest.iter().map(value).collect(),
            snapshots: snapshots.iter().map(|(name, s)| (*name, value(s))).collect(),
            pinned_workflows: workflows.iter().map(|(hash, w)| (*hash, value(w))).collect(),
        }
    }

    /// The digest of every part, in the order of the paths.
    pub fn integrity(&self) -> Integrity {
        fn entry(path: String, part: &impl Serialize) -> IntegrityEntry {
            let bytes = canonical(part);
            IntegrityEntry {
                path,
                sha256: Digest::of(&bytes),
                bytes: bytes.len() as u64,
            }
        }
        let mut entries = vec![
            entry("session/events".into(), &self.events),
            entry("session/manifest".into(), &self.manifest),
            entry("session/sessionId".into(), &self.session_id),
        ];
        entries.extend(
            self.snapshots
                .iter()
                .map(|(name, s)| entry(format!("session/snapshots/{name}"), s)),
        );
        entries.extend(
            self.pinned_workflows
                .iter()
                .map(|(h, w)| entry(format!("session/pinnedWorkflows/{h}"), w)),
        );
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Integrity {
            kind: IntegrityKind::Sha256ManifestV1,
            entries,
        }
    }
}

impl Bundle {
    /// A bundle of these parts.
    pub fn new(bundle_id: BundleId, exported_at: u64, banner: Option<String>, session: SessionPart) -> Self {
        let producer = Producer {
            name: "workbooks".into(),
            app_version: env!("CARGO_PKG_VERSION").into(),
            banner,
        };
        let integrity = session.integrity();
        Bundle {
            bundle_schema_version: VERSION,
            bundle_id,
            exported_at,
            producer,
            integrity,
            session,
        }
    }

    /// The bundle as text.
    pub fn encode(&self) -> Vec<u8> {
        canonical(self)
    }
}

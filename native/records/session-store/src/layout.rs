//! Where things are.

use std::path::{Path, PathBuf};

use session::{SessionId, SnapshotRef, WorkflowHash};

/// The directory that holds everything.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    pub(crate) fn new(root: &Path) -> Self {
        Layout { root: root.to_owned() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    pub(crate) fn session(&self, id: SessionId) -> Session {
        Session(self.sessions().join(id.to_string()))
    }

    /// The name under which a session is put together.
    pub(crate) fn staging(id: SessionId) -> String {
        format!(".import-{id}")
    }

    pub(crate) fn snapshots(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    pub(crate) fn snapshot(&self, name: SnapshotRef) -> PathBuf {
        self.snapshots().join(format!("{}.json", name.digest().hex()))
    }

    pub(crate) fn workflows(&self) -> PathBuf {
        self.root.join("workflows/pinned")
    }

    pub(crate) fn workflow(&self, hash: WorkflowHash) -> PathBuf {
        self.workflows().join(format!("{}.json", hash.digest().hex()))
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// What lists and searches show; derived.
    pub(crate) fn index(&self) -> PathBuf {
        self.cache().join("index")
    }

    /// Sessions that somebody moved aside.
    pub(crate) fn quarantine(&self) -> PathBuf {
        self.root.join("quarantine")
    }

    /// What the operator lets agents do.
    pub(crate) fn policy(&self) -> PathBuf {
        self.root.join("policy.json")
    }

    pub(crate) fn keys(&self) -> PathBuf {
        self.root.join("keys")
    }

    pub(crate) fn keyring(&self) -> PathBuf {
        self.keys().join("keyring.json")
    }
}

/// The directory of one session.
#[derive(Debug, Clone)]
pub(crate) struct Session(PathBuf);

impl Session {
    pub(crate) fn dir(&self) -> &Path {
        &self.0
    }

    pub(crate) fn events(&self) -> PathBuf {
        self.0.join("events")
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.0.join("manifest.jsonl")
    }

    /// Bytes that were cut off the manifest at this offset.
    pub(crate) fn torn(&self, offset: u64) -> PathBuf {
        self.0.join(format!("manifest.torn-{offset}"))
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.0.join(".lock")
    }

    /// A session with this file never expires.
    pub(crate) fn keep(&self) -> PathBuf {
        self.0.join("keep")
    }
}

//! Where the interpreter stands: just enough to go on, named by its content.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::canon::{Digest, SnapshotRef, canonical};

/// The version of the snapshot format, inside and out.
pub const VERSION: u64 = 1;

/// A snapshot file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Snapshot {
    v: u64,
    kind: SnapshotKind,
    engine_payload: Payload,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SnapshotKind {
    ExecutionSnapshot,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Payload {
    v: u64,
    engine_state: EngineState,
}

/// Where the interpreter stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum EngineState {
    /// Before the first step.
    Init,
    /// A step is pending.
    Running {
        /// Steps done in scopes that are still open, and loops that ended there.
        completed: Completed,
        /// The loops around the pending step, the outermost first.
        loop_stack: Vec<Frame>,
        /// The step.
        pending: Pending,
    },
    /// After the last step.
    Complete,
}

/// Keys of finished steps, sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Completed {
    /// A set.
    Set {
        /// The keys.
        values: BTreeSet<String>,
    },
}

/// One loop that is being run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Frame {
    /// The loop.
    pub loop_id: String,
    /// From 0.
    pub iteration: u32,
    /// The place in the body, from 0.
    pub body_index: u32,
    /// What was decided in this iteration.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decision: Option<Decision>,
}

/// What a loop does at the end of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Once more.
    Continue,
    /// No more.
    Stop,
}

/// What is pending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Pending {
    /// Nothing.
    None,
    /// A step.
    Some {
        /// Which.
        step: PendingStep,
    },
}

/// A step and the iterations it is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PendingStep {
    /// The step.
    pub step_id: String,
    /// The iterations, the outermost first.
    pub loop_path: Vec<LoopAt>,
}

/// One iteration of one loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoopAt {
    /// The loop.
    pub loop_id: String,
    /// From 0.
    pub iteration: u32,
}

/// Why bytes are not a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSnapshot {
    /// Its bytes are not what its name says.
    #[error("the snapshot is not what its name says")]
    WrongDigest,
    /// It was written by a newer program.
    #[error("the snapshot has a version that this program does not know")]
    UnknownVersion,
    /// It cannot be read.
    #[error("the snapshot cannot be read: {0}")]
    Unreadable(String),
    /// It contradicts itself.
    #[error("the snapshot contradicts itself: {0}")]
    Impossible(&'static str),
}

impl Snapshot {
    /// A snapshot of this state.
    pub const fn new(engine_state: EngineState) -> Self {
        Snapshot {
            v: VERSION,
            kind: SnapshotKind::ExecutionSnapshot,
            engine_payload: Payload {
                v: VERSION,
                engine_state,
            },
        }
    }

    /// The state.
    pub const fn state(&self) -> &EngineState {
        &self.engine_payload.engine_state
    }

    /// The canonical bytes, and their name.
    pub fn encode(&self) -> (SnapshotRef, Vec<u8>) {
        let bytes = canonical(self);
        (SnapshotRef::new(Digest::of(&bytes)), bytes)
    }

    /// Reads a snapshot and checks it against its name and against itself.
    pub fn decode(name: SnapshotRef, bytes: &[u8]) -> Result<Self, BadSnapshot> {
        if Digest::of(bytes) != name.digest() {
            return Err(BadSnapshot::WrongDigest);
        }
        let snapshot: Snapshot = serde_json::from_slice(bytes).map_err(|e| BadSnapshot::Unreadable(e.to_string()))?;
        if (snapshot.v, snapshot.engine_payload.v) != (VERSION, VERSION) {
            return Err(BadSnapshot::UnknownVersion);
        }
        snapshot.state().check().map_err(BadSnapshot::Impossible)?;
        Ok(snapshot)
    }
}

impl EngineState {
    /// The pending step.
    pub const fn pending(&self) -> Option<&PendingStep> {
        match self {
            EngineState::Running {
                pending: Pending::Some { step },
                ..
            } => Some(step),
            _ => None,
        }
    }

    fn check(&self) -> Result<(), &'static str> {
        let EngineState::Running {
            completed,
            loop_stack,
            pending,
        } = self
        else {
            return Ok(());
        };
        let loops: BTreeSet<_> = loop_stack.iter().map(|frame| &frame.loop_id).collect();
        if loops.len() != loop_stack.len() {
            return Err("a loop is inside itself");
        }
        let Pending::Some { step } = pending else {
            return Err("a running snapshot has a pending step");
        };
        let Completed::Set { values } = completed;
        if values.contains(&step.key()) {
            return Err("the pending step is done");
        }
        let same = |(at, frame): (&LoopAt, &Frame)| at.loop_id == frame.loop_id && at.iteration == frame.iteration;
        if step.loop_path.len() != loop_stack.len() || !step.loop_path.iter().zip(loop_stack).all(same) {
            return Err("the pending step is in other loops than the stack");
        }
        Ok(())
    }
}

impl PendingStep {
    /// `outer@0/inner@2::step`, or just the step.
    pub fn key(&self) -> String {
        key(
            self.loop_path.iter().map(|at| (at.loop_id.as_str(), at.iteration)),
            &self.step_id,
        )
    }
}

pub(crate) fn key<'a>(path: impl Iterator<Item = (&'a str, u32)>, id: &str) -> String {
    let path: Vec<String> = path.map(|(id, iteration)| format!("{id}@{iteration}")).collect();
    if path.is_empty() {
        id.to_owned()
    } else {
        format!("{}::{id}", path.join("/"))
    }
}

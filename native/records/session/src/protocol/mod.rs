//! The protocol: what an agent can ask of a session.
//!
//! `start`, `continue`, `checkpoint` and `import` write, each in one append; everything else only reads. A call that
//! was answered before gets the same answer again, from what was recorded.

mod advance;
mod answer;
mod checkpoint;
mod events;
mod gaps;
mod look;
mod pin;
mod preferences;
mod request;
mod resume;
mod show;
mod start;
mod target;
mod transfer;

pub use crate::project::Overview;
pub use answer::{Answer, NextCall, NextIntent, OpenGap, WorkflowView};
pub use look::{Inspection, ListRequest, Listed, NodeView};
pub use request::{
    CapabilityReport, CheckpointRequest, ContinueRequest, Divergence, Intent, Observations, OutputRequest,
    PreferenceChange, RewindRequest, StartRequest, Started,
};
pub use resume::Offer;
pub use show::{Extent, PendingShown, Rest, Shown};
pub use transfer::Imported;

use crate::error::{Code, Error};
use crate::log::{Health, Log};
use crate::ports::{Clock, Random, Store};
use crate::workflow::Check;

pub use crate::judge::Verdict;

/// Sessions over a store.
pub struct Engine<S> {
    store: S,
    random: Box<dyn Random + Send + Sync>,
    clock: Box<dyn Clock + Send + Sync>,
}

/// A check, and the directory that the session's evidence is bound to.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The check.
    pub check: &'a Check,
    /// The directory that was pinned when the session started; none when none was.
    pub workdir: Option<&'a str>,
}

/// What runs a step's check: a command in, a verdict out. It is called before the session is locked.
pub type Checker<'c> = &'c dyn Fn(&Asked<'_>) -> Verdict;

impl<S: Store> Engine<S> {
    /// An engine over a store.
    pub fn new(
        store: S,
        random: impl Random + Send + Sync + 'static,
        clock: impl Clock + Send + Sync + 'static,
    ) -> Self {
        Engine {
            store,
            random: Box::new(random),
            clock: Box::new(clock),
        }
    }

    /// The store.
    pub const fn store(&self) -> &S {
        &self.store
    }
}

/// Running needs all of a session; looking does not.
pub fn healthy(log: &Log) -> Result<(), Error> {
    let details = serde_json::json!({"sessionId": log.state.id, "health": log.health});
    match &log.health {
        Health::Healthy => Ok(()),
        Health::UnknownVersion { reason } => Err(Error::new(
            Code::SessionUnknownVersion,
            format!("the session was written by a newer program: {reason}"),
            "use the version of Workbooks that wrote it",
        )
        .with(details)),
        Health::CorruptTail { reason } | Health::CorruptHead { reason } => Err(Error::new(
            Code::SessionCorrupt,
            format!("the session is damaged: {reason}"),
            "inspect or export the valid part, and import it as a new session",
        )
        .with(details)),
    }
}

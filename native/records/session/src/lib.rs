//! Durable agent sessions: the pure core.
//!
//! An agent loses its chat, retries a call, rewinds or dies; a session survives all of it. Its truth is a list of
//! events that only grows, and everything else is a function of them. This crate holds the types, the compiler of
//! workflows, the interpreter, the views and the protocol. It opens no file, reads no clock and makes no random
//! number: those come in through [`ports`].
//!
//! ```
//! use session::{Engine, MemoryStore, ContinueRequest, Intent, StartRequest, Verdict};
//! use session::workflow::{Library, Source, SourceKind, compile};
//! # struct Dice(std::sync::atomic::AtomicU8);
//! # impl session::ports::Random for Dice {
//! #     fn fill(&self, b: &mut [u8]) { b.fill_with(|| self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) }
//! # }
//! # struct Noon;
//! # impl session::ports::Clock for Noon { fn now(&self) -> u64 { 0 } }
//! # let (random, store_random, clock) = (Dice(1.into()), Dice(2.into()), Noon);
//! let plan = "#+WORKFLOW: project.note 1.0.0\n* TODO Think\nTake your time.\n* TODO Write it down\n";
//! let (workflow, _) = compile(&Source::org(plan)?, SourceKind::Project, &Library::default())?;
//!
//! let engine = Engine::new(MemoryStore::new(&store_random), random, clock);
//! let first = engine.start(&StartRequest::new(workflow))?;
//! assert_eq!(first.pending.unwrap().prompt, "Take your time.");
//!
//! let advance = ContinueRequest::new(&first.token, Intent::Advance);
//! let second = engine.continue_run(&advance, &|_| Verdict::pass())?;
//! assert_eq!(second.pending.as_ref().unwrap().step_id, "write-it-down");
//! // The chat was lost and the call is made again: the answer is the same, and nothing advances twice.
//! assert_eq!(engine.continue_run(&advance, &|_| Verdict::pass())?, second);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod bundle;
mod canon;
mod dedupe;
mod error;
pub mod event;
mod id;
mod interpret;
mod judge;
mod keyring;
pub mod limits;
mod log;
pub mod manifest;
mod memory;
mod number;
mod plan;
mod policy;
pub mod ports;
pub mod project;
pub mod protocol;
mod reason;
mod recovery;
mod render;
pub mod snapshot;
pub mod state;
mod text;
mod token;
pub mod workflow;

pub use canon::{BadDigest, Digest, SnapshotRef, WorkflowHash, canonical};
pub use dedupe::{BadKey, DedupeKey};
pub use error::{Code, Error, Retry};
pub use id::{
    AttemptId, BadId, BundleId, CapObsId, ChangeId, CharterId, ContextId, DivergenceId, EventId, GapId, NodeId,
    OutputId, RunId, SessionId, TraceId, VerdictId,
};
pub use keyring::{BadKeyring, Keyring};
pub use log::{Health, Log, Pin, Segment, read_events};
pub use memory::{MemoryStore, MemoryWriter};
pub use plan::Plan;
pub use policy::Policy;
pub use protocol::{Answer, Asked, ContinueRequest, Engine, Intent, StartRequest, Verdict, healthy};
pub use reason::{Reason, UserReason};
pub use render::PendingView;
pub use snapshot::Snapshot;
pub use text::{TRUNCATED, truncate};
pub use token::{AttemptToken, Handle, StateToken, Token};
pub use workflow::Compiled;

//! What an operation needs of the world, so that nothing here looks it up.

use crate::Live;
use deploy::Workbooks;
use failure::Failure;
use history::Home;
use host::{Cancel, Limits, Registry, Sandbox};
use oql::Facts;
use serde_json::Value;
use session::{Engine, Verdict};
use session_store::FileStore;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolkit_build::Foundry;

/// The parts of the engine, each made when it is first needed.
pub trait Parts: Send + Sync {
    /// What runs WebAssembly.
    fn sandbox(&self) -> Result<Arc<Sandbox>, Failure>;

    /// The commands of the shell.
    fn registry(&self) -> Result<Arc<Registry>, Failure>;

    /// What a profile of the policy gives.
    fn limits(&self, profile: &str) -> Result<Limits, Failure>;

    /// What the linter may assume to exist.
    fn facts(&self) -> Result<Facts, Failure>;

    /// A history directory: the one named, or the user's.
    fn history(&self, named: Option<&Path>) -> Result<Home, Failure>;

    /// The workbooks that are deployed.
    fn workbooks(&self) -> Result<Workbooks, Failure>;

    /// The user's directory of sessions.
    fn sessions(&self) -> Result<PathBuf, Failure>;

    /// The file of tokens.
    fn tokens(&self) -> Result<PathBuf, Failure>;

    /// What builds, registers and runs toolkits.
    fn foundry(&self, place: ToolkitPlace) -> Result<Foundry, Failure>;

    /// The verdict on a check. What cannot be run does not pass.
    fn check(&self, task: acceptance::Task, place: acceptance::Place) -> acceptance::Verdict;
}

/// What a caller of toolkits decides; everything else is the engine's.
#[derive(Debug, Clone, Default)]
pub struct ToolkitPlace {
    /// The directory of toolkits, if one is named.
    pub root: Option<PathBuf>,
    /// Where relative paths begin.
    pub here: PathBuf,
    /// The history directory whose key signs, if one is named.
    pub history: Option<PathBuf>,
}

/// One call: the engine, and what the door knows of whoever asks.
pub struct Context {
    /// The engine.
    pub parts: Arc<dyn Parts>,
    /// Who answers what is live.
    pub live: Arc<dyn Live>,
    /// Where relative paths begin.
    pub here: PathBuf,
    /// The directory of toolkits, if the caller named one.
    pub toolkits: Option<PathBuf>,
    /// The history directory, if the caller named one.
    pub history: Option<PathBuf>,
    /// The sessions, if the caller holds some open.
    pub sessions: Option<Arc<Engine<FileStore>>>,
    /// The directory that is pinned for the checks of a session that starts; `here` by default.
    pub workdir: Option<PathBuf>,
    /// Directories of workflows that count as bundled, because whoever opened the door says so.
    pub libraries: Vec<PathBuf>,
    /// What the caller found out about the pending check of a session. Without it the check runs here.
    pub verdict: Option<Verdict>,
    /// The time of the call, in milliseconds since 1970, if the caller has a clock of its own.
    pub now: Option<i64>,
    /// Who hears the events.
    pub events: Arc<dyn Fn(Value) + Send + Sync>,
    /// Ends the call.
    pub cancel: Cancel,
}

impl Context {
    /// A call with nothing but its engine, seen from a directory.
    pub fn new(parts: Arc<dyn Parts>, live: Arc<dyn Live>, here: impl Into<PathBuf>) -> Context {
        Context {
            parts,
            live,
            here: here.into(),
            toolkits: None,
            history: None,
            sessions: None,
            workdir: None,
            libraries: Vec::new(),
            verdict: None,
            now: None,
            events: Arc::new(|_| {}),
            cancel: Cancel::default(),
        }
    }

    /// A path that the caller named.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.here.join(path)
    }

    /// The history that is meant.
    pub(crate) fn home(&self) -> Result<Home, Failure> {
        self.parts.history(self.history.as_deref())
    }

    /// What time it is, in milliseconds since 1970.
    pub(crate) fn time(&self) -> i64 {
        self.now.unwrap_or_else(|| jiff::Timestamp::now().as_millisecond())
    }

    /// Toolkits as this caller sees them.
    pub(crate) fn foundry(&self) -> Result<Foundry, Failure> {
        self.parts.foundry(ToolkitPlace {
            root: self.toolkits.clone(),
            here: self.here.clone(),
            history: self.history.clone(),
        })
    }

    /// The sessions that are meant.
    pub(crate) fn sessions(&self) -> Result<Arc<Engine<FileStore>>, Failure> {
        match &self.sessions {
            Some(engine) => Ok(engine.clone()),
            None => Ok(Arc::new(session_store::engine(self.parts.sessions()?)?)),
        }
    }
}

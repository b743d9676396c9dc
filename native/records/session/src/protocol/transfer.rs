//! Export and import: a session travels as one file.

use std::collections::BTreeMap;

use serde::Serialize;

use super::answer::At;
use super::{Answer, Engine, NextCall, NextIntent};
use crate::bundle::{Bundle, Import, SessionPart};
use crate::error::{Code, Error};
use crate::event::Fact;
use crate::ports::Store;
use crate::project::preferred_tip;
use crate::{BundleId, Compiled, SessionId, Snapshot};

/// A session that was imported.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Its name here.
    pub session_id: SessionId,
    /// The name it had, when that was taken here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<SessionId>,
    /// Where its run stands, with tokens of this store.
    pub answer: Answer,
}

impl<S: Store> Engine<S> {
    /// A session as a bundle. A damaged one gives its valid part, with a banner.
    pub fn export(&self, id: SessionId) -> Result<Bundle, Error> {
        let (events, mut manifest) = self.store.raw(id)?;
        let log = self.store.read(id)?;
        let banner = log.health.banner();
        // Pins that the last append still owes are written by its next holder; a bundle has them already.
        manifest.extend(log.pin_records(log.records(), log.unpinned()));
        drop(log);
        if events.is_empty() {
            return Err(Error::new(
                Code::SessionCorrupt,
                "nothing of the session can be trusted, so nothing can be exported",
                "restore it from a backup or from an older bundle",
            ));
        }
        let mut snapshots = BTreeMap::new();
        let mut workflows = BTreeMap::new();
        for event in &events {
            match &event.fact {
                Fact::NodeCreated(created) if !snapshots.contains_key(&created.snapshot_ref) => {
                    let snapshot: Snapshot = (*self.store.snapshot(created.snapshot_ref)?).clone();
                    snapshots.insert(created.snapshot_ref, snapshot);
                }
                Fact::RunStarted(run) => {
                    let workflow: Compiled = (*self.store.workflow(run.workflow_hash)?).clone();
                    workflows.insert(run.workflow_hash, workflow);
                }
                _ => {}
            }
        }
        let session = SessionPart::new(id, &events, &manifest, &snapshots, &workflows);
        Ok(Bundle::new(
            BundleId::random(&*self.random),
            self.clock.now(),
            banner,
            session,
        ))
    }

    /// Puts a bundle's session in place, under another name when its own is taken.
    pub fn import(&self, bytes: &[u8]) -> Result<Imported, Error> {
        let import = Import::read(bytes)?;
        let original = import.session();
        let taken = match self.store.read(original) {
            Ok(_) => true,
            Err(error) if error.code == Code::SessionNotFound => false,
            Err(error) => return Err(error),
        };
        let import = if taken {
            import.renamed(SessionId::random(&*self.random))
        } else {
            import
        };
        let session_id = import.session();
        self.store.import(&import)?;
        let log = self.store.read(session_id)?;
        let tip = preferred_tip(&log.state).and_then(|tip| log.state.node(tip.actionable()));
        let tip = tip.ok_or_else(|| Error::invariant("the imported session has no node"))?;
        let mut answer = self.answer(&log, At::now(tip))?;
        if answer.pending.is_some() {
            answer.next_intent = NextIntent::RehydrateOnly;
            answer.next_call = Some(NextCall::to("rehydrate", &answer.token));
        }
        Ok(Imported {
            session_id,
            renamed_from: taken.then_some(original),
            answer,
        })
    }
}

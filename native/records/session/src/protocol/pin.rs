//! The operator binds a session's evidence to another directory: after it was imported elsewhere, or its work has moved.

use super::Engine;
use super::answer::run;
use super::events::Writing;
use crate::error::Error;
use crate::event::{ChangeSource, Charter};
use crate::plan::Builder;
use crate::ports::{Store, Writer};
use crate::{Digest, SessionId};

impl<S: Store> Engine<S> {
    /// Pins the directory that the checks of a session see. It is recorded, with who did it.
    pub fn pin(&self, session: SessionId, workdir: &str) -> Result<Charter, Error> {
        if !workdir.starts_with('/') {
            return Err(Error::validation(
                format!("`{}` is no absolute path", crate::text::clip(workdir, 120)),
                "name the directory from the root",
            ));
        }
        let mut writer = self.store.lock(session)?;
        let log = writer.log();
        let charter = Charter {
            workdir: Some(workdir.to_owned()),
            ..log.state.charter.clone()
        };
        if charter == log.state.charter {
            return Ok(charter);
        }
        let run = run(log)?;
        let mut writing = Writing {
            builder: Builder::new(&log.state, &*self.random),
            run: run.id,
            hash: run.workflow_hash,
            base: Digest::of(format!("{} {workdir}", log.state.next_index).as_bytes()).hex(),
        };
        writing.charter(ChangeSource::Operator, charter.clone());
        let plan = writing.builder.finish()?;
        writer.append(plan)?;
        Ok(charter)
    }

    /// What a session is for, and what its evidence is bound to.
    pub fn charter(&self, session: SessionId) -> Result<Charter, Error> {
        Ok(self.store.read(session)?.state.charter.clone())
    }

    /// The node that a token names, as the parent of a session that works for its step.
    pub fn parent(&self, token: &str) -> Result<crate::event::Parent, Error> {
        let target = super::target::Target::read(self, token, None)?;
        let log = self.store.read(target.session)?;
        let (node, _) = target.find(&log)?;
        Ok(crate::event::Parent {
            session_id: target.session,
            node_id: node.id,
        })
    }
}

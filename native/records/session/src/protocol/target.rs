//! From a token to the node and the attempt it is about.

use super::answer::run;
use super::{Engine, healthy};
use crate::error::{Code, Error};
use crate::log::Log;
use crate::ports::Store;
use crate::state::Node;
use crate::token::Token;
use crate::{AttemptId, NodeId, SessionId};

/// What the tokens of a call say.
pub(crate) struct Target {
    pub session: SessionId,
    token: Token,
    ack: Option<Token>,
}

impl Target {
    /// Reads the tokens of a call.
    pub(crate) fn read(engine: &Engine<impl Store>, token: &str, ack: Option<&str>) -> Result<Self, Error> {
        let keys = engine.store.keyring()?;
        let token = Token::read(token, &keys)?;
        let ack = ack.map(|text| Token::read(text, &keys)).transpose()?;
        let session = token.session();
        if ack.is_some_and(|ack| ack.session() != session) {
            return Err(mismatch("the two tokens are of different sessions"));
        }
        Ok(Target { session, token, ack })
    }

    /// The node and, when the tokens say so, the attempt.
    pub(crate) fn find<'l>(&self, log: &'l Log) -> Result<(&'l Node, Option<AttemptId>), Error> {
        healthy(log)?;
        let run = run(log)?;
        let known = |id: NodeId| log.state.node(id).ok_or_else(unknown);
        match (self.token, self.ack) {
            (Token::Handle(handle), None) => {
                let node = log
                    .state
                    .node_created_at(u64::from(handle.node_index))
                    .ok_or_else(unknown)?;
                Ok((node, Some(AttemptId::on(node.id, u32::from(handle.ordinal)))))
            }
            (Token::State(state), ack) => {
                if state.run_id != run.id {
                    return Err(unknown());
                }
                if state.workflow_hash != run.workflow_hash {
                    return Err(Error::new(
                        Code::TokenWorkflowHashMismatch,
                        "the token was made for another compiled workflow",
                        "resume the session to get a token of its workflow",
                    ));
                }
                let node = known(state.node_id)?;
                let attempt = match ack {
                    None => None,
                    Some(Token::Ack(ack)) if ack.run_id == run.id && ack.node_id == state.node_id => {
                        Some(ack.attempt_id)
                    }
                    Some(Token::Ack(_)) => return Err(mismatch("the two tokens are of different nodes")),
                    Some(_) => return Err(mismatch("ackToken is an ack.v1. token")),
                };
                Ok((node, attempt))
            }
            (Token::Checkpoint(checkpoint), None) if checkpoint.run_id == run.id => {
                Ok((known(checkpoint.node_id)?, Some(checkpoint.attempt_id)))
            }
            (Token::Checkpoint(_), None) => Err(unknown()),
            (Token::Ack(_), None) => Err(mismatch("an ack token goes with its state token")),
            (_, Some(_)) => Err(mismatch("only a state token goes with an ack token")),
        }
    }

    pub(crate) const fn is_checkpoint(&self) -> bool {
        matches!(self.token, Token::Checkpoint(_))
    }
}

fn mismatch(message: &str) -> Error {
    Error::new(
        Code::TokenScopeMismatch,
        message,
        "copy the one token of the last answer, ct_..",
    )
}

fn unknown() -> Error {
    Error::new(
        Code::TokenUnknownNode,
        "the token names a node that the session does not have",
        "resume the session to get a token of it",
    )
}

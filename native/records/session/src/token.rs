//! Tokens: signed references into the log. They hold nothing, so losing one loses nothing.
//!
//! `st.v1.`, `ack.v1.` and `chk.v1.` carry a canonical JSON payload and its HMAC. The short handle `ct_..` stands for
//! a state and an attempt, so that an agent has one thing to copy.

use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};

use crate::canon::{WorkflowHash, canonical};
use crate::error::{Code, Error};
use crate::id::base32;
use crate::{AttemptId, Keyring, NodeId, RunId, SessionId};

/// How much of the signature a handle carries.
const SIGNATURE: usize = 8;
/// Session, node index, attempt ordinal.
const HANDLE: usize = 16 + 4 + 2;

/// What a token says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Where the run stands.
    State(StateToken),
    /// An attempt to advance.
    Ack(AttemptToken),
    /// An attempt to make a checkpoint.
    Checkpoint(AttemptToken),
    /// A state and an attempt in one.
    Handle(Handle),
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateToken {
    token_version: u64,
    token_kind: StateKind,
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The node.
    pub node_id: NodeId,
    /// The compiled workflow.
    pub workflow_hash: WorkflowHash,
}

/// An attempt on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttemptToken {
    token_version: u64,
    token_kind: AttemptKind,
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The node.
    pub node_id: NodeId,
    /// The attempt.
    pub attempt_id: AttemptId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StateKind {
    State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AttemptKind {
    Ack,
    Checkpoint,
}

/// A state and an attempt, by their places in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle {
    /// The session.
    pub session_id: SessionId,
    /// The index of the node's `node_created`.
    pub node_index: u32,
    /// How many advances were recorded on the node.
    pub ordinal: u16,
}

impl StateToken {
    /// Where this run stands.
    pub const fn new(session_id: SessionId, run_id: RunId, node_id: NodeId, workflow_hash: WorkflowHash) -> Self {
        StateToken {
            token_version: 1,
            token_kind: StateKind::State,
            session_id,
            run_id,
            node_id,
            workflow_hash,
        }
    }
}

impl AttemptToken {
    /// An attempt to advance.
    pub const fn ack(session_id: SessionId, run_id: RunId, node_id: NodeId, attempt_id: AttemptId) -> Self {
        AttemptToken {
            token_version: 1,
            token_kind: AttemptKind::Ack,
            session_id,
            run_id,
            node_id,
            attempt_id,
        }
    }

    /// An attempt to make a checkpoint.
    pub const fn checkpoint(session_id: SessionId, run_id: RunId, node_id: NodeId, attempt_id: AttemptId) -> Self {
        AttemptToken {
            token_version: 1,
            token_kind: AttemptKind::Checkpoint,
            session_id,
            run_id,
            node_id,
            attempt_id,
        }
    }
}

impl Token {
    /// The token as text.
    pub fn mint(&self, keys: &Keyring) -> String {
        match self {
            Token::State(token) => signed("st.v1.", token, keys),
            Token::Ack(token) => signed("ack.v1.", token, keys),
            Token::Checkpoint(token) => signed("chk.v1.", token, keys),
            Token::Handle(handle) => handle.mint(keys),
        }
    }

    /// Reads a token and checks its signature.
    pub fn read(text: &str, keys: &Keyring) -> Result<Token, Error> {
        if let Some(code) = text.strip_prefix("ct_") {
            return Handle::read(code, keys).map(Token::Handle);
        }
        let mut parts = text.split('.');
        let (Some(kind), Some(version), Some(payload), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed());
        };
        if !matches!(kind, "st" | "ack" | "chk") {
            return Err(malformed());
        }
        if version != "v1" {
            return Err(Error::new(
                Code::TokenUnsupportedVersion,
                "the token is of a version that this program does not know",
                "resume the session to get a token of this program",
            ));
        }
        let decode = |text: &str| BASE64URL_NOPAD.decode(text.as_bytes()).map_err(|_| malformed());
        let (payload, signature) = (decode(payload)?, decode(signature)?);
        if signature.len() != 32 || !keys.verify(&payload, &signature) {
            return Err(bad_signature());
        }
        match kind {
            "st" => read(&payload).map(Token::State),
            "ack" => read(&payload).and_then(|t: AttemptToken| match t.token_kind {
                AttemptKind::Ack => Ok(Token::Ack(t)),
                AttemptKind::Checkpoint => Err(malformed()),
            }),
            _ => read(&payload).and_then(|t: AttemptToken| match t.token_kind {
                AttemptKind::Checkpoint => Ok(Token::Checkpoint(t)),
                AttemptKind::Ack => Err(malformed()),
            }),
        }
    }

    /// The session that a handle or an id names. Nothing is verified: whoever may name a session may look at it.
    ///
    /// ```
    /// # use session::{SessionId, Token};
    /// let id = SessionId::from_bytes([7; 16]);
    /// assert_eq!(Token::names(&id.to_string()), Some(id));
    /// assert_eq!(Token::names("ct_nonsense"), None);
    /// ```
    pub fn names(text: &str) -> Option<SessionId> {
        match text.strip_prefix("ct_") {
            None => text.parse().ok(),
            Some(code) => {
                let bytes = base32().decode(code.as_bytes()).ok()?;
                (bytes.len() == HANDLE + SIGNATURE).then(|| SessionId::from_bytes(std::array::from_fn(|i| bytes[i])))
            }
        }
    }

    /// The session that the token is about.
    pub const fn session(&self) -> SessionId {
        match self {
            Token::State(token) => token.session_id,
            Token::Ack(token) | Token::Checkpoint(token) => token.session_id,
            Token::Handle(handle) => handle.session_id,
        }
    }
}

impl Handle {
    fn bytes(&self) -> [u8; HANDLE] {
        let mut bytes = [0; HANDLE];
        bytes[..16].copy_from_slice(self.session_id.bytes());
        bytes[16..20].copy_from_slice(&self.node_index.to_be_bytes());
        bytes[20..].copy_from_slice(&self.ordinal.to_be_bytes());
        bytes
    }

    fn mint(&self, keys: &Keyring) -> String {
        let mut bytes = self.bytes().to_vec();
        bytes.extend_from_slice(&keys.sign(&self.signed())[..SIGNATURE]);
        format!("ct_{}", base32().encode(&bytes))
    }

    fn read(code: &str, keys: &Keyring) -> Result<Handle, Error> {
        let bytes = base32().decode(code.as_bytes()).map_err(|_| malformed())?;
        if bytes.len() != HANDLE + SIGNATURE {
            return Err(malformed());
        }
        let word = |range: std::ops::Range<usize>| bytes[range].iter().fold(0u32, |n, b| n << 8 | u32::from(*b));
        let handle = Handle {
            session_id: SessionId::from_bytes(std::array::from_fn(|i| bytes[i])),
            node_index: word(16..20),
            ordinal: word(20..22) as u16,
        };
        if keys.verify(&handle.signed(), &bytes[HANDLE..]) {
            Ok(handle)
        } else {
            Err(bad_signature())
        }
    }

    /// A payload of a token begins with a brace, so no token's signature is a handle's.
    fn signed(&self) -> Vec<u8> {
        [b"ct".as_slice(), &self.bytes()].concat()
    }
}

fn signed(prefix: &str, token: &impl Serialize, keys: &Keyring) -> String {
    let payload = canonical(token);
    let signature = keys.sign(&payload);
    format!(
        "{prefix}{}.{}",
        BASE64URL_NOPAD.encode(&payload),
        BASE64URL_NOPAD.encode(&signature)
    )
}

fn read<T: for<'de> Deserialize<'de>>(payload: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(payload).map_err(|_| malformed())
}

fn malformed() -> Error {
    Error::new(
        Code::TokenInvalidFormat,
        "this is not a token",
        "copy the token from the last answer, whole: it begins with ct_, st.v1., ack.v1. or chk.v1.",
    )
}

fn bad_signature() -> Error {
    Error::new(
        Code::TokenBadSignature,
        "no current key signed this token",
        "copy the token from the last answer; if keys were rotated or the session came from elsewhere, resume it",
    )
}

//! The envelope: DSSE, with one signature.

use crate::{Error, PREDICATE_TYPE, STATEMENT_TYPE, Statement};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledger::Signer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The type of the payload.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// A certificate as it is handed on: the statement in base64, and who signed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// [`PAYLOAD_TYPE`].
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    /// The statement, as canonical JSON in base64.
    pub payload: String,
    /// One signature.
    pub signatures: Vec<Signature>,
}

/// A signature over the type and the payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The did:key that signed.
    pub keyid: String,
    /// The signature.
    pub sig: String,
}

impl Envelope {
    /// The certificate as a file: one line of JSON.
    pub fn to_line(&self) -> String {
        ledger::canonical(self) + "\n"
    }
}

/// A certificate that holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Certificate {
    /// Who signed it.
    pub did: String,
    /// What it says.
    pub statement: Statement,
}

impl Statement {
    /// The certificate.
    pub fn sign(&self, signer: &Signer) -> Envelope {
        let payload = ledger::canonical(self);
        Envelope {
            payload_type: PAYLOAD_TYPE.to_owned(),
            signatures: vec![Signature {
                keyid: signer.did(),
                sig: signer.sign(&encoded(PAYLOAD_TYPE, payload.as_bytes())),
            }],
            payload: STANDARD.encode(payload),
        }
    }
}

/// What DSSE signs: the type and the payload, each with its length in front.
fn encoded(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

/// Checks a certificate: the signature, and that what it says fits together. Whether its author is to be believed is for
/// the reader to say: look at [`Certificate::did`].
pub fn verify(json: &[u8]) -> Result<Certificate, Error> {
    let none = |why: String| Error::NotACertificate { why };
    let forged = |why: &str| Error::Forged { why: why.to_owned() };
    let envelope: Envelope = serde_json::from_slice(json).map_err(|e| none(e.to_string()))?;
    let [signature] = &envelope.signatures[..] else {
        return Err(none(format!("it has {} signatures", envelope.signatures.len())));
    };
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(none(format!("its payload is `{}`", envelope.payload_type)));
    }
    let payload = STANDARD.decode(&envelope.payload).map_err(|e| none(e.to_string()))?;
    let message = encoded(&envelope.payload_type, &payload);
    if !ledger::is_signed_by(&signature.keyid, &message, &signature.sig) {
        return Err(forged("the signature does not fit"));
    }
    let statement: Statement = serde_json::from_slice(&payload).map_err(|e| none(e.to_string()))?;
    if statement.kind != STATEMENT_TYPE || statement.predicate_type != PREDICATE_TYPE {
        return Err(none("it states something else".to_owned()));
    }
    if statement.predicate.issuer != signature.keyid {
        return Err(forged("its issuer is not who signed it"));
    }
    for check in statement.predicate.tasks.iter().filter_map(|task| task.check.as_ref()) {
        if format!("{:x}", Sha256::digest(check.text.as_bytes())) != check.sha256 {
            return Err(forged("the hash of a check is not that of its text"));
        }
    }
    Ok(Certificate {
        did: signature.keyid.clone(),
        statement,
    })
}

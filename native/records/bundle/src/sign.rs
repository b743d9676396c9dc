//! Who stands for a bundle: an Ed25519 signature over its manifest, which has the hash of every file.

use crate::manifest::hash;
use crate::{Bundle, Error, FORMAT, open, write};
use ledger::{Signer, is_signed_by};
use serde::{Deserialize, Serialize};

/// The name of the signature in the bundle.
pub const SIGNATURE: &str = "signature.json";

/// A statement: I stand for the bundle with this manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// The format of the bundle.
    pub format: String,
    /// Who signed, as a did:key.
    pub did: String,
    /// The SHA-256 of `manifest.json`, in hexadecimal.
    pub manifest: String,
    /// The Ed25519 signature over the other fields in canonical JSON (RFC 8785), in base64.
    pub sig: String,
}

/// What is signed: everything but the signature. The format in it keeps it apart from anything else that a key signs.
#[derive(Serialize)]
struct Statement<'a> {
    format: &'a str,
    did: &'a str,
    manifest: &'a str,
}

impl Signature {
    pub(crate) fn read(json: &[u8]) -> Result<Signature, Error> {
        serde_json::from_slice(json).map_err(|e| Error::NotABundle(format!("its signature cannot be read: {e}")))
    }

    fn statement(&self) -> String {
        ledger::canonical(&Statement {
            format: &self.format,
            did: &self.did,
            manifest: &self.manifest,
        })
    }

    fn holds(&self, manifest: &str) -> bool {
        self.format == FORMAT
            && self.manifest == manifest
            && is_signed_by(&self.did, self.statement().as_bytes(), &self.sig)
    }
}

/// Whether somebody stands for a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Verification {
    /// The workbook's name.
    pub id: String,
    /// Whether every file is the one that the manifest names.
    pub intact: bool,
    /// Whether the manifest is signed by `did`.
    pub signed: bool,
    /// Who signed, or says so.
    pub did: Option<String>,
    /// The SHA-256 of the manifest, in hexadecimal.
    pub manifest: String,
}

impl Verification {
    /// Whether it is what somebody signed.
    pub fn holds(&self) -> bool {
        self.intact && self.signed
    }
}

/// Signs a bundle, in place of whoever signed it before, and gives the new bytes.
pub fn sign(bytes: &[u8], signer: &Signer) -> Result<Vec<u8>, Error> {
    let Bundle {
        manifest_json, files, ..
    } = open(bytes)?;
    let mut signature = Signature {
        format: FORMAT.into(),
        did: signer.did(),
        manifest: hash(&manifest_json),
        sig: String::new(),
    };
    signature.sig = signer.sign(signature.statement().as_bytes());
    let json = ledger::canonical(&signature) + "\n";
    let files = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]));
    write::write(&manifest_json, Some(json.as_bytes()), files)
}

/// Holds a bundle against its signature. What cannot be opened is an error: nobody can stand for it.
pub fn verify(bytes: &[u8]) -> Result<Verification, Error> {
    let bundle = open(bytes)?;
    let manifest = hash(&bundle.manifest_json);
    Ok(Verification {
        id: bundle.manifest.id,
        intact: true,
        signed: bundle
            .signature
            .as_ref()
            .is_some_and(|signature| signature.holds(&manifest)),
        did: bundle.signature.map(|signature| signature.did),
        manifest,
    })
}

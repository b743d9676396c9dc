//! Workbooks as one file.

use crate::Context;
use crate::row::{Here, ask};
use bundle::{Made, Manifest, Options, Verification};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workbook, and the file to make of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Create {
    /// The path of a plan, or of a directory with a `workbook.org`.
    source: String,
    /// The file to write.
    output: String,
    /// The workbook's id.
    id: Option<String>,
    /// Whether private volumes go in.
    #[serde(default)]
    private: bool,
    /// The disk, when it lies elsewhere.
    disk: Option<String>,
    /// The time in the manifest, in seconds since 1970; by default that of the newest input.
    created: Option<i64>,
}

ask!(Create: "bundle.create", Writes, Write => Manifest, [bundle::Error], long, "Puts a workbook with its artifacts and its disk into one file.");

impl Here for Create {
    fn answer(self, context: &Context) -> Result<Manifest, Failure> {
        let options = Options {
            id: self.id,
            private: self.private,
            disk: self.disk.map(|disk| context.path(&disk)),
            created: self.created,
        };
        let Made { manifest, bytes } = bundle::assemble(&context.path(&self.source), &options)?;
        bundle::save(context.path(&self.output), &bytes)?;
        Ok(manifest)
    }
}

/// A bundle, and where to put what is in it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unpack {
    /// The path of the bundle.
    bundle: String,
    /// The directory to make.
    to: String,
}

ask!(Unpack: "bundle.unpack", Writes, Write => Manifest, [bundle::Error], long, "Unpacks a bundle into a directory that is made for it.");

impl Here for Unpack {
    fn answer(self, context: &Context) -> Result<Manifest, Failure> {
        let bytes = bundle::load(context.path(&self.bundle))?;
        Ok(bundle::unpack(&bytes, context.path(&self.to))?)
    }
}

/// A bundle.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sign {
    /// The path of the bundle.
    bundle: String,
}

/// Who signed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Signer {
    /// The did:key.
    did: String,
}

ask!(Sign: "bundle.sign", Writes, Write => Signer, [bundle::Error, history::Error], "Signs a bundle with the user's key.");

impl Here for Sign {
    fn answer(self, context: &Context) -> Result<Signer, Failure> {
        let (at, signer) = (context.path(&self.bundle), context.home()?.signer()?);
        bundle::save(&at, &bundle::sign(&bundle::load(&at)?, &signer)?)?;
        Ok(Signer { did: signer.did() })
    }
}

/// A bundle.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verify {
    /// The path of the bundle.
    bundle: String,
}

ask!(Verify: "bundle.verify", Reads, Read => Verification, [bundle::Error], "Says whether a bundle is what its manifest says, and who signed it.");

impl Here for Verify {
    fn answer(self, context: &Context) -> Result<Verification, Failure> {
        Ok(bundle::verify(&bundle::load(context.path(&self.bundle))?)?)
    }
}

//! `wbx toolkit push`: a toolkit as an archive, signed by whoever sends it.

use crate::{
    engine::client::Client,
    failure::{Code, Failure},
    parts,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::path::Path;

/// A toolkit that is ready to be sent.
pub struct Packed {
    id: String,
    zip: Vec<u8>,
}

impl Packed {
    /// Packs a directory: the same bytes for the same files and the same key.
    pub fn new(id: &str, dir: &Path) -> Result<Packed, Failure> {
        if !dir.join("manifest.org").is_file() {
            let message = format!("`{}` is no toolkit: it has no manifest.org", dir.display());
            return Err(Failure::new(Code::NotFound, message, "check the path"));
        }
        Ok(Packed {
            zip: signed(id, toolkit_build::pack(dir)?)?,
            id: id.to_owned(),
        })
    }

    /// Sends it. Gives what the engine made of it.
    pub fn send(&self, engine: &Client) -> Result<Value, Failure> {
        let params = json!({"id": self.id, "zip": BASE64_STANDARD.encode(&self.zip)});
        engine.ask("toolkit.install", &params)
    }
}

/// An engine takes what was pushed for a third party's, so somebody has to stand for it: its author, or else whoever
/// pushes it. The directory itself stays as it is.
fn signed(id: &str, zip: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let unwritable = |error: std::io::Error| {
        let message = format!("a copy of the toolkit cannot be made: {error}");
        Failure::new(Code::Unwritable, message, "make room in the temporary directory")
    };
    let copy = tempfile::tempdir().map_err(unwritable)?;
    let dir = copy.path().join(id);
    for (name, bytes) in bundle::files(&zip).map_err(failure::Failure::from)? {
        let file = dir.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(&dir)).map_err(unwritable)?;
        std::fs::write(file, bytes).map_err(unwritable)?;
    }
    let mut context = parts::context();
    context.toolkits = Some(copy.path().to_owned());
    match operations::answer(&context, "toolkit.sign", json!({"id": id})) {
        Ok(_) => Ok(toolkit_build::pack(&dir)?),
        // Somebody else is its author, and has signed it or not.
        Err(refused) if refused.code.kind == failure::Kind::Auth => Ok(zip),
        Err(refused) => Err(refused.into()),
    }
}

//! `wbx bundle`, `unbundle`, `sign` and `verify`: a workbook as one file.

mod table;

use crate::{
    answer::{Answer, Note, Remark, View, count},
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
    root::home,
};
use bundle::{Error, Made, Manifest, Options, Verification};
use failure::Fails;
use oql::Level;
use serde::Serialize;
use serde_json::json;
use std::{
    env,
    path::{Path, PathBuf},
};
pub use table::{BUNDLE, SIGN, UNBUNDLE, VERIFY};

/// A bundle that was written.
#[derive(Serialize)]
struct Written {
    path: String,
    bytes: usize,
    manifest: Manifest,
}

pub fn bundle(call: &Call) -> Result<Answer, Failure> {
    let options = Options {
        id: call.text("id").map(str::to_owned),
        private: call.flag("private"),
        disk: call.path("disk").map(PathBuf::from),
        created: source_date_epoch()?,
    };
    let Made { manifest, bytes } = bundle::assemble(path(call, "WORKBOOK"), &options)?;
    let to = output(call).unwrap_or_else(|| format!("{}.wbundle", manifest.id).into());
    bundle::save(&to, &bytes)?;
    let volumes = match manifest.volumes[..] {
        [] => "no disk".to_owned(),
        ref volumes => volumes.join(", "),
    };
    let files = count(manifest.files.len(), "file");
    let told = format!("{}: {files}, {} bytes, {volumes}\n", to.display(), bytes.len());
    let written = Written {
        path: to.display().to_string(),
        bytes: bytes.len(),
        manifest,
    };
    Ok(Answer::told(&written, told))
}

pub fn unbundle(call: &Call) -> Result<Answer, Failure> {
    let bytes = bundle::load(path(call, "BUNDLE"))?;
    let to = match output(call) {
        Some(to) => to,
        None => bundle::open(&bytes)?.manifest.id.into(),
    };
    let manifest = bundle::unpack(&bytes, &to)?;
    let told = format!("{}: {}\n", to.display(), count(manifest.files.len(), "file"));
    Ok(Answer::told(
        &json!({"path": to.display().to_string(), "manifest": manifest}),
        told,
    ))
}

pub fn sign(call: &Call) -> Result<Answer, Failure> {
    let from = path(call, "BUNDLE");
    let signer = home(call)?.signer()?;
    let signed = bundle::sign(&bundle::load(from)?, &signer)?;
    let to = output(call).unwrap_or_else(|| from.to_owned());
    bundle::save(&to, &signed)?;
    let (to, did) = (to.display().to_string(), signer.did());
    let told = format!("{to}: signed by {did}\n");
    Ok(Answer::told(&json!({"path": to, "did": did}), told))
}

pub fn verify(call: &Call) -> Result<Answer, Failure> {
    let found = bundle::verify(&bundle::load(path(call, "BUNDLE"))?)?;
    let mine = home(call).and_then(|home| Ok(home.signer()?.did()));
    let mine = mine.is_ok_and(|did| Some(did) == found.did);
    let demanded = call.text("by").map(str::to_owned);
    let stranger = found.signed && demanded.is_some() && demanded != found.did;
    let exit = match found.holds() && !stranger {
        true => Exit::Ok,
        false => Exit::Verification,
    };
    Ok(Answer::new(found, exit, move |found| {
        Ok(view(&found, stranger, if mine { "your key" } else { "not your key" }))
    }))
}

fn view(found: &Verification, stranger: bool, whose: &str) -> View {
    let did = found.did.as_deref().unwrap_or("nobody");
    let note = |message: String, help: &str| Note {
        level: Level::Error,
        code: None,
        message,
        places: Vec::new(),
        remarks: vec![Remark::Help(help.to_owned())],
    };
    let mut notes = Vec::new();
    if found.did.is_none() {
        notes.push(note(
            "nobody has signed this bundle".into(),
            "ask whoever made it to run `wbx sign`",
        ));
    } else if !found.signed {
        notes.push(note(
            format!("this is not what {did} signed"),
            "do not use it; ask whoever made it for another",
        ));
    } else if stranger {
        notes.push(note(
            format!("the bundle is signed by {did}"),
            "it is not by the one that --by demands",
        ));
    }
    let summary = match notes[..] {
        [] => format!("{}: intact, signed by {did} ({whose})", found.id),
        _ => format!("{}: it does not hold", found.id),
    };
    View::Notes(notes, summary)
}

/// What builders that must give the same bytes twice agree on.
fn source_date_epoch() -> Result<Option<i64>, Failure> {
    match env::var("SOURCE_DATE_EPOCH") {
        Err(_) => Ok(None),
        Ok(text) => text.parse().map(Some).map_err(|_| {
            Failure::usage(
                format!("SOURCE_DATE_EPOCH is `{text}`"),
                "set it to seconds since 1970, or not at all",
            )
        }),
    }
}

fn path<'c>(call: &'c Call, name: &str) -> &'c Path {
    Path::new(call.path(name).unwrap_or_default())
}

fn output(call: &Call) -> Option<PathBuf> {
    call.path("output").map(PathBuf::from)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match &error {
            Error::Diagnostics(found) => Failure {
                data: Some(Box::new(json!(found))),
                // The diagnostics follow as data, and nothing stands between.
                ..Failure::new(
                    Code::Of(error.failing()),
                    error.to_string().lines().next().unwrap_or_default(),
                    "",
                )
            },
            _ => failure::Failure::from(error).into(),
        }
    }
}

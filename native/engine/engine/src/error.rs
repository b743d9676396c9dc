//! Why there is no engine: a stable code, a message, and what to do about it.

use crate::{Holder, Place};
use failure::codes::{BAD_OPTION, DISK_FULL, ENGINE_MISSING, ENGINE_UNAVAILABLE, IO};
use failure::{Code, fails};
use serde_json::json;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why the engine, or a part of it, is not there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing says where something is.
    #[error("there is no directory for {}: neither {variable} nor HOME is an absolute path", .place.what())]
    NoDirectory {
        /// What has no place.
        place: Place,
        /// The variable that could say.
        variable: &'static str,
    },
    /// The application is not built, or lies elsewhere.
    #[error("there is no built engine in {}", listed(.0))]
    NoApplication(Vec<PathBuf>),
    /// Another engine owns the data directory.
    #[error("the data directory `{}` is in use{}", .dir.display(), by(.holder.as_ref()))]
    DataInUse {
        /// The directory.
        dir: PathBuf,
        /// Who has it, when that can be read.
        holder: Option<Holder>,
    },
    /// The data directory cannot be owned.
    #[error("the data directory `{}` cannot be used: {cause}", .dir.display())]
    Data {
        /// The directory.
        dir: PathBuf,
        /// What the machine said.
        cause: io::Error,
    },
    /// What says how a running engine is reached cannot be used.
    #[error("`{}` does not say how an engine is reached: {why}", .path.display())]
    RuntimeFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The sandbox or the registry of commands did not start.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The compilers cannot be used.
    #[error(transparent)]
    Lanes(#[from] lanes::Error),
    /// The history, which has the user's key, cannot be used.
    #[error(transparent)]
    History(#[from] history::Error),
    /// The profiles that an application adds make no sense.
    #[error(transparent)]
    Policy(#[from] policy::Error),
}

fails! {
    Error {
        Error::NoDirectory { place, variable } => BAD_OPTION, match place.key() {
            Some(key) => format!("set HOME or {variable}, or give `config :workbooks, {key}:`"),
            None => format!("set HOME or {variable}"),
        };
        Error::NoApplication(_) => ENGINE_MISSING,
            "run `make build` in the source tree, or set WORKBOOKS_HOME to where the engine is";
        Error::DataInUse { .. } => Code::conflict("data_in_use", "another engine owns the data directory").passing(),
            "ask that engine, or stop it; another engine needs a directory of its own: `config :workbooks, data_dir:`";
        Error::Data { cause, .. } if cause.kind() == io::ErrorKind::StorageFull => DISK_FULL, "make room";
        Error::Data { .. } => IO, "make it a directory that you can write to, or give `config :workbooks, data_dir:`";
        Error::RuntimeFile { .. } => ENGINE_MISSING, "remove the file, and start an engine with `wbx deploy local`";
        Error::Host(_) => ENGINE_UNAVAILABLE,
            "run `make build`, and see that the cache directory is yours alone";
    }
    of {
        Error::Lanes(error) => error: lanes::Error;
        Error::History(error) => error: history::Error;
        Error::Policy(error) => error: policy::Error;
    }
    details facts
}

/// Who has the directory: process, and since when in milliseconds since 1970.
fn facts(error: &Error) -> Option<serde_json::Value> {
    match error {
        Error::DataInUse {
            holder: Some(holder), ..
        } => Some(json!({"pid": holder.pid, "since": holder.started})),
        _ => None,
    }
}

fn listed(places: &[PathBuf]) -> String {
    let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    places.join(", ")
}

fn by(holder: Option<&Holder>) -> String {
    holder.map_or_else(String::new, |holder| {
        format!(": process {} has it since {}", holder.pid, holder.since())
    })
}

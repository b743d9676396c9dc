//! Which engine is meant: the one that `WB_ENGINE_URL` names, else the one that `runtime.json` names, else none.

use super::client::{Client, NO_ENGINE};
use crate::{
    failure::{Code, Failure},
    root,
};
use ::engine::{Place, runtime_file};
use std::env;

/// The engine that runs, if one does. Where one is named and does not answer, that is a failure: nobody gets another one
/// than was meant.
pub fn find() -> Result<Option<Client>, Failure> {
    match named()? {
        Some(client) => Ok(Some(client)),
        None => local(),
    }
}

/// The engine that the environment names.
pub fn named() -> Result<Option<Client>, Failure> {
    let text = |name| env::var(name).ok().filter(|value: &String| !value.is_empty());
    match text("WB_ENGINE_URL") {
        Some(url) => Client::reach(&url, text("WB_ENGINE_TOKEN")).map(Some),
        None => Ok(None),
    }
}

/// The engine of this user on this machine.
fn local() -> Result<Option<Client>, Failure> {
    // Without a place for it there is no file either.
    let Ok(path) = root::engine().places().get(Place::Runtime) else {
        return Ok(None);
    };
    let Some(runtime) = runtime_file::read(&path)? else {
        return Ok(None);
    };
    if !runtime.is_alive() {
        return Err(Failure::new(
            Code::EngineMissing,
            format!(
                "`{}` names an engine that is gone: there is no process {}",
                path.display(),
                runtime.pid
            ),
            NO_ENGINE,
        ));
    }
    Client::reach(&runtime.url, Some(runtime.token)).map(Some)
}

/// The engine that runs; without one there is nothing to ask.
pub fn required() -> Result<Client, Failure> {
    find()?.ok_or_else(|| Failure::new(Code::EngineMissing, "no engine runs here", NO_ENGINE))
}

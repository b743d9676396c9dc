//! The engine that the verbs of this process start from, put together once.

use crate::{call::Call, failure::Failure};
use ::engine::{Engine, Places};
use history::Home;
use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

/// The engine. Nothing of it is opened before it is needed.
pub fn engine() -> &'static Arc<Engine> {
    static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(|| Arc::new(Engine::new(Places::of_process())));
    &ENGINE
}

/// The history directory that `--history` names, or the user's.
pub fn home(call: &Call) -> Result<Home, Failure> {
    Ok(engine().history(call.path("history").map(Path::new))?)
}

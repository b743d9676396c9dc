//! Operations that are answered in this process.

use crate::{call::Call, engine::attach, failure::Failure, root};
use operations::{Context, EngineParts, NoEngine};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    env,
    ffi::{OsStr, OsString},
    path::Path,
    sync::Arc,
};

/// Asks the engine that the environment names, if it names one; else it is answered here, with the history directory that
/// the verb names if it has such a flag.
pub fn ask<T: DeserializeOwned>(call: &Call, operation: &str, params: Value) -> Result<T, Failure> {
    let answer = match attach::named()? {
        Some(engine) => engine.ask(operation, &params)?,
        None => operations::answer(&context_of(call), operation, params)?,
    };
    Ok(serde_json::from_value(answer).map_err(|e| failure::Failure::internal(e.to_string()))?)
}

/// The call of a verb, with the history directory that it names.
pub fn context_of(call: &Call) -> Context {
    let history = call.0.try_get_one::<OsString>("history").ok().flatten();
    Context {
        history: history.map(Into::into),
        ..context()
    }
}

/// A path as operations take it. Their parameters are text.
pub fn path(path: &OsStr) -> Result<&str, Failure> {
    let refused = || Failure::usage(format!("`{}` is not UTF-8", path.display()), "rename it");
    path.to_str().ok_or_else(refused)
}

/// A call from here, where this process was started.
pub fn context() -> Context {
    let here = env::current_dir().unwrap_or_else(|_| Path::new(".").to_owned());
    let parts = EngineParts {
        engine: root::engine().clone(),
        toolkits_root: root::engine().places().toolkits_root(),
        toolkits_dir: None,
        execute: env::var_os("WB_TOOLKIT_EXEC").is_some_and(|on| on == "1"),
        // Only an operator's configuration can allow native programs, and there is none here.
        posix: false,
    };
    Context::new(Arc::new(parts), Arc::new(NoEngine), here)
}

//! What operations that are answered in this process start from.

use crate::root;
use operations::{Context, EngineParts, NoEngine};
use std::{env, path::Path, sync::Arc};

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

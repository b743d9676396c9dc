//! Compiles the batteries in a directory to machine code, so that they are mapped and not compiled when they are used:
//! `precompile-commands DIRECTORY`.

use host::{Registry, Sandbox};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(dir) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("precompile-commands DIRECTORY");
        return ExitCode::from(2);
    };
    // What is made here is kept beside the modules, so the cache stays empty.
    let made = tempfile::tempdir()
        .map_err(|e| e.to_string())
        .and_then(|cache| Sandbox::new(cache.path()).map_err(|e| e.to_string()))
        .and_then(|sandbox| Registry::precompile(&sandbox, &dir).map_err(|e| e.to_string()));
    match made {
        Ok(0) => ExitCode::SUCCESS,
        Ok(made) => {
            println!("compiled {made} modules of commands");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{}: {why}", dir.display());
            ExitCode::FAILURE
        }
    }
}

//! Build step: wraps a core module that carries its WIT (as wit-bindgen embeds it) into a component.
//!
//! `componentize [--no-imports] IN OUT`. With `--no-imports` a component that imports anything is refused: the build
//! stops when somebody teaches the kernel to reach for a clock.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use wit_component::{ComponentEncoder, DecodedWasm};

const USAGE: &str = "usage: componentize [--no-imports] IN OUT";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match *args.as_slice() {
        ["--no-imports", input, output] => componentize(input, output, true),
        [input, output] if !input.starts_with('-') => componentize(input, output, false),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("componentize: {e}");
            ExitCode::FAILURE
        }
    }
}

fn componentize(input: &str, output: &str, pure: bool) -> Result<(), Box<dyn Error>> {
    let module = std::fs::read(input).map_err(|e| format!("{input}: {e}"))?;
    let component = encode(&module).map_err(|e| format!("{input}: {e}"))?;
    if pure {
        let imports = imports(&component)?;
        if !imports.is_empty() {
            return Err(format!("{input} imports {}", imports.join(", ")).into());
        }
    }
    write(Path::new(output), &component).map_err(|e| format!("{output}: {e}").into())
}

fn encode(module: &[u8]) -> Result<Vec<u8>, String> {
    ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| encoder.validate(true).encode())
        .map_err(|e| format!("{e:#}"))
}

fn imports(component: &[u8]) -> Result<Vec<String>, String> {
    match wit_component::decode(component).map_err(|e| format!("{e:#}"))? {
        DecodedWasm::Component(resolve, world) => Ok(resolve.worlds[world]
            .imports
            .keys()
            .map(|key| resolve.name_world_key(key))
            .collect()),
        DecodedWasm::WitPackage(..) => Err("the result is not a component".into()),
    }
}

/// Whole or not at all: a reader never sees half a component.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let dir = dir.unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    std::fs::File::open(dir)?.sync_all()
}

//! Build step: wraps a core module that carries its WIT (as wit-bindgen embeds it) into a component.
//!
//! `componentize [--no-imports] IN OUT`. With `--no-imports` a component that imports anything is refused: the build
//! stops when somebody teaches the kernel to reach for a clock.
//!
//! `componentize --world WIT WORLD IN OUT` is for a module that carries none, such as one of C: the world comes from the
//! file WIT, and what the module asks of WASI preview 1 it is given on top of WASI 0.2.
#![forbid(unsafe_code)]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wit_component::{ComponentEncoder, DecodedWasm, StringEncoding};
use wit_parser::Resolve;

const USAGE: &str = "usage: componentize [--no-imports | --world WIT WORLD] IN OUT";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match *args.as_slice() {
        ["--no-imports", input, output] => componentize(input, output, None, true),
        ["--world", wit, world, input, output] => componentize(input, output, Some((wit, world)), false),
        [input, output] if !input.starts_with('-') => componentize(input, output, None, false),
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

fn componentize(input: &str, output: &str, world: Option<(&str, &str)>, pure: bool) -> Result<(), Box<dyn Error>> {
    let mut module = std::fs::read(input).map_err(|e| format!("{input}: {e}"))?;
    if let Some((wit, world)) = world {
        embed(&mut module, wit, world).map_err(|e| format!("{wit}: {e}"))?;
    }
    let component = encode(&module).map_err(|e| format!("{input}: {e}"))?;
    if pure {
        let imports = imports(&component)?;
        if !imports.is_empty() {
            return Err(format!("{input} imports {}", imports.join(", ")).into());
        }
    }
    durable::save(Path::new(output), &component).map_err(|e| format!("{output}: {e}").into())
}

/// Writes the world into the module, where the encoder looks for it.
fn embed(module: &mut Vec<u8>, wit: &str, world: &str) -> Result<(), String> {
    let message = |e: &dyn std::fmt::Display| format!("{e:#}");
    let mut resolve = Resolve::default();
    let package = resolve.push_file(wit).map_err(|e| message(&e))?;
    let world = resolve.select_world(&[package], Some(world)).map_err(|e| message(&e))?;
    wit_component::embed_component_metadata(module, &resolve, world, StringEncoding::UTF8).map_err(|e| message(&e))
}

/// An adapter that the module has no use for leaves no trace in the component.
fn encode(module: &[u8]) -> Result<Vec<u8>, String> {
    ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| {
            encoder.adapter(
                WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
                WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
            )
        })
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

//! What was built, held against its shape.

use crate::{Error, Shape};
use wasmparser::{ExternalKind, Parser, Payload, Validator};

/// The largest artifact, in bytes.
const MAX_ARTIFACT: usize = 64 << 20;
/// What a kernel has to export.
const KERNEL: [(&str, ExternalKind); 4] = [
    ("memory", ExternalKind::Memory),
    ("process", ExternalKind::Func),
    ("in_ptr", ExternalKind::Func),
    ("out_ptr", ExternalKind::Func),
];

/// Whether the bytes are of that shape.
pub(crate) fn check(wasm: &[u8], shape: Shape) -> Result<(), Error> {
    if wasm.len() > MAX_ARTIFACT {
        return Err(Error::TooLarge(format!(
            "the artifact has {} bytes, the limit is {MAX_ARTIFACT}",
            wasm.len()
        )));
    }
    match shape {
        Shape::Component => conformance::engine(wasm).map_err(|e| Error::Unfit(e.to_string())),
        Shape::Command => exports(
            wasm,
            &[("_start", ExternalKind::Func), ("memory", ExternalKind::Memory)],
        ),
        Shape::Kernel => {
            Validator::new()
                .validate_all(wasm)
                .map_err(|e| Error::Unfit(e.to_string()))?;
            exports(wasm, &KERNEL)?;
            imports_nothing(wasm)
        }
    }
}

/// A kernel is given nothing, so it may not ask for anything.
fn imports_nothing(wasm: &[u8]) -> Result<(), Error> {
    let unfit = |e: wasmparser::BinaryReaderError| Error::Unfit(e.to_string());
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::ImportSection(imports) = payload.map_err(unfit)?
            && let Some(import) = imports.into_imports().next()
        {
            let name = import.map_err(unfit)?.name;
            return Err(Error::Unfit(format!(
                "it imports `{name}`, and a kernel is given nothing"
            )));
        }
    }
    Ok(())
}

fn exports(wasm: &[u8], wanted: &[(&str, ExternalKind)]) -> Result<(), Error> {
    let unfit = |e: wasmparser::BinaryReaderError| Error::Unfit(e.to_string());
    if !Parser::is_core_wasm(wasm) {
        return Err(Error::Unfit("it is not a core module".into()));
    }
    let mut missing: Vec<&(&str, ExternalKind)> = wanted.iter().collect();
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::ExportSection(exports) = payload.map_err(unfit)? {
            for export in exports {
                let export = export.map_err(unfit)?;
                missing.retain(|(name, kind)| *name != export.name || *kind != export.kind);
            }
        }
    }
    match missing.first() {
        None => Ok(()),
        Some((name, _)) => Err(Error::Unfit(format!("it does not export `{name}`"))),
    }
}

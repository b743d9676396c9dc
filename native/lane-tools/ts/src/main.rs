//! TypeScript in, JavaScript out: a JSON object of file name to source on standard input, the same of JavaScript on
//! standard output, `.ts` in names and imports become `.js`. What cannot be read is said on standard error, as a
//! compiler does, and the status is 1. Types are taken away, not checked.
#![forbid(unsafe_code)]

use oxc_allocator::Allocator;
use oxc_codegen::Codegen;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use oxc_transformer::{RewriteExtensionsMode, TransformOptions, Transformer, TypeScriptOptions};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    match convert() {
        Ok(json) => match std::io::stdout().write_all(json.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        },
        Err(said) => {
            eprintln!("{}", said.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn convert() -> Result<String, String> {
    let mut json = String::new();
    std::io::stdin()
        .read_to_string(&mut json)
        .map_err(|e| e.to_string())?;
    let files: BTreeMap<String, String> = serde_json::from_str(&json).map_err(|e| e.to_string())?;
    let mut converted = BTreeMap::new();
    let mut complaints = String::new();
    for (name, source) in &files {
        match script(name, source) {
            Ok(code) => {
                converted.insert(renamed(name), code);
            }
            Err(said) => complaints += &said,
        }
    }
    match complaints.is_empty() {
        true => serde_json::to_string(&converted).map_err(|e| e.to_string()),
        false => Err(complaints),
    }
}

/// One file as JavaScript.
fn script(name: &str, source: &str) -> Result<String, String> {
    let path = Path::new(name);
    let kind = SourceType::from_path(path).map_err(|e| format!("{name}: {e}\n"))?;
    let allocator = Allocator::default();
    let refused = |found: &[OxcDiagnostic]| -> String { found.iter().map(|one| told(name, source, one)).collect() };

    let parsed = Parser::new(&allocator, source, kind.with_module(true)).parse();
    if !parsed.diagnostics.is_empty() {
        return Err(refused(&parsed.diagnostics));
    }
    let mut program = parsed.program;
    let semantic = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .with_excess_capacity(2.0)
        .with_enum_eval(true)
        .build(&program);
    if !semantic.diagnostics.is_empty() {
        return Err(refused(&semantic.diagnostics));
    }
    let options = TransformOptions {
        typescript: TypeScriptOptions {
            rewrite_import_extensions: Some(RewriteExtensionsMode::Rewrite),
            ..TypeScriptOptions::default()
        },
        ..TransformOptions::default()
    };
    let done = Transformer::new(&allocator, path, &options)
        .build_with_scoping(semantic.semantic.into_scoping(), &mut program);
    if !done.diagnostics.is_empty() {
        return Err(refused(&done.diagnostics));
    }
    Ok(Codegen::new().build(&program).code)
}

/// `file:line:column: what`, and what helps.
fn told(name: &str, source: &str, found: &OxcDiagnostic) -> String {
    let at = found.labels.first().map_or(0, |label| label.offset());
    let before = &source.as_bytes()[..source.len().min(at as usize)];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.len() - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) + 1;
    let help = found.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    format!("{name}:{line}:{column}: {}{help}\n", found.message)
}

fn renamed(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, "ts" | "tsx" | "jsx")) => format!("{stem}.js"),
        Some((stem, "mts")) => format!("{stem}.mjs"),
        _ => name.to_owned(),
    }
}

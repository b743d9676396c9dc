//! TypeScript in, JavaScript out: a JSON object of file name to source on standard input, the same of JavaScript on
//! standard output, under the same names and with the same lines. What cannot be read is said on standard error, as a
//! compiler does, and the status is 1. Types are taken away, not checked.
#![forbid(unsafe_code)]

mod lines;

use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::Parser;
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use oxc_transformer::{TransformOptions, Transformer};
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
    std::io::stdin().read_to_string(&mut json).map_err(|e| e.to_string())?;
    let files: BTreeMap<String, String> = serde_json::from_str(&json).map_err(|e| e.to_string())?;
    let mut converted = BTreeMap::new();
    let mut complaints = String::new();
    for (name, source) in &files {
        match script(name, source) {
            Ok(code) => {
                converted.insert(name, code);
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
    let options = TransformOptions::default();
    let done =
        Transformer::new(&allocator, path, &options).build_with_scoping(semantic.semantic.into_scoping(), &mut program);
    if !done.diagnostics.is_empty() {
        return Err(refused(&done.diagnostics));
    }
    let options = CodegenOptions {
        source_map_path: Some(path.into()),
        ..CodegenOptions::default()
    };
    let printed = Codegen::new().with_options(options).build(&program);
    let map = printed.map.as_ref();
    let starts = map.into_iter().flat_map(|map| map.get_tokens());
    let places = starts.map(|token| (token.get_dst_line(), token.get_dst_col(), token.get_src_line()));
    Ok(lines::restored(&printed.code, places))
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

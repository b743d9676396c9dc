//! The filter and the values of its global variables.

use crate::options::{Binding, Options};
use crate::{MISUSED, NOT_COMPILED};
use jaq_all::data::{self, Filter};
use jaq_all::fmts::read;
use jaq_all::jaq_core::compile::Compiler;
use jaq_all::jaq_core::load::parse::Def;
use jaq_all::jaq_core::load::{Arena, File, Loader, import, parse};
use jaq_all::json::Val;
use jaq_all::load::{FileReports, FileReportsDisp, compile_errors, load_errors};
use std::fs;
use std::path::{Path, PathBuf};

/// A status and what to say.
type Failure = (i32, String);

/// Compiles the filter; the values are those of its variables, in order.
pub fn compile(options: &Options) -> Result<(Filter, Vec<Val>), Failure> {
    let named = named(options)?;
    let names: Vec<String> = named.iter().map(|(name, _)| format!("${name}")).collect();
    let mut values: Vec<Val> = named.into_iter().map(|(_, value)| value).collect();
    let (path, code) = match options.from_file {
        true => {
            let path = PathBuf::from(&options.filter);
            let code = fs::read_to_string(&path).map_err(|error| misused(&path, &error))?;
            (path, code)
        }
        false => ("<inline>".into(), options.filter.clone()),
    };
    let (filter, imported) = load(path, &code, &names, &options.library).map_err(not_compiled)?;
    values.extend(imported);
    Ok((filter, values))
}

/// What jq defines and jaq does not.
fn ours() -> Vec<Def<&'static str>> {
    parse(include_str!("defs.jq"), |parser| parser.defs()).expect("defs.jq is tested with every build")
}

type Reports = Vec<FileReports<PathBuf>>;

fn load(path: PathBuf, code: &str, names: &[String], library: &[PathBuf]) -> Result<(Filter, Vec<Val>), Reports> {
    let arena = Arena::default();
    let loader = Loader::new(jaq_all::defs().chain(ours())).with_std_read(library);
    let modules = loader.load(&arena, File { path, code }).map_err(load_errors)?;
    let mut values = Vec::new();
    import(&modules, |module| {
        let path = module.find(library, "json")?;
        values.push(read::json_array(path).map_err(|error| error.to_string())?);
        Ok(())
    })
    .map_err(load_errors)?;
    let filter = Compiler::default()
        .with_funs(data::funs())
        .with_global_vars(names.iter().map(String::as_str))
        .compile(modules)
        .map_err(compile_errors)?;
    Ok((filter, values))
}

fn not_compiled(reports: Reports) -> Failure {
    let text = reports
        .iter()
        .map(|report| FileReportsDisp::new(report).to_string())
        .collect();
    (NOT_COMPILED, text)
}

fn misused(path: &Path, error: &std::io::Error) -> Failure {
    (MISUSED, format!("could not open {}: {error}\n", path.display()))
}

/// `$ENV`, `$ARGS` and what the command line named.
fn named(options: &Options) -> Result<Vec<(String, Val)>, Failure> {
    let mut named = Vec::new();
    for (name, binding) in &options.named {
        named.push((name.clone(), value(binding)?));
    }
    let positional = options.positional.iter().map(value).collect::<Result<Val, _>>()?;
    let key = |name: &str| Val::from(name.to_owned());
    let by_name = named.iter().map(|(name, value)| (key(name), value.clone())).collect();
    let args = [(key("positional"), positional), (key("named"), Val::obj(by_name))];
    let env = std::env::vars_os().map(|(name, value)| {
        let text = |word: std::ffi::OsString| Val::from(word.to_string_lossy().into_owned());
        (text(name), text(value))
    });
    let env = Val::obj(env.collect());
    named.push(("ARGS".into(), Val::obj(args.into_iter().collect())));
    named.push(("ENV".into(), env));
    Ok(named)
}

fn value(binding: &Binding) -> Result<Val, Failure> {
    match binding {
        Binding::Text(text) => Ok(Val::from(text.clone())),
        Binding::Json(text) => read::json::parse_single(text.as_bytes())
            .map_err(|error| (MISUSED, format!("invalid JSON text '{text}': {error}\n"))),
        Binding::Values(path) => read::json_array(path).map_err(|error| misused(path, &error)),
        Binding::File(path) => match fs::read(path) {
            Ok(bytes) => Ok(Val::utf8_str(bytes)),
            Err(error) => Err(misused(path, &error)),
        },
    }
}

//! `wbx init`: a workbook that runs.

use crate::{
    answer::Answer,
    call::Call,
    exit::Exit,
    facts,
    failure::{Code, Failure},
    replace::replace,
    verb::{Argument, Does::Work, Example, Verb},
};
use serde_json::json;
use std::{fs, io, path::Path};

const TEMPLATE: &str = include_str!("init/workbook.org");

pub const INIT: Verb = Verb {
    name: "init",
    summary: "Make a workbook that runs",
    details: "\
Makes the directory NAME with a workbook.org in it: tasks with checks, and a workflow.
It is linted before it is written.",
    arguments: &[Argument::path(
        "NAME",
        "The directory to make; its name is the workbook's",
    )],
    flags: &[],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Conflict],
    examples: &[Example::new("wbx init hello", Exit::Ok)],
    does: Work(run),
};

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let dir = Path::new(call.path("NAME").unwrap_or_default());
    let plan = TEMPLATE.replace("{name}", name(dir)?);
    lint(&plan)?;
    fs::create_dir(dir).map_err(|error| refused(dir, &error))?;
    let file = dir.join("workbook.org");
    replace(&file, &plan).inspect_err(|_| {
        let _ = fs::remove_dir(dir);
    })?;
    let file = file.display().to_string();
    let told = format!("{file}\nrun it: wbx run {file}\n");
    Ok(Answer::told(&json!({"path": file}), told))
}

/// The name must be one that a bundle and a deployment take, too.
fn name(dir: &Path) -> Result<&str, Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = dir.file_name().and_then(|name| name.to_str());
    name.filter(|name| name.len() <= 64 && name.chars().all(plain) && !name.starts_with(['.', '-']))
        .ok_or_else(|| {
            Failure::usage(
                format!("`{}` is no name for a workbook", dir.display()),
                "use letters, digits, `-`, `_` and `.`",
            )
        })
}

/// A template with a flaw fails here, and not in the hands of whoever wanted a workbook.
fn lint(plan: &str) -> Result<(), Failure> {
    match &oql::lint(plan, &facts::built_in())?[..] {
        [] => Ok(()),
        [finding, ..] => Err(Failure::new(
            Code::Internal,
            format!("the template has a flaw: {} on line {}", finding.message, finding.line),
            "report it",
        )),
    }
}

fn refused(dir: &Path, error: &io::Error) -> Failure {
    let dir = dir.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::new(
            Code::Of(failure::codes::EXISTS),
            format!("`{dir}` is there already"),
            "choose another name",
        ),
        io::ErrorKind::NotFound => Failure::new(
            Code::NotFound,
            format!("there is no directory to make `{dir}` in"),
            "make it first",
        ),
        _ => Failure::new(
            Code::Unwritable,
            format!("cannot make `{dir}`: {error}"),
            "check the permissions",
        ),
    }
}

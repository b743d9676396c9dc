//! One door for every surface: a verb and its parameters as JSON, an answer as JSON.

use crate::{Error, Foundry, select};
use host::Cancel;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toolkit::{Finding, Mark, Root, Toolkit, injection_text, mirror, recipes, rows_at, search, sign, verify};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct One {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillOf {
    id: String,
    skill: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    query: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForAgent {
    org: String,
    agent: String,
    most: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Making {
    id: String,
    which: Option<String>,
    from: Option<String>,
    grant: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Granting {
    id: String,
    caps: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Running {
    id: String,
    task: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    stdin: String,
    workdir: Option<String>,
    grant: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asking {
    id: String,
    answer: String,
    sql: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mirroring {
    id: String,
    answer: String,
    org: String,
}

/// Asks one thing. The verbs: `list`, `show`, `skill`, `search`, `inject`, `verify`, `sign`, `grant`, `build`, `run`,
/// `source`, `select`, `mirror`, `component`.
///
/// # Errors
///
/// See [`Error`]; a verb or a parameter that nobody knows is [`Error::BadOption`].
pub fn call(foundry: &Foundry, verb: &str, params: &Value, cancel: &Cancel) -> Result<Value, Error> {
    match verb {
        "list" => Ok(list(&foundry.toolkits()?)?),
        "show" => read(params).and_then(|One { id }| show(&foundry.toolkit(&id)?)),
        "skill" => {
            let SkillOf { id, skill } = read(params)?;
            Ok(json!({"id": id, "skill": skill, "text": foundry.toolkit(&id)?.skill(&skill)?}))
        }
        "search" => {
            let Words { query } = read(params)?;
            Ok(json!(search(&foundry.toolkits()?.list()?, &query)))
        }
        "inject" => {
            let ForAgent { org, agent, most } = read(params)?;
            Ok(json!(injection_text(
                &foundry.toolkits()?.for_agent(&org, &agent)?,
                most
            )))
        }
        "verify" => read(params).and_then(|One { id }| verified(foundry, &id)),
        "sign" => {
            let One { id } = read(params)?;
            Ok(json!(sign(&foundry.toolkit(&id)?, &foundry.signer()?)?))
        }
        "grant" => {
            let Granting { id, caps } = read(params)?;
            grant(foundry, &id, Some(&caps))
        }
        "build" => {
            let Making {
                id,
                which,
                from,
                grant: caps,
            } = read(params)?;
            only(&foundry.toolkit(&id)?, which.as_deref())?;
            grant(foundry, &id, caps.as_deref())?;
            let from = from.map(|file| foundry.path(&file));
            Ok(json!(foundry.build(&id, from.as_deref(), cancel)?))
        }
        "run" => {
            let order: Running = read(params)?;
            grant(foundry, &order.id, order.grant.as_deref())?;
            let workdir = foundry.path(order.workdir.as_deref().unwrap_or("."));
            let Running {
                id, task, args, stdin, ..
            } = order;
            Ok(json!(foundry.run(
                &id,
                &task,
                &args,
                stdin.as_bytes(),
                workdir,
                cancel
            )?))
        }
        "source" => read(params).and_then(|One { id }| Ok(json!(source(&federated(foundry, &id)?)?))),
        "select" => {
            let Asking { id, answer, sql } = read(params)?;
            let source = source(&federated(foundry, &id)?)?;
            let rows = rows_at(answer.as_bytes(), &source.rows_path)?;
            Ok(json!(select(&sql, &source.entity, &rows)?))
        }
        "mirror" => {
            let Mirroring { id, answer, org } = read(params)?;
            let source = source(&federated(foundry, &id)?)?;
            let rows = rows_at(answer.as_bytes(), &source.rows_path)?;
            Ok(json!(mirror(&org, &source, &rows)?))
        }
        "component" => {
            let One { id } = read(params)?;
            let toolkit = foundry.toolkit(&id)?;
            let caps = foundry.grants().consent(&toolkit)?;
            let (path, _) = foundry.components().get(&id)?;
            Ok(json!({"path": path, "caps": caps}))
        }
        other => Err(Error::BadOption(format!("there is no verb `{other}`"))),
    }
}

fn read<T: DeserializeOwned>(params: &Value) -> Result<T, Error> {
    T::deserialize(params).map_err(|e| Error::BadOption(e.to_string()))
}

fn list(root: &Root) -> Result<Value, Error> {
    Ok(root.list()?.iter().map(|toolkit| json!(toolkit.view())).collect())
}

fn show(toolkit: &Toolkit) -> Result<Value, Error> {
    let tasks = recipes(toolkit)?;
    let tasks: Vec<&str> = tasks
        .iter()
        .filter(|r| r.role == "task")
        .map(|r| r.name.as_str())
        .collect();
    Ok(json!({
        "id": toolkit.id(),
        "path": toolkit.path(),
        "manifest": toolkit.manifest(),
        "text": toolkit.text(),
        "skills": toolkit.skills()?,
        "tasks": tasks,
    }))
}

fn verified(foundry: &Foundry, id: &str) -> Result<Value, Error> {
    let findings: Vec<Finding> = match foundry.toolkit(id) {
        Ok(toolkit) => verify(&toolkit, &foundry.facts(&toolkit)?),
        Err(Error::Toolkit(error @ (toolkit::Error::Refused { .. } | toolkit::Error::Org { .. }))) => {
            vec![Finding::from(&error)]
        }
        Err(error) => return Err(error),
    };
    let ok = findings.iter().all(|finding| finding.mark != Mark::Fail);
    let text: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
    Ok(json!({"id": id, "ok": ok, "findings": findings, "text": text}))
}

fn grant(foundry: &Foundry, id: &str, caps: Option<&[String]>) -> Result<Value, Error> {
    match caps {
        None => Ok(Value::Null),
        Some(caps) => Ok(json!(foundry.grants().grant(
            &foundry.toolkit(id)?,
            caps,
            foundry.now()
        )?)),
    }
}

/// A toolkit has one artifact: whoever names another is told so.
fn only(toolkit: &Toolkit, which: Option<&str>) -> Result<(), Error> {
    let manifest = toolkit.manifest();
    let names = [
        Some(toolkit.id()),
        manifest.cli_bin.as_deref(),
        manifest.exec.map(toolkit::Shape::name),
    ];
    match which {
        Some(other) if !names.contains(&Some(other)) => Err(Error::BadOption(format!(
            "`{}` has no artifact `{other}`",
            toolkit.id()
        ))),
        _ => Ok(()),
    }
}

/// A source that may be asked: its manifest holds, and a stranger's was consented to.
fn federated(foundry: &Foundry, id: &str) -> Result<Toolkit, Error> {
    let toolkit = foundry.toolkit(id)?;
    foundry.grants().consent(&toolkit)?;
    match toolkit.manifest().is_valid() {
        true => Ok(toolkit),
        false => Err(toolkit::Error::Invalid(toolkit.manifest().problems.clone()).into()),
    }
}

fn source(toolkit: &Toolkit) -> Result<toolkit::Source, Error> {
    let found = toolkit.manifest().source.clone();
    found.ok_or_else(|| Error::BadOption(format!("`{}` is no federation", toolkit.id())))
}

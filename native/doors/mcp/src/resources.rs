//! What can be read beside the tools: plans, runs and skills.

use crate::files;
use crate::runs::{self, Runs};
use crate::{Directories, past};
use failure::Failure;
use failure::codes::NOT_FOUND;
use operations::Context;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const ORG: &str = "text/org";
const JSON: &str = "application/json";

/// The plans below the directories, the runs of this process, the skills of the toolkits.
pub(crate) fn list(directories: &Directories, runs: &Runs, context: &Context) -> Vec<Resource> {
    let plans = files::list(directories, &["org"]).into_iter().map(|path| {
        let name = path
            .strip_prefix(directories.base())
            .unwrap_or(&path)
            .display()
            .to_string();
        Resource::new(plan_uri(&path), name).with_mime_type(ORG)
    });
    let runs = runs.list().into_iter().filter(|run| directories.holds(&run.plan));
    let runs = runs.map(|run| {
        let about = match run.standing.borrow().outcome {
            Some(_) => "a run that is over",
            None => "a run at work",
        };
        Resource::new(format!("run://{}", run.id), &run.id)
            .with_description(about)
            .with_mime_type(JSON)
    });
    plans.chain(runs).chain(skills(context)).collect()
}

/// Where there are no toolkits there are no skills.
fn skills(context: &Context) -> Vec<Resource> {
    let answer = |name: &str, params: Value| operations::answer(context, name, params).unwrap_or_default();
    let toolkits = answer("toolkit.list", json!({}));
    let mut found = Vec::new();
    for toolkit in toolkits.as_array().into_iter().flatten() {
        let Some(id) = toolkit["id"].as_str() else { continue };
        let shown = answer("toolkit.show", json!({"id": id}));
        for skill in shown["skills"].as_array().into_iter().flatten() {
            let Some(name) = skill["name"].as_str() else { continue };
            let resource = Resource::new(format!("skill://{id}/{name}"), format!("{id}: {name}")).with_mime_type(ORG);
            found.push(match skill["description"].as_str() {
                Some(about) => resource.with_description(about),
                None => resource,
            });
        }
    }
    found
}

/// What the resources look like.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, about: &str, kind: &str| {
        ResourceTemplate::new(uri, name)
            .with_description(about)
            .with_mime_type(kind)
    };
    vec![
        template(
            "plan://{+path}",
            "plan",
            "The text of a plan, by its absolute path",
            ORG,
        ),
        template("run://{run}", "run", "How a run stands, or ended", JSON),
        template(
            "skill://{toolkit}/{skill}",
            "skill",
            "The text of a skill of a toolkit",
            ORG,
        ),
    ]
}

/// One of them.
pub(crate) async fn read(directories: &Directories, context: Context, uri: &str) -> Result<ResourceContents, Failure> {
    let unknown = || {
        let shown: String = uri.chars().take(200).collect();
        Failure::new(
            NOT_FOUND,
            format!("there is no resource `{shown}`"),
            "resources/list and resources/templates/list name them",
        )
    };
    match uri.split_once("://") {
        Some(("plan", path)) => {
            let path = decode(path).ok_or_else(unknown)?;
            let text = files::contents(&directories.to_read(&path)?)?;
            Ok(ResourceContents::text(text, uri).with_mime_type(ORG))
        }
        Some(("run", id)) => {
            // A run of a plan that may not be read is not there.
            let found = past::find(&context, id)?.filter(|found| directories.holds(&found.plan));
            found.ok_or_else(unknown)?;
            let standing = runs::status(Arc::new(context), id).await?;
            let text = serde_json::to_string_pretty(&standing).unwrap_or_default();
            Ok(ResourceContents::text(text, uri).with_mime_type(JSON))
        }
        Some(("skill", name)) => {
            let (toolkit, skill) = name.split_once('/').ok_or_else(unknown)?;
            let params = json!({"id": decode(toolkit), "skill": decode(skill)});
            let answer = operations::call(Arc::new(context), "toolkit.skill", params).await?;
            let text = answer["text"].as_str().unwrap_or_default();
            Ok(ResourceContents::text(text, uri).with_mime_type(ORG))
        }
        _ => Err(unknown()),
    }
}

/// `plan://` and the path; what cannot stand in a URI is written in hexadecimal digits.
fn plan_uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encoded = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|byte| match plain(*byte) {
            true => char::from(*byte).to_string(),
            false => format!("%{byte:02X}"),
        });
    format!("plan://{}", encoded.collect::<String>())
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_from_its_uri() {
        for path in ["/work/plan.org", "/a b/ü%.org", "/x?y#z.org"] {
            let uri = plan_uri(Path::new(path));
            assert!(uri.is_ascii() && !uri.contains(' '));
            assert_eq!(decode(uri.strip_prefix("plan://").unwrap()).as_deref(), Some(path));
        }
        for broken in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(decode(broken), None);
        }
    }
}

//! The description of an HTTP interface: one skill for each operation. Examples and defaults are left out: they are
//! where people forget keys.

use super::{Parts, json, stem, unfit};
use crate::slug::slug;
use crate::{Error, Kind, Skill, Source, org};
use serde_json::{Map, Value};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const NAMES: [&str; 2] = ["openapi.json", "swagger.json"];
const MAX_OPERATIONS: usize = 2000;

pub(crate) fn is_description(source: &Source<'_>, file: &str) -> bool {
    json(source, file)
        .is_ok_and(|value| (value["openapi"].is_string() || value["swagger"].is_string()) && value["paths"].is_object())
}

pub(crate) fn description<'a>(source: &'a Source<'_>) -> Option<&'a str> {
    match source.only() {
        Some(file) => Some(file),
        None => source
            .paths()
            .find(|path| NAMES.contains(path) && is_description(source, path)),
    }
}

pub(super) fn parts(source: &Source<'_>) -> Result<Parts, Error> {
    let file = description(source).ok_or_else(|| unfit(Kind::OpenApi, "there is no openapi.json in it"))?;
    if file.ends_with(".yaml") || file.ends_with(".yml") {
        return Err(unfit(Kind::OpenApi, "it is YAML, and only JSON is read"));
    }
    let api = json(source, file)?;
    let Some(paths) = api["paths"].as_object().filter(|_| is_description(source, file)) else {
        return Err(unfit(
            Kind::OpenApi,
            "it has no version and paths of an OpenAPI description",
        ));
    };
    let operations = paths.iter().flat_map(|(path, item)| {
        let present = METHODS
            .iter()
            .filter_map(move |method| Some((*method, item.get(method)?.as_object()?)));
        present.map(move |(method, operation)| (path.as_str(), method, operation, &item["parameters"]))
    });
    let skills: Vec<Skill> = operations
        .map(|(path, method, operation, shared)| skill(path, method, operation, shared))
        .collect();
    if skills.len() > MAX_OPERATIONS {
        return Err(Error::TooLarge(format!(
            "`{file}` has more than {MAX_OPERATIONS} operations"
        )));
    }
    let info = |key: &str| api["info"][key].as_str().unwrap_or_default();
    Ok(Parts {
        name: match info("title") {
            "" => stem(source.name()).to_owned(),
            title => title.to_owned(),
        },
        title: Some(info("title").to_owned()),
        tagline: info("description").to_owned(),
        skills,
        ..Parts::default()
    })
}

fn skill(path: &str, method: &str, operation: &Map<String, Value>, shared: &Value) -> Skill {
    let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default();
    let call = format!("{} {}", method.to_uppercase(), org::line(path));
    let name = match text("operationId") {
        "" => format!("{method}-{path}"),
        id => id.to_owned(),
    };
    let summary = match text("summary") {
        "" => text("description"),
        summary => summary,
    };
    let mut body = format!("={}=\n", call.replace('=', "%3D"));
    if operation.get("deprecated") == Some(&Value::Bool(true)) {
        body += "\nIt is deprecated.\n";
    }
    for words in [summary, text("description")]
        .into_iter()
        .filter(|words| !words.is_empty())
    {
        let words = crate::markdown::convert(words).body;
        if !body.contains(words.trim()) {
            // The words of an operation have no headlines of their own.
            let plain = |line: &'_ str| -> String {
                let rest = line.trim_start_matches('*');
                if rest.len() < line.len() && rest.starts_with(' ') {
                    rest.trim().to_owned()
                } else {
                    line.to_owned()
                }
            };
            let words: Vec<String> = words.lines().map(plain).collect();
            body += &format!("\n{}\n", words.join("\n").trim());
        }
    }
    let lists = [shared, operation.get("parameters").unwrap_or(&Value::Null)];
    let parameters: Vec<&Value> = lists.iter().filter_map(|list| list.as_array()).flatten().collect();
    if !parameters.is_empty() {
        body += "\n** Parameters\n\n";
        parameters
            .iter()
            .for_each(|parameter| body += &parameter_line(parameter));
    }
    if let Some(content) = operation
        .get("requestBody")
        .map(|request| request.get("content").unwrap_or(request))
    {
        body += "\n** Request body\n\n";
        match content.as_object() {
            Some(types) if content.get("$ref").is_none() => {
                types
                    .iter()
                    .for_each(|(media, of)| body += &format!("- {}: {}\n", org::line(media), schema(&of["schema"])));
            }
            _ => body += &format!("- {}\n", schema(content)),
        }
    }
    if let Some(responses) = operation
        .get("responses")
        .and_then(Value::as_object)
        .filter(|map| !map.is_empty())
    {
        body += "\n** Responses\n\n";
        for (status, response) in responses {
            let words = response["description"].as_str().unwrap_or_default();
            body += &format!("- {} :: {}\n", org::line(status), org::short(words));
        }
    }
    Skill {
        slug: slug(&name, "operation"),
        title: call,
        summary: summary.to_owned(),
        body,
    }
}

fn parameter_line(parameter: &Value) -> String {
    let text = |key: &str| org::line(parameter[key].as_str().unwrap_or_default());
    if let Some(reference) = parameter["$ref"].as_str() {
        return format!("- {}\n", last(reference));
    }
    let required = if parameter["required"] == Value::Bool(true) {
        ", required"
    } else {
        ""
    };
    let kind = match &parameter["schema"] {
        Value::Null => text("type"),
        of => schema(of),
    };
    format!(
        "- ={}= ({}, {kind}{required}) :: {}\n",
        text("name").replace('=', ""),
        text("in"),
        org::short(&text("description"))
    )
}

/// The shape of a value, one level deep.
fn schema(of: &Value) -> String {
    let named = |value: &Value| match value["$ref"].as_str() {
        Some(reference) => last(reference),
        None => org::line(value["type"].as_str().unwrap_or("value")),
    };
    match (of["type"].as_str(), of["properties"].as_object()) {
        (_, Some(properties)) => {
            let fields: Vec<String> = properties
                .iter()
                .map(|(name, of)| format!("{}: {}", org::line(name), named(of)))
                .collect();
            format!("object with {}", fields.join(", "))
        }
        (Some("array"), None) => format!("array of {}", named(&of["items"])),
        _ => named(of),
    }
}

fn last(reference: &str) -> String {
    org::line(reference.rsplit('/').next().unwrap_or(reference))
}

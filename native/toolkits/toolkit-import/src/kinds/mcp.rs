//! The configuration of MCP servers: one skill and one script for each. Names of environment variables are kept, values
//! never are, and neither is anything else that may hold a key: see [`super::mcp_words`].

use super::mcp_words::{Words, variable};
use super::{Parts, json, stem, unfit};
use crate::slug::{Names, slug};
use crate::{Error, Kind, Skill, Source, org};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Where editors and agents keep it.
const NAMES: [&str; 6] = [
    "mcp.json",
    ".mcp.json",
    "claude_desktop_config.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    "mcp_config.json",
];

pub(crate) fn is_config(source: &Source<'_>, file: &str) -> bool {
    json(source, file).is_ok_and(|value| servers(&value).is_some())
}

pub(crate) fn config<'a>(source: &'a Source<'_>) -> Option<&'a str> {
    match source.only() {
        Some(file) => Some(file),
        None => source
            .paths()
            .find(|path| NAMES.contains(path) && is_config(source, path)),
    }
}

fn servers(config: &Value) -> Option<&Map<String, Value>> {
    let places = [&config["mcpServers"], &config["servers"], &config["mcp"]["servers"]];
    let servers = places.into_iter().find_map(Value::as_object)?;
    let server =
        |value: &Value| value["command"].is_string() || value["url"].is_string() || value["serverUrl"].is_string();
    (!servers.is_empty() && servers.values().all(server)).then_some(servers)
}

pub(super) fn parts(source: &Source<'_>) -> Result<Parts, Error> {
    let file = config(source).ok_or_else(|| unfit(Kind::McpServer, "there is no mcp.json in it"))?;
    let config = json(source, file)?;
    let Some(servers) = servers(&config) else {
        return Err(unfit(
            Kind::McpServer,
            "it has no mcpServers with a command or a url each",
        ));
    };
    let mut names = Names::default();
    let mut skills = Vec::new();
    let mut scripts = BTreeMap::new();
    for (name, server) in servers {
        let slug = names.claim(&slug(name, "server"));
        let launch = Launch::of(&slug, server);
        scripts.insert(format!("{slug}.sh"), launch.script(name).into_bytes());
        skills.push(launch.skill(&slug, name));
    }
    let listed: Vec<String> = servers.keys().map(|name| org::line(name)).collect();
    Ok(Parts {
        name: match &listed[..] {
            [only] => only.clone(),
            _ => stem(source.name()).trim_start_matches('.').to_owned(),
        },
        title: None,
        tagline: format!("MCP: {}", listed.join(", ")),
        skills,
        scripts,
    })
}

/// How a server is started, without a single value.
struct Launch {
    /// The line of the script.
    line: String,
    /// What has to be set: the variable and what it stands for.
    needs: BTreeMap<String, String>,
    remote: bool,
}

impl Launch {
    fn of(slug: &str, server: &Value) -> Self {
        let prefix = variable(slug);
        let env = server["env"].as_object();
        let environment = env.into_iter().flat_map(|env| env.keys()).filter(|name| is_name(name));
        let mut needs: BTreeMap<String, String> = environment
            .map(|name| (name.clone(), "an environment variable of the server".to_owned()))
            .collect();
        let remote = !server["command"].is_string();
        let line = if remote {
            let url = format!("{prefix}_URL");
            needs.insert(url.clone(), "the address of the server".to_owned());
            let mut line = String::from("exec curl --silent --show-error --data-binary @-");
            for name in server["headers"]
                .as_object()
                .into_iter()
                .flat_map(|headers| headers.keys())
                .filter(|name| is_header(name))
            {
                let value = format!("{prefix}_{}", variable(name));
                line += &format!(" --header \"{name}: ${value}\"");
                needs.insert(value, format!("the header {name}"));
            }
            format!("{line} \"${url}\"")
        } else {
            let secrets = |key: &str| {
                server[key]
                    .as_object()
                    .into_iter()
                    .flat_map(|map| map.values())
                    .filter_map(Value::as_str)
            };
            let mut words = Words::new(&prefix, secrets("env").chain(secrets("headers")).collect());
            env.into_iter()
                .flat_map(|env| env.keys())
                .filter(|name| is_name(name))
                .for_each(|name| words.name(name));
            words.command(server["command"].as_str().unwrap_or_default());
            for argument in server["args"].as_array().into_iter().flatten() {
                words.argument(argument.as_str().unwrap_or_default());
            }
            needs.extend(words.needs);
            format!("exec {}", words.line)
        };
        Launch { line, needs, remote }
    }

    fn script(&self, name: &str) -> String {
        let mut text = format!(
            "#!/bin/sh\n# The MCP server {}. No value is carried: set each in the environment.\n",
            org::line(name)
        );
        for variable in self.needs.keys() {
            text += &format!(": \"${{{variable}:?is not set}}\"\n");
        }
        text + &self.line + "\n"
    }

    fn skill(&self, slug: &str, name: &str) -> Skill {
        let kind = if self.remote {
            "a remote MCP server"
        } else {
            "an MCP server on standard input and output"
        };
        let mut body = format!(
            "{} is {kind}.\n\n#+begin_src sh\n{}\n#+end_src\n",
            org::begin(&org::line(name)),
            self.line
        );
        if !self.needs.is_empty() {
            body += "\n** What it needs\n\nOnly names are carried. The values are yours to set.\n\n";
            for (variable, meaning) in &self.needs {
                body += &format!("- ={variable}= :: {meaning}\n");
            }
        }
        Skill {
            slug: slug.to_owned(),
            title: name.to_owned(),
            summary: format!("How to start {}, {kind}.", org::line(name)),
            body,
        }
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.len() <= 64 && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn is_header(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

//! The manifest: `manifest.org`, read whole, with every problem found on the way.
//!
//! A file's keywords stand above its first headline. One of ours that stands below is a problem and not a field: what
//! looks like a promise and is none would mislead.

use crate::field::{self, Problem, Status, Trust};
use crate::{BuildSrc, Shape, Source};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a command expects its argument.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArgMode {
    /// As arguments.
    #[default]
    Argv,
    /// As the first line of its input.
    Stdin1,
}

/// What a manifest says. A field that does not hold is absent here and named in [`Manifest::problems`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[expect(missing_docs, reason = "docs/toolkits.md says what each one means")]
pub struct Manifest {
    pub toolkit: Option<String>,
    pub title: Option<String>,
    pub version: Option<String>,
    pub status: Option<Status>,
    pub tagline: Option<String>,
    pub exec: Option<Shape>,
    pub trust: Trust,
    pub caps: Vec<String>,
    pub build_lang: Option<String>,
    pub build_src: Option<BuildSrc>,
    pub cli_bin: Option<String>,
    pub cli_version_range: Option<String>,
    pub requires: Vec<String>,
    pub arg_mode: ArgMode,
    pub sha256: Option<String>,
    pub wasm_path: Option<String>,
    pub preopen: Option<String>,
    pub author_did: Option<String>,
    pub signature: Option<String>,
    pub wit: Option<String>,
    pub source: Option<Source>,
    pub skill_dir: String,
    /// Fields that do not hold.
    #[serde(skip)]
    pub problems: Vec<Problem>,
    /// Mirrors in the drawer that differ from their keyword.
    #[serde(skip)]
    pub mirrors: Vec<Problem>,
    /// The mode that nobody knows, as it was written.
    #[serde(skip)]
    pub unknown_exec: Option<String>,
}

/// The keywords that are fields.
const KEYS: [&str; 25] = [
    "TITLE",
    "TOOLKIT",
    "VERSION",
    "STATUS",
    "TAGLINE",
    "EXEC",
    "TRUST",
    "CAPS",
    "BUILD_LANG",
    "BUILD_SRC",
    "CLI_BIN",
    "CLI_VERSION_RANGE",
    "REQUIRES",
    "ARG_MODE",
    "SHA256",
    "WASM_PATH",
    "PREOPEN",
    "AUTHOR_DID",
    "SIGNATURE",
    "WIT",
    "URL",
    "ROWS_PATH",
    "ENV_KEYS",
    "ENTITY",
    "KEY",
];

impl Manifest {
    /// Reads a manifest that lies in the directory `dir`.
    ///
    /// ```
    /// let text = "#+TITLE: Dates\n#+TOOLKIT: dates\n#+VERSION: 1.0\n#+STATUS: stable\n#+TAGLINE: When\n\
    ///             * Dates :toolkit:\n:PROPERTIES:\n:ID: dates\n:END:\n";
    /// let read = toolkit::Manifest::read(text, "dates").unwrap();
    /// assert_eq!(read.title.as_deref(), Some("Dates"));
    /// assert!(read.problems[0].to_string().starts_with("line 3: VERSION: `1.0` is not a semantic version"));
    /// ```
    ///
    /// # Errors
    ///
    /// The kernel's own, for text that it does not read at all.
    pub fn read(text: &str, dir: &str) -> Result<Manifest, oql::Error> {
        let mut fields = Fields::default();
        for keyword in oql::file_keywords(text)? {
            fields.add(keyword);
        }
        let nodes = oql::query(text, "(tags :toolkit:)")?;
        let mut read = Manifest {
            skill_dir: "skills".into(),
            ..Manifest::default()
        };
        read.take(&mut fields, dir);
        read.node(&nodes, text, &mut fields);
        read.shape(&mut fields);
        read.problems = fields.problems;
        read.problems.sort_by_key(|problem| problem.line.unwrap_or(usize::MAX));
        Ok(read)
    }

    /// Whether nothing is wrong with it.
    pub fn is_valid(&self) -> bool {
        self.problems.is_empty() && self.mirrors.is_empty()
    }

    fn take(&mut self, fields: &mut Fields, dir: &str) {
        self.title = fields.required("TITLE", field::text);
        self.toolkit = fields.required("TOOLKIT", field::slug);
        self.version = fields.required("VERSION", field::version);
        self.status = fields.required("STATUS", field::status);
        self.tagline = fields.required("TAGLINE", field::text);
        self.unknown_exec = fields.value("EXEC").filter(|mode| Shape::named(mode).is_none());
        self.exec = fields.optional("EXEC", field::exec);
        self.trust = fields.optional("TRUST", field::trust).unwrap_or_default();
        self.caps = fields.optional("CAPS", field::caps).unwrap_or_default();
        self.build_lang = fields.optional("BUILD_LANG", field::lang);
        self.build_src = fields.optional("BUILD_SRC", field::build_src);
        self.cli_bin = fields.optional("CLI_BIN", field::command);
        self.cli_version_range = fields.optional("CLI_VERSION_RANGE", field::range);
        self.requires = fields.optional("REQUIRES", field::requires).unwrap_or_default();
        self.arg_mode = fields.optional("ARG_MODE", arg_mode).unwrap_or_default();
        self.sha256 = fields.optional("SHA256", field::sha256);
        self.wasm_path = fields.optional("WASM_PATH", field::inside);
        self.preopen = fields.optional("PREOPEN", field::inside);
        self.author_did = fields.optional("AUTHOR_DID", field::did);
        self.signature = fields.optional("SIGNATURE", field::text);
        self.wit = fields.optional("WIT", field::world);
        if let Some(slug) = &self.toolkit
            && slug != dir
        {
            fields.wrong("TOOLKIT", format!("it is `{slug}`, and the directory is `{dir}`"));
        }
    }

    /// The `:toolkit:` node and what its drawer repeats.
    fn node(&mut self, nodes: &[oql::Row], text: &str, fields: &mut Fields) {
        let node = match nodes {
            [] => return fields.missing(":toolkit:", "there is no headline with this tag"),
            [node] => node,
            [_, second, ..] => {
                let message = "a second headline has this tag".to_owned();
                return fields.problem(Some(second.line), ":toolkit:", message);
            }
        };
        let at = |key: &str| property_line(text, node.line, key);
        let drawer = |key: &str| node.props.get(key).map(String::as_str);
        if let Some(dir) = drawer("SKILL_DIR") {
            match field::inside(dir) {
                Ok(dir) => self.skill_dir = dir,
                Err(why) => fields.problem(at("SKILL_DIR"), "SKILL_DIR", why),
            }
        }
        if self.cli_bin.is_none()
            && fields.value("CLI_BIN").is_none()
            && let Some(bin) = drawer("CLI_BIN")
        {
            match field::command(bin) {
                Ok(bin) => self.cli_bin = Some(bin),
                Err(why) => fields.problem(at("CLI_BIN"), "CLI_BIN", why),
            }
        }
        let mirrored = [("ID", "TOOLKIT"), ("CLI_BIN", "CLI_BIN"), ("STATUS", "STATUS")];
        for (property, keyword) in mirrored {
            match (drawer(property), fields.value(keyword)) {
                (Some(drawer), Some(keyword_value)) if drawer != keyword_value => self.mirrors.push(Problem {
                    line: at(property),
                    field: format!(":{property}:"),
                    message: format!("it is `{drawer}`, and #+{keyword}: is `{keyword_value}`"),
                }),
                (None, Some(_)) if property == "ID" => self.mirrors.push(Problem {
                    line: Some(node.line),
                    field: ":ID:".into(),
                    message: "the drawer has none".into(),
                }),
                _ => {}
            }
        }
    }

    /// Takes it for a third party's, with what that demands.
    pub(crate) fn distrust(&mut self) {
        if self.trust == Trust::ThirdParty {
            return;
        }
        self.trust = Trust::ThirdParty;
        let mut problem = |field: &str, message: &str| {
            self.problems.push(Problem {
                line: None,
                field: field.to_owned(),
                message: message.to_owned(),
            });
        };
        if self.author_did.is_none() {
            problem("AUTHOR_DID", "a toolkit that was pushed names its author: sign it");
        }
        if self.exec == Some(Shape::Posix) {
            problem("EXEC", "a toolkit that was pushed is never posix");
        }
    }

    /// What a shape cannot do without, and what makes sense for no other.
    fn shape(&mut self, fields: &mut Fields) {
        let exec = self.exec;
        if matches!(exec, Some(Shape::Command | Shape::Posix)) && self.cli_bin.is_none() && !fields.given("CLI_BIN") {
            fields.missing("CLI_BIN", "this shape needs the name of its command");
        }
        self.source = Source::read(fields, exec == Some(Shape::Federation), self.toolkit.as_deref());
        if self.trust == Trust::ThirdParty && !fields.given("AUTHOR_DID") {
            fields.missing("AUTHOR_DID", "a third-party toolkit names its author");
        }
        if exec == Some(Shape::Posix) && self.trust == Trust::ThirdParty {
            fields.wrong("EXEC", "a third-party toolkit is never posix".into());
        }
        let pinned = self.build_src.as_ref().is_some_and(BuildSrc::is_pinned);
        if pinned && !fields.given("SHA256") {
            fields.missing("SHA256", "what is fetched has to be pinned by its hash");
        }
        let from_source = self.build_src.is_some() && !pinned;
        if from_source && !fields.given("BUILD_LANG") {
            fields.missing("BUILD_LANG", "a build from source needs its language");
        }
        let archive = matches!(self.build_src, Some(BuildSrc::Archive(_)));
        for (key, fits, only) in [
            ("ARG_MODE", exec == Some(Shape::Command), "a command"),
            ("SHA256", pinned, "wasm: and archive:"),
            ("WASM_PATH", archive, "archive:"),
            ("PREOPEN", archive, "archive:"),
            ("WIT", exec == Some(Shape::Component), "a component"),
        ] {
            // An EXEC or BUILD_SRC that does not parse is one problem, not two.
            let unclear =
                (fields.given("EXEC") && exec.is_none()) || (fields.given("BUILD_SRC") && self.build_src.is_none());
            if fields.given(key) && !fits && !unclear {
                fields.wrong(key, format!("it is only for {only}"));
            }
        }
    }
}

fn arg_mode(value: &str) -> Result<ArgMode, String> {
    match value {
        "argv" => Ok(ArgMode::Argv),
        "stdin1" => Ok(ArgMode::Stdin1),
        _ => Err(format!("`{value}` is neither argv nor stdin1")),
    }
}

/// The line of a property in the drawer below a headline.
fn property_line(text: &str, headline: usize, key: &str) -> Option<usize> {
    let lines = text.lines().enumerate().skip(headline);
    let drawer = lines.take_while(|(_, line)| !line.trim().eq_ignore_ascii_case(":END:"));
    let is = |line: &str| {
        let word = line
            .trim_start()
            .strip_prefix(':')
            .and_then(|rest| rest.split_once(':'));
        word.is_some_and(|(name, _)| name.eq_ignore_ascii_case(key))
    };
    drawer.into_iter().find(|(_, line)| is(line)).map(|(at, _)| at + 1)
}

/// The keywords by name, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Fields {
    values: BTreeMap<String, (usize, String)>,
    pub(crate) problems: Vec<Problem>,
}

impl Fields {
    fn add(&mut self, keyword: oql::FileKeyword) {
        if !KEYS.contains(&keyword.key.as_str()) {
            return;
        }
        if !keyword.at_top {
            let message = "it stands below a headline, and a file's keywords stand above the first".to_owned();
            return self.problem(Some(keyword.line), &keyword.key, message);
        }
        if let Some((first, _)) = self.values.get(&keyword.key) {
            let message = format!("it stands on line {first} already");
            return self.problem(Some(keyword.line), &keyword.key, message);
        }
        self.values.insert(keyword.key, (keyword.line, keyword.value));
    }

    pub(crate) fn value(&self, key: &str) -> Option<String> {
        self.values.get(key).map(|(_, value)| value.clone())
    }

    pub(crate) fn given(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    pub(crate) fn optional<T>(&mut self, key: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let (line, value) = self.values.get(key)?;
        match read(value) {
            Ok(read) => Some(read),
            Err(message) => {
                let line = *line;
                self.problem(Some(line), key, message);
                None
            }
        }
    }

    fn required<T>(&mut self, key: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        if !self.given(key) {
            self.missing(key, "it is missing");
        }
        self.optional(key, read)
    }

    pub(crate) fn missing(&mut self, key: &str, why: &str) {
        self.problem(None, key, why.to_owned());
    }

    pub(crate) fn wrong(&mut self, key: &str, message: String) {
        let line = self.values.get(key).map(|(line, _)| *line);
        self.problem(line, key, message);
    }

    fn problem(&mut self, line: Option<usize>, key: &str, message: String) {
        self.problems.push(Problem {
            line,
            field: key.to_owned(),
            message,
        });
    }
}

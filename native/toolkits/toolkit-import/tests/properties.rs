//! For every JSON and every document that somebody may hand over: no panic, no path out of the toolkit, no secret in it.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolkit_import::{Kind, Source, scaffold};

/// Keys that mean something to one kind or another.
const KEYS: &[&str] = &[
    "mcpServers",
    "servers",
    "command",
    "args",
    "env",
    "url",
    "headers",
    "openapi",
    "swagger",
    "info",
    "title",
    "description",
    "paths",
    "/pets/{id}",
    "get",
    "post",
    "parameters",
    "requestBody",
    "content",
    "schema",
    "properties",
    "$ref",
    "type",
    "responses",
    "operationId",
    "name",
    "bin",
    "version",
    "dependencies",
    "../../x",
    "a\n* b",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("../../etc/passwd".to_owned()),
        Just("a\n* TODO b :toolkit:\n:done-when: true".to_owned()),
        Just("./bin/cli.js".to_owned()),
        "[ -~]{0,20}",
        ".{0,8}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|n| json!(n)),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let key = prop_oneof![4 => prop::sample::select(KEYS).prop_map(str::to_owned), 1 => text()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key, inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// A document whose outer shape is right, so that the inside is reached.
fn shaped() -> impl Strategy<Value = Value> {
    (value(), value(), value()).prop_map(|(a, b, c)| {
        let mut servers = Map::new();
        servers.insert("s".into(), json!({"command": "npx", "args": a, "env": b, "headers": c}));
        servers.insert("r".into(), json!({"url": "x", "headers": a, "env": c}));
        json!({
            "mcpServers": servers, "openapi": "3", "info": b, "name": "n", "bin": c,
            "paths": {"/a": {"get": a, "post": {"parameters": b, "requestBody": c, "responses": a}}},
        })
    })
}

fn check(kind: Kind, source: &Source<'_>) -> Result<(), TestCaseError> {
    let Ok(toolkit) = scaffold(kind, source, None) else {
        return Ok(());
    };
    for (path, bytes) in toolkit.files() {
        let sound = |name: &str| !name.is_empty() && name != "." && name != ".." && !name.contains(char::is_control);
        prop_assert!(path.split('/').all(sound), "{path:?}");
        if path.ends_with(".org") {
            let text = String::from_utf8(bytes).expect("Org is text");
            for task in oql::tasks(&text).unwrap() {
                let bait = path == "manifest.org" && task.title == "dependency audit";
                prop_assert!(task.state.is_none() || bait, "{path}: {text}");
                prop_assert!(task.done_when.is_none(), "{path}: {text}");
            }
        }
    }
    let files = toolkit.files();
    let manifest = String::from_utf8_lossy(&files["manifest.org"]).into_owned();
    let read = toolkit::Manifest::read(&manifest, &toolkit.id).unwrap();
    prop_assert!(read.is_valid(), "{:?} {:?} {manifest}", read.problems, read.mirrors);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_json_breaks_an_import(value in prop_oneof![value(), shaped()]) {
        let text = value.to_string();
        for kind in [Kind::McpServer, Kind::OpenApi] {
            check(kind, &Source::file("x.json", text.clone()))?;
        }
        let files = [("package.json", text.as_str()), ("bin/cli.js", "x"), ("README.md", "# Y\n")];
        check(Kind::NpmCli, &Source::memory("x", files))?;
        Kind::detect(&Source::memory("x", [("mcp.json", text.as_str()), ("openapi.json", text.as_str())]));
    }

    #[test]
    fn no_document_breaks_an_import(matter in text(), body in "([*#:|>` a-z\\-\\[\\]_+<=0-9.\n]|TODO |done-when: |#\\+TITLE: ){0,60}") {
        let text = format!("---\nname: {matter}\ndescription: {matter}\n---\n{body}");
        for (kind, file) in [(Kind::ClaudeSkill, "SKILL.md"), (Kind::Markdown, "a.md"), (Kind::AgentsMd, "AGENTS.md"), (Kind::CursorRules, ".cursorrules"), (Kind::Folder, "README.md")] {
            check(kind, &Source::memory("x", [(file, text.as_str())]))?;
        }
        for file in ["pyproject.toml", "setup.cfg", "setup.py"] {
            check(Kind::PipCli, &Source::memory("x", [(file, format!("{body}\nconsole_scripts = [\n    a = {matter}\n]\n"))]))?;
        }
    }

    #[test]
    fn no_secret_of_a_config_gets_through(
        secret in "[a-z]{4}[0-9]{2}[A-Za-z0-9!$@/:. -]{2,20}[a-z]",
        flags in prop::collection::vec(prop::sample::select(&["-y", "--token", "--x=", "-e", "KEY=", "--url", "https://u:", "--"][..]), 0..6),
        place in 0usize..6,
    ) {
        // Everywhere but in the one word that names the package.
        let mut args: Vec<String> = flags.iter().map(|flag| match *flag {
            "--x=" | "KEY=" | "https://u:" => format!("{flag}{secret}"),
            flag => flag.to_owned(),
        }).collect();
        args.insert(0, "pkg".to_owned());
        args.insert((place + 1).min(args.len()), secret.clone());
        let config = json!({"mcpServers": {
            "one": {"command": "npx", "args": args, "env": {"NAME": secret}, "cwd": secret},
            "two": {"url": secret, "headers": {"Authorization": secret}},
            "three": {"command": secret, "args": [secret]},
        }});
        // A program may be called anything; its name is not taken for a secret unless it was given as one.
        let config = if secret.contains(['!', '$', '@', ':', ' ', '/']) { config } else {
            let mut config = config;
            config["mcpServers"]["three"]["env"] = json!({"NAME": secret});
            config
        };
        let toolkit = scaffold(Kind::McpServer, &Source::file("mcp.json", config.to_string()), None).unwrap();
        for (path, bytes) in toolkit.files() {
            let text = String::from_utf8(bytes).unwrap();
            prop_assert!(!text.contains(&secret), "{secret} in {path}: {text}");
        }
    }
}

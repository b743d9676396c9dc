//! The pages that are written from the table, and from the codes.

use crate::{Operation, all, codes};
use schemars::generate::SchemaSettings;
use serde_json::Value;
use std::fmt::Write;

/// The files that are made, each by its path in the repository.
pub fn pages() -> [(&'static str, String); 4] {
    [
        ("docs/reference/operations.md", operations()),
        ("docs/reference/errors.md", errors()),
        ("docs/reference/contracts.md", session::workflow::reference()),
        ("lib/workbooks/error/codes.ex", elixir()),
    ]
}

/// `docs/reference/operations.md`.
fn operations() -> String {
    let mut page = String::from(
        "# Operations\n\n\
         Everything that can be asked of Workbooks, through every door. This page is made from the table in\n\
         `native/engine/operations` by `make docs`.\n\n\
         An operation is sent as `{\"id\": 1, \"op\": \"plan.validate\", \"params\": {..}}` and answered with `{\"id\": 1, \"ok\": ..}` or\n\
         `{\"id\": 1, \"error\": {\"code\", \"message\", \"hint\", \"retryable\", \"details\"?, \"pointer\"?}}`. One that streams sends\n\
         `{\"id\": 1, \"event\": ..}` before. In Elixir it is `Workbooks.Operations.call(\"plan.validate\", %{org: text})`. A field\n\
         that is missing, unknown or of the wrong type is refused, and `pointer` names it. *Live* operations are those of\n\
         the engine that owns the data directory. The codes are explained in [errors.md](errors.md).\n\n\
         | operation | what it is for | effect | scope | |\n|---|---|---|---|---|\n",
    );
    for row in all() {
        let marks: Vec<&str> = [(row.is_live(), "live"), (row.streams(), "streams"), (row.long, "long")]
            .into_iter()
            .filter_map(|(is, mark)| is.then_some(mark))
            .collect();
        let _ = writeln!(
            page,
            "| [`{}`](#{}) | {} | {} | {} | {} |",
            row.name,
            row.name.replace('.', ""),
            row.summary,
            row.effect.name(),
            row.scope.name(),
            marks.join(", "),
        );
    }
    for row in all() {
        section(&mut page, row);
    }
    page
}

fn section(page: &mut String, row: &Operation) {
    let _ = write!(page, "\n## {}\n\n{}\n", row.name, row.summary);
    let schema = |of: fn(&Operation, &mut schemars::SchemaGenerator) -> Option<schemars::Schema>| {
        let mut generator = SchemaSettings::draft2020_12()
            .with(|settings| settings.meta_schema = None)
            .into_generator();
        let schema = of(row, &mut generator)?;
        let mut schema: Value = schema.into();
        let definitions = generator.take_definitions(true);
        // A type of its own is a reference to itself: the page shows what it refers to.
        if let Some(name) = schema["$ref"]
            .as_str()
            .and_then(|at| at.strip_prefix("#/$defs/"))
            .map(str::to_owned)
        {
            schema = definitions[&name].clone();
            let rest: serde_json::Map<_, _> = definitions.into_iter().filter(|(key, _)| *key != name).collect();
            if let (Value::Object(schema), false) = (&mut schema, rest.is_empty()) {
                schema.insert("$defs".into(), rest.into());
            }
        } else if let (Value::Object(schema), false) = (&mut schema, definitions.is_empty()) {
            schema.insert("$defs".into(), definitions.into());
        }
        Some(schema)
    };
    let parts = [
        ("Parameters", schema(|row, generator| Some(row.params(generator)))),
        ("Answer", schema(|row, generator| Some(row.answer(generator)))),
        ("Event", schema(|row, generator| row.event(generator))),
    ];
    for (title, schema) in parts {
        let Some(schema) = schema else { continue };
        let json = serde_json::to_string(&schema).unwrap_or_default();
        let _ = match title {
            "Parameters" => write!(page, "{}", fields(&schema)),
            _ => Ok(()),
        };
        let _ = write!(
            page,
            "\n<details><summary>{title}</summary>\n\n```json\n{json}\n```\n\n</details>\n"
        );
    }
    let names: Vec<String> = row.codes().iter().map(|code| format!("`{}`", code.name)).collect();
    let _ = write!(page, "\nErrors: {}.\n", names.join(", "));
}

/// The fields of a parameter type, in a table.
fn fields(schema: &Value) -> String {
    let Some(fields) = schema["properties"].as_object().filter(|fields| !fields.is_empty()) else {
        return String::new();
    };
    let required = |name: &str| {
        let all = schema["required"].as_array();
        all.is_some_and(|all| all.iter().any(|required| required == name))
    };
    let mut table = String::from("\n| parameter | |\n|---|---|\n");
    for (name, field) in fields {
        let need = if required(name) { " (required)" } else { "" };
        let about = field["description"].as_str().unwrap_or_default().replace('\n', " ");
        let _ = writeln!(table, "| `{name}`{need} | {about} |");
    }
    table
}

/// `docs/reference/errors.md`.
fn errors() -> String {
    let mut page = String::from(
        "# Errors\n\n\
         Every error is `{code, message, hint, retryable, details, pointer}`; in Elixir a `Workbooks.Error`, whose `code` is\n\
         the same word as an atom in lower case. The set of codes is closed. Each is declared beside what raises it; this\n\
         page is made from those declarations by `make docs`. The kind decides the exit code of `wbx` and the status code of\n\
         a server.\n\n\
         | code | kind | what happened |\n|---|---|---|\n",
    );
    for code in codes() {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} |",
            code.name,
            code.kind.name(),
            sentence(code.meaning)
        );
    }
    page
}

/// The codes as Elixir knows them.
fn elixir() -> String {
    let mut page = String::from(
        "defmodule Workbooks.Error.Codes do\n  @moduledoc false\n  \
         # The closed set of codes. Made from the declarations in the Rust crates by `make docs`; a test holds it against them.\n\n  \
         @all [\n",
    );
    let rows: Vec<String> = codes()
        .iter()
        .map(|code| {
            let meaning = sentence(code.meaning).replace('\\', "\\\\").replace('"', "\\\"");
            let name = code.name.to_ascii_lowercase();
            let row = format!("    {name}: \"{meaning}\"");
            // As `mix format` has it.
            match row.chars().count() {
                0..110 => row,
                _ => format!("    {name}:\n      \"{meaning}\""),
            }
        })
        .collect();
    let _ = writeln!(page, "{}", rows.join(",\n"));
    page.push_str("  ]\n\n  @doc \"Each code with what happened.\"\n  @spec all() :: keyword(String.t())\n  def all, do: @all\n\n");
    let passing = codes().iter().filter(|code| code.retryable());
    let names: Vec<String> = passing.map(|code| code.name.to_ascii_lowercase()).collect();
    let _ = writeln!(
        page,
        "  @doc \"Those with which the same call can succeed later without any change.\""
    );
    let _ = writeln!(
        page,
        "  @spec passing() :: [atom]\n  def passing do\n    ~w({})a\n  end\nend",
        names.join(" ")
    );
    page
}

/// Without the full stop that a comment in Rust ends with.
fn sentence(meaning: &str) -> &str {
    meaning.trim().trim_end_matches('.')
}

//! `wbx token`: who may ask an engine over HTTP and WebSocket. It needs no engine; one that runs notices.

use crate::{
    answer::{Answer, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
    moment, parts,
    verb::{
        Argument,
        Does::{Verbs, Work},
        Example, Flag, Verb,
    },
};
use serde_json::{Value, json};

pub const TOKEN: Verb = Verb {
    name: "token",
    summary: "Make, list and end the tokens that an engine is asked with",
    details: "\
An engine that listens answers only those who hold a token, see docs/server.md. Tokens
are kept as hashes in the user's state directory; an engine that runs notices a change
with the next request.",
    arguments: &[],
    flags: &[],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
    examples: &[Example::new("wbx token", Exit::Ok)],
    does: Verbs(&[
        Verb {
            name: "token create",
            summary: "Make a token, and show it this once",
            details: "\
A scope allows itself: read looks, write changes, run runs what somebody wrote; admin
allows everything. Without --scope it is read. A token without --days lasts until it is
revoked.",
            arguments: &[Argument::text("NAME", "What it is for")],
            flags: &[
                Flag::new("scope", "What it allows: read, write, run or admin")
                    .taking_text("SCOPE")
                    .repeated(),
                Flag::new("days", "In how many days it ends").taking_text("N"),
            ],
            exits: &[Exit::Ok, Exit::Other, Exit::Usage],
            examples: &[
                Example::new("wbx token create board --scope read --scope run --days 30", Exit::Ok),
                Example::new("wbx token create board --scope root", Exit::Usage),
            ],
            does: Work(create),
        },
        Verb {
            name: "token list",
            summary: "List the tokens, without the tokens themselves",
            details: "",
            arguments: &[],
            flags: &[],
            exits: &[Exit::Ok, Exit::Other, Exit::Usage],
            examples: &[Example::new("wbx token list", Exit::Ok)],
            does: Work(list),
        },
        Verb {
            name: "token revoke",
            summary: "End a token: nothing that comes later is allowed by it",
            details: "",
            arguments: &[Argument::text("ID", "The token's id, as the list has it")],
            flags: &[],
            exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
            examples: &[Example::new("wbx token revoke nobody", Exit::NotFound)],
            does: Work(revoke),
        },
    ]),
};

const DAY: u64 = 24 * 60 * 60;

fn create(call: &Call) -> Result<Answer, Failure> {
    let scopes = match call.texts("scope") {
        none if none.is_empty() => vec!["read"],
        some => some,
    };
    let days = call.text("days").map(days).transpose()?;
    let params = json!({"name": call.text("NAME"), "scopes": scopes, "expires_in": days.map(|days| days * DAY)});
    let made = ask("token.create", params)?;
    Ok(Answer::new(made, Exit::Ok, |made| {
        let text = |key: &str| made[key].as_str().unwrap_or_default().to_owned();
        let summary = format!("{}\n\ntoken {}; it is not shown again", text("token"), text("id"));
        Ok(View::Notes(vec![], summary))
    }))
}

fn days(text: &str) -> Result<u64, Failure> {
    let most = u64::from(u32::MAX) / DAY;
    text.parse()
        .ok()
        .filter(|days| (1..=most).contains(days))
        .ok_or_else(|| Failure::usage(format!("`{text}` is no number of days"), format!("say 1 to {most}")))
}

fn list(_call: &Call) -> Result<Answer, Failure> {
    let all = ask("token.list", json!({}))?;
    Ok(Answer::new(all, Exit::Ok, |all| {
        let rows: Vec<Vec<String>> = all.as_array().into_iter().flatten().map(row).collect();
        let summary = count(rows.len(), "token");
        Ok(View::Table(vec!["id", "name", "scopes", "made", "ends"], rows, summary))
    }))
}

fn row(token: &Value) -> Vec<String> {
    let text = |key: &str| token[key].as_str().unwrap_or_default().to_owned();
    let time = |key: &str| token[key].as_i64().map(moment::utc).unwrap_or_default();
    let scopes = token["scopes"].as_array().into_iter().flatten();
    let scopes: Vec<&str> = scopes.filter_map(Value::as_str).collect();
    vec![
        text("id"),
        text("name"),
        scopes.join(" "),
        time("created"),
        time("expires"),
    ]
}

fn revoke(call: &Call) -> Result<Answer, Failure> {
    let gone = ask("token.revoke", json!({"id": call.text("ID")}))?;
    Ok(Answer::new(gone, Exit::Ok, |gone| {
        let text = |key: &str| gone[key].as_str().unwrap_or_default().to_owned();
        Ok(View::Notes(
            vec![],
            format!("token {} ({}) is revoked", text("id"), text("name")),
        ))
    }))
}

fn ask(operation: &str, params: Value) -> Result<Value, Failure> {
    Ok(operations::answer(&parts::context(), operation, params)?)
}

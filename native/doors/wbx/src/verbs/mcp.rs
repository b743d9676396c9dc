//! `wbx mcp`: a server of the Model Context Protocol on standard input and output.

use crate::{
    answer::Answer,
    call::Call,
    exit::Exit,
    failure::{Code, Failure},
    live, parts,
    verb::{Does::Work, Example, Flag, Verb},
};
use mcp::{Directories, Grant, Scopes, Server};
use operations::Context;
use serde_json::json;
use std::{io, path::PathBuf, sync::Arc};

pub const MCP: Verb = Verb {
    name: "mcp",
    summary: "Let an agent in: a server of the Model Context Protocol",
    details: "\
It speaks on standard input and output until the input ends, and is started by a client:
claude mcp add workbooks -- wbx mcp --allow run --dir .
An agent may look at plans, runs, sessions and toolkits below the directories. It may change
and run only what --allow gives, and work only below directories that --dir lists. Every call
is in a sealed log, with the client's name. Plans are run by the engine that runs already,
or by one that is started with the first of them. docs/mcp.md explains the tools.",
    arguments: &[],
    flags: &[
        Flag::new("allow", "What an agent may do: some of read,write,run; read by default").taking_text("SCOPES"),
        Flag::new("dir", "A directory to work in; the first is where relative paths begin")
            .taking("DIR")
            .repeated(),
        Flag::new(
            "print-config",
            "Print how CLIENT is told about this server: claude-code, codex, cursor or vscode",
        )
        .taking_text("CLIENT"),
    ],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::Unreachable, Exit::Auth],
    examples: &[Example::new(
        "wbx mcp --allow run --dir . --print-config claude-code",
        Exit::Ok,
    )],
    does: Work(run),
};

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let here = parts::context().here;
    let listed: Vec<PathBuf> = call.paths("dir").map(PathBuf::from).collect();
    let directories = Directories::new(&listed, &here)?;
    let scopes = Scopes::read(call.text("allow").unwrap_or("read"))?;
    if let Some(client) = call.text("print-config") {
        return config(call, client, &listed, &here);
    }
    let live = live::engine()?;
    let contexts = move || Context {
        live: live.clone(),
        ..parts::context()
    };
    let server = Server::new(Arc::new(contexts), Grant::new(scopes, directories));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Code::Internal, error.to_string(), "run `wbx doctor`"))?;
    let served = runtime.block_on(mcp::serve(server, io::stdin(), io::stdout()));
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    served?;
    Ok(Answer::text(String::new()))
}

/// The command line is written out in full: a client starts it from wherever it likes.
fn config(call: &Call, client: &str, listed: &[PathBuf], here: &std::path::Path) -> Result<Answer, Failure> {
    let mut command = vec!["wbx".to_owned(), "mcp".to_owned()];
    if let Some(allow) = call.text("allow") {
        command.extend(["--allow".to_owned(), allow.to_owned()]);
    }
    for dir in listed {
        let dir = here.join(dir).canonicalize().unwrap_or_else(|_| dir.clone());
        command.extend(["--dir".to_owned(), dir.to_string_lossy().into_owned()]);
    }
    let text = mcp::config(client, &command).ok_or_else(|| {
        let message = format!("there is no client `{client}` to print for");
        Failure::usage(message, format!("name one of {}", mcp::CLIENTS.join(", ")))
    })?;
    Ok(Answer::told(&json!({"client": client, "config": text}), text.clone()))
}

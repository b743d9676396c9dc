//! How a client is told about the server.

use serde_json::json;

/// The clients that [`config`] knows.
pub const CLIENTS: &[&str] = &["claude-code", "codex", "cursor", "vscode"];

/// What to run or to paste for a client, where `command` is the command line of the server.
///
/// ```
/// let command = ["wbx", "mcp", "--dir", "."].map(str::to_owned);
/// assert_eq!(mcp::config("claude-code", &command).unwrap(), "claude mcp add workbooks -- wbx mcp --dir .\n");
/// assert_eq!(mcp::config("emacs", &command), None);
/// ```
pub fn config(client: &str, command: &[String]) -> Option<String> {
    let (program, args) = command.split_first()?;
    let pretty = |value: serde_json::Value| format!("{value:#}\n");
    Some(match client {
        "claude-code" => format!("claude mcp add workbooks -- {}\n", words(command)),
        "codex" => {
            let args: Vec<String> = args.iter().map(|arg| json!(arg).to_string()).collect();
            // A basic string of TOML is one of JSON.
            format!(
                "[mcp_servers.workbooks]\ncommand = {}\nargs = [{}]\n",
                json!(program),
                args.join(", ")
            )
        }
        "cursor" => pretty(json!({"mcpServers": {"workbooks": {"command": program, "args": args}}})),
        "vscode" => pretty(json!({"servers": {"workbooks": {"type": "stdio", "command": program, "args": args}}})),
        _ => return None,
    })
}

fn words(command: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:+@".contains(c);
    let quoted = command
        .iter()
        .map(|word| match !word.is_empty() && word.chars().all(plain) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        });
    quoted.collect::<Vec<_>>().join(" ")
}

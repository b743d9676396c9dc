//! Asks one Dock function of the world `engine` per call. The first line of the input names it:
//!
//!     session-info
//!     vfs-query SQL
//!     run-command NAME ARG ARG ..      what follows the first line is its stdin

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        let (line, rest) = input.split_once('\n').unwrap_or((&input, ""));
        let (function, argument) = line.split_once(' ').unwrap_or((line, ""));
        let answer = match function {
            "session-info" => Ok(session_info()),
            "vfs-query" => vfs_query(argument),
            "run-command" => {
                let mut words = argument.split_whitespace().map(str::to_owned);
                let name = words.next().unwrap_or_default();
                run_command(&name, &words.collect::<Vec<_>>(), rest)
            }
            other => Err(format!("no Dock function `{other}`")),
        };
        answer.unwrap_or_else(|error| format!("error: {error}"))
    }
}

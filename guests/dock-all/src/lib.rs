//! Asks one Dock function of the widest world per call. The first line of the input names it:
//!
//!     session-info
//!     vfs-query SQL
//!     run-command NAME ARG ARG ..      what follows the first line is its stdin
//!     llm-complete PROMPT
//!     browse-fetch URL
//!     run-command-many NAME            each line that follows is one input, each answer is one line

wit_bindgen::generate!({ world: "dock", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        let (line, rest) = input.split_once('\n').unwrap_or((&input, ""));
        let (function, argument) = line.split_once(' ').unwrap_or((line, ""));
        match function {
            "session-info" => session_info(),
            "vfs-query" => text(vfs_query(argument)),
            "run-command" => {
                let mut words = argument.split_whitespace().map(str::to_owned);
                let name = words.next().unwrap_or_default();
                text(run_command(&name, &words.collect::<Vec<_>>(), rest))
            }
            "llm-complete" => text(llm_complete(argument)),
            "browse-fetch" => text(browse_fetch(argument)),
            "run-command-many" => {
                let inputs: Vec<String> = rest.lines().map(str::to_owned).collect();
                run_command_many(argument, &inputs)
                    .into_iter()
                    .map(text)
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            other => format!("error: no Dock function `{other}`"),
        }
    }
}

fn text(answer: Result<String, String>) -> String {
    answer.unwrap_or_else(|error| format!("error: {error}"))
}

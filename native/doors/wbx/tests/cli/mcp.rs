//! `wbx mcp` with a real engine: runs whose DONE is earned, tasks that outlive the server.

use crate::{
    program::{Folder, run, wbx},
    runs::engine_home,
};
use serde_json::{Value, json};
use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

const PLAN: &str = "\
* TODO Say who is cheapest
:PROPERTIES:
:ORDERED: t
:END:
** TODO Collect the prices
:done-when: test -s prices.csv
** TODO Name the cheapest
:done-when: grep -q cedar answer.txt
";

/// A server, and the client's end of it.
struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// What was said, for the guide.
    transcript: String,
    /// Whether there is a handshake, or the newer revision.
    stateless: bool,
    notices: Vec<Value>,
}

struct Bench {
    work: Folder,
    state: Folder,
}

impl Bench {
    fn with(plan: &str) -> Bench {
        Bench {
            work: Folder::with(&[("plan.org", plan)]),
            state: Folder::with(&[]),
        }
    }

    fn agent(&self, stateless: bool) -> Agent {
        let mut child = self
            .work
            .wbx(&["mcp", "--allow", "read,write,run", "--dir", "."])
            .env("XDG_STATE_HOME", self.state.path())
            .env("WORKBOOKS_HOME", engine_home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut agent = Agent {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            next: 1,
            transcript: String::new(),
            stateless,
            notices: Vec::new(),
        };
        if !stateless {
            let client = json!({"name": "agent", "version": "1"});
            agent.ask(
                "initialize",
                json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
            );
        }
        agent
    }
}

impl Agent {
    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        if self.stateless {
            let token = params["_meta"]["progressToken"].clone();
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "2"},
                "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
            });
            if !token.is_null() {
                params["_meta"]["progressToken"] = token;
            }
        }
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{message}").unwrap();
        id
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear();
            if message["id"] == id {
                return message;
            }
            self.notices.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool, and gives what it answers.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let told = answer["result"]["structuredContent"].clone();
        assert!(told.is_object(), "{answer}");
        self.transcript += &format!("> {tool} {arguments}\n{}\n\n", lines(&told));
        told
    }

    /// Kills the server as nobody can prepare for.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn end(mut self) -> String {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
        self.transcript
    }
}

/// An answer as the guide shows it: a line for each field, a line for each task.
fn lines(told: &Value) -> String {
    let Some(tasks) = told["ok"]["tasks"].as_array() else {
        return format!("< {told}");
    };
    let mut text = format!("< state {}, {}", told["ok"]["state"], told["ok"]["counts"]);
    for task in tasks {
        let why = task["reason"]
            .as_str()
            .map(|why| format!(": {why}"))
            .unwrap_or_default();
        text += &format!(
            "\n<   {} {}{why}",
            task["state"].as_str().unwrap(),
            task["id"].as_str().unwrap()
        );
    }
    text
}

fn states(told: &Value) -> Vec<(String, String)> {
    let tasks = told["ok"]["tasks"].as_array().unwrap_or_else(|| panic!("{told}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    tasks
        .iter()
        .map(|task| (text(&task["id"]), text(&task["state"])))
        .collect()
}

#[test]
fn an_agent_that_lies_about_a_task_is_refused_and_the_guide_shows_it() {
    let bench = Bench::with(PLAN);
    let mut agent = bench.agent(false);
    agent.call("check_plan", json!({"action": "validate", "plan": "plan.org"}));
    let started = agent.call("run_plan", json!({"plan": "plan.org", "worker": "wait"}));
    let run = started["ok"]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{started}"))
        .to_owned();
    agent.call(
        "run_shell",
        json!({"script": "printf 'cedar,12\\noak,19\\n' > prices.csv; sort -t, -nk2 prices.csv | head -1"}),
    );
    let first = agent.call(
        "report_task",
        json!({"run": run, "task": "collect-the-prices", "ok": "two prices in prices.csv"}),
    );
    assert!(
        states(&first).contains(&("collect-the-prices".into(), "done".into())),
        "{first}"
    );
    // A lie: there is no answer.txt.
    let second = agent.call(
        "report_task",
        json!({"run": run, "task": "name-the-cheapest", "ok": "I wrote it into answer.txt"}),
    );
    assert!(
        states(&second).contains(&("name-the-cheapest".into(), "failed".into())),
        "{second}"
    );
    let end = agent.call("follow_run", json!({"run": run, "wait": 60}));
    assert_eq!(end["ok"]["state"], "partial", "{end}");
    agent.call("run_shell", json!({"script": "grep -E 'DONE|FAILED|PARTIAL' plan.org"}));
    let transcript = agent.end().replace(&run, "RUN");
    assert!(
        fs::read_to_string(bench.work.path().join("plan.org"))
            .unwrap()
            .contains("** DONE Collect the prices")
    );
    guide(&transcript);
}

/// The transcript in the guide is this one. Fields that differ from run to run are left out of it.
fn guide(transcript: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/mcp.md");
    let guide = fs::read_to_string(path).unwrap();
    let (before, rest) = guide.split_once("<!-- transcript -->\n```text\n").unwrap();
    let (shown, after) = rest.split_once("```\n<!-- end -->").unwrap();
    let told: String = transcript
        .lines()
        .map(|line| match line.find("\"duration_us\"") {
            Some(_) => shortened(line) + "\n",
            None => format!("{line}\n"),
        })
        .collect();
    let told = told.trim_end().to_owned() + "\n";
    if env::var_os("WORKBOOKS_WRITE_DOCS").is_some() {
        fs::write(
            path,
            format!("{before}<!-- transcript -->\n```text\n{told}```\n<!-- end -->{after}"),
        )
        .unwrap();
        return;
    }
    assert_eq!(
        shown, told,
        "docs/mcp.md shows another transcript; make docs writes this one"
    );
}

fn shortened(line: &str) -> String {
    let told: Value = serde_json::from_str(line.trim_start_matches("< ")).unwrap();
    let ok = &told["ok"];
    format!(
        "< {}",
        json!({"status": ok["status"], "stdout": ok["stdout"], "stderr": ok["stderr"]})
    )
}

const SHELL: &str = "\
* TODO Work
** TODO One
:done-when: test -s one
#+begin_src sh
echo 1 > one
#+end_src
** TODO Two
:done-when: test -s two
#+begin_src sh
until test -e go; do sleep 0.05; done
echo 2 > two
#+end_src
";

#[test]
fn a_run_tells_its_progress_and_ends_with_its_verdicts() {
    let bench = Bench::with(SHELL);
    fs::write(bench.work.path().join("go"), "").unwrap();
    let mut agent = bench.agent(false);
    let asked = json!({"name": "run_plan", "arguments": {"plan": "plan.org"}, "_meta": {"progressToken": "p"}});
    let answer = agent.ask("tools/call", asked);
    assert_eq!(answer["result"]["structuredContent"]["ok"]["state"], "done", "{answer}");
    let told: Vec<&Value> = agent
        .notices
        .iter()
        .filter(|n| n["method"] == "notifications/progress")
        .collect();
    assert!(!told.is_empty());
    let last = &told.last().unwrap()["params"];
    assert_eq!(
        (&last["progress"], &last["total"], &last["progressToken"]),
        (&json!(2.0), &json!(2.0), &json!("p")),
        "{last}"
    );
    agent.end();
}

#[test]
fn a_run_whose_caller_gives_up_is_cancelled() {
    let bench = Bench::with(SHELL);
    let mut agent = bench.agent(false);
    let id = agent.send(
        "tools/call",
        json!({"name": "run_plan", "arguments": {"plan": "plan.org"}, "_meta": {"progressToken": 1}}),
    );
    // The second task waits for a file that never comes.
    while agent.hear()["params"]["message"] != "started Two" {}
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    writeln!(agent.input, "{cancelled}").unwrap();
    let mut running = true;
    while running {
        let list = agent.call("follow_run", json!({}));
        running = list["ok"]
            .as_array()
            .unwrap()
            .iter()
            .any(|run| run["state"] == "running");
    }
    agent.end();
    assert!(
        fs::read_to_string(bench.work.path().join("plan.org"))
            .unwrap()
            .contains("** TODO Two")
    );
}

#[test]
fn a_task_is_answered_by_a_server_that_was_started_after_the_other_was_killed() {
    let bench = Bench::with(SHELL);
    let mut agent = bench.agent(true);
    let begun = agent.ask(
        "tools/call",
        json!({"name": "run_plan", "arguments": {"plan": "plan.org"}}),
    );
    let task = begun["result"]["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("{begun}"))
        .to_owned();
    assert_eq!(
        (&begun["result"]["resultType"], &begun["result"]["status"]),
        (&json!("task"), &json!("working"))
    );
    let get = json!({"taskId": task});
    assert_eq!(agent.ask("tasks/get", get.clone())["result"]["status"], "working");
    agent.kill();

    // Its engine notices that nobody is there any more, and ends the run; until then the run is at work.
    let mut agent = bench.agent(true);
    let ended = loop {
        let answer = agent.ask("tasks/get", get.clone());
        match answer["result"]["status"].as_str() {
            Some("working") => continue,
            Some(_) => break answer,
            None => panic!("{answer}"),
        }
    };
    let status = ended["result"]["status"].as_str().unwrap();
    assert!(["completed", "failed"].contains(&status), "{ended}");
    let standing = ended
        .pointer("/result/result/structuredContent/ok")
        .or(ended.pointer("/result/error/data"))
        .unwrap();
    let told = json!({"ok": standing});
    assert!(states(&told).iter().any(|(id, _)| id == "two"), "{ended}");

    // The plan goes on where it stopped, as a task that ends.
    fs::write(bench.work.path().join("go"), "").unwrap();
    let again = agent.ask(
        "tools/call",
        json!({"name": "run_plan", "arguments": {"plan": "plan.org"}}),
    );
    let get = json!({"taskId": again["result"]["taskId"]});
    let ended = loop {
        let answer = agent.ask("tasks/get", get.clone());
        if answer["result"]["status"] != "working" {
            break answer;
        }
    };
    assert_eq!(ended["result"]["status"], "completed", "{ended}");
    assert_eq!(
        ended["result"]["result"]["structuredContent"]["ok"]["state"], "done",
        "{ended}"
    );
    agent.end();
}

#[test]
fn a_task_can_be_cancelled() {
    let bench = Bench::with(SHELL);
    let mut agent = bench.agent(true);
    let begun = agent.ask(
        "tools/call",
        json!({"name": "run_plan", "arguments": {"plan": "plan.org"}}),
    );
    let id = json!({"taskId": begun["result"]["taskId"]});
    assert_eq!(
        agent.ask("tasks/cancel", id.clone())["result"],
        json!({"resultType": "complete"})
    );
    let status = loop {
        let answer = agent.ask("tasks/get", id.clone());
        if answer["result"]["status"] != "working" {
            break answer["result"]["status"].clone();
        }
    };
    assert_eq!(status, "cancelled");
    agent.end();
}

#[test]
fn the_command_line_is_read_before_anything_is_served() {
    for (args, exit) in [
        (&["mcp", "--allow", "admin"][..], 2),
        (&["mcp", "--dir", "/no/such/directory"], 2),
        (&["mcp", "--print-config", "emacs"], 2),
        (&["mcp", "--print-config", "codex"], 0),
        (&["mcp"], 0),
    ] {
        let ended = run(&mut wbx(args));
        assert_eq!(ended.exit, exit, "{args:?}: {ended:?}");
    }
    let printed = run(&mut wbx(&["mcp", "--allow", "run", "--print-config", "claude-code"]));
    assert!(
        printed
            .stdout
            .contains("claude mcp add workbooks -- wbx mcp --allow run"),
        "{printed:?}"
    );
}

//! The one table of verbs. The parser, help, completions, the man page and the reference page are made from it.
//!
//! A new verb is an entry here and a file in `verbs`. A verb of several words is an entry of the verb that it begins with.

use crate::{
    exit::Exit,
    verb::{
        Argument,
        Does::{Verbs, Work},
        Example, Flag, Verb,
    },
    verbs,
};

pub const SUMMARY: &str = "Check, query and compile plans written in Org";

pub const DETAILS: &str = "\
A terminal gets text for people. A pipe gets bare data for programs. --json wraps
the data in an envelope: {ok, verb, data} when the verb gave an answer, and
{ok, verb, error} when it did not; an answer that fails verification carries both.
`ok` is true exactly when the exit code is 0.";

/// Flags that every verb takes.
pub const GLOBAL: &[Flag] = &[
    Flag::new("json", "Answer with a JSON envelope"),
    Flag::new("agent", "Answer for a program even on a terminal"),
];

pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("WBX_AGENT", "set to 1, it stands for --agent"),
    ("SOURCE_DATE_EPOCH", "the time in a bundle, in seconds since 1970"),
    ("NO_COLOR", "set to anything, it switches colour off"),
    ("WORKBOOKS_SESSIONS", "the directory of sessions"),
    ("WORKBOOKS_HOME", "where the engine is, if not beside wbx"),
    ("WB_ENGINE_URL", "the engine to ask, if not the one that runs here"),
    ("WB_ENGINE_TOKEN", "what that engine is asked with"),
    ("WB_TOOLKITS_ROOT", "the directory of toolkits, if it is one"),
    (
        "WB_TOOLKIT_EXEC",
        "set to 1, recipes of toolkits may run in the WASM shell",
    ),
];

const PLAN: Argument = Argument::path("PLAN", "The plan file");

const LOG: Argument = Argument::path(
    "WHERE",
    "The log, its directory, or the plan; the directory here by default",
)
.optional();

const HISTORY: Flag = Flag::new("history", "Another history directory than the user's own").taking("DIR");

const FILE: Argument = Argument::path("FILE", "The plan; - is standard input");

pub static TABLE: &[Verb] = &[
    verbs::init::INIT,
    Verb {
        name: "lint",
        summary: "Say whether a plan coheres",
        details: "\
Every input of a component needs a producer, and every component needs a source.
A program gets the diagnostics as a JSON array; an empty one means that the plan
coheres.",
        arguments: &[FILE],
        flags: &[
            Flag::new(
                "all",
                "Cast the wider net: rules WB001 to WB015, with line, column and hint",
            ),
            Flag::new("facts", "Read the known commands and capabilities from a JSON file")
                .taking("FACTS")
                .needing("all"),
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[
            Example::new("wbx lint plan.org", Exit::Ok),
            Example::new("wbx lint --all - < broken.org", Exit::Verification),
        ],
        does: Work(verbs::lint::run),
    },
    Verb {
        name: "query",
        summary: "List the headlines that a query selects",
        details: "\
Queries are s-expressions. They are made of tags, todo, done, level, title,
property, scheduled, ancestors, descendants, and, or, not.",
        arguments: &[FILE, Argument::text("QUERY", "What to look for")],
        flags: &[],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
        examples: &[Example::new(
            r#"wbx query plan.org '(and (tags "component") (not (done)))'"#,
            Exit::Ok,
        )],
        does: Work(verbs::query::run),
    },
    Verb {
        name: "tangle",
        summary: "Compile a plan to worlds, components and edges",
        details: "",
        arguments: &[FILE],
        flags: &[],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
        examples: &[Example::new("wbx tangle plan.org", Exit::Ok)],
        does: Work(verbs::tangle::run),
    },
    Verb {
        name: "tasks",
        summary: "Show the outline as the runner sees it, or set a state in it",
        details: "\
--set changes the keyword of a task in the file, and the statistics cookies above it; no
other byte moves. If somebody else changes the file meanwhile, it is a conflict and
nothing is written. A DONE that was set by hand is a claim: nobody saw it being earned,
and `wbx status` shows it as unproven.",
        arguments: &[FILE],
        flags: &[Flag::new("set", "Set the state of a task, as in --set build=WAITING")
            .taking_text("ID=STATE")
            .repeated()],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Conflict],
        examples: &[
            Example::new("wbx tasks plan.org", Exit::Ok),
            Example::new("wbx tasks todo.org --set build=WAITING", Exit::Ok),
            Example::new("wbx tasks todo.org --set nothing=DONE", Exit::NotFound),
        ],
        does: Work(verbs::tasks::run),
    },
    Verb {
        name: "render",
        summary: "Turn a plan into HTML that is safe to put into a page",
        details: "",
        arguments: &[FILE],
        flags: &[Flag::new("output", "Write the page to a file, all of it or nothing")
            .taking("OUT")
            .short('o')],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
        examples: &[Example::new("wbx render plan.org -o plan.html", Exit::Ok)],
        does: Work(verbs::render::run),
    },
    Verb {
        name: "run",
        summary: "Work a plan off, and believe only its checks",
        details: "\
Each verdict is written into its headline at once, and into the history. A plan
that was run before goes on where it stopped. The worker `shell` runs the `sh`
block of a task; `wait` leaves the work to you: it lists the ids, and you report on
standard input with `done ID [words]` or `fail ID [words]`; the end of the input ends
the run. It runs in the engine that WB_ENGINE_URL names or that runs here, and without
one in an Erlang VM of its own. With --follow a terminal shows the
tasks as they go, and a program gets each event as a line of JSON before the answer.
A run that ends and is not done is 5; one that cannot begin is 1.",
        arguments: &[PLAN],
        flags: &[
            Flag::new("follow", "Show what happens while it happens"),
            Flag::new(
                "workdir",
                "The directory that workers and checks see; the plan's own by default",
            )
            .taking("DIR"),
            Flag::new("width", "How many tasks are at work at once; 8 by default").taking_text("N"),
            Flag::new("worker", "Who does the work").choosing("WORKER", verbs::run::WORKERS),
            HISTORY,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx run plan.org", Exit::Ok)],
        does: Work(verbs::run::run),
    },
    Verb {
        name: "status",
        summary: "Show each task with its last verdict, and every DONE that nobody saw being earned",
        details: "\
The sealed logs of the plan's runs are asked. An amendment is a task that was still to
be earned when a run sealed the plan and is gone, lost its keyword, was re-titled,
moved or cancelled, or has another check: nothing above it is DONE until a person
accepts it with --accept, which is recorded with who.",
        arguments: &[PLAN],
        flags: &[
            Flag::new("accept", "Accept the amendment of the task with this id")
                .taking_text("ID")
                .repeated(),
            Flag::new("by", "Who accepts; the user by default")
                .taking_text("WHO")
                .needing("accept"),
            HISTORY,
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Conflict],
        examples: &[Example::new("wbx status plan.org", Exit::Ok)],
        does: Work(verbs::status::run),
    },
    verbs::certify::CERTIFY,
    Verb {
        name: "check-upgrade",
        summary: "Say whether a new plan keeps the old one's promises",
        details: "\
OLD and NEW are files, - for standard input, or git:REV:PATH for a file as git
remembers it. PATH counts from the top of the repository, ./PATH from here.",
        arguments: &[
            Argument::path("OLD", "The plan that is deployed"),
            Argument::path("NEW", "The plan that would replace it"),
        ],
        flags: &[
            Flag::new(
                "identity",
                "A workflow is the same one when its :WB_ID: is, whatever its title",
            ),
            Flag::new("structural", "Compare output types by structure instead of by spelling"),
            Flag::new("explain", "Show where each promise was made and who would notice"),
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[
            Example::new("wbx check-upgrade v1.org v2.org", Exit::Verification),
            Example::new("wbx check-upgrade --explain git:HEAD:plan.org plan.org", Exit::Ok),
        ],
        does: Work(verbs::check_upgrade::run),
    },
    verbs::bundle::BUNDLE,
    verbs::bundle::UNBUNDLE,
    verbs::bundle::SIGN,
    verbs::bundle::VERIFY,
    verbs::deploy::DEPLOY,
    verbs::deploy::ROLLBACK,
    verbs::deploy::HISTORY,
    verbs::serve::SERVE,
    verbs::token::TOKEN,
    Verb {
        name: "telemetry",
        summary: "Say what became of the tasks of a plan, run after run",
        details: "\
WHERE is a plan, a directory of plans, or a _telemetry.db. A plan answers for itself
alone, from the history directory; only for a directory without a plan that was run is
the copy in it read. The tables for --sql are task_events, step_events, verdicts and
runs; a query only reads.",
        arguments: &[Argument::path("WHERE", "The plan, or its directory")],
        flags: &[
            Flag::new("task", "Only the verdicts on the task with this id").taking_text("ID"),
            Flag::new("sql", "Ask in SQL instead").taking_text("QUERY"),
            HISTORY,
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
        examples: &[
            Example::new("wbx telemetry plan.org --task build", Exit::Ok),
            Example::new(
                "wbx telemetry plan.org --sql 'SELECT state, count(*) FROM task_events GROUP BY state'",
                Exit::Ok,
            ),
        ],
        does: Work(verbs::telemetry::run),
    },
    Verb {
        name: "ledger",
        summary: "Prove that the log of a run was not touched",
        details: "\
Every step of a run is a line in _steps.jsonl, and _ledger.json seals them with a
signature.",
        arguments: &[],
        flags: &[],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[Example::new("wbx ledger", Exit::Ok)],
        does: Verbs(&[
            Verb {
                name: "ledger verify",
                summary: "Hold a log against its seal",
                details: "\
WHERE is a _steps.jsonl, a directory with one, or a plan: then it is every run of the
plan, in the history directory. A line that was changed, dropped, moved or added is
named, and so is a run that was changed, is missing, or is followed by two.",
                arguments: &[LOG],
                flags: &[
                    Flag::new("by", "Demand that this did:key has sealed it").taking_text("DID"),
                    HISTORY,
                ],
                exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
                examples: &[
                    Example::new("wbx ledger verify", Exit::Ok),
                    Example::new("wbx ledger verify plan.org", Exit::Ok),
                ],
                does: Work(verbs::ledger::verify),
            },
            Verb {
                name: "ledger show",
                summary: "List the steps of a run",
                details: "Without checking anything: that is what verify is for.",
                arguments: &[LOG],
                flags: &[HISTORY],
                exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
                examples: &[Example::new("wbx ledger show plan.org", Exit::Ok)],
                does: Work(verbs::ledger::show),
            },
            Verb {
                name: "ledger key",
                summary: "Print the did:key that your runs are sealed with",
                details: "The key is made when there is none.",
                arguments: &[],
                flags: &[HISTORY],
                exits: &[Exit::Ok, Exit::Other, Exit::Usage],
                examples: &[Example::new("wbx ledger key", Exit::Ok)],
                does: Work(verbs::ledger::key),
            },
        ]),
    },
    Verb {
        name: "shell",
        summary: "Run a script, every command of it in WebAssembly",
        details: "\
SH is what follows `sh`: -c SCRIPT, or a FILE with its arguments, or nothing for a
script on standard input. The directory becomes `/`, and there is no other: a path
that leads out of it is refused. The exit status is the script's.",
        arguments: &[Argument::path("SH", "What `sh` would be given").rest()],
        flags: &[
            Flag::new("dir", "The directory that becomes `/`; the current one by default")
                .taking("DIR")
                .short('C'),
            Flag::new(
                "bash",
                "Read the script as bash does; a `#!` line in a FILE counts only when it is started by name",
            ),
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::Unreachable, Exit::NotFound],
        examples: &[
            Example::new("wbx shell -c 'echo hello | tr a-z A-Z | wc -c'", Exit::Ok),
            Example::new("wbx shell --bash -c '[[ abc == a* ]] && echo {1..3}'", Exit::Ok),
            Example::new("wbx shell -C . -c 'cat < ../secret'", Exit::Other),
        ],
        does: Work(verbs::shell::run),
    },
    Verb {
        name: "session",
        summary: "Work a workflow off step by step, in a session that survives the agent",
        details: "\
Every advance is recorded once, and a call that is made again gets its old answer.
docs/sessions.md explains workflows, tokens and what makes a step done. Sessions are
kept in the user's state directory, or in WORKBOOKS_SESSIONS.",
        arguments: &[],
        flags: &[],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx session", Exit::Ok)],
        does: Verbs(verbs::session::VERBS),
    },
    Verb {
        name: "toolkit",
        summary: "Find, read, verify, sign, build, run and import toolkits",
        details: "\
A toolkit is a directory with a manifest.org, skills, and what is built from it.
docs/toolkits.md explains them. All of it works without an engine, but for push. A
toolkit that is not here is looked for on the engine that runs here, if one does; with
WB_ENGINE_URL that engine is meant.",
        arguments: &[],
        flags: &[],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx toolkit", Exit::Ok)],
        does: Verbs(verbs::toolkit::VERBS),
    },
    verbs::mcp::MCP,
    Verb {
        name: "doctor",
        summary: "Say what is here, what is missing and where wbx looks",
        details: "It looks at everything that `wbx run` needs: the Erlang VM, the built engine and its library, the commands \
                  and their hashes, the compilers, the directories and who owns the data. Each row says what to do. It \
                  exits with 1 when something is here and wrong; what is only missing is said.",
        arguments: &[],
        flags: &[],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage],
        examples: &[Example::new("wbx doctor", Exit::Ok)],
        does: Work(verbs::doctor::run),
    },
    Verb {
        name: "completions",
        summary: "Print a shell's completion script",
        details: "",
        arguments: &[Argument::choice(
            "SHELL",
            "The shell that will read it",
            verbs::completions::SHELLS,
        )],
        flags: &[],
        exits: &[Exit::Ok, Exit::Usage],
        examples: &[Example::new("wbx completions bash", Exit::Ok)],
        does: Work(verbs::completions::run),
    },
    Verb {
        name: "help",
        summary: "Explain wbx or one verb",
        details: "With --json it is the whole tree of verbs.",
        arguments: &[Argument::text("VERB", "The verb to explain, all its words")
            .optional()
            .repeated()],
        flags: &[
            Flag::new("man", "Print the man page"),
            Flag::new("markdown", "Print the reference page"),
        ],
        exits: &[Exit::Ok, Exit::Usage],
        examples: &[
            Example::new("wbx help lint", Exit::Ok),
            Example::new("wbx help --json", Exit::Ok),
        ],
        does: Work(verbs::help::run),
    },
];

/// Every entry, those inside others too.
pub fn all() -> impl Iterator<Item = &'static Verb> {
    TABLE.iter().flat_map(Verb::family)
}

/// The entry that words lead to, and how many of them it took: arguments may follow.
pub fn find<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<(&'static Verb, usize)> {
    let mut found = None;
    let mut verbs = TABLE;
    for (index, word) in words.into_iter().enumerate() {
        let Some(verb) = verbs.iter().find(|verb| verb.word() == word) else {
            break;
        };
        found = Some((verb, index + 1));
        verbs = verb.verbs();
    }
    found
}

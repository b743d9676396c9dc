//! The one table of verbs. The parser, help, completions, the man page and the reference page are made from it.
//!
//! A new verb is an entry here and a file in `verbs`.

use crate::{
    exit::Exit,
    verb::{Argument, Example, Flag, Verb},
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
    ("NO_COLOR", "set to anything, it switches colour off"),
];

const FILE: Argument = Argument::path("FILE", "The plan; - is standard input");

pub static TABLE: &[Verb] = &[
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
                "Cast the wider net: rules WB001 to WB012, with line, column and hint",
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
        run: verbs::lint::run,
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
        run: verbs::query::run,
    },
    Verb {
        name: "tangle",
        summary: "Compile a plan to worlds, components and edges",
        details: "",
        arguments: &[FILE],
        flags: &[],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
        examples: &[Example::new("wbx tangle plan.org", Exit::Ok)],
        run: verbs::tangle::run,
    },
    Verb {
        name: "tasks",
        summary: "Show the outline as the runner sees it",
        details: "",
        arguments: &[FILE],
        flags: &[],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound],
        examples: &[Example::new("wbx tasks plan.org", Exit::Ok)],
        run: verbs::tasks::run,
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
        run: verbs::render::run,
    },
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
        run: verbs::check_upgrade::run,
    },
    Verb {
        name: "doctor",
        summary: "Say what is here, what is missing and where wbx looks",
        details: "",
        arguments: &[],
        flags: &[],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage],
        examples: &[Example::new("wbx doctor", Exit::Ok)],
        run: verbs::doctor::run,
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
        run: verbs::completions::run,
    },
    Verb {
        name: "help",
        summary: "Explain wbx or one verb",
        details: "With --json it is the whole tree of verbs.",
        arguments: &[Argument::text("VERB", "The verb to explain").optional()],
        flags: &[
            Flag::new("man", "Print the man page"),
            Flag::new("markdown", "Print the reference page"),
        ],
        exits: &[Exit::Ok, Exit::Usage],
        examples: &[
            Example::new("wbx help lint", Exit::Ok),
            Example::new("wbx help --json", Exit::Ok),
        ],
        run: verbs::help::run,
    },
];

/// The entry with that name.
pub fn find(name: &str) -> Option<&'static Verb> {
    TABLE.iter().find(|verb| verb.name == name)
}

//! The entries of `toolkit import` and `toolkit audit`.

use crate::{
    exit::Exit,
    verb::{Argument, Does::Work, Example, Flag, Verb},
};

pub const IMPORT: Verb = Verb {
    name: "toolkit import",
    summary: "Make a toolkit of a skill, a config, a package or a folder",
    details: "\
KIND is claude-skill, markdown, folder, mcp-server, openapi, npm-cli, pip-cli,
cursor-rules or agents-md; without --as it is detected. Nothing is run and nothing
is fetched. Scripts are carried as they are, and audited at the end. Of an MCP
config only the names of environment variables are taken, never a value.",
    arguments: &[Argument::path("SOURCE", "The directory or the file")],
    flags: &[
        Flag::new("as", "What the source is").taking_text("KIND"),
        Flag::new(
            "output",
            "The directory to make; ./ID by default. Its name is the toolkit's id",
        )
        .taking("DIR")
        .short('o'),
    ],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Conflict],
    examples: &[
        Example::new("wbx toolkit import notes.md", Exit::Ok),
        Example::new("wbx toolkit import . --as folder -o tools", Exit::Ok),
        Example::new("wbx toolkit import nowhere", Exit::NotFound),
    ],
    does: Work(super::import::run),
};

pub const AUDIT: Verb = Verb {
    name: "toolkit audit",
    summary: "Say which scripts of a toolkit run in the sandbox, and plan the rest",
    details: "\
Every file in scripts/ is read and never run. The findings and a fix-up plan go
into manifest.org, in place of the last ones; `wbx run` works the plan off. An
audit ends with 0 whatever it finds. With --fix the toolkit is then pushed to the
engine, built and verified there.",
    arguments: &[Argument::path("DIR", "The toolkit's directory")],
    flags: &[
        Flag::new("deep", "Go into the directories below scripts/ as well"),
        Flag::new("fix", "Push, build and verify on the engine"),
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
    examples: &[
        Example::new(
            "wbx toolkit import notes.md -o guide && wbx toolkit audit guide",
            Exit::Ok,
        ),
        Example::new(
            "wbx toolkit import notes.md -o manual && wbx toolkit audit manual --fix",
            Exit::Unreachable,
        ),
    ],
    does: Work(super::audit::run),
};

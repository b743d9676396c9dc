//! The verbs of `wbx toolkit`, for the table.

use super::audit_table::{AUDIT, IMPORT};
use crate::{
    exit::Exit,
    verb::{Argument, Does::Work, Example, Flag, Verb},
};

const ID: Argument = Argument::text("ID", "The toolkit, by the name of its directory");

const GRANT: Flag = Flag::new(
    "grant",
    "Allow a third-party toolkit these capabilities, for its content as it is now",
)
.taking_text("CAPS");

/// In the order in which they are used.
pub const VERBS: &[Verb] = &[
    Verb {
        name: "toolkit list",
        summary: "List the toolkits that can be found",
        details: "\
They are looked for in WB_TOOLKITS_ROOT, if that is a directory, else in `toolkits`
and `../toolkits`.",
        arguments: &[],
        flags: &[],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx toolkit list", Exit::Ok)],
        does: Work(super::list),
    },
    Verb {
        name: "toolkit show",
        summary: "Show a toolkit with its index of skills, or one skill",
        details: "",
        arguments: &[ID, Argument::text("SKILL", "The skill to read").optional()],
        flags: &[],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Auth,
        ],
        examples: &[
            Example::new("wbx toolkit show tally", Exit::Ok),
            Example::new("wbx toolkit show tally overview", Exit::Ok),
        ],
        does: Work(super::show),
    },
    Verb {
        name: "toolkit search",
        summary: "Find words in toolkits and their skills",
        details: "All the words have to stand on one line.",
        arguments: &[Argument::text("QUERY", "The words").repeated()],
        flags: &[],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx toolkit search count words", Exit::Ok)],
        does: Work(super::search),
    },
    Verb {
        name: "toolkit verify",
        summary: "Say of each promise of a toolkit whether it is kept",
        details: "\
The manifest and its drawer, the skills, the contract of its shape, its capabilities,
and for a signed or a third-party one every file.",
        arguments: &[ID],
        flags: &[],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Verification,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx toolkit verify tally", Exit::Ok)],
        does: Work(super::verify),
    },
    Verb {
        name: "toolkit sign",
        summary: "Sign every file of a toolkit with your key",
        details: "\
The key is the one of `wbx ledger key`. The hashes of all files go into
signature.json, the signature and your did:key into the manifest.",
        arguments: &[ID],
        flags: &[Flag::new("history", "Another history directory, whose key signs").taking("DIR")],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx toolkit sign tally", Exit::Ok)],
        does: Work(super::sign),
    },
    Verb {
        name: "toolkit build",
        summary: "Build what a toolkit declares, inside WASM, and register it",
        details: "\
A command is registered under its CLI_BIN, a kernel and a component under the name of
the toolkit. WHICH names the artifact; a toolkit has one.",
        arguments: &[
            ID,
            Argument::text("WHICH", "The artifact: its name or its shape").optional(),
        ],
        flags: &[
            Flag::new("from", "The file that #+BUILD_SRC: says to fetch; its hash is pinned").taking("FILE"),
            GRANT,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Verification,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx toolkit build levels", Exit::Ok)],
        does: Work(super::build),
    },
    Verb {
        name: "toolkit push",
        summary: "Send a toolkit to a running engine",
        details: "\
The engine is the one that WB_ENGINE_URL names, else the one that runs here: `wbx deploy
local` starts one. It takes what is pushed for a third party's, so it is signed with
your key on the way, unless it has another author. One that was pushed under the same
name is replaced, all of it or nothing.",
        arguments: &[ID, Argument::path("DIR", "The directory of the toolkit")],
        flags: &[],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Verification,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx toolkit push tally toolkits/tally", Exit::Unreachable)],
        does: Work(super::push),
    },
    Verb {
        name: "toolkit run",
        summary: "Run a recipe of a toolkit in the WASM shell",
        details: "\
TASK is a block with `:role task`. The working directory becomes `/`, and there is no
other. It runs only where WB_TOOLKIT_EXEC is 1. The exit status is the recipe's, but
for --json.",
        arguments: &[
            ID,
            Argument::text("TASK", "The recipe"),
            Argument::text("ARGS", "$1 and on; put -- before them")
                .repeated()
                .optional(),
        ],
        flags: &[
            Flag::new("dir", "The directory that becomes `/`; the current one by default")
                .taking("DIR")
                .short('C'),
            GRANT,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::Unreachable,
            Exit::NotFound,
            Exit::Verification,
            Exit::Auth,
        ],
        examples: &[Example::new(
            "WB_TOOLKIT_EXEC=1 wbx toolkit run tally words -- plan.org",
            Exit::Ok,
        )],
        does: Work(super::run),
    },
    IMPORT,
    AUDIT,
];

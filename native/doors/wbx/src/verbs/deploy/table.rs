//! The entries of these verbs in the table.

use super::{history, list, next, rollback, run, start};
use crate::verbs::serve::{LOCAL, STATUS, STOP};
use crate::{
    exit::Exit,
    verb::{
        Argument,
        Does::{Both, Work},
        Example, Flag, Verb,
    },
};

const ID: Argument = Argument::text("ID", "The workbook's id");

const BY: Flag = Flag::new("by", "Who does it; git's user or the system's by default").taking_text("WHO");

const WHY: Flag = Flag::new("why", "What the history says about it").taking_text("WORDS");

/// How verbs end that change something in the engine.
const CHANGING: &[Exit] = &[
    Exit::Ok,
    Exit::Other,
    Exit::Usage,
    Exit::Unreachable,
    Exit::NotFound,
    Exit::Verification,
    Exit::Conflict,
    Exit::Auth,
];

pub const DEPLOY: Verb = Verb {
    name: "deploy",
    summary: "Make a plan live, if it keeps the promises of the one before",
    details: "\
The plan must cohere, keep what the live version promised, and be built; what it
newly asks for must be granted. Refused, it changes nothing and says why. PLAN is a
file, a directory with a workbook.org, a bundle, or - for standard input. The id is the
name of the file or directory, or ID. A plan that is live already makes no new version.
--force overrides the gate; who and why is recorded. The engine that WB_ENGINE_URL
names or that runs here does it, and without one an Erlang VM of its own.",
    arguments: &[Argument::path("PLAN", "The plan, or the directory of a workbook")],
    flags: &[
        Flag::new("id", "The workbook's id").taking_text("ID"),
        Flag::new("grant", "Grant a capability that the plan newly asks for")
            .taking_text("CAP")
            .repeated(),
        Flag::new(
            "identity",
            "A workflow is the same one when its :WB_ID: is, whatever its title",
        ),
        Flag::new("structural", "Compare output types by structure instead of by spelling"),
        Flag::new("force", "Deploy although a promise is broken; needs --why"),
        WHY,
        BY,
    ],
    exits: CHANGING,
    examples: &[
        Example::new("wbx deploy greeting.org", Exit::Ok),
        Example::new("wbx deploy broken.org --id greeting", Exit::Verification),
    ],
    does: Both(start, &[LIST, RUN, NEXT, LOCAL, STATUS, STOP]),
};

const LIST: Verb = Verb {
    name: "deploy list",
    summary: "List what is live, since when and by whom",
    details: "It needs no engine.",
    arguments: &[],
    flags: &[],
    exits: &[Exit::Ok, Exit::Other, Exit::Usage],
    examples: &[Example::new("wbx deploy list", Exit::Ok)],
    does: Work(list),
};

const RUN: Verb = Verb {
    name: "deploy run",
    summary: "Run a workflow of a deployed workbook",
    details: "\
With its artifacts, its policy and its disk. The input goes to every component that has
no :in. The answer has the exports, and the outcome of each component; if one failed, the
exit code is 5.",
    arguments: &[ID],
    flags: &[
        Flag::new("input", "The input as text; - is standard input").taking_text("TEXT"),
        Flag::new("workflow", "Which one, when the plan has several").taking_text("TITLE"),
    ],
    exits: CHANGING,
    examples: &[
        Example::new("wbx deploy run greeting --input Ada", Exit::Ok),
        Example::new("wbx deploy run nobody", Exit::NotFound),
    ],
    does: Work(run),
};

const NEXT: Verb = Verb {
    name: "deploy next",
    summary: "Show when deployed workflows run next by themselves",
    details: "\
A schedule that cannot be read is shown with its problem. Whether anything runs is up to
the VM that has schedules on.",
    arguments: &[ID.optional()],
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
        Example::new("wbx deploy next", Exit::Ok),
        Example::new("wbx deploy next greeting", Exit::Ok),
    ],
    does: Work(next),
};

pub const ROLLBACK: Verb = Verb {
    name: "rollback",
    summary: "Make the version before the live one live again",
    details: "\
Its plan, its artifacts, and the disk as it was when it was replaced. What the newer
version left on the disk is kept beside it.",
    arguments: &[ID],
    flags: &[WHY, BY],
    exits: &[
        Exit::Ok,
        Exit::Other,
        Exit::Usage,
        Exit::Unreachable,
        Exit::NotFound,
        Exit::Conflict,
        Exit::Auth,
    ],
    examples: &[Example::new("wbx rollback greeting", Exit::NotFound)],
    does: Work(rollback),
};

pub const HISTORY: Verb = Verb {
    name: "history",
    summary: "List what was deployed and rolled back, by whom and why",
    details: "",
    arguments: &[ID],
    flags: &[],
    exits: &[
        Exit::Ok,
        Exit::Other,
        Exit::Usage,
        Exit::Unreachable,
        Exit::NotFound,
        Exit::Auth,
    ],
    examples: &[Example::new("wbx history greeting", Exit::Ok)],
    does: Work(history),
};

//! The verbs of `wbx session`, for the table.

use crate::{
    exit::Exit,
    verb::{Argument, Does::Work, Example, Flag, Verb},
};

const SESSIONS: Flag = Flag::new("dir", "Another directory of sessions than the user's own").taking("DIR");

const TOKEN: Argument = Argument::text(
    "TOKEN",
    "The token of the last answer; - takes it from an answer on standard input",
);

const SESSION: Argument = Argument::text("SESSION", "The session; - takes it from an answer on standard input");

const CONTEXT: Flag = Flag::new("context", "What the run is about, as a JSON object").taking_text("JSON");

const AUTONOMY: Flag = Flag::new(
    "autonomy",
    "How far to go alone: guided, full_auto_stop_on_user_deps or full_auto_never_stop",
)
.taking_text("HOW");

const RISK: Flag = Flag::new("risk", "At what risk: conservative, balanced or aggressive").taking_text("HOW");

const FULL: Flag = Flag::new("full", "Tell everything, not only the step and what is new");

const LIBRARY: Flag = Flag::new(
    "library",
    "A directory of workflows that count as bundled; may be given again",
)
.taking("DIR")
.repeated();

/// In the order in which they are used.
pub const VERBS: &[Verb] = &[
    Verb {
        name: "session start",
        summary: "Start a workflow in a new session",
        details: "\
WORKFLOW is a plan in Org, a workflow in JSON, or the id of one that `session
workflows` lists. The answer has the first step, and the token for the next call.
Every check of the session will see the working directory as it is named here. Steps
that the plan's history proves done are skipped. Branch and commit are noted, to find
the session again.",
        arguments: &[Argument::path(
            "WORKFLOW",
            "The workflow, or its id; - is standard input",
        )],
        flags: &[
            CONTEXT,
            AUTONOMY,
            RISK,
            Flag::new(
                "workdir",
                "The directory that checks see, from the first step to the last; the current one by default",
            )
            .taking("DIR"),
            Flag::new("write-plan", "Write each verdict into the plan, and into its ledger"),
            Flag::new("title", "A name for people").taking_text("TEXT"),
            Flag::new("goal", "What is to be reached").taking_text("TEXT"),
            Flag::new("parent", "A token of the session whose step this one works for").taking_text("TOKEN"),
            LIBRARY,
            FULL,
            SESSIONS,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[
            Example::new("wbx session start flow.org", Exit::Ok),
            Example::new(
                "wbx session start wb.research --context '{\"question\": \"why?\"}'",
                Exit::Ok,
            ),
        ],
        does: Work(super::start),
    },
    Verb {
        name: "session continue",
        summary: "Complete the pending step, or be told it again",
        details: "\
The same token always gives the same answer. A step that is refused keeps what was
sent, says why, and gives the token to try again with. A check of the step runs in
the WASM shell, in the directory that was pinned when the session started. Going
further than before needs the user's word: a wb.autonomy_grant artifact.",
        arguments: &[TOKEN],
        flags: &[
            Flag::new("notes", "What was done in this step").taking_text("TEXT"),
            Flag::new("artifact", "A typed result as a JSON object, or a list of them").taking_text("JSON"),
            CONTEXT,
            AUTONOMY,
            RISK,
            Flag::new("rehydrate", "Only tell where the run stands; nothing is written"),
            Flag::new("closes", "A gap that this closes; may be given again")
                .taking_text("GAP")
                .repeated(),
            FULL,
            SESSIONS,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[
            Example::new(
                "wbx session start flow.org | wbx session continue - --notes 'read it'",
                Exit::Ok,
            ),
            Example::new(
                "wbx session start flow.org | wbx session continue - --rehydrate",
                Exit::Ok,
            ),
        ],
        does: Work(super::go_on),
    },
    Verb {
        name: "session checkpoint",
        summary: "Keep notes at the pending step",
        details: "\
The step stays pending.",
        arguments: &[TOKEN],
        flags: &[
            Flag::new("notes", "What must not be lost").taking_text("TEXT"),
            FULL,
            SESSIONS,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session checkpoint - --notes 'half way'",
            Exit::Ok,
        )],
        does: Work(super::checkpoint),
    },
    Verb {
        name: "session resume",
        summary: "Find a session again by branch, commit, notes or workflow",
        details: "\
At most five, the best first, each with why it is offered. A damaged session is never
offered.",
        arguments: &[Argument::text("TEXT", "Any of them, in one text").optional()],
        flags: &[
            Flag::new("branch", "The branch, or its beginning").taking_text("NAME"),
            Flag::new("head", "The commit").taking_text("SHA"),
            Flag::new("workflow", "The workflow").taking_text("ID"),
            SESSIONS,
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[Example::new("wbx session resume fix/login", Exit::Ok)],
        does: Work(super::resume),
    },
    Verb {
        name: "session rewind",
        summary: "Get a token to go on from any node",
        details: "\
Nothing is written. Going on from a node that has a step after it forks the run.",
        arguments: &[
            SESSION,
            Argument::text("NODE", "The node; the preferred tip by default").optional(),
        ],
        flags: &[FULL, SESSIONS],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session rewind -",
            Exit::Ok,
        )],
        does: Work(super::rewind),
    },
    Verb {
        name: "session list",
        summary: "List the sessions, the latest written first",
        details: "\
The summary says how many there are when not all are shown.",
        arguments: &[],
        flags: &[
            Flag::new("limit", "How many at most; 50 by default").taking_text("N"),
            Flag::new("since", "Only those written on this day or later, 2026-06-11").taking_text("DATE"),
            Flag::new("before", "Only those written before this day").taking_text("DATE"),
            Flag::new("parent", "Only those that work for a step of this session").taking_text("SESSION"),
            SESSIONS,
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[
            Example::new("wbx session list", Exit::Ok),
            Example::new("wbx session list --since 2026-01-01 --limit 10", Exit::Ok),
        ],
        does: Work(super::list),
    },
    Verb {
        name: "session inspect",
        summary: "Show a session with its nodes, outputs and gaps",
        details: "\
A damaged session shows what is valid of it, and says so.",
        arguments: &[SESSION],
        flags: &[
            Flag::new(
                "workflow",
                "Say whether this source has drifted from what the run follows",
            )
            .taking("FILE"),
            LIBRARY,
            SESSIONS,
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session inspect - --workflow flow.org",
            Exit::Ok,
        )],
        does: Work(super::inspect),
    },
    Verb {
        name: "session export",
        summary: "Write a session as one file",
        details: "",
        arguments: &[SESSION],
        flags: &[
            Flag::new("output", "Write to a file, all of it or nothing")
                .taking("OUT")
                .short('o'),
            SESSIONS,
        ],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session export - -o session.json",
            Exit::Ok,
        )],
        does: Work(super::export),
    },
    Verb {
        name: "session import",
        summary: "Take a session in from one file",
        details: "\
Everything in it is checked first. Where its name is taken it gets another.",
        arguments: &[Argument::path("BUNDLE", "The file; - is standard input")],
        flags: &[SESSIONS],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session export - | wbx session import -",
            Exit::Ok,
        )],
        does: Work(super::import),
    },
    Verb {
        name: "session gc",
        summary: "Delete sessions that expired, and what no session needs",
        details: "\
A damaged session stays, with everything it may need; the others are swept all the
same. `session repair`, `quarantine` and `delete` are for the damaged one.",
        arguments: &[],
        flags: &[
            Flag::new("ttl-days", "A session expires when it was not written for so long").taking_text("DAYS"),
            Flag::new("dry-run", "Only say what would go"),
            Flag::new("keep", "First mark this session as one that never expires").taking_text("SESSION"),
            Flag::new("unkeep", "First take that mark away").taking_text("SESSION"),
            SESSIONS,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx session gc --ttl-days 90 --dry-run", Exit::Ok)],
        does: Work(super::gc),
    },
    Verb {
        name: "session workflows",
        summary: "List the workflows that can be started by their id",
        details: "\
Bundled ones, those in ./workflows, and the user's own.",
        arguments: &[],
        flags: &[
            Flag::new("tag", "Only those with this tag").taking_text("TAG"),
            LIBRARY,
            SESSIONS,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx session workflows", Exit::Ok)],
        does: Work(super::workflows),
    },
    Verb {
        name: "session preview",
        summary: "Show each prompt of a workflow, for its author",
        details: "\
Nothing is started. In a loop the first iteration is shown.",
        arguments: &[Argument::path(
            "WORKFLOW",
            "The workflow, or its id; - is standard input",
        )],
        flags: &[CONTEXT, LIBRARY, SESSIONS],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx session preview wb.research", Exit::Ok)],
        does: Work(super::preview),
    },
    Verb {
        name: "session pin",
        summary: "Bind the checks of a session to another directory",
        details: "\
For the operator: after an import, or when the work has moved. It is recorded.",
        arguments: &[SESSION, Argument::path("DIR", "The directory")],
        flags: &[SESSIONS],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session pin - .",
            Exit::Ok,
        )],
        does: Work(super::pin),
    },
    Verb {
        name: "session policy",
        summary: "Show or set what agents may do",
        details: "\
For the operator. By default an agent cannot raise its own autonomy or risk.",
        arguments: &[],
        flags: &[
            Flag::new("most-autonomy", "How far a session may go at all").taking_text("HOW"),
            Flag::new("agent-autonomy", "How far an agent may go without the user's word").taking_text("HOW"),
            Flag::new("agent-risk", "The risk that an agent may take without the user's word").taking_text("HOW"),
            LIBRARY,
            SESSIONS,
        ],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx session policy", Exit::Ok)],
        does: Work(super::policy),
    },
    Verb {
        name: "session quarantine",
        summary: "Move a damaged session aside, whole",
        details: "\
Nothing is deleted.",
        arguments: &[SESSION],
        flags: &[SESSIONS],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session quarantine -",
            Exit::Ok,
        )],
        does: Work(super::quarantine),
    },
    Verb {
        name: "session repair",
        summary: "Put the valid beginning of a damaged session in its place",
        details: "\
All files as they were found are moved aside.",
        arguments: &[SESSION],
        flags: &[SESSIONS],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session repair -",
            Exit::Ok,
        )],
        does: Work(super::repair),
    },
    Verb {
        name: "session delete",
        summary: "Delete a session, or what was moved aside of it",
        details: "\
It cannot be undone.",
        arguments: &[SESSION],
        flags: &[SESSIONS],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session delete -",
            Exit::Ok,
        )],
        does: Work(super::delete),
    },
    Verb {
        name: "session verify",
        summary: "Read all of a session again and say what was found",
        details: "",
        arguments: &[SESSION],
        flags: &[SESSIONS],
        exits: &[Exit::Ok, Exit::Other, Exit::Usage, Exit::NotFound, Exit::Verification],
        examples: &[Example::new(
            "wbx session start flow.org | wbx session verify -",
            Exit::Ok,
        )],
        does: Work(super::verify),
    },
    Verb {
        name: "session rotate",
        summary: "Sign tokens with a fresh key",
        details: "\
Tokens of the key before hold until the next rotation.",
        arguments: &[],
        flags: &[SESSIONS],
        exits: &[
            Exit::Ok,
            Exit::Other,
            Exit::Usage,
            Exit::NotFound,
            Exit::Verification,
            Exit::Conflict,
            Exit::Auth,
        ],
        examples: &[Example::new("wbx session rotate", Exit::Ok)],
        does: Work(super::rotate),
    },
];

//! The tools: rows of the table of operations, under names that an agent understands.

use operations::Operation;

/// One tool. At most ten of them, and all together under 2,500 tokens: a test holds the bound.
pub(crate) struct Tool {
    pub name: &'static str,
    /// The contract, first; clients cut at 2,048 characters.
    pub says: &'static str,
    pub actions: &'static [Action],
    /// How to get what an answer had no room for.
    pub rest: &'static str,
}

/// One thing that a tool does. A tool with one action has no parameter `action`.
pub(crate) struct Action {
    pub name: &'static str,
    pub operation: &'static str,
    pub takes: &'static [Take],
}

/// Where a parameter of an operation comes from.
pub(crate) enum Take {
    /// The argument of the same name.
    Field(&'static str),
    /// An argument with the path of a file, or its text: the operation gets the text.
    Text {
        argument: &'static str,
        field: &'static str,
    },
    /// An argument with a path that is only read.
    Read {
        argument: &'static str,
        field: &'static str,
    },
    /// An argument with a path that work is done at.
    Work {
        argument: &'static str,
        field: &'static str,
    },
    /// The path of a workflow, or its text.
    Workflow,
    /// An argument of the door's own.
    Own(&'static str),
}

use Take::{Field, Own, Read, Text, Work, Workflow};

const PLAN: Take = Text {
    argument: "plan",
    field: "org",
};
const WORKDIR: Take = Work {
    argument: "workdir",
    field: "workdir",
};

pub(crate) static TOOLS: &[Tool] = &[
    Tool {
        name: "check_plan",
        says: "Judge an Org plan without running it. validate: does it cohere (empty list: yes). lint: the same with \
               hints and lines. tasks: its outline, each task with the check that decides. check_upgrade: does `plan` keep the \
               promises of `old`. status: every verdict on its tasks so far.",
        actions: &[
            Action {
                name: "validate",
                operation: "plan.validate",
                takes: &[PLAN],
            },
            Action {
                name: "lint",
                operation: "plan.lint",
                takes: &[PLAN],
            },
            Action {
                name: "tasks",
                operation: "plan.tasks",
                takes: &[PLAN],
            },
            Action {
                name: "check_upgrade",
                operation: "plan.check_upgrade",
                takes: &[
                    Text {
                        argument: "plan",
                        field: "new",
                    },
                    Text {
                        argument: "old",
                        field: "old",
                    },
                ],
            },
            Action {
                name: "status",
                operation: "telemetry.events",
                takes: &[
                    Read {
                        argument: "plan",
                        field: "at",
                    },
                    Field("task"),
                ],
            },
        ],
        rest: "ask about one task, or read the resource plan://",
    },
    Tool {
        name: "run_plan",
        says: "Work a plan off. A task is DONE only when its check passes; your word is not enough. worker shell: the sh block \
               of each task is run, and the answer comes at the end. worker wait: you do the work; the answer lists the open \
               tasks at once, and you call report_task for each. A plan that was run before goes on where it stopped.",
        actions: &[Action {
            name: "start",
            operation: "run.start",
            takes: &[
                Work {
                    argument: "plan",
                    field: "plan",
                },
                WORKDIR,
                Field("worker"),
                Field("width"),
            ],
        }],
        rest: "read the resource run://",
    },
    Tool {
        name: "report_task",
        says: "Say that you finished a task of a run (`ok`: what you did) or could not (`error`: why). The task's check runs \
               then, and the answer is its verdict: done, or failed with the reason; and the tasks that are open now.",
        actions: &[Action {
            name: "report",
            operation: "run.report",
            takes: &[Field("run"), Field("task"), Field("ok"), Field("error")],
        }],
        rest: "ask follow_run",
    },
    Tool {
        name: "follow_run",
        says: "How a run stands, also one of long ago; with `wait`, after at most that many seconds or its end. Without `run`: \
               the runs of this engine.",
        actions: &[Action {
            name: "status",
            operation: "run.status",
            takes: &[Field("run"), Own("wait")],
        }],
        rest: "read the resource run://",
    },
    Tool {
        name: "cancel_run",
        says: "End a run. Tasks that did not finish stay as they are.",
        actions: &[Action {
            name: "cancel",
            operation: "run.cancel",
            takes: &[Field("run")],
        }],
        rest: "",
    },
    Tool {
        name: "session",
        says: "Work a workflow off step by step in a session that survives you. start: `workflow`, `context`; the answer has the \
               pending step and a token. continue: `token` of the last answer and `output` {notes, artifacts}; the step's check \
               runs in `workdir`, and a refusal lists blockers and a token to try again. intent rehydrate tells where you \
               are. checkpoint: `token`, `notes`. The same token always gets the same answer.",
        actions: &[
            Action {
                name: "start",
                operation: "session.start",
                takes: &[Workflow, Field("context"), Field("preferences")],
            },
            Action {
                name: "continue",
                operation: "session.continue",
                takes: &[
                    Field("token"),
                    Field("intent"),
                    Field("context"),
                    Field("output"),
                    Field("preferences"),
                    Own("workdir"),
                ],
            },
            Action {
                name: "checkpoint",
                operation: "session.checkpoint",
                takes: &[Field("token"), Field("notes")],
            },
        ],
        rest: "rehydrate with the token",
    },
    Tool {
        name: "find_session",
        says: "Find your way back. resume: sessions that fit `text`, `gitBranch`, `gitHeadSha` or `workflowId`, best first, each \
               with a token. list: all. inspect: one `sessionId` in full. rewind: a token for a `nodeId` of it.",
        actions: &[
            Action {
                name: "resume",
                operation: "session.resume",
                takes: &[
                    Field("text"),
                    Field("gitBranch"),
                    Field("gitHeadSha"),
                    Field("workflowId"),
                ],
            },
            Action {
                name: "list",
                operation: "session.list",
                takes: &[],
            },
            Action {
                name: "inspect",
                operation: "session.inspect",
                takes: &[Field("sessionId")],
            },
            Action {
                name: "rewind",
                operation: "session.rewind",
                takes: &[Field("sessionId"), Field("nodeId")],
            },
        ],
        rest: "inspect one session",
    },
    Tool {
        name: "run_shell",
        says: "Run a POSIX shell script; every command of it is WebAssembly in a sandbox with no network. `workdir` becomes `/`, \
               and there is no other directory; by default it is the first that the operator listed.",
        actions: &[Action {
            name: "run",
            operation: "shell.run",
            takes: &[
                Field("script"),
                WORKDIR,
                Field("args"),
                Field("stdin"),
                Field("timeout"),
            ],
        }],
        rest: "write the output to a file in the script, and read it in parts with sed -n",
    },
    Tool {
        name: "toolkits",
        says: "Toolkits hold skills, recipes and commands. list: all. search: lines with all words of `query`. show: manifest, \
               skills and recipes of `id`. skill: the text of one `skill` of `id`.",
        actions: &[
            Action {
                name: "list",
                operation: "toolkit.list",
                takes: &[],
            },
            Action {
                name: "search",
                operation: "toolkit.search",
                takes: &[Field("query")],
            },
            Action {
                name: "show",
                operation: "toolkit.show",
                takes: &[Field("id")],
            },
            Action {
                name: "skill",
                operation: "toolkit.skill",
                takes: &[Field("id"), Field("skill")],
            },
        ],
        rest: "search for the part, or read the resource skill://",
    },
    Tool {
        name: "audit_toolkit",
        says: "Say which scripts of the toolkit in `dir` run in the sandbox, and write the findings into its manifest.",
        actions: &[Action {
            name: "audit",
            operation: "toolkit.audit",
            takes: &[
                Work {
                    argument: "dir",
                    field: "dir",
                },
                Field("deep"),
            ],
        }],
        rest: "read the manifest",
    },
];

impl Tool {
    pub fn find(name: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }
}

impl Action {
    /// The operation.
    pub fn row(&self) -> &'static Operation {
        operations::find(self.operation).expect("a tool names operations that are there; a test asks all of them")
    }
}

impl Take {
    /// The argument that an agent sees.
    pub const fn argument(&self) -> &'static str {
        match self {
            Field(name) | Own(name) => name,
            Text { argument, .. } | Read { argument, .. } | Work { argument, .. } => argument,
            Workflow => "workflow",
        }
    }
}

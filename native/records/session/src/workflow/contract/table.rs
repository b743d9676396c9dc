//! The contracts.

use super::{Contract, Field, Shape};
use Shape::{Boolean, Either, Integer, List, Map, Number, OneOf, Open, Record, Text};

const fn must(name: &'static str, shape: Shape, summary: &'static str) -> Field {
    Field {
        name,
        shape,
        required: true,
        summary,
    }
}

const fn may(name: &'static str, shape: Shape, summary: &'static str) -> Field {
    Field {
        name,
        shape,
        required: false,
        summary,
    }
}

const ID: Shape = Text(1, 64);
const LINE: Shape = Text(1, 200);
const PATH: Shape = Text(1, 300);
const PARAGRAPH: Shape = Text(1, 1024);
const LONG: Shape = Text(1, 4096);
const CONFIDENCE: Shape = OneOf(&["high", "medium", "low"]);

/// The user's word that an agent may go further. No step asks for it, so it is in no workflow.
pub const GRANT: Contract = Contract {
    name: "wb.contracts.autonomy_grant",
    kind: "wb.autonomy_grant",
    summary: "the user's word that the agent may go further than before",
    fields: &[
        must(
            "autonomy",
            OneOf(&["guided", "full_auto_stop_on_user_deps", "full_auto_never_stop"]),
            "how far the agent may go from here on",
        ),
        may(
            "riskPolicy",
            OneOf(&["conservative", "balanced", "aggressive"]),
            "the risk that it may take; what goes with the autonomy when absent",
        ),
        must("approvedBy", LINE, "who said so"),
        must("statement", PARAGRAPH, "what they said"),
    ],
};

/// Every contract that a step can ask for, in the order of the names.
pub const CONTRACTS: &[Contract] = &[
    Contract {
        name: "wb.contracts.capability_probe",
        kind: "wb.capability_probe",
        summary: "what came of trying a capability",
        fields: &[
            must("capability", OneOf(&["delegation", "web_browsing"]), "what was tried"),
            must("result", OneOf(&["success", "failure"]), "whether it worked"),
            may(
                "failureCode",
                OneOf(&["tool_missing", "tool_error", "policy_blocked", "unknown"]),
                "why not",
            ),
            must("evidence", PARAGRAPH, "the call that was made and what came back"),
        ],
    },
    Contract {
        name: "wb.contracts.change_plan",
        kind: "wb.change_plan",
        summary: "a change in steps that can be checked and undone",
        fields: &[
            must("summary", PARAGRAPH, "the change in a sentence or two"),
            must(
                "steps",
                List(
                    &Record(&[
                        must("do", PARAGRAPH, "the step"),
                        must("check", PARAGRAPH, "how to see that it worked"),
                    ]),
                    1,
                    40,
                ),
                "in order",
            ),
            must("rollback", PARAGRAPH, "how to undo it"),
            may("risks", List(&LINE, 0, 12), "what can go wrong"),
        ],
    },
    Contract {
        name: "wb.contracts.checklist",
        kind: "wb.checklist",
        summary: "items that were looked at, each with what was seen",
        fields: &[must(
            "items",
            List(
                &Record(&[
                    must("item", LINE, "what was looked at"),
                    must("ok", Boolean, "whether it is in order"),
                    must("evidence", PARAGRAPH, "what was seen"),
                ]),
                1,
                60,
            ),
            "every item",
        )],
    },
    Contract {
        name: "wb.contracts.confirmation",
        kind: "wb.confirmation",
        summary: "the user's approval, in the user's words",
        fields: &[
            must("approvedBy", LINE, "who approved"),
            must("statement", PARAGRAPH, "what they said"),
        ],
    },
    Contract {
        name: "wb.contracts.data_profile",
        kind: "wb.data_profile",
        summary: "what a data set holds and what is wrong with it",
        fields: &[
            must("source", PATH, "the file or table"),
            must("rows", Integer(0, 1_000_000_000_000), "how many"),
            must(
                "columns",
                List(
                    &Record(&[
                        must("name", LINE, "the column"),
                        must("type", LINE, "what it holds"),
                        may("missing", Integer(0, 1_000_000_000_000), "how many are empty"),
                        may("problem", PARAGRAPH, "what is wrong with it"),
                    ]),
                    1,
                    200,
                ),
                "each column",
            ),
        ],
    },
    Contract {
        name: "wb.contracts.decision",
        kind: "wb.decision",
        summary: "a choice with the options it was made among",
        fields: &[
            must("question", PARAGRAPH, "what was decided"),
            must(
                "options",
                List(
                    &Record(&[
                        must("name", LINE, "the option"),
                        must("because", PARAGRAPH, "for and against"),
                    ]),
                    2,
                    12,
                ),
                "what was weighed",
            ),
            must("chosen", LINE, "the option that won"),
            must("because", PARAGRAPH, "why"),
        ],
    },
    Contract {
        name: "wb.contracts.evidence",
        kind: "wb.evidence",
        summary: "claims, each with the source it rests on",
        fields: &[must(
            "claims",
            List(
                &Record(&[
                    must("claim", PARAGRAPH, "one sentence"),
                    must("source", Text(1, 512), "where it is written, as exactly as possible"),
                    must("quote", PARAGRAPH, "the words that say it"),
                    must("confidence", CONFIDENCE, "how sure it is"),
                ]),
                1,
                60,
            ),
            "every claim",
        )],
    },
    Contract {
        name: "wb.contracts.findings",
        kind: "wb.findings",
        summary: "what was found; an empty list says that nothing was",
        fields: &[
            must(
                "findings",
                List(
                    &Record(&[
                        must("title", LINE, "in a few words"),
                        must("severity", OneOf(&["critical", "major", "minor", "nit"]), "how bad"),
                        must("location", PATH, "file and line, or where else"),
                        must("evidence", PARAGRAPH, "what shows it"),
                        may("fix", PARAGRAPH, "what to do"),
                    ]),
                    0,
                    100,
                ),
                "every finding",
            ),
            must("summary", PARAGRAPH, "in a sentence or two"),
        ],
    },
    Contract {
        name: "wb.contracts.hypotheses",
        kind: "wb.hypotheses",
        summary: "explanations, each with the test that would refute it",
        fields: &[must(
            "hypotheses",
            List(
                &Record(&[
                    must("id", ID, "a short name"),
                    must("claim", PARAGRAPH, "the explanation"),
                    must("test", PARAGRAPH, "what would refute it"),
                    must("status", OneOf(&["open", "supported", "refuted"]), "how it stands"),
                    may("evidence", PARAGRAPH, "what was seen"),
                ]),
                1,
                20,
            ),
            "every explanation",
        )],
    },
    Contract {
        name: "wb.contracts.report",
        kind: "wb.report",
        summary: "the result, and where it is",
        fields: &[
            must("title", LINE, "what it is"),
            must("path", PATH, "the file that holds it"),
            must("summary", LONG, "what it says"),
            may("openQuestions", List(&LINE, 0, 20), "what is still unknown"),
        ],
    },
    Contract {
        name: "wb.contracts.root_cause",
        kind: "wb.root_cause",
        summary: "why it happened, and how that was shown",
        fields: &[
            must("cause", PARAGRAPH, "the cause"),
            must("location", PATH, "file and line, or where else"),
            must("reproduction", PARAGRAPH, "how to make it happen"),
            must("evidence", PARAGRAPH, "what shows that this is the cause"),
            must("confidence", CONFIDENCE, "how sure it is"),
        ],
    },
    Contract {
        name: "wb.contracts.timeline",
        kind: "wb.timeline",
        summary: "what happened when",
        fields: &[must(
            "entries",
            List(
                &Record(&[
                    must("at", LINE, "the time, with its zone"),
                    must("what", PARAGRAPH, "what happened"),
                    may("source", PATH, "where that is known from"),
                ]),
                1,
                200,
            ),
            "in order",
        )],
    },
    Contract {
        name: "wb.contracts.verdict",
        kind: "wb.verdict",
        summary: "a judgement with its reasons",
        fields: &[
            must(
                "verdict",
                OneOf(&["accept", "accept_with_changes", "reject"]),
                "the judgement",
            ),
            must("confidence", CONFIDENCE, "how sure it is"),
            must("because", PARAGRAPH, "why"),
            may("conditions", List(&LINE, 0, 20), "what has to change"),
        ],
    },
    Contract {
        name: "wr.contracts.assessment",
        kind: "wr.assessment",
        summary: "a level for each dimension of an assessment",
        fields: &[
            may(
                "assessmentId",
                ID,
                "which assessment; may be left out when the step has one",
            ),
            must(
                "dimensions",
                Map(&Either(
                    &ID,
                    &Record(&[must("level", ID, "the level"), may("rationale", Text(1, 512), "why")]),
                )),
                "the level of each dimension",
            ),
            may("summary", PARAGRAPH, "in a sentence or two"),
        ],
    },
    Contract {
        name: "wr.contracts.coding_handoff",
        kind: "wr.coding_handoff",
        summary: "what the next reader of a change needs to know",
        fields: &[
            must("version", Number(1), "the version of this shape"),
            may("branchName", LINE, "the branch"),
            must("keyDecisions", List(&LINE, 0, 8), "what was decided"),
            must("knownLimitations", List(&LINE, 0, 6), "what falls short"),
            must("testsAdded", List(&LINE, 0, 10), "which tests"),
            must("filesChanged", List(&PATH, 0, 20), "which files"),
            may(
                "correctedAssumptions",
                List(
                    &Record(&[
                        must("assumed", LINE, "what was thought"),
                        must("actual", LINE, "what is so"),
                    ]),
                    0,
                    6,
                ),
                "what turned out otherwise",
            ),
        ],
    },
    Contract {
        name: "wr.contracts.differentiation_handoff",
        kind: "wr.differentiation_handoff",
        summary: "a position and what shaping it needs",
        fields: &[
            must("version", Number(1), "the version of this shape"),
            must("schemaVersion", OneOf(&["1.0.0"]), "the version of the schema"),
            must("generatedAt", LINE, "the time, as ISO 8601"),
            must(
                "evidenceFreshness",
                Record(&[
                    must("oldestCapturedAt", LINE, "the oldest"),
                    must("newestCapturedAt", LINE, "the newest"),
                ]),
                "how old the evidence is",
            ),
            must("validationChecklist", List(&LINE, 0, 10), "what to check"),
            must(
                "shapingHandoff",
                Record(&[
                    must("rawIdea", LONG, "the idea"),
                    must("problem", LONG, "the problem"),
                    must("baseline", LONG, "what people do without it"),
                    must(
                        "appetiteHint",
                        OneOf(&["small_batch", "big_batch"]),
                        "how much to spend",
                    ),
                    must("noGosHints", List(&LINE, 0, 40), "what will not be built"),
                    must(
                        "constraints",
                        Record(&[
                            must("teamSize", Integer(1, 10_000), "how many people"),
                            must("technicalCapabilities", List(&LINE, 1, 40), "what they can do"),
                            may("exclusions", List(&LINE, 0, 40), "what is ruled out"),
                        ]),
                        "the limits",
                    ),
                    must("evidenceTopK", List(&LINE, 0, 10), "ids of the best evidence"),
                    must(
                        "defensibilityClaim",
                        Record(&[
                            must(
                                "power",
                                OneOf(&[
                                    "Counter-Positioning",
                                    "Switching Costs",
                                    "Network Economies",
                                    "Scale Economies",
                                    "Cornered Resource",
                                    "Process Power",
                                    "Branding",
                                    "None_Imitable",
                                ]),
                                "what defends it",
                            ),
                            must("cannibalization", Text(0, 4096), "what it takes from ourselves"),
                        ]),
                        "why others cannot copy it",
                    ),
                ]),
                "what shaping starts from",
            ),
        ],
    },
    Contract {
        name: "wr.contracts.discovery_handoff",
        kind: "wr.discovery_handoff",
        summary: "the direction that was chosen and what must stay true",
        fields: &[
            must("version", Number(1), "the version of this shape"),
            must("selectedDirection", LONG, "the direction"),
            must("designDocPath", Text(0, 300), "the design document"),
            must("confidenceBand", CONFIDENCE, "how sure it is"),
            must("keyInvariants", List(&LINE, 0, 12), "what must stay true"),
            may(
                "rejectedDirections",
                List(
                    &Record(&[
                        must("direction", LINE, "the direction"),
                        must("reason", PATH, "why not"),
                    ]),
                    0,
                    5,
                ),
                "what was not chosen",
            ),
            may("implementationConstraints", List(&LINE, 0, 8), "what binds the work"),
            may(
                "keyCodebaseLocations",
                List(
                    &Record(&[must("path", PATH, "where"), must("relevance", Text(1, 150), "why")]),
                    0,
                    10,
                ),
                "where to look",
            ),
            may(
                "selectionTier",
                OneOf(&[
                    "strong_recommendation",
                    "provisional_recommendation",
                    "insufficient_signal",
                ]),
                "how strong the choice is",
            ),
        ],
    },
    Contract {
        name: "wr.contracts.gate_verdict",
        kind: "wr.gate_verdict",
        summary: "whether a gate is passed",
        fields: &[
            must("version", Number(1), "the version of this shape"),
            must(
                "verdict",
                OneOf(&["approved", "rejected", "uncertain"]),
                "the judgement",
            ),
            must("confidence", CONFIDENCE, "how sure it is"),
            must("rationale", Text(20, 4096), "why"),
        ],
    },
    Contract {
        name: "wr.contracts.loop_control",
        kind: "wr.loop_control",
        summary: "whether the loop goes round once more",
        fields: &[
            may("loopId", ID, "which loop; may be left out for the innermost"),
            must("decision", OneOf(&["continue", "stop"]), "once more, or no more"),
            may("summary", PARAGRAPH, "why"),
            may(
                "metadata",
                Record(&[
                    may("reason", PARAGRAPH, "why"),
                    may("issuesFound", Integer(0, 1_000_000), "how many"),
                    may("iterationIndex", Integer(0, 1_000_000), "which iteration"),
                    may("confidence", Integer(0, 100), "how sure, in percent"),
                ]),
                "facts behind the decision",
            ),
        ],
    },
    Contract {
        name: "wr.contracts.review_verdict",
        kind: "wr.review_verdict",
        summary: "the outcome of a review",
        fields: &[
            must("verdict", OneOf(&["clean", "minor", "blocking"]), "the judgement"),
            must("confidence", CONFIDENCE, "how sure it is"),
            must(
                "findings",
                List(
                    &Open(&[
                        must("severity", OneOf(&["critical", "major", "minor", "nit"]), "how bad"),
                        must("summary", PARAGRAPH, "what"),
                        may(
                            "findingCategory",
                            OneOf(&[
                                "correctness",
                                "security",
                                "architecture",
                                "ux",
                                "performance",
                                "testing",
                                "style",
                            ]),
                            "which kind",
                        ),
                    ]),
                    0,
                    200,
                ),
                "every finding",
            ),
            must("summary", PARAGRAPH, "in a sentence"),
        ],
    },
    Contract {
        name: "wr.contracts.shaping_handoff",
        kind: "wr.shaping_handoff",
        summary: "the shape that was chosen and its bounds",
        fields: &[
            must("version", Number(1), "the version of this shape"),
            must("pitchPath", PATH, "the pitch"),
            must("selectedShape", LINE, "the shape"),
            must("appetite", Text(1, 100), "how much to spend"),
            must("keyConstraints", List(&LINE, 0, 8), "what binds the work"),
            must("rabbitHoles", List(&LINE, 0, 6), "what to stay out of"),
            must("outOfScope", List(&LINE, 0, 6), "what is not part of it"),
            must("validationChecklist", List(&LINE, 0, 10), "what to check"),
        ],
    },
];

//! The workflows that come with the program.

/// The texts of the bundled workflows, by the name after `wb.`.
pub const BUNDLED: &[(&str, &str)] = &[
    (
        "bug_investigation",
        include_str!("../../../../../examples/workflows/bug_investigation.org"),
    ),
    (
        "code_review",
        include_str!("../../../../../examples/workflows/code_review.org"),
    ),
    (
        "data_cleanup",
        include_str!("../../../../../examples/workflows/data_cleanup.org"),
    ),
    (
        "decision_record",
        include_str!("../../../../../examples/workflows/decision_record.org"),
    ),
    (
        "dependency_upgrade",
        include_str!("../../../../../examples/workflows/dependency_upgrade.org"),
    ),
    (
        "documentation",
        include_str!("../../../../../examples/workflows/documentation.org"),
    ),
    (
        "incident_response",
        include_str!("../../../../../examples/workflows/incident_response.org"),
    ),
    (
        "refactoring",
        include_str!("../../../../../examples/workflows/refactoring.org"),
    ),
    (
        "release_checklist",
        include_str!("../../../../../examples/workflows/release_checklist.org"),
    ),
    (
        "research",
        include_str!("../../../../../examples/workflows/research.org"),
    ),
];

//! Texts that workflows refer to by name. They are embedded when a workflow is compiled.

/// `wr.refs.*`: text that a prompt refers to.
pub(crate) const REFS: &[(&str, &str)] = &[
    (
        "wr.refs.adversarial_challenge_rules",
        "Attack the strongest form of the claim. Name the observation that would refute it and look for that one first. \
         A challenge without a concrete counter-example, a missing case or a cheaper explanation does not count.",
    ),
    (
        "wr.refs.notes_first_durability",
        "Write what must survive into the notes of the step: what you did, what you produced and where it is, what is \
         still open. The chat may be lost at any moment; the notes are not.",
    ),
    (
        "wr.refs.parallelize_cognition_serialize_synthesis",
        "Let independent lines of thought run side by side, and bring them together in one place: one author reads \
         every result, resolves what contradicts, and decides.",
    ),
    (
        "wr.refs.synthesis_under_disagreement",
        "When sources disagree, keep both claims with their evidence. Say which one you follow, why, and what would \
         change your mind. Do not average them.",
    ),
];

/// `wr.features.*`: a constraint that is added to every step.
pub(crate) const FEATURES: &[(&str, &str)] = &[
    (
        "wr.features.capabilities",
        "Try a tool before you rely on it, and report what you found as a capability observation. If it is missing, do \
         the step without it and say so in the notes.",
    ),
    (
        "wr.features.subagent_guidance",
        "When you hand work to another agent, give it the question, the files and the form of the answer. Do not start \
         a second session for it. What comes back is material: check it before you use it.",
    ),
];

/// The template that a probe step is made from.
pub(crate) const PROBE_TEMPLATE: &str = "wb.templates.capability_probe";

pub(crate) fn find(table: &'static [(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(id, _)| *id == name).map(|(_, text)| *text)
}

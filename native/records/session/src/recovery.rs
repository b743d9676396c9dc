//! What is told to an agent that lost its chat: what was done on the way here and, where the run went on from here
//! before, what came after.

use std::collections::BTreeSet;

use crate::NodeId;
use crate::event::{NodeKind, Payload};
use crate::limits;
use crate::project::{current_outputs, last_activity, preferred_tip};
use crate::state::{Node, State};
use crate::text::{TRUNCATED, truncate};
use crate::workflow::TaskStep;

/// How much of a branch's notes its summary shows.
const SUMMARY: usize = 240;
/// How many branches are told about.
const BRANCHES: usize = 8;

/// What a node's recovery looks up.
pub(crate) struct Recovery<'s> {
    pub state: &'s State,
    /// The step that is pending on a node; none at the end, or when it cannot be read.
    pub step: &'s dyn Fn(&Node) -> Option<&'s TaskStep>,
}

impl Recovery<'_> {
    /// The text for a node; nothing when there is nothing to tell.
    pub(crate) fn of(&self, node: NodeId) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        let mut length = 0;
        let way: BTreeSet<NodeId> = self.state.lineage(node).map(|node| node.id).collect();
        for node in self.state.lineage(node) {
            for note in notes(node).into_iter().chain(self.beside(node, &way)) {
                length += note.len();
                parts.push(note);
            }
            if length > limits::RECOVERY {
                break;
            }
        }
        let mut text = parts.join("\n\n---\n\n");
        if let Some(after) = self.after(node) {
            if !text.is_empty() {
                text.push_str("\n\n---\n\n");
            }
            text.push_str(&after);
        }
        (!text.is_empty()).then(|| truncate(&text, limits::RECOVERY))
    }

    /// The notes of checkpoints that were made on a node and that the run did not go on from, the latest first.
    fn beside(&self, node: &Node, way: &BTreeSet<NodeId>) -> Vec<String> {
        let mut found = Vec::new();
        for id in node.checkpoints.iter().rev().filter(|id| !way.contains(id)) {
            if let Some(checkpoint) = self.state.node(*id) {
                found.extend(self.beside(checkpoint, way));
                found.extend(notes(checkpoint));
            }
        }
        found
    }

    /// Where the run went from this node before: the way to the preferred tip, then the other branches.
    fn after(&self, node: NodeId) -> Option<String> {
        let tip = preferred_tip(self.state)?;
        let way: Vec<&Node> = self.state.lineage(tip.id).take_while(|n| n.id != node).collect();
        let is_above = self.state.lineage(tip.id).any(|n| n.id == node);
        let below: BTreeSet<NodeId> = self.below(node);
        let moved = |n: &&Node| n.kind == NodeKind::Step;
        let mut parts = Vec::new();
        if is_above && way.iter().any(moved) {
            parts.push("AFTER THIS STEP, on the preferred branch:".to_owned());
            let down: Vec<&Node> = way.iter().rev().copied().collect();
            // The notes of a step lie on its own node, so the node itself comes first.
            parts.extend(
                down.iter()
                    .flat_map(|n| notes(n))
                    .map(|note| note.trim_end().to_owned()),
            );
            parts.extend(self.names(&down));
        }
        let activity = last_activity(self.state);
        let mut leaves: Vec<&Node> = self
            .state
            .nodes()
            .filter(|n| below.contains(&n.id) && n.children == 0 && n.kind == NodeKind::Step && n.id != tip.id)
            .collect();
        leaves.sort_by_key(|n| (std::cmp::Reverse(activity.get(&n.id).copied().unwrap_or(0)), n.id));
        if !leaves.is_empty() {
            parts.push("OTHER BRANCHES from here:".to_owned());
            let more = leaves.len().saturating_sub(BRANCHES);
            parts.extend(leaves.into_iter().take(BRANCHES).map(|leaf| self.branch(leaf)));
            if more > 0 {
                parts.push(format!("- and {more} more"));
            }
        }
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    fn branch(&self, leaf: &Node) -> String {
        let step = (self.step)(leaf).map_or("the end", |task| task.id.as_str());
        let latest = self.state.lineage(leaf.id).find_map(|n| notes(n).into_iter().next());
        let said = latest.map_or_else(String::new, |note| {
            format!(": {}", crate::text::clip(&note.replace('\n', " "), SUMMARY))
        });
        format!("- {} at {step}{said}", leaf.id)
    }

    /// What names in the prompts of these steps mean, each once.
    fn names(&self, nodes: &[&Node]) -> Vec<String> {
        let mut told = BTreeSet::new();
        let functions = nodes
            .iter()
            .filter_map(|n| (self.step)(n))
            .flat_map(|task| &task.functions);
        let lines: Vec<String> = functions
            .filter(|f| told.insert(f.name.as_str()))
            .map(|f| format!("{}: {}", f.name, f.definition))
            .collect();
        match lines.is_empty() {
            true => Vec::new(),
            false => std::iter::once("Names used there:".to_owned()).chain(lines).collect(),
        }
    }

    fn below(&self, node: NodeId) -> BTreeSet<NodeId> {
        let mut below = BTreeSet::from([node]);
        // A node comes after its parent, so one pass will do.
        for n in self.state.nodes() {
            if n.parent.is_some_and(|parent| below.contains(&parent)) {
                below.insert(n.id);
            }
        }
        below.remove(&node);
        below
    }
}

fn notes(node: &Node) -> Vec<String> {
    let note = |output: &crate::state::Output| match &output.payload {
        Payload::Notes { notes_markdown } => Some(
            notes_markdown
                .strip_suffix(TRUNCATED)
                .unwrap_or(notes_markdown)
                .to_owned(),
        ),
        Payload::Artifact { .. } => None,
    };
    current_outputs(node).into_iter().filter_map(note).collect()
}

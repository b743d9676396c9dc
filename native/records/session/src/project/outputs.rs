//! The outputs of a node that still count.

use std::collections::BTreeSet;

use crate::OutputId;
use crate::event::Channel;
use crate::state::{Node, Output};

/// The outputs that no later one corrects; of the recap only the latest.
pub fn current_outputs(node: &Node) -> Vec<&Output> {
    let corrected: BTreeSet<OutputId> = node.outputs.iter().filter_map(|o| o.supersedes).collect();
    let current = node.outputs.iter().filter(|o| !corrected.contains(&o.id));
    let recap = current.clone().rfind(|o| o.channel == Channel::Recap);
    recap
        .into_iter()
        .chain(current.filter(|o| o.channel == Channel::Artifact))
        .collect()
}

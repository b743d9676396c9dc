//! Which end of a run people mean when they say "the run".

use std::collections::HashMap;

use crate::NodeId;
use crate::state::{Node, State};

/// The index of the last event on a node or on one it comes from.
pub fn last_activity(state: &State) -> HashMap<NodeId, u64> {
    let mut activity: HashMap<NodeId, u64> = HashMap::new();
    // A node comes after its parent, so one pass will do.
    for node in state.nodes() {
        let inherited = node
            .parent
            .and_then(|parent| activity.get(&parent).copied())
            .unwrap_or(0);
        activity.insert(node.id, node.touched_at.max(inherited));
    }
    activity
}

/// The leaf with the latest activity; then the one created last; then by name.
pub fn preferred_tip(state: &State) -> Option<&Node> {
    let activity = last_activity(state);
    let leaves = state.nodes().filter(|node| node.children == 0);
    leaves.max_by_key(|node| (activity[&node.id], node.created_at, node.id))
}

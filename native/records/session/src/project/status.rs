//! How a run stands.

use serde::{Deserialize, Serialize};

use crate::event::{GapReason, NodeKind, Severity};
use crate::snapshot::EngineState;
use crate::state::{Node, State};

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// A step is pending.
    InProgress,
    /// The last attempt was refused, or only the user can help.
    Blocked,
    /// Every step is done.
    Complete,
    /// Every step is done, and something required is missing.
    CompleteWithGaps,
}

/// How the run stands at its tip.
pub fn run_status(state: &State, tip: &Node, snapshot: &EngineState) -> RunStatus {
    let mut open = state
        .gaps
        .values()
        .filter(|gap| gap.severity == Severity::Critical && !gap.resolved);
    if matches!(snapshot, EngineState::Complete) {
        return if open.next().is_some() {
            RunStatus::CompleteWithGaps
        } else {
            RunStatus::Complete
        };
    }
    let stops = |gap: &crate::state::Gap| gap.node == tip.id && !matches!(gap.reason, GapReason::Unexpected(_));
    if tip.kind == NodeKind::BlockedAttempt || (tip.preferences.autonomy.blocks() && open.any(stops)) {
        return RunStatus::Blocked;
    }
    RunStatus::InProgress
}

//! Who may change how far an agent goes. Going less far is the agent's own; going further is the user's or the operator's.

use serde_json::Value;

use super::request::{ContinueRequest, PreferenceChange};
use crate::error::Error;
use crate::event::{ChangeSource, Delta, Preferences};
use crate::policy::Policy;
use crate::workflow::GRANT;

/// A change that is allowed, and who it is from.
pub(crate) struct Change {
    pub delta: Vec<Delta>,
    pub effective: Preferences,
    pub source: ChangeSource,
}

/// What whoever starts a session chooses. The operator's limit holds for them too.
pub(crate) fn at_start(wanted: &PreferenceChange, policy: &Policy) -> Result<Change, Error> {
    let before = Preferences::default();
    let delta = wanted.delta(before);
    let effective = before.apply(&delta);
    within(effective, policy)?;
    Ok(Change {
        delta,
        effective,
        source: ChangeSource::Starter,
    })
}

/// What a call of the agent changes.
pub(crate) fn later(request: &ContinueRequest, before: Preferences, policy: &Policy) -> Result<Change, Error> {
    let delta = request.preferences.delta(before);
    let effective = before.apply(&delta);
    let further = effective.autonomy > before.autonomy || effective.risk_policy > before.risk_policy;
    let source = if !further {
        ChangeSource::Agent
    } else if granted(request, effective) {
        ChangeSource::User
    } else if policy.lets_agent(effective) {
        ChangeSource::Operator
    } else {
        return Err(Error::validation(
            format!(
                "an agent cannot raise its own autonomy or risk: {} at {} risk was asked for, and {} at {} risk holds",
                effective.autonomy.as_str(),
                effective.risk_policy.as_str(),
                before.autonomy.as_str(),
                before.risk_policy.as_str()
            ),
            "ask the user, and send a wb.autonomy_grant artifact with autonomy, approvedBy and their own statement; \
             the operator can allow it for every session with `wbx session policy`",
        ));
    };
    within(effective, policy)?;
    Ok(Change {
        delta,
        effective,
        source,
    })
}

fn within(wanted: Preferences, policy: &Policy) -> Result<(), Error> {
    if wanted.autonomy <= policy.most_autonomy {
        return Ok(());
    }
    Err(Error::validation(
        format!(
            "the operator allows autonomy {} at most, and {} was asked for",
            policy.most_autonomy.as_str(),
            wanted.autonomy.as_str()
        ),
        "choose less, or ask the operator",
    ))
}

/// Whether the user's artifact covers what is asked for.
fn granted(request: &ContinueRequest, wanted: Preferences) -> bool {
    let schema = GRANT.schema();
    request.output.artifacts.iter().any(|artifact| {
        let value = Value::Object(artifact.clone());
        let is_grant = value["kind"] == GRANT.kind && schema.check(&value).is_empty();
        let change: Option<PreferenceChange> = is_grant
            .then(|| {
                serde_json::from_value(serde_json::json!({
                    "autonomy": value["autonomy"],
                    "riskPolicy": value["riskPolicy"],
                }))
                .ok()
            })
            .flatten();
        change.is_some_and(|granted| {
            let risk = granted
                .risk_policy
                .or(granted.autonomy.map(crate::event::Autonomy::preset));
            granted.autonomy.is_some_and(|autonomy| wanted.autonomy <= autonomy)
                && risk.is_some_and(|risk| wanted.risk_policy <= risk)
        })
    })
}

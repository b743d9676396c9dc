//! The protocol, behaviour by behaviour, on disk and in memory alike.

mod agent;

use std::cell::Cell;

use agent::{compiled, object, pass};
use serde_json::{Map, Value, json};
use session::event::{Autonomy, BlockerCode, CauseKind, ChangeSource, Fact, Finding, NodeKind, Pointer, Printed, Risk};
use session::ports::Store;
use session::project::{Query, RunStatus, WhyMatched};
use session::protocol::{CheckpointRequest, NextIntent, PreferenceChange, RewindRequest};
use session::{
    Answer, Code, ContinueRequest, Engine, Error, Handle, Intent, MemoryStore, StartRequest, StateToken, Token, Verdict,
};
use session_store::{FileStore, Options, System};

/// The same behaviours for each store.
macro_rules! behaviours {
    ($($name:ident)*) => {
        mod on_disk {
            $(#[test] fn $name() {
                let dir = tempfile::tempdir().unwrap();
                super::$name(&super::Engine::new(super::FileStore::open(dir.path(), super::Options::default()).unwrap(), super::System, super::System));
            })*
        }
        mod in_memory {
            $(#[test] fn $name() {
                super::$name(&super::Engine::new(super::MemoryStore::new(&super::System), super::System, super::System));
            })*
        }
    };
}

behaviours! {
    a_retried_call_gets_the_same_answer_and_does_not_advance_twice
    a_rewound_run_forks_and_the_fork_does_not_see_its_sibling
    rehydrating_writes_nothing_and_tells_what_was_done
    a_refusal_keeps_what_was_sent_says_what_is_required_and_can_be_retried
    a_refusal_is_replayed_as_a_refusal
    a_checkpoint_keeps_notes_and_the_step_stays_pending
    a_step_that_was_taken_through_a_checkpoint_forks_and_says_so
    notes_of_a_checkpoint_survive_when_the_work_goes_on_from_the_old_token
    a_node_that_was_gone_on_from_tells_what_came_after
    context_is_merged_at_the_top_and_null_deletes
    budgets_fail_fast_with_size_limit_and_method
    notes_that_are_too_long_are_cut_with_a_mark
    a_step_that_needs_approval_waits_for_the_users_word
    never_stop_turns_refusals_into_gaps_and_goes_on
    a_gap_can_be_closed_later
    a_complete_run_answers_complete_and_its_gaps_can_be_closed_by_evidence
    an_agent_cannot_raise_its_own_autonomy
    a_verdict_is_an_event_with_its_check_its_directory_and_what_it_printed
    whole_numbers_survive_or_are_refused
    one_cause_is_one_blocker
    what_the_plan_proved_is_skipped
    what_loops_want_of_the_context_is_told_at_the_start
    required_notes_are_required
    preferences_can_be_asked_for_by_conditions
    a_loop_is_decided_by_an_artifact_and_never_exits_in_silence
    a_loop_at_its_limit_refuses_to_go_on
    for_and_for_each_need_no_artifact
    a_loop_over_nothing_is_passed_over_with_a_trace
    a_claim_does_not_unlock_a_capability_and_a_try_does
    a_check_is_evidence_and_is_run_once
    an_assessment_can_ask_for_more_work
    preferences_are_set_recorded_and_warned_about
    divergence_and_superseding_notes_are_recorded
    observations_are_recorded_when_they_change
    a_lost_chat_is_found_again_by_its_branch
    tokens_that_do_not_fit_are_refused_by_name
    a_state_and_an_ack_token_do_what_the_handle_does
    every_answer_names_its_workflow_and_the_next_call
    a_prompt_is_filled_and_never_evaluated
    drift_of_the_source_is_reported_and_changes_nothing
    a_finished_run_is_complete
}

type E<S> = Engine<S>;

fn workflow(steps: Value) -> session::Compiled {
    compiled(
        &json!({"id": "project.x", "name": "X", "description": "", "version": "1.0.0", "steps": steps}).to_string(),
    )
}

fn step(id: &str) -> Value {
    json!({"id": id, "title": id, "prompt": format!("do {id}")})
}

fn start(engine: &E<impl Store>, steps: Value) -> Answer {
    engine.start(&StartRequest::new(workflow(steps))).unwrap()
}

fn with(answer: &Answer, change: impl FnOnce(&mut ContinueRequest)) -> ContinueRequest {
    let mut request = ContinueRequest::new(&answer.token, Intent::Advance);
    change(&mut request);
    request
}

fn go(engine: &E<impl Store>, answer: &Answer, change: impl FnOnce(&mut ContinueRequest)) -> Result<Answer, Error> {
    engine.continue_run(&with(answer, change), &pass)
}

fn on(engine: &E<impl Store>, answer: &Answer) -> Answer {
    go(engine, answer, |_| ()).unwrap()
}

fn send(artifact: Value) -> impl FnOnce(&mut ContinueRequest) {
    move |request| request.output.artifacts = vec![object(artifact)]
}

fn pending(answer: &Answer) -> &str {
    answer.pending.as_ref().map_or("complete", |p| &p.step_id)
}

fn codes(answer: &Answer) -> Vec<BlockerCode> {
    answer.blockers.iter().map(|b| b.code).collect()
}

fn events(engine: &E<impl Store>, answer: &Answer) -> u64 {
    engine.inspect(answer.session_id, None).unwrap().overview.events
}

fn status(engine: &E<impl Store>, answer: &Answer) -> RunStatus {
    engine
        .inspect(answer.session_id, None)
        .unwrap()
        .overview
        .status
        .unwrap()
}

fn a_retried_call_gets_the_same_answer_and_does_not_advance_twice(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b"), step("c")]));
    let request = with(&first, |r| r.output.notes = Some("done a".into()));
    let second = engine.continue_run(&request, &pass).unwrap();
    let written = events(engine, &first);
    for _ in 0..100 {
        assert_eq!(engine.continue_run(&request, &pass).unwrap(), second);
    }
    // Also when the retry says something else, and after the run has gone on.
    on(engine, &second);
    assert_eq!(
        go(engine, &first, |r| r.output.notes = Some("another".into())).unwrap(),
        second
    );
    assert_eq!(events(engine, &first), written + 4);
}

fn a_rewound_run_forks_and_the_fork_does_not_see_its_sibling(engine: &E<impl Store>) {
    let first = start(
        engine,
        json!([step("a"), {"id": "b", "title": "b", "prompt": "k is {{k}}"}]),
    );
    let left = go(engine, &first, |r| r.context = Some(object(json!({"k": "left"})))).unwrap();
    assert!(left.pending.as_ref().unwrap().prompt.starts_with("k is left"));
    let back = RewindRequest {
        session_id: first.session_id,
        node_id: Some(first.node_id),
    };
    let before = events(engine, &first);
    let rewound = engine.rewind(back).unwrap();
    assert_eq!(
        (events(engine, &first), rewound.next_intent),
        (before, NextIntent::RehydrateOnly)
    );
    let right = on(engine, &rewound);
    assert!(right.pending.as_ref().unwrap().prompt.starts_with("k is {{k}}"));
    assert_ne!(right.node_id, left.node_id);
    let seen = engine.inspect(first.session_id, None).unwrap();
    let causes: Vec<_> = seen.nodes.iter().filter_map(|node| node.cause).collect();
    assert_eq!(causes, [CauseKind::TipAdvance, CauseKind::NonTipAdvance]);
    assert_eq!(seen.tip, Some(right.node_id));
    // The sibling can still be gone on with.
    assert_eq!(pending(&on(engine, &left)), "complete");
}

fn rehydrating_writes_nothing_and_tells_what_was_done(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b")]));
    let second = go(engine, &first, |r| r.output.notes = Some("found the door".into())).unwrap();
    let before = events(engine, &first);
    let told = engine
        .continue_run(&ContinueRequest::new(&second.token, Intent::Rehydrate), &pass)
        .unwrap();
    assert_eq!(events(engine, &first), before);
    assert_eq!(
        (pending(&told), told.recovery.as_deref()),
        ("b", Some("found the door"))
    );
    assert_eq!(told.token, second.token);
}

fn a_refusal_keeps_what_was_sent_says_what_is_required_and_can_be_retried(engine: &E<impl Store>) {
    let first = start(
        engine,
        json!([{"id": "a", "title": "a", "outputContract": {"contractRef": "wb.contracts.verdict"}}]),
    );
    let refused = go(engine, &first, |r| r.output.notes = Some("I looked".into())).unwrap();
    assert_eq!(codes(&refused), [BlockerCode::MissingRequiredOutput]);
    assert_eq!(
        refused.blockers[0].pointer,
        Pointer::OutputContract {
            contract_ref: "wb.contracts.verdict".into()
        }
    );
    assert!(
        refused
            .required
            .join("\n")
            .contains("\"accept\" | \"accept_with_changes\" | \"reject\"")
    );
    assert_eq!((pending(&refused), refused.node_id), ("a", first.node_id));
    assert_ne!(refused.token, first.token);
    assert_eq!(status(engine, &first), RunStatus::Blocked);
    let seen = engine.inspect(first.session_id, None).unwrap();
    assert_eq!(seen.nodes[1].kind, NodeKind::BlockedAttempt);
    assert!(format!("{:?}", seen.nodes[1].outputs).contains("I looked"));
    // What was sent and does not fit is another refusal; what fits goes through, and is no fork.
    let wrong = go(
        engine,
        &refused,
        send(json!({"kind": "wb.verdict", "verdict": "perhaps"})),
    )
    .unwrap();
    assert_eq!(codes(&wrong), [BlockerCode::InvalidRequiredOutput]);
    let right = json!({"kind": "wb.verdict", "verdict": "accept", "confidence": "high", "because": "it holds"});
    let done = go(engine, &wrong, send(right)).unwrap();
    assert_eq!(
        (pending(&done), status(engine, &first)),
        ("complete", RunStatus::Complete)
    );
    let last = engine.inspect(first.session_id, None).unwrap().nodes.pop().unwrap();
    assert_eq!(last.cause, Some(CauseKind::TipAdvance));
}

fn a_refusal_is_replayed_as_a_refusal(engine: &E<impl Store>) {
    let first = start(
        engine,
        json!([{"id": "a", "title": "a", "requireConfirmation": true}, step("b")]),
    );
    let refused = on(engine, &first);
    assert_eq!(refused.next_intent, NextIntent::AwaitUserConfirmation);
    let word = json!({"kind": "wb.confirmation", "approvedBy": "Ada", "statement": "yes"});
    // The first token is used up by its refusal; only the new one can succeed.
    assert_eq!(go(engine, &first, send(word.clone())).unwrap(), refused);
    assert_eq!(pending(&go(engine, &refused, send(word)).unwrap()), "b");
    assert_eq!(on(engine, &first), refused);
}

fn a_checkpoint_keeps_notes_and_the_step_stays_pending(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b")]));
    let ask = |token: &str, notes: &str| CheckpointRequest {
        token: token.into(),
        notes: Some(notes.into()),
    };
    let made = engine.checkpoint(&ask(&first.token, "half way")).unwrap();
    assert_eq!((pending(&made), made.next_intent), ("a", NextIntent::RehydrateOnly));
    let written = events(engine, &first);
    assert_eq!(engine.checkpoint(&ask(&first.token, "half way")).unwrap(), made);
    assert_eq!(events(engine, &first), written);
    // Other notes are another checkpoint; a checkpoint token makes one whatever the notes are.
    assert_ne!(
        engine.checkpoint(&ask(&first.token, "further")).unwrap().node_id,
        made.node_id
    );
    let by_token = engine.checkpoint(&ask(&first.checkpoint_token, "third")).unwrap();
    assert_eq!(
        engine.checkpoint(&ask(&first.checkpoint_token, "not again")).unwrap(),
        by_token
    );
    let kinds: Vec<NodeKind> = engine
        .inspect(first.session_id, None)
        .unwrap()
        .nodes
        .iter()
        .map(|n| n.kind)
        .collect();
    assert_eq!(
        kinds,
        [
            NodeKind::Step,
            NodeKind::Checkpoint,
            NodeKind::Checkpoint,
            NodeKind::Checkpoint
        ]
    );
    // Going on from a checkpoint is no fork.
    assert_eq!(pending(&on(engine, &made)), "b");
    let seen = engine.inspect(first.session_id, None).unwrap();
    assert!(seen.nodes.iter().all(|n| n.cause != Some(CauseKind::NonTipAdvance)));
}

fn a_step_that_was_taken_through_a_checkpoint_forks_and_says_so(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b"), step("c")]));
    let ask = |token: &str, notes: &str| CheckpointRequest {
        token: token.into(),
        notes: Some(notes.into()),
    };
    let saved = engine.checkpoint(&ask(&first.token, "half way")).unwrap();
    let nested = engine.checkpoint(&ask(&saved.token, "further")).unwrap();
    let through = on(engine, &nested);
    assert_eq!(through.warnings, [""; 0]);
    for old in [&first, &saved] {
        let forked = on(engine, old);
        assert_eq!(pending(&forked), "b");
        assert_eq!(
            forked.warnings,
            ["the step was taken before, from here or from a checkpoint: this is a fork of that run"]
        );
        assert_eq!(on(engine, old), forked, "the retry says the same");
    }
    let seen = engine.inspect(first.session_id, None).unwrap();
    let forks = seen.nodes.iter().filter(|n| n.cause == Some(CauseKind::NonTipAdvance));
    assert_eq!(forks.count(), 2);
    assert!(format!("{:?}", seen.nodes.last().unwrap().trace).contains("DetectedNonTipAdvance"));
}

fn notes_of_a_checkpoint_survive_when_the_work_goes_on_from_the_old_token(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b")]));
    let request = CheckpointRequest {
        token: first.token.clone(),
        notes: Some("the key is under the mat".into()),
    };
    engine.checkpoint(&request).unwrap();
    let second = go(engine, &first, |r| r.output.notes = Some("went in".into())).unwrap();
    let look = ContinueRequest::new(&second.token, Intent::Rehydrate);
    let told = engine.continue_run(&look, &pass).unwrap().recovery.unwrap();
    assert_eq!(told, "went in\n\n---\n\nthe key is under the mat");
    let query = Query {
        text: Some("mat".into()),
        ..Query::default()
    };
    assert_eq!(
        engine.resume(&query).unwrap()[0].why_matched,
        [WhyMatched::MatchedNotes]
    );
}

fn a_node_that_was_gone_on_from_tells_what_came_after(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b"), step("c")]));
    let left = go(engine, &first, |r| r.output.notes = Some("a, the first way".into())).unwrap();
    go(engine, &left, |r| r.output.notes = Some("b, the first way".into())).unwrap();
    let back = RewindRequest {
        session_id: first.session_id,
        node_id: Some(first.node_id),
    };
    let rewound = engine.rewind(back).unwrap();
    let right = go(engine, &rewound, |r| r.output.notes = Some("a, the second way".into())).unwrap();
    go(engine, &right, |r| r.output.notes = Some("b, the second way".into())).unwrap();
    let told = engine.rewind(back).unwrap().recovery.unwrap();
    let (before, after) = told.split_once("AFTER THIS STEP, on the preferred branch:").unwrap();
    assert!(before.starts_with("a, the second way"), "{told}");
    let (way, others) = after.split_once("OTHER BRANCHES from here:").unwrap();
    assert!(way.contains("b, the second way") && !way.contains("first"), "{told}");
    assert!(others.contains(" at c: b, the first way"), "{told}");
}

fn context_is_merged_at_the_top_and_null_deletes(engine: &E<impl Store>) {
    let show = |id: &str| json!({"id": id, "title": id, "prompt": "a={{a}} b={{b.x}} c={{c}}"});
    let source = workflow(json!([show("one"), show("two"), show("three")]));
    let mut request = StartRequest::new(source);
    request.context = object(json!({"a": 1, "b": {"x": 1, "y": 2}}));
    let prompt = |answer: &Answer| answer.pending.as_ref().unwrap().prompt.clone();
    let first = engine.start(&request).unwrap();
    assert_eq!(prompt(&first), "a=1 b=1 c={{c}}");
    let second = go(engine, &first, |r| {
        r.context = Some(object(json!({"a": null, "b": {"y": 3}, "c": [1]})))
    })
    .unwrap();
    assert_eq!(prompt(&second), "a={{a}} b={{b.x}} c=[1]");
    assert_eq!(prompt(&on(engine, &second)), "a={{a}} b={{b.x}} c=[1]");
    for key in ["__proto__", "constructor", "prototype"] {
        for bad in [json!({key: 1}), json!({"deep": [{key: 1}]})] {
            let fresh = RewindRequest {
                session_id: first.session_id,
                node_id: None,
            };
            let fresh = engine.rewind(fresh).unwrap();
            let refused = go(engine, &fresh, |r| r.context = Some(object(bad))).unwrap_err();
            assert_eq!(refused.code, Code::ValidationError);
        }
    }
}

fn budgets_fail_fast_with_size_limit_and_method(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a")]));
    let before = events(engine, &first);
    let large: Map<String, Value> = object(json!({"blob": "x".repeat(256 * 1024)}));
    let refused = go(engine, &first, |r| r.context = Some(large.clone())).unwrap_err();
    assert_eq!(refused.code, Code::ValidationError);
    assert_eq!(refused.details["maxBytes"], 262_144);
    assert_eq!(refused.details["measuredBytes"], 262_144 + 11);
    assert_eq!(refused.details["method"], "UTF-8 bytes of RFC 8785 JSON");
    let request = StartRequest {
        context: large,
        ..StartRequest::new(workflow(json!([step("a")])))
    };
    assert_eq!(engine.start(&request).unwrap_err().code, Code::ValidationError);
    // Two halves that are too large together are refused too.
    let half = |key: &str| Some(object(json!({key: "x".repeat(140 * 1024)})));
    let two = start(engine, json!([step("a"), step("b"), step("c")]));
    let next = go(engine, &two, |r| r.context = half("one")).unwrap();
    assert_eq!(
        go(engine, &next, |r| r.context = half("two")).unwrap_err().code,
        Code::ValidationError
    );
    assert_eq!(events(engine, &first), before);
}

fn notes_that_are_too_long_are_cut_with_a_mark(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b")]));
    let second = go(engine, &first, |r| r.output.notes = Some("\u{20ac}".repeat(5000))).unwrap();
    let told = engine
        .continue_run(&ContinueRequest::new(&second.token, Intent::Rehydrate), &pass)
        .unwrap();
    let seen = format!("{:?}", engine.inspect(first.session_id, None).unwrap().nodes[0].outputs);
    assert!(seen.contains("\\n\\n[TRUNCATED]"));
    let notes = told.recovery.unwrap();
    assert!(notes.len() <= 4096 && notes.starts_with('\u{20ac}'));
}

fn a_step_that_needs_approval_waits_for_the_users_word(engine: &E<impl Store>) {
    let first = start(
        engine,
        json!([
        {"id": "a", "title": "a", "requireConfirmation": {"var": "risky", "equals": true}},
        {"id": "b", "title": "b", "requireConfirmation": {"kind": "human_approval"}}]),
    );
    // The condition does not hold, so nobody is asked.
    assert_eq!(first.next_intent, NextIntent::PerformPendingThenContinue);
    let second = on(engine, &first);
    assert_eq!(
        (pending(&second), second.next_intent),
        ("b", NextIntent::AwaitUserConfirmation)
    );
    let refused = on(engine, &second);
    assert_eq!(codes(&refused), [BlockerCode::UserOnlyDependency]);
    assert!(refused.blockers[0].message.contains("needs_user_approval"));
    let said = go(
        engine,
        &refused,
        send(json!({"kind": "wb.confirmation", "approvedBy": "Ada"})),
    )
    .unwrap();
    assert_eq!(
        codes(&said),
        [BlockerCode::InvalidRequiredOutput, BlockerCode::UserOnlyDependency]
    );
    let word = json!({"kind": "wb.confirmation", "approvedBy": "Ada", "statement": "go on"});
    assert_eq!(pending(&go(engine, &said, send(word)).unwrap()), "complete");
}

fn never_stop_turns_refusals_into_gaps_and_goes_on(engine: &E<impl Store>) {
    let mut request = StartRequest::new(workflow(json!([
        {"id": "a", "title": "a", "requireConfirmation": true, "outputContract": {"contractRef": "wb.contracts.report"}},
        step("b")])));
    request.preferences.autonomy = Some(Autonomy::FullAutoNeverStop);
    let first = engine.start(&request).unwrap();
    assert_eq!(first.next_intent, NextIntent::PerformPendingThenContinue);
    let second = on(engine, &first);
    assert_eq!((pending(&second), second.blockers.len()), ("b", 0));
    assert_eq!(status(engine, &first), RunStatus::InProgress);
    on(engine, &second);
    assert_eq!(status(engine, &first), RunStatus::CompleteWithGaps);
    let gaps = engine.inspect(first.session_id, None).unwrap().gaps;
    let mut reasons: Vec<String> = gaps.iter().map(|g| serde_json::to_string(&g.reason).unwrap()).collect();
    reasons.sort();
    assert_eq!(
        reasons,
        [
            r#"{"category":"contract_violation","detail":"missing_required_output"}"#,
            r#"{"category":"user_only_dependency","detail":"needs_user_approval"}"#,
        ]
    );
}

fn a_gap_can_be_closed_later(engine: &E<impl Store>) {
    let mut request = StartRequest::new(workflow(
        json!([{"id": "a", "title": "a", "requireConfirmation": true}, step("b")]),
    ));
    request.preferences.autonomy = Some(Autonomy::FullAutoNeverStop);
    let first = engine.start(&request).unwrap();
    let second = on(engine, &first);
    let gap = second.gaps[0].gap_id;
    let refused = go(engine, &second, |r| r.resolves_gaps = vec![gap]).unwrap_err();
    assert!(refused.message.contains("stays open"), "{}", refused.message);
    let word = json!({"kind": "wb.confirmation", "approvedBy": "Ada", "statement": "it was fine"});
    let closed = go(engine, &second, |r| {
        r.resolves_gaps = vec![gap];
        r.output.artifacts = vec![object(word)];
    });
    let closed = closed.unwrap();
    assert_eq!((closed.status, closed.gaps.len()), (RunStatus::Complete, 0));
    assert_eq!(status(engine, &first), RunStatus::Complete);
    let seen = engine.inspect(first.session_id, None).unwrap().gaps;
    assert!(seen.len() == 2 && seen.iter().all(|gap| gap.resolved));
}

fn a_complete_run_answers_complete_and_its_gaps_can_be_closed_by_evidence(engine: &E<impl Store>) {
    let mut request = StartRequest::new(workflow(
        json!([{"id": "a", "title": "a", "check": {"command": "test -s out"}}]),
    ));
    request.preferences.autonomy = Some(Autonomy::FullAutoNeverStop);
    let fails = |_: &session::Asked<'_>| Verdict::fail("out is missing");
    let first = engine.start(&request).unwrap();
    let done = engine.continue_run(&with(&first, |_| ()), &fails).unwrap();
    assert_eq!((done.status, done.gaps.len()), (RunStatus::CompleteWithGaps, 1));
    // Nothing is pending, so a further call is told so, and writes nothing.
    let written = events(engine, &first);
    let again = on(engine, &done);
    assert_eq!(
        (again.next_intent, again.status),
        (NextIntent::Complete, RunStatus::CompleteWithGaps)
    );
    assert_eq!(events(engine, &first), written);
    let close = |notes: &str| {
        with(&done, |r| {
            r.resolves_gaps = vec![done.gaps[0].gap_id];
            r.output.notes = Some(notes.into());
        })
    };
    let refused = engine.continue_run(&close("trust me"), &fails).unwrap_err();
    assert!(refused.message.contains("out is missing"), "{}", refused.message);
    assert_eq!(events(engine, &first), written, "a word alone closes nothing");
    let closed = engine.continue_run(&close("wrote it"), &pass).unwrap();
    assert_eq!((closed.status, closed.gaps.len()), (RunStatus::Complete, 0));
    assert_eq!(status(engine, &first), RunStatus::Complete);
    let written = events(engine, &first);
    assert_eq!(
        engine.continue_run(&close("wrote it"), &fails).unwrap(),
        closed,
        "closed is closed"
    );
    assert_eq!(events(engine, &first), written);
    // The answer that was given before is still given.
    assert_eq!(engine.continue_run(&with(&first, |_| ()), &pass).unwrap(), done);
    let seen = engine.inspect(first.session_id, None).unwrap();
    let said: Vec<Finding> = seen.nodes[0].verdicts.iter().map(|verdict| verdict.status).collect();
    assert_eq!(said, [Finding::Failed, Finding::Passed]);
}

fn an_agent_cannot_raise_its_own_autonomy(engine: &E<impl Store>) {
    let steps = json!([
        {"id": "a", "title": "a", "requireConfirmation": true, "check": {"command": "false"}}, step("b"), step("c")]);
    let first = start(engine, steps);
    let fails = |_: &session::Asked<'_>| Verdict::fail("exited with status 1");
    let never = PreferenceChange {
        autonomy: Some(Autonomy::FullAutoNeverStop),
        risk_policy: None,
    };
    let raise = |artifacts: Vec<Map<String, Value>>| {
        with(&first, |r| {
            r.preferences = never;
            r.output.artifacts = artifacts;
        })
    };
    let before = events(engine, &first);
    for artifacts in [
        vec![],
        vec![object(
            json!({"kind": "wb.confirmation", "approvedBy": "Ada", "statement": "go on"}),
        )],
        vec![agent::grant("full_auto_stop_on_user_deps")],
        vec![object(
            json!({"kind": "wb.autonomy_grant", "autonomy": "full_auto_never_stop"}),
        )],
    ] {
        let refused = engine.continue_run(&raise(artifacts), &fails).unwrap_err();
        assert_eq!(refused.code, Code::ValidationError);
        assert!(
            refused.message.contains("cannot raise its own autonomy"),
            "{}",
            refused.message
        );
    }
    assert_eq!(
        events(engine, &first),
        before,
        "nothing was recorded, and the token is not used up"
    );
    let second = engine
        .continue_run(&raise(vec![agent::grant("full_auto_never_stop")]), &fails)
        .unwrap();
    assert_eq!((pending(&second), second.gaps.len()), ("b", 2));
    // Going less far is always the agent's own.
    let less = PreferenceChange {
        autonomy: Some(Autonomy::Guided),
        risk_policy: None,
    };
    go(engine, &second, |r| r.preferences = less).unwrap();
    let (log, _) = engine.store().raw(first.session_id).unwrap();
    let sources: Vec<ChangeSource> = log
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::PreferencesChanged(change) => Some(change.source),
            _ => None,
        })
        .collect();
    assert_eq!(sources, [ChangeSource::User, ChangeSource::Agent]);
}

fn a_verdict_is_an_event_with_its_check_its_directory_and_what_it_printed(engine: &E<impl Store>) {
    let mut request = StartRequest::new(workflow(
        json!([{"id": "a", "title": "a", "check": {"command": "grep -c x out"}}, step("b")]),
    ));
    request.charter.workdir = Some("/somewhere/fixed".into());
    let first = engine.start(&request).unwrap();
    let asked = Cell::new(String::new());
    let fails = |asked_for: &session::Asked<'_>| {
        asked.set(asked_for.workdir.unwrap_or("nowhere").to_owned());
        Verdict {
            exit_status: Some(1),
            stdout: Some(Printed::of(b"0\n")),
            stderr: Some(Printed::of(b"")),
            ..Verdict::fail("the check `grep -c x out` exited with status 1")
        }
    };
    let refused = engine.continue_run(&with(&first, |_| ()), &fails).unwrap();
    assert_eq!(asked.take(), "/somewhere/fixed");
    assert!(
        refused.blockers[0].message.ends_with("; it printed: 0"),
        "{}",
        refused.blockers[0].message
    );
    on(engine, &refused);
    let seen = engine.inspect(first.session_id, None).unwrap();
    let [failed, passed] = &seen.nodes[0].verdicts[..] else {
        panic!("{:?}", seen.nodes[0].verdicts)
    };
    assert_eq!((failed.status, failed.exit_status), (Finding::Failed, Some(1)));
    assert_eq!(failed.check.text, "grep -c x out");
    assert_eq!(failed.workdir.as_deref(), Some("/somewhere/fixed"));
    assert_eq!(failed.stdout.as_ref().unwrap().sha256, session::Digest::of(b"0\n"));
    assert_eq!(passed.status, Finding::Passed);
    let (log, _) = engine.store().raw(first.session_id).unwrap();
    for event in log {
        let line = String::from_utf8(event.line()).unwrap();
        let newer = matches!(event.fact, Fact::VerdictRecorded(_) | Fact::CharterSet(_));
        assert!(line.contains(if newer { "\"v\":2" } else { "\"v\":1" }), "{line}");
    }
}

fn whole_numbers_survive_or_are_refused(engine: &E<impl Store>) {
    let first = start(
        engine,
        json!([{"id": "a", "title": "a"}, {"id": "b", "title": "b", "prompt": "{{n}}"}]),
    );
    let most = 9_007_199_254_740_991_u64;
    for n in [most + 1, u64::MAX] {
        let refused = go(engine, &first, |r| r.context = Some(object(json!({"n": [n]})))).unwrap_err();
        assert_eq!(
            (refused.code, &refused.details["pointer"]),
            (Code::ValidationError, &json!("/n/0"))
        );
        let refused = go(engine, &first, send(json!({"kind": "x", "n": n}))).unwrap_err();
        assert_eq!(refused.code, Code::ValidationError);
    }
    let second = go(engine, &first, |r| r.context = Some(object(json!({"n": most})))).unwrap();
    assert_eq!(second.pending.unwrap().prompt, most.to_string());
}

fn one_cause_is_one_blocker(engine: &E<impl Store>) {
    let rules = json!([
        {"type": "contains", "value": "one", "message": "say one"},
        {"type": "contains", "value": "two", "message": "say two"},
        {"type": "length", "min": 500, "message": "say more"}]);
    let first = start(engine, json!([{"id": "a", "title": "a", "validationCriteria": rules}]));
    let refused = go(engine, &first, |r| r.output.notes = Some("nothing".into())).unwrap();
    assert_eq!(refused.blockers.len(), 1);
    let message = &refused.blockers[0].message;
    assert!(
        ["say one", "say two", "say more"]
            .iter()
            .all(|rule| message.contains(rule)),
        "{message}"
    );
}

fn what_the_plan_proved_is_skipped(engine: &E<impl Store>) {
    let mut request = StartRequest::new(workflow(json!([step("a"), step("b"), step("c"), step("d")])));
    request.charter.proven = vec!["a".into(), "c".into()];
    let first = engine.start(&request).unwrap();
    assert_eq!(pending(&first), "b");
    let next = on(engine, &first);
    assert_eq!(pending(&next), "d");
    let trace = format!("{:?}", engine.inspect(first.session_id, None).unwrap().nodes);
    assert!(
        trace.contains("`c` is skipped: the plan's history proves it done"),
        "{trace}"
    );
}

fn what_loops_want_of_the_context_is_told_at_the_start(engine: &E<impl Store>) {
    let each = json!({"id": "e", "title": "E", "type": "loop",
        "loop": {"type": "forEach", "items": "files", "itemVar": "file", "maxIterations": 5}, "body": [step("y")]});
    let first = start(engine, json!([step("a"), each]));
    assert_eq!((first.needs.len(), first.needs[0].key.as_str()), (1, "files"));
}

fn required_notes_are_required(engine: &E<impl Store>) {
    let first = start(engine, json!([{"id": "a", "title": "a", "notes": "required"}]));
    assert!(first.pending.as_ref().unwrap().prompt.contains("notes are required"));
    let refused = on(engine, &first);
    assert_eq!(codes(&refused), [BlockerCode::MissingRequiredOutput]);
    let done = go(engine, &refused, |r| r.output.notes = Some("did it".into())).unwrap();
    assert_eq!(pending(&done), "complete");
}

fn preferences_can_be_asked_for_by_conditions(engine: &E<impl Store>) {
    let steps = json!([step("a"),
        {"id": "careful", "title": "c", "runCondition": {"var": "preferences.riskPolicy", "equals": "conservative"}},
        step("z")]);
    for (risk, next) in [(None, "careful"), (Some(Risk::Aggressive), "z")] {
        let mut request = StartRequest::new(workflow(steps.clone()));
        request.preferences.risk_policy = risk;
        let first = engine.start(&request).unwrap();
        assert_eq!(pending(&on(engine, &first)), next);
    }
}

fn looping(max: u32) -> Value {
    json!([{"id": "l", "title": "L", "type": "loop",
        "loop": {"type": "while", "maxIterations": max, "conditionSource": {"kind": "artifact_contract", "contractRef": "wr.contracts.loop_control", "loopId": "again"}},
        "body": [step("w"), step("d")]}, step("z")])
}

fn decide(decision: &str) -> impl FnOnce(&mut ContinueRequest) {
    send(json!({"kind": "wr.loop_control", "decision": decision}))
}

fn a_loop_is_decided_by_an_artifact_and_never_exits_in_silence(engine: &E<impl Store>) {
    let work = start(engine, looping(3));
    assert_eq!(pending(&work), "w");
    let due = on(engine, &work);
    assert!(
        due.pending
            .as_ref()
            .unwrap()
            .prompt
            .contains("iteration 1 of at most 3")
    );
    assert!(due.pending.as_ref().unwrap().prompt.contains("\"loopId\": \"again\""));
    let silent = on(engine, &due);
    assert_eq!(codes(&silent), [BlockerCode::MissingRequiredOutput]);
    let wrong = go(
        engine,
        &silent,
        send(json!({"kind": "wr.loop_control", "decision": "maybe"})),
    )
    .unwrap();
    assert_eq!(
        codes(&wrong),
        [BlockerCode::InvalidRequiredOutput, BlockerCode::MissingRequiredOutput]
    );
    let other = json!({"kind": "wr.loop_control", "loopId": "elsewhere", "decision": "stop"});
    let elsewhere = go(engine, &wrong, send(other)).unwrap();
    assert_eq!(
        codes(&elsewhere),
        [BlockerCode::InvalidRequiredOutput, BlockerCode::MissingRequiredOutput]
    );
    let again = go(engine, &elsewhere, decide("continue")).unwrap();
    assert_eq!(pending(&again), "w");
    // The decision of one iteration says nothing about the next.
    let due = on(engine, &again);
    assert_eq!(codes(&on(engine, &due)), [BlockerCode::MissingRequiredOutput]);
    let fresh = engine
        .rewind(RewindRequest {
            session_id: work.session_id,
            node_id: Some(due.node_id),
        })
        .unwrap();
    assert_eq!(pending(&go(engine, &fresh, decide("stop")).unwrap()), "z");
}

fn a_loop_at_its_limit_refuses_to_go_on(engine: &E<impl Store>) {
    let mut answer = start(engine, looping(2));
    for _ in 0..2 {
        answer = on(engine, &answer);
        answer = go(engine, &answer, decide("continue")).unwrap();
    }
    assert_eq!(codes(&answer), [BlockerCode::InvariantViolation]);
    let at = Pointer::Loop {
        loop_id: "l".into(),
        iteration: 1,
        max_iterations: 2,
    };
    assert_eq!(answer.blockers[0].pointer, at);
    // Never-stop leaves the loop and says so.
    let never = PreferenceChange {
        autonomy: Some(Autonomy::FullAutoNeverStop),
        risk_policy: None,
    };
    let out = go(engine, &answer, |r| {
        r.preferences = never;
        decide("continue")(r);
        r.output.artifacts.push(agent::grant("full_auto_never_stop"));
    });
    assert_eq!(pending(&out.unwrap()), "z");
    assert_eq!(engine.inspect(answer.session_id, None).unwrap().gaps.len(), 1);
}

fn for_and_for_each_need_no_artifact(engine: &E<impl Store>) {
    let source = workflow(json!([
        {"id": "f", "title": "F", "type": "loop", "loop": {"type": "for", "count": 2, "maxIterations": 2, "iterationVar": "n"},
         "body": [{"id": "x", "title": "x", "prompt": "round {{n}}"}]},
        {"id": "e", "title": "E", "type": "loop", "loop": {"type": "forEach", "items": "files", "itemVar": "file", "indexVar": "i", "maxIterations": 5},
         "body": [{"id": "y", "title": "y", "prompt": "{{i}}: {{file.name}}"}]}]));
    let request = StartRequest {
        context: object(json!({"files": [{"name": "a"}, {"name": "b"}]})),
        ..StartRequest::new(source)
    };
    let mut answer = engine.start(&request).unwrap();
    let mut prompts = Vec::new();
    while let Some(pending) = &answer.pending {
        prompts.push(pending.prompt.lines().next().unwrap().to_owned());
        answer = on(engine, &answer);
    }
    assert_eq!(prompts, ["round 0", "round 1", "0: a", "1: b"]);
}

fn a_loop_over_nothing_is_passed_over_with_a_trace(engine: &E<impl Store>) {
    let each = json!({"id": "e", "title": "E", "type": "loop",
        "loop": {"type": "forEach", "items": "files", "itemVar": "file", "maxIterations": 1}, "body": [step("y")]});
    let first = start(engine, json!([step("a"), each, step("z")]));
    // What it goes through must be there, even when it is empty.
    let refused = on(engine, &first);
    assert_eq!(refused.blockers[0].pointer, Pointer::ContextKey { key: "files".into() });
    let next = go(engine, &refused, |r| r.context = Some(object(json!({"files": []})))).unwrap();
    assert_eq!(pending(&next), "z");
    let trace = format!(
        "{:?}",
        engine
            .inspect(first.session_id, None)
            .unwrap()
            .nodes
            .last()
            .unwrap()
            .trace
    );
    assert!(
        trace.contains("ExitedLoop") && trace.contains("EvaluatedCondition"),
        "{trace}"
    );
    // More than it may go through is refused, not cut.
    let fresh = engine
        .rewind(RewindRequest {
            session_id: first.session_id,
            node_id: Some(first.node_id),
        })
        .unwrap();
    let two = go(engine, &fresh, |r| r.context = Some(object(json!({"files": [1, 2]})))).unwrap();
    assert_eq!(codes(&on(engine, &two)), [BlockerCode::InvariantViolation]);
}

fn a_claim_does_not_unlock_a_capability_and_a_try_does(engine: &E<impl Store>) {
    let source = compiled(
        &json!({"id": "project.x", "name": "X", "description": "", "version": "1.0.0",
        "capabilities": {"web_browsing": "required"}, "steps": [step("a")]})
        .to_string(),
    );
    let probe = engine.start(&StartRequest::new(source)).unwrap();
    assert_eq!(pending(&probe), "wb_probe_web_browsing");
    let claim =
        json!([{"kind": "manual_claim", "capability": "web_browsing", "claimedBy": "agent", "claim": "available"}]);
    let claimed = go(engine, &probe, |r| {
        r.capabilities = serde_json::from_value(claim).unwrap()
    })
    .unwrap();
    assert_eq!(
        codes(&claimed),
        [BlockerCode::MissingRequiredOutput],
        "one cause, one blocker"
    );
    let tried = |result: &str| json!({"kind": "wb.capability_probe", "capability": "web_browsing", "result": result, "evidence": "GET / said 200"});
    let failed = go(engine, &claimed, send(tried("failure"))).unwrap();
    assert_eq!(codes(&failed), [BlockerCode::RequiredCapabilityUnavailable]);
    let works = go(engine, &failed, send(tried("success"))).unwrap();
    assert_eq!(pending(&works), "a");
    // A use that fails later counts as well.
    let broke = json!([{"kind": "attempted_use", "capability": "web_browsing", "result": "failure", "failureCode": "tool_error"}]);
    let broken = go(engine, &works, |r| {
        r.capabilities = serde_json::from_value(broke).unwrap()
    })
    .unwrap();
    assert_eq!(codes(&broken), [BlockerCode::RequiredCapabilityUnavailable]);
    assert_eq!(pending(&on(engine, &broken)), "complete");
}

fn a_check_is_evidence_and_is_run_once(engine: &E<impl Store>) {
    let first = start(
        engine,
        json!([
        {"id": "a", "title": "a", "check": {"command": "test -s out"}, "outputContract": {"contractRef": "wb.contracts.report"}},
        step("b")]),
    );
    assert!(
        first
            .pending
            .as_ref()
            .unwrap()
            .prompt
            .contains("this command must succeed: test -s out")
    );
    let runs = Cell::new(0);
    let fails = |_: &session::Asked<'_>| {
        runs.set(runs.get() + 1);
        Verdict::fail("out is missing")
    };
    let report = json!({"kind": "wb.report", "title": "t", "path": "out", "summary": "s"});
    let refused = engine
        .continue_run(&with(&first, send(report.clone())), &fails)
        .unwrap();
    assert_eq!(codes(&refused), [BlockerCode::InvalidRequiredOutput]);
    assert!(refused.blockers[0].message.contains("out is missing"));
    // Both the contract and the check must hold.
    let half = engine.continue_run(&with(&refused, |_| ()), &pass).unwrap();
    assert_eq!(codes(&half), [BlockerCode::MissingRequiredOutput]);
    let done = engine.continue_run(&with(&half, send(report)), &pass).unwrap();
    assert_eq!(pending(&done), "b");
    engine.continue_run(&with(&first, |_| ()), &fails).unwrap();
    assert_eq!(runs.get(), 1, "a replay runs no check");
    let asked = engine.pending_check(&with(&half, |_| ())).unwrap();
    assert_eq!(asked, None, "nor would it");
}

fn an_assessment_can_ask_for_more_work(engine: &E<impl Store>) {
    let source = compiled(&json!({"id": "project.x", "name": "X", "description": "", "version": "1.0.0",
        "assessments": [{"id": "ready", "purpose": "p", "dimensions": [{"id": "depth", "purpose": "p", "levels": ["low", "high"]}]}],
        "steps": [{"id": "a", "title": "a", "assessmentRefs": ["ready"],
            "assessmentConsequences": [{"when": {"anyEqualsLevel": "low"}, "effect": {"kind": "require_followup", "guidance": "dig deeper"}}]}]}).to_string());
    let first = engine.start(&StartRequest::new(source)).unwrap();
    let level =
        |level: Value| json!({"kind": "wr.assessment", "assessmentId": "ready", "dimensions": {"depth": level}});
    let missing = on(engine, &first);
    assert_eq!(codes(&missing), [BlockerCode::MissingRequiredOutput]);
    let low = go(engine, &missing, send(level(json!("low")))).unwrap();
    assert_eq!(low.blockers[0].suggested_fix, "dig deeper");
    let odd = go(engine, &low, send(level(json!("medium")))).unwrap();
    assert_eq!(codes(&odd), [BlockerCode::InvalidRequiredOutput]);
    let high = go(engine, &odd, send(level(json!({"level": "high", "rationale": "r"})))).unwrap();
    assert_eq!(pending(&high), "complete");
}

fn preferences_are_set_recorded_and_warned_about(engine: &E<impl Store>) {
    let source = compiled(
        "#+WORKFLOW: project.x 1.0.0\n#+AUTONOMY: guided\n#+RISK: conservative\n* TODO A\n* TODO B\n* TODO C\n",
    );
    let mut request = StartRequest::new(source);
    request.preferences = PreferenceChange {
        autonomy: None,
        risk_policy: Some(Risk::Aggressive),
    };
    let first = engine.start(&request).unwrap();
    assert_eq!(first.preferences.risk_policy, Risk::Aggressive);
    assert_eq!(first.warnings, ["the workflow recommends risk conservative at most"]);
    let change = PreferenceChange {
        autonomy: Some(Autonomy::FullAutoStopOnUserDeps),
        risk_policy: Some(Risk::Conservative),
    };
    let second = go(engine, &first, |r| {
        r.preferences = change;
        r.output.artifacts = vec![agent::grant("full_auto_stop_on_user_deps")];
    })
    .unwrap();
    assert_eq!(
        second.warnings,
        ["the workflow recommends autonomy full_auto_stop_on_user_deps at most"
            .replace("full_auto_stop_on_user_deps", "guided")]
    );
    assert_eq!(on(engine, &second).preferences, second.preferences);
    // A rewound node has what it had.
    let back = engine
        .rewind(RewindRequest {
            session_id: first.session_id,
            node_id: Some(first.node_id),
        })
        .unwrap();
    assert_eq!(back.preferences, first.preferences);
}

fn divergence_and_superseding_notes_are_recorded(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b")]));
    let left = json!({"reason": "efficiency_skip", "summary": "done before", "relatedStepId": "a"});
    go(engine, &first, |r| {
        r.divergence = Some(serde_json::from_value(left).unwrap());
        r.output.notes = Some("a tpyo".into());
    })
    .unwrap();
    let seen = engine.inspect(first.session_id, None).unwrap();
    assert_eq!(seen.nodes[1].divergences[0].summary, "done before");
    let old = seen.nodes[0].outputs[0].output_id;
    let back = engine
        .rewind(RewindRequest {
            session_id: first.session_id,
            node_id: Some(first.node_id),
        })
        .unwrap();
    go(engine, &back, |r| {
        r.output.notes = Some("a typo".into());
        r.output.supersedes = Some(old);
    })
    .unwrap();
    let seen = format!("{:?}", engine.inspect(first.session_id, None).unwrap().nodes[0].outputs);
    assert!(seen.contains("a typo") && !seen.contains("a tpyo"));
    // Only notes of the same node can be corrected.
    let other = engine
        .rewind(RewindRequest {
            session_id: first.session_id,
            node_id: None,
        })
        .unwrap();
    let refused = go(engine, &other, |r| {
        r.output.notes = Some("x".into());
        r.output.supersedes = Some(old);
    });
    assert_eq!(refused.unwrap_err().code, Code::ValidationError);
}

fn observations_are_recorded_when_they_change(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b"), step("c"), step("d")]));
    let mut answer = first.clone();
    let mut written = Vec::new();
    for branch in ["main", "fix", "main"] {
        let before = events(engine, &first);
        answer = go(engine, &answer, |r| r.observations.git_branch = Some(branch.into())).unwrap();
        written.push(events(engine, &first) - before);
        assert_eq!(
            engine.inspect(first.session_id, None).unwrap().overview.observations["git_branch"],
            branch
        );
    }
    assert!(written.iter().all(|n| *n == written[0]));
    let before = events(engine, &first);
    go(engine, &answer, |r| r.observations.git_branch = Some("main".into())).unwrap();
    assert_eq!(
        events(engine, &first) - before,
        written[0] - 1 - 1,
        "the same branch, and the last advance has no next step to trace"
    );
    let bad = go(engine, &first, |r| r.observations.git_head_sha = Some("HEAD".into()));
    assert!(bad.is_ok(), "a replay looks at nothing it was sent");
}

fn a_lost_chat_is_found_again_by_its_branch(engine: &E<impl Store>) {
    for branch in ["main", "fix/login", "feature"] {
        let mut request = StartRequest::new(workflow(json!([step("a"), step("b")])));
        request.observations.git_branch = Some(branch.into());
        let first = engine.start(&request).unwrap();
        go(engine, &first, |r| r.output.notes = Some(format!("worked on {branch}"))).unwrap();
    }
    let offers = engine
        .resume(&Query {
            text: Some("fix/login".into()),
            ..Query::default()
        })
        .unwrap();
    assert_eq!(offers.len(), 3);
    assert_eq!(offers[0].why_matched[0], WhyMatched::MatchedBranch);
    assert_eq!(offers[0].snippet.as_deref(), Some("worked on fix/login"));
    let call = ContinueRequest::new(&offers[0].token, Intent::Rehydrate);
    let told = engine.continue_run(&call, &pass).unwrap();
    assert_eq!(
        (pending(&told), told.recovery.as_deref()),
        ("b", Some("worked on fix/login"))
    );
    assert_eq!(pending(&on(engine, &told)), "complete");
}

fn tokens_that_do_not_fit_are_refused_by_name(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b")]));
    let other = start(engine, json!([step("a"), step("b")]));
    let second = on(engine, &first);
    let elsewhere = Engine::new(MemoryStore::new(&System), System, System);
    let foreign = start(&elsewhere, json!([step("a")]));
    let flip = |token: &str| {
        let (head, last) = token.split_at(token.len() - 1);
        format!("{head}{}", if last == "a" { "b" } else { "a" })
    };
    let cut = first.token[..first.token.len() - 8].to_owned();
    let pair = |state: &str, ack: &str| (state.to_owned(), Some(ack.to_owned()));
    for ((token, ack), code) in [
        (("".into(), None), Code::TokenInvalidFormat),
        (("hello".into(), None), Code::TokenInvalidFormat),
        (("ct_!!".into(), None), Code::TokenInvalidFormat),
        ((cut, None), Code::TokenInvalidFormat),
        (("st.v1.x".into(), None), Code::TokenInvalidFormat),
        (("xx.v1.x.y".into(), None), Code::TokenInvalidFormat),
        (
            (first.state_token.replace(".v1.", ".v2."), None),
            Code::TokenUnsupportedVersion,
        ),
        ((flip(&first.token), None), Code::TokenBadSignature),
        ((foreign.token, None), Code::TokenBadSignature),
        ((foreign.state_token, None), Code::TokenBadSignature),
        ((first.ack_token.clone(), None), Code::TokenScopeMismatch),
        (pair(&first.state_token, &other.ack_token), Code::TokenScopeMismatch),
        (pair(&first.state_token, &second.ack_token), Code::TokenScopeMismatch),
        (
            pair(&first.state_token, &first.checkpoint_token),
            Code::TokenScopeMismatch,
        ),
        (pair(&first.token, &first.ack_token), Code::TokenScopeMismatch),
    ] {
        let request = ContinueRequest {
            ack_token: ack,
            ..ContinueRequest::new(&token, Intent::Advance)
        };
        assert_eq!(engine.continue_run(&request, &pass).unwrap_err().code, code, "{token}");
    }
    // Signed by our key, and still not about this run.
    let keys = engine.store().keyring().unwrap();
    let of = |node, hash| Token::State(StateToken::new(first.session_id, first.run_id, node, hash)).mint(&keys);
    let hash = compiled("#+WORKFLOW: project.other 1.0.0\n* TODO A\n").hash();
    for (token, code) in [
        (of(other.node_id, first.workflow.hash), Code::TokenUnknownNode),
        (of(first.node_id, hash), Code::TokenWorkflowHashMismatch),
        (
            Token::Handle(Handle {
                session_id: first.session_id,
                node_index: 0,
                ordinal: 0,
            })
            .mint(&keys),
            Code::TokenUnknownNode,
        ),
    ] {
        let request = ContinueRequest::new(token, Intent::Rehydrate);
        assert_eq!(engine.continue_run(&request, &pass).unwrap_err().code, code);
    }
    let lost = Token::Handle(Handle {
        session_id: first.session_id,
        node_index: 2,
        ordinal: 7,
    })
    .mint(&keys);
    let lost = engine
        .continue_run(&ContinueRequest::new(lost, Intent::Advance), &pass)
        .unwrap_err();
    assert_eq!(
        lost.code,
        Code::SessionInvariantViolation,
        "an attempt that was never made fails closed"
    );
    let alone = ContinueRequest::new(&first.state_token, Intent::Advance);
    assert_eq!(
        engine.continue_run(&alone, &pass).unwrap_err().code,
        Code::ValidationError
    );
}

fn a_state_and_an_ack_token_do_what_the_handle_does(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a"), step("b")]));
    let request = ContinueRequest {
        ack_token: Some(first.ack_token.clone()),
        ..ContinueRequest::new(&first.state_token, Intent::Advance)
    };
    let second = engine.continue_run(&request, &pass).unwrap();
    assert_eq!(on(engine, &first), second);
    let looked = ContinueRequest::new(&second.state_token, Intent::Rehydrate);
    assert_eq!(engine.continue_run(&looked, &pass).unwrap().token, second.token);
    assert!(first.token.len() == 3 + 48 && first.token.starts_with("ct_"));
}

fn every_answer_names_its_workflow_and_the_next_call(engine: &E<impl Store>) {
    let one = engine
        .start(&StartRequest::new(compiled(
            "#+WORKFLOW: project.one 1.0.0\n* TODO A\n",
        )))
        .unwrap();
    let two = engine
        .start(&StartRequest::new(compiled(
            "#+WORKFLOW: project.two 2.0.0\n#+TITLE: Two\n* TODO A\n",
        )))
        .unwrap();
    assert_eq!(
        (one.workflow.id.as_str(), two.workflow.id.as_str()),
        ("project.one", "project.two")
    );
    assert_eq!(
        (two.workflow.name.as_str(), two.workflow.version.as_str()),
        ("Two", "2.0.0")
    );
    let call = two.next_call.as_ref().unwrap();
    assert_eq!(call.verb, "continue");
    let request: ContinueRequest = serde_json::from_value(call.params.clone()).unwrap();
    let done = engine.continue_run(&request, &pass).unwrap();
    assert_eq!(
        (done.workflow.id.as_str(), done.next_intent),
        ("project.two", NextIntent::Complete)
    );
    assert_eq!(done.next_call, None);
}

fn a_prompt_is_filled_and_never_evaluated(engine: &E<impl Store>) {
    let source = workflow(json!([{"id": "a", "title": "a",
        "prompt": "{{name}} {{ spaced }} {{list.1}} {{gone}} {{n + 1}} {{evil}} {{",
        "promptFragments": [{"id": "f", "when": {"var": "name"}, "text": "for {{name}}"}, {"id": "g", "when": {"var": "gone"}, "text": "never"}]}]));
    let context = object(json!({"name": "Ada", "spaced": 1, "list": ["x", {"y": 1}], "n": 1, "evil": "{{name}}"}));
    let first = engine
        .start(&StartRequest {
            context,
            ..StartRequest::new(source)
        })
        .unwrap();
    assert_eq!(
        first.pending.unwrap().prompt,
        "Ada 1 {\"y\":1} {{gone}} {{n + 1}} {{name}} {{\n\nfor Ada"
    );
}

fn drift_of_the_source_is_reported_and_changes_nothing(engine: &E<impl Store>) {
    let text = "#+WORKFLOW: project.x 1.0.0\n* TODO A\n* TODO B\n";
    let first = engine.start(&StartRequest::new(compiled(text))).unwrap();
    let drift = |now: &str| {
        engine
            .inspect(first.session_id, Some(compiled(now).hash()))
            .unwrap()
            .drift
    };
    assert_eq!((drift(text), drift(&text.replace("B", "C"))), (Some(false), Some(true)));
    assert_eq!(engine.inspect(first.session_id, None).unwrap().drift, None);
    assert_eq!(pending(&on(engine, &first)), "b");
}

fn a_finished_run_is_complete(engine: &E<impl Store>) {
    let first = start(engine, json!([step("a")]));
    assert_eq!(status(engine, &first), RunStatus::InProgress);
    let done = on(engine, &first);
    assert_eq!((pending(&done), done.next_intent), ("complete", NextIntent::Complete));
    assert_eq!(status(engine, &first), RunStatus::Complete);
    assert_eq!(on(engine, &done).next_intent, NextIntent::Complete);
    let listed = engine.list().unwrap();
    assert_eq!((listed.len(), listed[0].status), (1, Some(RunStatus::Complete)));
}

//! What the compiler takes, what it makes of it, and what it refuses.

use serde_json::{Value, json};
use session::workflow::{CompileError, Compiled, Library, Source, SourceKind, Step, WarningCode, compile};

fn read(text: &str) -> Result<(Compiled, Vec<session::workflow::Warning>), CompileError> {
    compile(&Source::read(text)?, SourceKind::Project, &Library::default())
}

fn workflow(steps: Value) -> Value {
    json!({"id": "project.x", "name": "X", "description": "d", "version": "1.0.0", "steps": steps})
}

fn refused(value: &Value) -> String {
    let error = read(&value.to_string())
        .map(|(compiled, _)| compiled.workflow_id)
        .unwrap_err();
    assert!(!error.hint.is_empty(), "{error}");
    error.to_string()
}

#[test]
fn the_order_of_what_has_no_order_does_not_count() {
    let step = |id: &str| json!({"id": id, "title": id, "promptBlocks": {"goal": "g", "outputRequired": {"b": "2", "a": "1"}}});
    let mut one = workflow(json!([step("s")]));
    one["features"] = json!(["wr.features.subagent_guidance", "wr.features.capabilities"]);
    one["references"] = json!([
        {"id": "b", "title": "B", "source": "b.md", "purpose": "p", "authoritative": true},
        {"id": "a", "title": "A", "source": "a.md", "purpose": "p", "authoritative": false}]);
    let mut other = one.clone();
    other["features"].as_array_mut().unwrap().reverse();
    other["features"]
        .as_array_mut()
        .unwrap()
        .push(json!("wr.features.capabilities"));
    other["references"].as_array_mut().unwrap().reverse();
    let hash = |w: &Value| read(&w.to_string()).unwrap().0.hash();
    assert_eq!(hash(&one), hash(&other));
    // The order of the steps does.
    let two = |a: &str, b: &str| hash(&workflow(json!([step(a), step(b)])));
    assert_ne!(two("a", "b"), two("b", "a"));
}

#[test]
fn what_a_run_needs_is_embedded() {
    let mut source = workflow(json!([{
        "id": "s", "title": "S", "agentRole": "You are careful.",
        "promptBlocks": {
            "goal": [{"kind": "text", "text": "Keep in mind: "}, {"kind": "ref", "refId": "wr.refs.notes_first_durability"}],
            "constraints": ["short"], "procedure": ["one", "two"], "verify": ["it works"], "outputRequired": {"n": "a number"}},
        "functionReferences": ["shape()"], "outputContract": {"contractRef": "wb.contracts.report"}, "requireConfirmation": true,
    }]));
    source["functionDefinitions"] =
        json!([{"name": "shape", "definition": "a circle"}, {"name": "unused", "definition": "x"}]);
    source["features"] = json!(["wr.features.capabilities"]);
    let (compiled, _) = read(&source.to_string()).unwrap();
    let task = compiled.task("s").unwrap();
    for part in [
        "You are careful.",
        "Keep in mind: Write what must survive",
        "Constraints:\n- short\n- Try a tool",
        "Procedure:\n1. one\n2. two",
        "Output:\n- n: a number",
        "Verify:\n- it works",
    ] {
        assert!(task.prompt.contains(part), "{part} in {}", task.prompt);
    }
    assert_eq!(task.refs[0].ref_id, "wr.refs.notes_first_durability");
    assert_eq!(task.functions.len(), 1);
    let contracts: Vec<&str> = compiled.contracts.iter().map(|c| c.contract_ref.as_str()).collect();
    assert_eq!(contracts, ["wb.contracts.confirmation", "wb.contracts.report"]);
    // It reads back, and its name is its content.
    let (hash, bytes) = compiled.encode();
    assert_eq!(Compiled::decode(hash, &bytes), Ok(compiled));
    assert!(Compiled::decode(hash, b"{}").is_err());
}

#[test]
fn a_required_capability_puts_its_probe_in_front() {
    let mut source = workflow(json!([{"id": "s", "title": "S", "prompt": "p"}]));
    source["capabilities"] = json!({"web_browsing": "required", "delegation": "preferred"});
    let (compiled, _) = read(&source.to_string()).unwrap();
    let ids: Vec<&str> = compiled.steps.iter().map(Step::id).collect();
    assert_eq!(ids, ["wb_probe_web_browsing", "s"]);
}

#[test]
fn templates_are_expanded_in_place_and_extension_points_are_bound() {
    let mut source = workflow(json!([
        {"id": "first", "title": "F", "prompt": "use {{wb.bindings.reviewer}}"},
        {"id": "call", "title": "C", "templateCall": {"templateId": "t.two", "args": {"what": "the plan"}}, "runCondition": {"var": "big"}},
        {"id": "last", "title": "L", "prompt": "p"}]));
    source["templates"] = json!({"t.two": {"steps": [
        {"id": "a", "title": "A", "prompt": "read {what}"}, {"id": "b", "title": "B", "prompt": "write"}]}});
    source["extensionPoints"] = json!([{"slotId": "reviewer", "purpose": "p", "default": "nobody"}]);
    let (compiled, _) = read(&source.to_string()).unwrap();
    let ids: Vec<&str> = compiled.steps.iter().map(Step::id).collect();
    assert_eq!(ids, ["first", "call-a", "call-b", "last"]);
    assert_eq!(compiled.task("call-a").unwrap().prompt, "read the plan");
    assert!(compiled.task("call-b").unwrap().when.is_some());
    assert_eq!(compiled.task("first").unwrap().prompt, "use nobody");
    let mut library = Library::default();
    library.bind("reviewer", "somebody");
    let bound = compile(
        &Source::read(&source.to_string()).unwrap(),
        SourceKind::Project,
        &library,
    )
    .unwrap()
    .0;
    assert_eq!(bound.task("first").unwrap().prompt, "use somebody");
}

#[test]
fn a_loop_names_a_step_beside_it_as_its_body() {
    let (compiled, _) = read(&workflow(json!([
        {"id": "l", "title": "L", "type": "loop", "loop": {"type": "for", "count": 2, "maxIterations": 2}, "body": "inner"},
        {"id": "inner", "title": "I", "prompt": "p"}, {"id": "after", "title": "A", "prompt": "p"}])).to_string()).unwrap();
    let ids: Vec<&str> = compiled.steps.iter().map(Step::id).collect();
    assert_eq!(ids, ["l", "after"]);
}

#[test]
fn warnings_do_not_change_the_hash_and_say_what_to_do() {
    let source = json!({"id": "Old-Name", "name": "X", "description": "d", "version": "1.0.0", "steps": [
        {"id": "l", "title": "L", "type": "loop", "loop": {"type": "while", "condition": {"var": "more"}, "maxIterations": 2},
         "body": [{"id": "s", "title": "S", "prompt": "p"}]}]});
    let (_, warnings) = read(&source.to_string()).unwrap();
    let codes: Vec<WarningCode> = warnings.iter().map(|w| w.code).collect();
    assert_eq!(codes, [WarningCode::LegacyId, WarningCode::ContextLoop]);
    assert_eq!(warnings[0].hint, "call it project.old_name");
}

#[test]
fn what_is_wrong_is_refused_with_its_step() {
    let step = |extra: Value| {
        let mut step = json!({"id": "s", "title": "S", "prompt": "p"});
        step.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        workflow(json!([step]))
    };
    let looped = |config: Value| {
        workflow(
            json!([{"id": "l", "title": "L", "type": "loop", "loop": config, "body": [{"id": "s", "title": "S", "prompt": "p"}]}]),
        )
    };
    for (source, part) in [
        (workflow(json!([])), "no steps"),
        (step(json!({"id": "S"})), "not a step id"),
        (step(json!({"id": "a@b"})), "not a step id"),
        (step(json!({"unknown": 1})), "unknown field"),
        (
            step(json!({"outputContract": {"contractRef": "wr.contracts.magic"}})),
            "no contract",
        ),
        (step(json!({"assessmentRefs": ["gone"]})), "no assessment"),
        (step(json!({"functionReferences": ["gone()"]})), "no function"),
        (step(json!({"templateCall": {"templateId": "gone"}})), "no template"),
        (step(json!({"runCondition": {"var": "x", "like": 1}})), "does not exist"),
        (step(json!({"requireConfirmation": "maybe"})), "condition"),
        (
            step(json!({"validationCriteria": {"type": "magic", "message": "m"}})),
            "no rule",
        ),
        (step(json!({"check": {"command": "  "}})), "check is empty"),
        (
            step(json!({"promptBlocks": {"goal": [{"kind": "ref", "refId": "wr.refs.gone"}]}})),
            "no reference",
        ),
        (step(json!({"prompt": "{{wr.bindings.gone}}"})), "extension point"),
        (step(json!({"type": "parallel"})), "parallel"),
        (
            workflow(json!([{"id": "s", "title": "S"}, {"id": "s", "title": "S"}])),
            "two steps",
        ),
        (looped(json!({"type": "while", "maxIterations": 2})), "nothing decides"),
        (looped(json!({"type": "for", "count": 2})), "maxIterations"),
        (
            looped(json!({"type": "for", "count": 3, "maxIterations": 2})),
            "may run 2 times",
        ),
        (looped(json!({"type": "for", "maxIterations": 2})), "needs a count"),
        (looped(json!({"type": "forEach", "maxIterations": 2})), "needs items"),
        (
            looped(json!({"type": "for", "count": 1, "maxIterations": 1001})),
            "maxIterations",
        ),
        (
            looped(
                json!({"type": "while", "maxIterations": 2, "conditionSource": {"kind": "artifact_contract", "contractRef": "x"}}),
            ),
            "cannot be decided",
        ),
        (
            json!({"id": "wr.x", "name": "", "description": "", "version": "", "steps": [{"id": "s", "title": "S"}]}),
            "reserved",
        ),
        (json!({"id": "project.x"}), "missing field"),
    ] {
        let error = refused(&source);
        assert!(error.contains(part), "{part:?} in {error:?}");
    }
}

#[test]
fn an_org_plan_says_everything_that_its_twin_says() {
    let org = "\
#+WORKFLOW: project.twin 2.1.0
#+TITLE: Twin
#+DESCRIPTION: Both are one.
#+AUTONOMY: full_auto_never_stop
#+RISK: aggressive

* Structure says nothing
** DONE First [1/2]
SCHEDULED: <2026-01-01 Thu>
:PROPERTIES:
:ID: first
:WHEN: size in [\"big\", \"huge\"]
:CONFIRM: {\"var\": \"risky\"}
:CRITERIA: [{\"type\": \"contains\", \"value\": \"x\", \"message\": \"m\"}]
:END:
Do {{it}}.
:LOGBOOK:
- noise
:END:
** TODO Check it
#+begin_src sh :check
test -s out
#+end_src
* Go round
:LOOP: forEach files as file
:MAX: 9
:WHEN: files != null
** TODO Inner
:CONTRACT: wb.contracts.findings
** Deeper
:LOOP: until
:MAX: 2
*** TODO Decide
:CONFIRM: t
* Count
:LOOP: for 3
:MAX: 3
** TODO Thrice
* Count by key
:LOOP: for times
:MAX: 5
** TODO Often
* TODO Last
:done-when: true
";
    let decided = json!({"kind": "artifact_contract", "contractRef": "wr.contracts.loop_control", "loopId": "deeper"});
    let json = json!({
    "id": "project.twin", "name": "Twin", "description": "Both are one.", "version": "2.1.0",
    "recommendedPreferences": {"recommendedAutonomy": "full_auto_never_stop", "recommendedRiskPolicy": "aggressive"},
    "steps": [
        {"id": "first", "title": "First", "prompt": "Do {{it}}.",
         "runCondition": {"var": "size", "in": ["big", "huge"]}, "requireConfirmation": {"var": "risky"},
         "validationCriteria": {"and": [{"type": "contains", "value": "x", "message": "m"}]}},
        {"id": "check-it", "title": "Check it", "check": {"lang": "sh", "body": "test -s out\n"}},
        {"id": "go-round", "title": "Go round", "type": "loop", "runCondition": {"var": "files", "not_equals": null},
         "loop": {"type": "forEach", "items": "files", "itemVar": "file", "maxIterations": 9},
         "body": [
            {"id": "inner", "title": "Inner", "outputContract": {"contractRef": "wb.contracts.findings"}},
            {"id": "deeper", "title": "Deeper", "type": "loop",
             "loop": {"type": "until", "maxIterations": 2, "conditionSource": decided},
             "body": [{"id": "decide", "title": "Decide", "requireConfirmation": true}]}]},
        {"id": "count", "title": "Count", "type": "loop", "loop": {"type": "for", "count": 3, "maxIterations": 3},
         "body": [{"id": "thrice", "title": "Thrice"}]},
        {"id": "count-by-key", "title": "Count by key", "type": "loop", "loop": {"type": "for", "count": "times", "maxIterations": 5},
         "body": [{"id": "often", "title": "Often"}]},
        {"id": "last", "title": "Last", "check": {"command": "true"}}
    ]});
    let (a, b) = (read(org).unwrap().0, read(&json.to_string()).unwrap().0);
    assert_eq!(serde_json::to_value(&a).unwrap(), serde_json::to_value(&b).unwrap());
    assert_eq!(a.hash(), b.hash());
    // States and cookies are not compiled.
    assert_eq!(
        read(&org.replace("DONE First [1/2]", "TODO First [50%]"))
            .unwrap()
            .0
            .hash(),
        a.hash()
    );
}

#[test]
fn a_mistake_in_a_plan_is_refused_with_its_line() {
    let plan = |body: &str| format!("#+WORKFLOW: project.x 1.0.0\n{body}");
    for (text, line, part) in [
        ("* TODO A\n".to_owned(), None, "no #+WORKFLOW"),
        (
            "#+WORKFLOW: project.x\n* TODO A\n".to_owned(),
            Some(1),
            "an id and a version",
        ),
        (plan("#+AUTONOMY: wild\n* TODO A\n"), Some(2), "no value of #+AUTONOMY"),
        (plan("#+RISK: none\n* TODO A\n"), Some(2), "no value of #+RISK"),
        (plan("* L\n:LOOP: while\n** TODO A\n"), Some(2), ":MAX:"),
        (
            plan("* L\n:LOOP: sometimes\n:MAX: 2\n** TODO A\n"),
            Some(2),
            "no value of :LOOP:",
        ),
        (plan("* TODO A\n* TODO B\n:LOOP: while\n:MAX: 2\n"), Some(3), "no steps"),
        (plan("* TODO A\n:WHEN: a is 1\n"), Some(2), ":WHEN:"),
        (plan("* TODO A\n:CONFIRM: sometimes\n"), Some(2), ":CONFIRM:"),
        (plan("* TODO A\n:CRITERIA: {\n"), Some(2), ":CRITERIA:"),
        (
            plan("* TODO A\n* TODO B\n:CONTRACT: wb.contracts.gone\n"),
            Some(3),
            "no contract",
        ),
        (plan("* TODO A\n:done-when:\n"), Some(2), "check is empty"),
        (
            plan("* Part\n:WHEN: a = 1\n** TODO A\n"),
            Some(2),
            "neither a step nor a loop",
        ),
        (
            plan("* L\n:LOOP: while\n:MAX: 2\n:done-when: true\n** TODO A\n"),
            Some(2),
            "stands on a loop",
        ),
        (plan("* TODO A\n:MAX: 2\n"), Some(2), "stands on a step"),
        (plan("* TODO \u{c4}rger\n"), Some(2), "not a step id"),
        (plan("* TODO A\n:ID: a b\n"), Some(2), "not a step id"),
        (plan("* Notes\n"), None, "no steps"),
    ] {
        let error = read(&text).map(|(c, _)| c.steps.len()).unwrap_err();
        assert!(error.message.contains(part), "{part:?} in {error:?}");
        assert_eq!(error.line, line, "{text}: {error:?}");
    }
}

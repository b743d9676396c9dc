//! A scripted agent: it reads what a step requires and sends just that.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;

use serde_json::{Map, Value, json};
use session::protocol::OutputRequest;
use session::workflow::{
    Compiled, Condition, Contract, Control, Count, Criteria, Library, Operator, Source, SourceKind, Step, TaskStep,
    Test, Word,
};
use session::{Answer, Asked, ContinueRequest, Engine, Error, Intent, StartRequest, Verdict};
use session_store::{FileStore, Options, System};

pub type Files = Engine<FileStore>;

pub fn open(root: &Path) -> Files {
    Engine::new(FileStore::open(root, Options::default()).unwrap(), System, System)
}

pub fn compiled(text: &str) -> Compiled {
    session::workflow::compile(&Source::read(text).unwrap(), SourceKind::Bundled, &Library::default())
        .unwrap()
        .0
}

/// Three plain steps.
pub const THREE: &str = "\
#+WORKFLOW: project.three 1.0.0
#+TITLE: Three steps
* TODO One
* TODO Two
* TODO Three
";

/// A loop that the agent decides, between two steps.
pub const LOOP: &str = "\
#+WORKFLOW: project.loop 1.0.0
* TODO Before
* Round and round
:PROPERTIES:
:ID: round
:LOOP: while
:MAX: 1000
:END:
** TODO Work
:done-when: test -s work
** TODO Decide
:CONTRACT: wr.contracts.loop_control
* TODO After
";

pub fn pass(_: &Asked<'_>) -> Verdict {
    Verdict::pass()
}

/// Three steps, of which two have a check.
pub const CHECKED: &str = "\
#+WORKFLOW: project.checked 1.0.0
* TODO One
:done-when: test -s one
* TODO Two
:done-when: test -s two
* TODO Three
";

pub fn start(engine: &Files, text: &str) -> Answer {
    engine.start(&StartRequest::new(compiled(text))).unwrap()
}

pub fn advance(engine: &Files, token: &str, notes: &str) -> Result<Answer, Error> {
    let mut request = ContinueRequest::new(token, Intent::Advance);
    request.output.notes = Some(notes.into());
    engine.continue_run(&request, &pass)
}

pub fn decide(engine: &Files, token: &str, decision: &str) -> Result<Answer, Error> {
    let mut request = ContinueRequest::new(token, Intent::Advance);
    request.output.artifacts = vec![object(json!({"kind": "wr.loop_control", "decision": decision}))];
    engine.continue_run(&request, &pass)
}

pub fn step(answer: &Answer) -> &str {
    answer.pending.as_ref().map_or("complete", |pending| &pending.step_id)
}

pub fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A context with a list for each loop that goes through one.
pub fn context(workflow: &Compiled) -> Map<String, Value> {
    fn visit(steps: &[Step], context: &mut Map<String, Value>) {
        for step in steps {
            let Step::Loop(looped) = step else { continue };
            match &looped.control {
                Control::ForEach { items, .. } => {
                    context.insert(items.clone(), json!([{"name": "a"}, {"name": "b"}]));
                }
                Control::For { count: Count::Key(key) } => {
                    context.insert(key.clone(), json!(2));
                }
                _ => {}
            }
            visit(&looped.body, context);
        }
    }
    let mut context = Map::new();
    visit(&workflow.steps, &mut context);
    context
}

/// What ends the loops that are decided by the context.
pub fn endings(workflow: &Compiled) -> Map<String, Value> {
    fn make(condition: &Condition, hold: bool, context: &mut Map<String, Value>) {
        match condition {
            Condition::Truthy(var) => drop(context.insert(var.clone(), json!(hold))),
            Condition::Compare(var, Operator::Equals, value) if hold => {
                drop(context.insert(var.clone(), value.clone()))
            }
            Condition::Compare(var, Operator::NotEquals, value) if !hold => {
                drop(context.insert(var.clone(), value.clone()))
            }
            Condition::Compare(var, ..) => drop(context.insert(var.clone(), json!("something else"))),
            Condition::And(list) | Condition::Or(list) => list.iter().for_each(|c| make(c, hold, context)),
            Condition::Not(one) => make(one, !hold, context),
        }
    }
    fn visit(steps: &[Step], context: &mut Map<String, Value>) {
        for step in steps {
            let Step::Loop(looped) = step else { continue };
            if let Control::Context { word, condition } = &looped.control {
                make(condition, *word == Word::Until, context);
            }
            visit(&looped.body, context);
        }
    }
    let mut context = Map::new();
    visit(&workflow.steps, &mut context);
    context
}

/// Artifacts that are the user's word to go further.
pub fn grant(autonomy: &str) -> Map<String, Value> {
    object(json!({"kind": "wb.autonomy_grant", "autonomy": autonomy, "approvedBy": "Ada", "statement": "go on alone"}))
}

/// What completes a pending step. A loop goes round twice where it may.
pub fn output(workflow: &Compiled, answer: &Answer) -> OutputRequest {
    let pending = answer.pending.as_ref().unwrap();
    output_of(workflow, &pending.step_id, &pending.prompt)
}

/// What completes a step that was told with this prompt.
pub fn output_of(workflow: &Compiled, step: &str, prompt: &str) -> OutputRequest {
    let task = workflow.task(step).unwrap();
    let mut artifacts = Vec::new();
    if let Some(wanted) = &task.contract {
        artifacts.push(Contract::find(&wanted.contract_ref).unwrap().example());
    }
    artifacts.extend(assessments(workflow, task));
    if prompt.contains("wb.confirmation") {
        artifacts.push(json!({"kind": "wb.confirmation", "approvedBy": "the user", "statement": "go on"}));
    }
    if let Some(capability) = task.probes {
        artifacts = vec![
            json!({"kind": "wb.capability_probe", "capability": capability.as_str(), "result": "success", "evidence": "called it"}),
        ];
    }
    if prompt.contains("this decides the loop") {
        artifacts.retain(|artifact| artifact["kind"] != "wr.loop_control");
        let again = prompt.contains("iteration 1 of at most") && !prompt.contains("at most 1 of");
        artifacts.push(json!({"kind": "wr.loop_control", "decision": if again { "continue" } else { "stop" }}));
    }
    OutputRequest {
        notes: Some(task.criteria.as_ref().map_or_else(|| format!("did {}", task.id), notes)),
        artifacts: artifacts.into_iter().map(object).collect(),
        supersedes: None,
    }
}

fn assessments(workflow: &Compiled, task: &TaskStep) -> Vec<Value> {
    let judged = |id: &String| {
        let assessment = workflow.assessments.iter().find(|a| a.id == *id).unwrap();
        let bad = |level: &String| task.assessment_rules.iter().any(|rule| rule.level == *level);
        let level = |d: &session::workflow::Dimension| {
            (
                d.id.clone(),
                json!(d.levels.iter().find(|level| !bad(level)).unwrap_or(&d.levels[0])),
            )
        };
        let dimensions: Map<String, Value> = assessment.dimensions.iter().map(level).collect();
        json!({"kind": "wr.assessment", "assessmentId": id, "dimensions": dimensions})
    };
    task.assessments.iter().map(judged).collect()
}

/// Notes that keep these rules, for rules that only ask for texts and lengths.
fn notes(criteria: &Criteria) -> String {
    fn visit(criteria: &Criteria, text: &mut String, min: &mut u64) {
        match criteria {
            Criteria::All(list) => list.iter().for_each(|c| visit(c, text, min)),
            Criteria::Any(list) => visit(&list[0], text, min),
            Criteria::Not(_) => {}
            Criteria::Rule(rule) => match &rule.test {
                Test::Contains(value) => text.push_str(&format!("{value}\n")),
                Test::Length { min: Some(least), .. } => *min = (*min).max(*least),
                // A little of everything that rules look for.
                Test::Regex { .. } => text.push_str("- expected one, saw an error; the test fails on 12 rows\n"),
                Test::Length { .. } | Test::Schema(_) => {}
            },
        }
    }
    let (mut text, mut min) = (String::new(), 0);
    visit(criteria, &mut text, &mut min);
    while (text.len() as u64) < min {
        text.push_str("more evidence. ");
    }
    text
}

/// Drives a run from where it stands to its end; gives the steps it did.
pub fn drive(engine: &Files, workflow: &Compiled, mut answer: Answer) -> Vec<String> {
    let mut done = Vec::new();
    while let Some(pending) = &answer.pending {
        assert!(done.len() < 500, "{}: {done:?}", workflow.workflow_id);
        done.push(pending.step_id.clone());
        let request = ContinueRequest {
            output: output(workflow, &answer),
            context: Some(endings(workflow)).filter(|context| !context.is_empty()),
            ..ContinueRequest::new(&answer.token, Intent::Advance)
        };
        answer = engine.continue_run(&request, &pass).unwrap();
        assert_eq!(answer.blockers, [], "{}: {done:?}", workflow.workflow_id);
    }
    done
}

//! The interpreter: which step is next. A function of the compiled workflow, the state and the context.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::event::{Pointer, TraceEntry, TraceKind, TraceRef};
use crate::limits;
use crate::reason::{Problem, Reason};
use crate::snapshot::{Completed, Decision, EngineState, Frame, LoopAt, Pending, PendingStep, key};
use crate::text::TRUNCATED;
use crate::workflow::{Compiled, Condition, Control, LoopStep, Step};

/// How many conditions and iterations one advance may look at.
const WORK: u32 = 100_000;

/// Where the run stands after a move, and what was decided on the way.
#[derive(Debug)]
pub(crate) struct Moved {
    pub state: EngineState,
    pub trace: Vec<TraceEntry>,
    /// What blocking modes would have stopped at.
    pub passed: Vec<Problem>,
}

/// Finds the value at a dotted path.
pub(crate) fn look_up<'v>(map: &'v Map<String, Value>, path: &str) -> Option<&'v Value> {
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(first, rest)| (first, Some(rest)));
    let mut value = map.get(first)?;
    for part in rest.into_iter().flat_map(|rest| rest.split('.')) {
        value = match value {
            Value::Object(map) => map.get(part)?,
            Value::Array(list) => list.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// The first step.
pub(crate) fn begin(
    workflow: &Compiled,
    context: &Map<String, Value>,
    blocks: bool,
    proven: &[String],
) -> Result<Moved, Problem> {
    let mut walk = Walk::new(workflow, context, blocks, proven, BTreeSet::new());
    let next = walk.run(&workflow.steps, 0)?;
    Ok(walk.arrive(next))
}

/// The step after the pending one. `decisions` are of the current iterations, by depth of the loop.
pub(crate) fn advance(
    workflow: &Compiled,
    state: &EngineState,
    decisions: &[(usize, Decision)],
    context: &Map<String, Value>,
    blocks: bool,
    proven: &[String],
) -> Result<Moved, Problem> {
    let EngineState::Running {
        completed: Completed::Set { values },
        loop_stack,
        pending: Pending::Some { step },
    } = state
    else {
        return Err(broken("nothing is pending"));
    };
    let mut stack = loop_stack.clone();
    for (depth, decision) in decisions {
        if let Some(frame) = stack.get_mut(*depth) {
            frame.decision = Some(*decision);
        }
    }
    let mut walk = Walk::new(workflow, context, blocks, proven, values.clone());
    let next = walk.go_on(&workflow.steps, &stack, step)?;
    Ok(walk.arrive(next))
}

/// The variables that the loops around a step set.
pub(crate) fn loop_variables(
    workflow: &Compiled,
    frames: &[Frame],
    context: &Map<String, Value>,
) -> Map<String, Value> {
    let mut variables = Map::new();
    let mut steps = workflow.steps.as_slice();
    for frame in frames {
        let Some(looped) = find_loop(steps, &frame.loop_id) else {
            break;
        };
        if let Some(name) = &looped.iteration_var {
            variables.insert(name.clone(), json!(frame.iteration));
        }
        if let Control::ForEach {
            items,
            item_var,
            index_var,
        } = &looped.control
        {
            let at = format!("{items}.{}", frame.iteration);
            let item = look_up(&variables, &at).or_else(|| look_up(context, &at)).cloned();
            variables.insert(item_var.clone(), item.unwrap_or(Value::Null));
            if let Some(name) = index_var {
                variables.insert(name.clone(), json!(frame.iteration));
            }
        }
        steps = &looped.body;
    }
    variables
}

/// The loops around a step, the outermost first.
pub(crate) fn loops_around<'w>(workflow: &'w Compiled, frames: &[Frame]) -> Vec<&'w LoopStep> {
    let mut steps = workflow.steps.as_slice();
    let mut loops = Vec::new();
    for frame in frames {
        let Some(looped) = find_loop(steps, &frame.loop_id) else {
            break;
        };
        loops.push(looped);
        steps = &looped.body;
    }
    loops
}

fn find_loop<'w>(steps: &'w [Step], id: &str) -> Option<&'w LoopStep> {
    steps.iter().find_map(|step| match step {
        Step::Loop(looped) if looped.id == id => Some(&**looped),
        _ => None,
    })
}

fn broken(why: &str) -> Problem {
    let pointer = Pointer::WorkflowStep { step_id: "none".into() };
    Problem::new(
        Reason::Invariant,
        pointer,
        format!("the snapshot does not fit the workflow: {why}"),
        "verify the session",
    )
}

struct Walk<'w> {
    workflow: &'w Compiled,
    context: &'w Map<String, Value>,
    blocks: bool,
    proven: &'w [String],
    frames: Vec<Frame>,
    completed: BTreeSet<String>,
    trace: Vec<TraceEntry>,
    passed: Vec<Problem>,
    work: u32,
}

/// The id of the step that was reached, or the end of the list.
type Reached = Result<Option<String>, Problem>;

impl<'w> Walk<'w> {
    fn new(
        workflow: &'w Compiled,
        context: &'w Map<String, Value>,
        blocks: bool,
        proven: &'w [String],
        completed: BTreeSet<String>,
    ) -> Self {
        Walk {
            workflow,
            context,
            blocks,
            proven,
            frames: Vec::new(),
            completed,
            trace: Vec::new(),
            passed: Vec::new(),
            work: 0,
        }
    }

    /// From the pending step on, through the loops it is in.
    fn go_on(&mut self, steps: &'w [Step], stack: &[Frame], pending: &PendingStep) -> Reached {
        let Some((frame, inner)) = stack.split_first() else {
            let at = steps
                .iter()
                .position(|s| matches!(s, Step::Task(t) if t.id == pending.step_id));
            let at = at.ok_or_else(|| broken("the pending step is not there"))?;
            self.completed.insert(self.key(&pending.step_id));
            return self.run(steps, at + 1);
        };
        let at = steps.iter().position(|s| s.id() == frame.loop_id);
        let at = at.ok_or_else(|| broken("a loop is not there"))?;
        let Step::Loop(looped) = &steps[at] else {
            return Err(broken("a loop is a step"));
        };
        self.frames.push(frame.clone());
        let reached = self.go_on(&looped.body, inner, pending)?;
        match reached {
            Some(step) => Ok(Some(step)),
            None => match self.end_of_iteration(looped)? {
                Some(step) => Ok(Some(step)),
                None => self.run(steps, at + 1),
            },
        }
    }

    /// The first step from here on whose condition holds.
    fn run(&mut self, steps: &'w [Step], from: usize) -> Reached {
        for (at, step) in steps.iter().enumerate().skip(from) {
            self.spend()?;
            if let Some(condition) = step.when()
                && !self.holds(condition)
            {
                self.note(
                    TraceKind::EvaluatedCondition,
                    &format!("`{}` is skipped: its condition is false", step.id()),
                    vec![TraceRef::StepId {
                        step_id: step.id().into(),
                    }],
                );
                continue;
            }
            // What a plan's history proved is done. A step in a loop is done anew in each iteration.
            if self.frames.is_empty() && self.proven.iter().any(|id| id == step.id()) {
                let refs = vec![TraceRef::StepId {
                    step_id: step.id().into(),
                }];
                self.note(
                    TraceKind::EvaluatedCondition,
                    &format!("`{}` is skipped: the plan's history proves it done", step.id()),
                    refs,
                );
                self.completed.insert(self.key(step.id()));
                continue;
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.body_index = at as u32;
            }
            match step {
                Step::Task(task) => return Ok(Some(task.id.clone())),
                Step::Loop(looped) => {
                    if let Some(step) = self.enter(looped)? {
                        return Ok(Some(step));
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, looped: &'w LoopStep) -> Reached {
        if self.iterations(looped)? == Some(0) {
            self.note_loop(TraceKind::EvaluatedCondition, looped, 0, "has nothing to go through");
            self.note_loop(TraceKind::ExitedLoop, looped, 0, "ends without an iteration");
            self.completed.insert(self.key(&looped.id));
            return Ok(None);
        }
        self.frames.push(Frame {
            loop_id: looped.id.clone(),
            iteration: 0,
            body_index: 0,
            decision: None,
        });
        self.note_loop(TraceKind::EnteredLoop, looped, 0, "begins");
        match self.run(&looped.body, 0)? {
            Some(step) => Ok(Some(step)),
            None => self.end_of_iteration(looped),
        }
    }

    /// The loop's frame is on top and its body is done: once more, or out.
    fn end_of_iteration(&mut self, looped: &'w LoopStep) -> Reached {
        loop {
            self.spend()?;
            if !self.once_more(looped)? {
                let iteration = self.frames.pop().map_or(0, |frame| frame.iteration);
                self.forget(&looped.id);
                self.completed.insert(self.key(&looped.id));
                self.note_loop(TraceKind::ExitedLoop, looped, iteration, "ends");
                return Ok(None);
            }
            self.forget(&looped.id);
            if let Some(frame) = self.frames.last_mut() {
                *frame = Frame {
                    iteration: frame.iteration + 1,
                    body_index: 0,
                    decision: None,
                    ..frame.clone()
                };
            }
            if let Some(step) = self.run(&looped.body, 0)? {
                return Ok(Some(step));
            }
        }
    }

    fn once_more(&mut self, looped: &LoopStep) -> Result<bool, Problem> {
        let (iteration, decision) = self
            .frames
            .last()
            .map_or((0, None), |frame| (frame.iteration, frame.decision));
        let wants = match &looped.control {
            Control::Artifact { loop_id, .. } => match decision {
                Some(decision) => decision == Decision::Continue,
                None => return self.pass(undecided(looped, loop_id)),
            },
            Control::Context { word, condition } => {
                self.holds(condition) == matches!(word, crate::workflow::Word::While)
            }
            Control::For { .. } | Control::ForEach { .. } => {
                self.iterations(looped)?.is_some_and(|n| u64::from(iteration) + 1 < n)
            }
        };
        let said = if wants { "is to go round once more" } else { "is to end" };
        self.note_loop(TraceKind::EvaluatedCondition, looped, iteration, said);
        if wants && iteration + 1 >= looped.max_iterations {
            return self.pass(at_limit(looped, iteration));
        }
        Ok(wants)
    }

    /// How many iterations a counted loop has; none for a loop that is decided as it goes.
    fn iterations(&mut self, looped: &LoopStep) -> Result<Option<u64>, Problem> {
        let (key, count) = match &looped.control {
            Control::Artifact { .. } | Control::Context { .. } => return Ok(None),
            Control::For {
                count: crate::workflow::Count::Times(n),
            } => return Ok(Some(u64::from(*n))),
            Control::For {
                count: crate::workflow::Count::Key(key),
            } => (key, self.value(key).and_then(|v| v.as_u64())),
            Control::ForEach { items, .. } => (
                items,
                self.value(items)
                    .and_then(|v| v.as_array().map(|list| list.len() as u64)),
            ),
        };
        if count.is_none() {
            let wants = if matches!(looped.control, Control::For { .. }) {
                "a whole number"
            } else {
                "a list"
            };
            self.pass(no_input(looped, key, wants))?;
        }
        Ok(Some(count.unwrap_or(0)))
    }

    /// Stops a blocking mode; notes the gap and leaves the loop in never-stop.
    fn pass(&mut self, problem: Problem) -> Result<bool, Problem> {
        if self.blocks {
            return Err(problem);
        }
        self.passed.push(problem);
        Ok(false)
    }

    fn value(&self, path: &str) -> Option<Value> {
        let variables = loop_variables(self.workflow, &self.frames, self.context);
        look_up(&variables, path)
            .or_else(|| look_up(self.context, path))
            .cloned()
    }

    fn holds(&self, condition: &Condition) -> bool {
        let variables = loop_variables(self.workflow, &self.frames, self.context);
        condition.holds(&|path| look_up(&variables, path).or_else(|| look_up(self.context, path)))
    }

    fn key(&self, id: &str) -> String {
        key(self.frames.iter().map(|f| (f.loop_id.as_str(), f.iteration)), id)
    }

    /// What was done inside a loop that has moved on says nothing any more; without it a snapshot stays small.
    fn forget(&mut self, loop_id: &str) {
        let inside = |key: &str| {
            let path = key.rsplit_once("::").map_or("", |(path, _)| path);
            path.split('/')
                .any(|at| at.rsplit_once('@').is_some_and(|(id, _)| id == loop_id))
        };
        self.completed.retain(|key| !inside(key));
    }

    fn spend(&mut self) -> Result<(), Problem> {
        self.work += 1;
        if self.work > WORK {
            return Err(broken("its loops go round without a step"));
        }
        Ok(())
    }

    fn note(&mut self, kind: TraceKind, summary: &str, refs: Vec<TraceRef>) {
        match self.trace.len() {
            n if n < limits::TRACE_ENTRIES - 1 => self.trace.push(TraceEntry::new(kind, summary, refs)),
            // The place of the step that is chosen is kept free; the entry before it says that more was decided.
            _ => {
                if let Some(last) = self.trace.last_mut()
                    && !last.summary.ends_with(TRUNCATED)
                {
                    last.summary.push_str(TRUNCATED);
                }
            }
        }
    }

    fn note_loop(&mut self, kind: TraceKind, looped: &LoopStep, iteration: u32, said: &str) {
        let refs = vec![
            TraceRef::LoopId {
                loop_id: looped.id.clone(),
            },
            TraceRef::Iteration { value: iteration },
        ];
        self.note(
            kind,
            &format!("the loop `{}` {said} (iteration {iteration})", looped.id),
            refs,
        );
    }

    fn arrive(mut self, next: Option<String>) -> Moved {
        let state = match next {
            None => EngineState::Complete,
            Some(step_id) => {
                let refs = vec![TraceRef::StepId {
                    step_id: step_id.clone(),
                }];
                self.trace.push(TraceEntry::new(
                    TraceKind::SelectedNextStep,
                    &format!("`{step_id}` is next"),
                    refs,
                ));
                let at = |f: &Frame| LoopAt {
                    loop_id: f.loop_id.clone(),
                    iteration: f.iteration,
                };
                let step = PendingStep {
                    step_id,
                    loop_path: self.frames.iter().map(at).collect(),
                };
                EngineState::Running {
                    completed: Completed::Set { values: self.completed },
                    loop_stack: self.frames,
                    pending: Pending::Some { step },
                }
            }
        };
        Moved {
            state,
            trace: self.trace,
            passed: self.passed,
        }
    }
}

fn undecided(looped: &LoopStep, loop_id: &str) -> Problem {
    Problem::new(
        Reason::MissingOutput,
        Pointer::OutputContract {
            contract_ref: "wr.contracts.loop_control".into(),
        },
        format!(
            "nothing in this iteration says whether the loop `{}` goes round once more",
            looped.id
        ),
        format!(
            "send an artifact {{\"kind\": \"wr.loop_control\", \"loopId\": \"{loop_id}\", \"decision\": \"continue\" or \"stop\"}}"
        ),
    )
}

fn at_limit(looped: &LoopStep, iteration: u32) -> Problem {
    let max = looped.max_iterations;
    Problem::new(
        Reason::Invariant,
        Pointer::Loop {
            loop_id: looped.id.clone(),
            iteration,
            max_iterations: max,
        },
        format!(
            "the loop `{}` is at iteration {iteration} and may run {max} times",
            looped.id
        ),
        "end the loop: decide \"stop\", or shorten what it goes through",
    )
}

fn no_input(looped: &LoopStep, key: &str, wants: &str) -> Problem {
    Problem::new(
        Reason::MissingOutput,
        Pointer::ContextKey { key: key.to_owned() },
        format!("the loop `{}` needs {wants} under `{key}` in the context", looped.id),
        format!("send it in the context: {{\"{key}\": ..}}"),
    )
}

//! Ten thousand random steps against a simple model: starts, advances, replays, forks, checkpoints, crashes, restarts.
//!
//! The model knows one workflow by heart and keeps its nodes in a list. It shares no code with the engine.

mod agent;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use agent::{Files, compiled, object, pass};
use serde_json::{Value, json};
use session::event::{Autonomy, CauseKind, Finding, NodeKind};
use session::project::RunStatus;
use session::protocol::{CheckpointRequest, Inspection, PreferenceChange, RewindRequest};
use session::{Answer, ContinueRequest, Engine, Intent, NodeId, SessionId, StartRequest, Verdict};
use session_store::{FileStore, Options, Step, System};

const STEPS: u32 = 10_000;
const SESSIONS: usize = 12;

const WORKFLOW: &str = r#"{
  "id": "project.model", "name": "Model", "description": "", "version": "1.0.0",
  "steps": [
    {"id": "a", "title": "A", "prompt": "k is {{k}}", "check": {"command": "test -s a"}},
    {"id": "l", "title": "L", "type": "loop",
     "loop": {"type": "while", "maxIterations": 3, "conditionSource": {"kind": "artifact_contract", "contractRef": "wr.contracts.loop_control"}},
     "body": [{"id": "w", "title": "W", "prompt": "k is {{k}}"}, {"id": "d", "title": "D", "prompt": "k is {{k}}"}]},
    {"id": "z", "title": "Z", "prompt": "k is {{k}}", "outputContract": {"contractRef": "wb.contracts.verdict"}}
  ]
}"#;

/// Where the model's run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    A,
    W(u32),
    /// A decision of the iteration may have been sent with the work.
    D(u32, Option<Sent>),
    Z,
    End,
}

impl At {
    fn step(self) -> Option<String> {
        match self {
            At::A => Some("a".into()),
            At::W(n) => Some(format!("l@{n}::w")),
            At::D(n, _) => Some(format!("l@{n}::d")),
            At::Z => Some("z".into()),
            At::End => None,
        }
    }
}

/// What the agent sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    Continue,
    Stop,
    Verdict,
}

impl Sent {
    fn artifacts(self) -> Vec<serde_json::Map<String, Value>> {
        match self {
            Sent::Nothing => vec![],
            Sent::Continue => vec![object(
                json!({"kind": "wr.loop_control", "loopId": "l", "decision": "continue"}),
            )],
            Sent::Stop => vec![object(json!({"kind": "wr.loop_control", "decision": "stop"}))],
            Sent::Verdict => {
                vec![object(
                    json!({"kind": "wb.verdict", "verdict": "accept", "confidence": "high", "because": "it is so"}),
                )]
            }
        }
    }
}

/// The next place, or nothing when the attempt is refused; and how many gaps never-stop records.
fn next(at: At, sent: Sent, stops: bool) -> (Option<At>, usize) {
    let gap = |to: At| if stops { (None, 0) } else { (Some(to), 1) };
    match (at, sent) {
        // The check of the first step passes when the agent has something to show.
        (At::A, Sent::Nothing) => gap(At::W(0)),
        (At::A, _) => (Some(At::W(0)), 0),
        (At::W(n), Sent::Continue | Sent::Stop) => (Some(At::D(n, Some(sent))), 0),
        (At::W(n), _) => (Some(At::D(n, None)), 0),
        (At::D(2, _), Sent::Continue) => gap(At::Z),
        (At::D(n, _), Sent::Continue) => (Some(At::W(n + 1)), 0),
        (At::D(..), Sent::Stop) => (Some(At::Z), 0),
        (At::D(n, Some(before)), _) => next(At::D(n, None), before, stops),
        (At::D(_, None), _) => gap(At::Z),
        (At::Z, Sent::Verdict) => (Some(At::End), 0),
        (At::Z, _) => gap(At::End),
        (At::End, _) => unreachable!("nothing is pending"),
    }
}

#[derive(Debug, Clone)]
struct Node {
    kind: NodeKind,
    parent: Option<usize>,
    at: At,
    k: Option<u64>,
    autonomy: Autonomy,
    notes: Option<String>,
    touched: u64,
    children: usize,
    /// How often its step's check was asked, and how it ended each time.
    verdicts: Vec<bool>,
    /// Whether it is a fork: its step had been taken before, from its parent or through a checkpoint.
    fork: bool,
    /// What was sent and what was answered, by attempt.
    attempts: Vec<(ContinueRequest, Answer)>,
    checkpoints: Vec<(CheckpointRequest, Answer)>,
}

struct Session {
    id: SessionId,
    ids: Vec<NodeId>,
    nodes: Vec<Node>,
    gaps: usize,
}

impl Session {
    fn tip(&self) -> usize {
        let mut activity: Vec<u64> = Vec::new();
        for node in &self.nodes {
            activity.push(node.touched.max(node.parent.map_or(0, |parent| activity[parent])));
        }
        let leaves = (0..self.nodes.len()).filter(|i| self.nodes[*i].children == 0);
        leaves.max_by_key(|i| (activity[*i], *i)).unwrap()
    }

    /// The node on which a step became pending: a checkpoint stands for the node it was made of.
    fn origin(&self, node: usize) -> usize {
        match (self.nodes[node].kind, self.nodes[node].parent) {
            (NodeKind::Checkpoint, Some(parent)) => self.origin(parent),
            _ => node,
        }
    }

    /// Whether some step comes from this node, or from another that stands for the same one.
    fn taken(&self, node: usize) -> bool {
        let origin = self.origin(node);
        let from = |n: &Node| n.parent.is_some_and(|parent| self.origin(parent) == origin);
        self.nodes.iter().any(|n| n.kind == NodeKind::Step && from(n))
    }

    fn status(&self) -> RunStatus {
        let tip = &self.nodes[self.tip()];
        match (tip.at, tip.kind, self.gaps) {
            (At::End, _, 0) => RunStatus::Complete,
            (At::End, ..) => RunStatus::CompleteWithGaps,
            (_, NodeKind::BlockedAttempt, _) => RunStatus::Blocked,
            _ => RunStatus::InProgress,
        }
    }
}

/// A small generator, so that a failure can be run again from its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len() as u64) as usize]
    }
}

/// The step at which the store dies; none when it is past the list.
type Bomb = Arc<AtomicUsize>;

fn open(root: &Path, bomb: &Bomb) -> Files {
    let armed = bomb.clone();
    let probe = move |step: Step| {
        if Step::ALL.get(armed.load(Relaxed)) == Some(&step) {
            armed.store(usize::MAX, Relaxed);
            // Unwinding removes a temporary file at most, so the files are as a kill leaves them otherwise.
            std::panic::resume_unwind(Box::new(step));
        }
    };
    Engine::new(
        FileStore::open(
            root,
            Options {
                probe: Some(Box::new(probe)),
            },
        )
        .unwrap(),
        System,
        System,
    )
}

struct World<'d> {
    root: &'d Path,
    bomb: Bomb,
    engine: Files,
    dice: Dice,
    sessions: Vec<Session>,
    clock: u64,
    counts: BTreeMap<&'static str, u32>,
}

impl World<'_> {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn restart(&mut self) {
        self.bomb.store(usize::MAX, Relaxed);
        self.engine = open(self.root, &self.bomb);
    }

    /// Makes a call that may die in the middle. A dead one is answered by nobody; `Some(step)` says where it died.
    fn call<T>(&mut self, call: impl Fn(&Files) -> T) -> Result<T, Step> {
        if self.dice.roll(5) == 0 {
            self.bomb
                .store(self.dice.roll(Step::ALL.len() as u64) as usize, Relaxed);
        }
        let done = catch_unwind(AssertUnwindSafe(|| call(&self.engine)));
        self.bomb.store(usize::MAX, Relaxed);
        done.map_err(|died| {
            let step = *died.downcast::<Step>().expect("only the probe unwinds");
            self.count("crash");
            self.restart();
            step
        })
    }

    fn step(&mut self) {
        self.clock += 2;
        if self.sessions.is_empty() || (self.sessions.len() < SESSIONS && self.dice.roll(20) == 0) {
            return self.start();
        }
        let session = self.dice.roll(self.sessions.len() as u64) as usize;
        match self.dice.roll(20) {
            0 => self.restart(),
            1..=2 => self.checkpoint(session),
            3..=5 => self.replay(session),
            6 => self.rehydrate(session),
            _ => self.advance(session),
        }
        if self.dice.roll(25) == 0 {
            self.compare(session);
        }
        // A long session makes every restart slow and shows nothing new.
        if self.sessions[session].nodes.len() > 60 {
            self.compare(session);
            let id = self.sessions.swap_remove(session).id;
            std::fs::remove_dir_all(self.root.join("sessions").join(id.to_string())).unwrap();
        }
    }

    fn start(&mut self) {
        let never_stop = self.dice.roll(3) == 0;
        let mut request = StartRequest::new(compiled(WORKFLOW));
        let k = (self.dice.roll(2) == 0).then(|| self.dice.roll(1000));
        k.map(|k| request.context.insert("k".into(), json!(k)));
        if never_stop {
            request.preferences.autonomy = Some(Autonomy::FullAutoNeverStop);
        }
        let known = self.engine.list().unwrap().len();
        match self.call(|engine| engine.start(&request).unwrap()) {
            Ok(answer) => {
                self.count("start");
                let node = Node {
                    kind: NodeKind::Step,
                    parent: None,
                    at: At::A,
                    k,
                    autonomy: answer.preferences.autonomy,
                    notes: None,
                    touched: self.clock,
                    children: 0,
                    verdicts: vec![],
                    fork: false,
                    attempts: vec![],
                    checkpoints: vec![],
                };
                self.sessions.push(Session {
                    id: answer.session_id,
                    ids: vec![],
                    nodes: vec![node],
                    gaps: 0,
                });
            }
            Err(step) => {
                // Nobody was told its name; it is there whole, or not at all.
                let found = self.engine.list().unwrap();
                assert_eq!(found.len(), known + usize::from(step.happened()), "{step:?}");
                for stray in found {
                    if !self.sessions.iter().any(|s| s.id == stray.session_id) {
                        assert!(stray.health.is_healthy());
                        std::fs::remove_dir_all(self.root.join("sessions").join(stray.session_id.to_string())).unwrap();
                    }
                }
            }
        }
    }

    /// The engine's name of a node; nodes are made in one order on both sides.
    fn node_id(&mut self, session: usize, node: usize) -> NodeId {
        let session = &mut self.sessions[session];
        if session.ids.len() <= node {
            let seen = self.engine.inspect(session.id, None).unwrap();
            session.ids = seen.nodes.iter().map(|node| node.node_id).collect();
        }
        session.ids[node]
    }

    /// Advances from the tip or, one time in three, from any node: a fork when a step comes after it.
    fn advance(&mut self, s: usize) {
        let tip = self.sessions[s].tip();
        let any = self.dice.roll(self.sessions[s].nodes.len() as u64) as usize;
        let mut from = if self.dice.roll(3) == 0 { any } else { tip };
        if self.sessions[s].nodes[from].kind == NodeKind::BlockedAttempt {
            from = self.sessions[s].nodes[from].parent.unwrap();
        }
        // Nothing is pending at the end: go back to the beginning.
        if self.sessions[s].nodes[from].at == At::End {
            from = 0;
        }
        let (id, node_id) = (self.sessions[s].id, self.node_id(s, from));
        let rewound = self
            .engine
            .rewind(RewindRequest {
                session_id: id,
                node_id: Some(node_id),
            })
            .unwrap();
        let sent = self.dice.pick(&[
            Sent::Nothing,
            Sent::Continue,
            Sent::Stop,
            Sent::Stop,
            Sent::Verdict,
            Sent::Verdict,
        ]);
        let mut request = ContinueRequest::new(&rewound.token, Intent::Advance);
        request.output.artifacts = sent.artifacts();
        request.output.notes = Some(format!("notes {}", self.clock));
        match self.dice.roll(6) {
            0 => request.context = Some(object(json!({"k": self.dice.roll(1000)}))),
            1 => request.context = Some(object(json!({"k": null}))),
            _ => {}
        }
        let autonomy = [Autonomy::Guided, Autonomy::FullAutoNeverStop];
        if self.dice.roll(12) == 0 {
            request.preferences = PreferenceChange {
                autonomy: Some(self.dice.pick(&autonomy)),
                risk_policy: None,
            };
            if request.preferences.autonomy > Some(self.sessions[s].nodes[from].autonomy) {
                // Without the user's word nothing happens, and the token is good for another try.
                self.engine.continue_run(&request, &pass).unwrap_err();
                request.output.artifacts.push(agent::grant("full_auto_never_stop"));
                self.count("grant");
            }
        }
        let passes = sent != Sent::Nothing;
        let check = move |_: &session::Asked<'_>| {
            if passes {
                Verdict::pass()
            } else {
                Verdict::fail("nothing to show")
            }
        };
        let answer = match self.call(|engine| engine.continue_run(&request, &check).unwrap()) {
            Ok(answer) => answer,
            Err(step) => {
                let before = self.sessions[s].nodes.len();
                let now = self.engine.inspect(id, None).unwrap();
                assert!(now.overview.health.is_healthy(), "{step:?}");
                assert_eq!(now.nodes.len(), before + usize::from(step.happened()), "{step:?}");
                // The agent tries again with the same token.
                self.engine.continue_run(&request, &check).unwrap()
            }
        };
        self.count(if self.sessions[s].nodes[from].children > 0 {
            "advance with siblings"
        } else {
            "advance"
        });
        self.record(s, from, sent, request, answer);
    }

    fn record(&mut self, s: usize, from: usize, sent: Sent, request: ContinueRequest, answer: Answer) {
        let session = &mut self.sessions[s];
        let parent = session.nodes[from].clone();
        let autonomy = request.preferences.autonomy.unwrap_or(parent.autonomy);
        let k = match &request.context {
            Some(change) => change["k"].as_u64(),
            None => parent.k,
        };
        let (to, gaps) = next(parent.at, sent, autonomy.blocks());
        session.gaps += gaps;
        let blocked = to.is_none();
        assert_eq!(answer.blockers.is_empty(), !blocked, "{parent:?} {sent:?} {answer:?}");
        session.nodes[from].touched = self.clock;
        session.nodes[from].children += 1;
        if parent.at == At::A {
            session.nodes[from].verdicts.push(sent != Sent::Nothing);
        }
        let fork = !blocked && session.taken(from);
        if !blocked {
            session.nodes[from].notes = request.output.notes.clone();
        }
        session.nodes.push(Node {
            kind: if blocked {
                NodeKind::BlockedAttempt
            } else {
                NodeKind::Step
            },
            parent: Some(from),
            at: to.unwrap_or(parent.at),
            k,
            autonomy,
            notes: blocked.then(|| request.output.notes.clone()).flatten(),
            touched: self.clock + 1,
            children: 0,
            verdicts: vec![],
            fork,
            attempts: vec![],
            checkpoints: vec![],
        });
        session.nodes[from].attempts.push((request, answer.clone()));
        if let (Some(pending), Some(to)) = (&answer.pending, to) {
            let shown = k.map_or("k is {{k}}".into(), |k| format!("k is {k}"));
            assert!(
                pending.prompt.starts_with(&shown),
                "{shown} at {to:?}: {}",
                pending.prompt
            );
        }
        self.count(if blocked { "blocked" } else { "advanced" });
    }

    /// An old call, made again with something else in it: the answer is the old one, to the letter.
    fn replay(&mut self, s: usize) {
        let nodes = &self.sessions[s].nodes;
        let tried: Vec<usize> = (0..nodes.len()).filter(|i| !nodes[*i].attempts.is_empty()).collect();
        if tried.is_empty() {
            return;
        }
        let node = self.dice.pick(&tried);
        let which = self.dice.roll(self.sessions[s].nodes[node].attempts.len() as u64) as usize;
        let (request, answer) = self.sessions[s].nodes[node].attempts[which].clone();
        let mut again = ContinueRequest::new(&request.token, Intent::Advance);
        again.output.notes = Some("another story".into());
        let before = self.engine.inspect(self.sessions[s].id, None).unwrap().overview.events;
        let never = |_: &session::Asked<'_>| unreachable!("no check is run again");
        let replayed = self.engine.continue_run(&again, &never).unwrap();
        assert_eq!(
            Answer {
                warnings: vec![],
                ..replayed
            },
            Answer {
                warnings: vec![],
                ..answer
            }
        );
        assert_eq!(
            self.engine.inspect(self.sessions[s].id, None).unwrap().overview.events,
            before
        );
        self.count("replay");
    }

    fn rehydrate(&mut self, s: usize) {
        let tip = self.sessions[s].tip();
        let offer = self
            .engine
            .rewind(RewindRequest {
                session_id: self.sessions[s].id,
                node_id: None,
            })
            .unwrap();
        let told = self
            .engine
            .continue_run(&ContinueRequest::new(&offer.token, Intent::Rehydrate), &pass)
            .unwrap();
        let step = self.sessions[s].nodes[tip].at.step();
        let step = step.map(|step| step.rsplit("::").next().unwrap().to_owned());
        assert_eq!(told.pending.map(|pending| pending.step_id), step);
        self.count("rehydrate");
    }

    fn checkpoint(&mut self, s: usize) {
        let node = self.sessions[s].tip();
        let node = match self.sessions[s].nodes[node].kind {
            NodeKind::BlockedAttempt => self.sessions[s].nodes[node].parent.unwrap(),
            _ => node,
        };
        // One time in three a checkpoint is asked for again.
        let made: Vec<usize> = (0..self.sessions[s].nodes.len())
            .filter(|i| !self.sessions[s].nodes[*i].checkpoints.is_empty())
            .collect();
        if !made.is_empty() && self.dice.roll(3) == 0 {
            let (request, answer) = self.sessions[s].nodes[self.dice.pick(&made)].checkpoints[0].clone();
            assert_eq!(self.engine.checkpoint(&request).unwrap(), answer);
            return self.count("checkpoint replay");
        }
        let (id, node_id) = (self.sessions[s].id, self.node_id(s, node));
        let rewound = self
            .engine
            .rewind(RewindRequest {
                session_id: id,
                node_id: Some(node_id),
            })
            .unwrap();
        let token = if self.dice.roll(2) == 0 {
            rewound.token
        } else {
            rewound.checkpoint_token
        };
        let request = CheckpointRequest {
            token,
            notes: Some(format!("checkpoint {}", self.clock)),
        };
        let answer = match self.call(|engine| engine.checkpoint(&request).unwrap()) {
            Ok(answer) => answer,
            Err(_) => self.engine.checkpoint(&request).unwrap(),
        };
        let session = &mut self.sessions[s];
        let parent = session.nodes[node].clone();
        session.nodes[node].children += 1;
        session.nodes.push(Node {
            kind: NodeKind::Checkpoint,
            parent: Some(node),
            notes: request.notes.clone(),
            touched: self.clock + 1,
            children: 0,
            verdicts: vec![],
            fork: false,
            attempts: vec![],
            checkpoints: vec![],
            ..parent
        });
        session.nodes[node].checkpoints.push((request, answer));
        self.count("checkpoint");
    }

    /// The engine's views say what the model says.
    fn compare(&self, s: usize) {
        let session = &self.sessions[s];
        let seen: Inspection = self.engine.inspect(session.id, None).unwrap();
        assert!(seen.overview.health.is_healthy());
        assert_eq!(seen.nodes.len(), session.nodes.len());
        let place: BTreeMap<NodeId, usize> = seen.nodes.iter().enumerate().map(|(i, n)| (n.node_id, i)).collect();
        for (is, want) in seen.nodes.iter().zip(&session.nodes) {
            assert_eq!(is.kind, want.kind);
            assert_eq!(is.parent.map(|parent| place[&parent]), want.parent);
            assert_eq!(is.step, want.at.step());
            assert_eq!(is.preferences.autonomy, want.autonomy);
            assert_eq!(is.attempts.len(), want.attempts.len());
            let said: Vec<bool> = is.verdicts.iter().map(|v| v.status == Finding::Passed).collect();
            assert_eq!(said, want.verdicts);
            assert_eq!(is.cause == Some(CauseKind::NonTipAdvance), want.fork);
            let notes = is.outputs.iter().find_map(|output| match &output.payload {
                session::event::Payload::Notes { notes_markdown } => Some(notes_markdown.clone()),
                session::event::Payload::Artifact { .. } => None,
            });
            assert_eq!(notes, want.notes);
        }
        assert_eq!(place[&seen.tip.unwrap()], session.tip());
        assert_eq!(seen.overview.status, Some(session.status()));
        assert_eq!(seen.gaps.len(), session.gaps);
    }
}

#[test]
fn ten_thousand_random_steps_with_crashes_agree_with_the_model() {
    let seed = std::env::var("SESSION_TEST_SEED").map_or(20_261_116, |seed| seed.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let bomb = Bomb::new(AtomicUsize::new(usize::MAX));
    let engine = open(dir.path(), &bomb);
    let counts = BTreeMap::new();
    let mut world = World {
        root: dir.path(),
        bomb,
        engine,
        dice: Dice(seed),
        sessions: vec![],
        clock: 0,
        counts,
    };
    for _ in 0..STEPS {
        world.step();
    }
    world.restart();
    for session in 0..world.sessions.len() {
        world.compare(session);
        let verified = world.engine.store().verify(world.sessions[session].id).unwrap();
        assert!(verified.health.is_healthy());
    }
    println!("{:?}", world.counts);
    for what in [
        "advance with siblings",
        "blocked",
        "replay",
        "checkpoint replay",
        "crash",
        "rehydrate",
        "grant",
    ] {
        assert!(world.counts[what] > 50, "{what} was hardly tried: {:?}", world.counts);
    }
}

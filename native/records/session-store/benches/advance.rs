//! What an advance costs, with every flush counted, against the length of its session.
//!
//! Prints one line a figure, `name<TAB>value<TAB>unit`, for `make bench` to collect.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use session::workflow::{Library, Source, SourceKind, compile};
use session::{Answer, ContinueRequest, Engine, Intent, StartRequest, Verdict};
use session_store::{FileStore, engine};

const LOOP: &str = "\
#+WORKFLOW: project.bench 1.0.0
* Outer
:LOOP: while
:MAX: 1000
** Inner
:LOOP: for 1000
:MAX: 1000
*** TODO Work
Do the next of {{n}} things, and write down what you did.
";

fn advance(engine: &Engine<FileStore>, answer: &Answer) -> Answer {
    let mut request = ContinueRequest::new(&answer.token, Intent::Advance);
    request.output.notes = Some("did one thing, and found that the next one is like it".into());
    request.output.artifacts = vec![json!({"kind": "project.count", "n": 1}).as_object().unwrap().clone()];
    engine.continue_run(&request, &|_| Verdict::pass()).unwrap()
}

fn start(root: &Path) -> (Engine<FileStore>, Answer) {
    let (workflow, _) = compile(&Source::org(LOOP).unwrap(), SourceKind::Project, &Library::default()).unwrap();
    let engine = engine(root).unwrap();
    let first = engine.start(&StartRequest::new(workflow)).unwrap();
    (engine, first)
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// What the flushes alone cost: as many as an advance makes, of files as large.
fn flushes(root: &Path) -> f64 {
    let mut times: Vec<Duration> = (0..101)
        .map(|i| {
            let begin = Instant::now();
            for (n, size) in [(0, 400), (1, 1800)] {
                let path = root.join(format!("flush-{i}-{n}"));
                std::fs::write(&path, vec![b'x'; size]).unwrap();
                std::fs::File::open(&path).unwrap().sync_all().unwrap();
                std::fs::File::open(root).unwrap().sync_all().unwrap();
            }
            let mut log = std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(root.join("log"))
                .unwrap();
            for _ in 0..2 {
                std::io::Write::write_all(&mut log, &[b'x'; 300]).unwrap();
                log.sync_data().unwrap();
            }
            begin.elapsed()
        })
        .collect();
    median(&mut times)
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut answer) = start(dir.path());
    let session = answer.session_id;
    println!("six flushes, nothing else\t{:.2}\tms", flushes(dir.path()));
    let mut first = 0.0;
    let mut events = 0;
    for goal in [100, 1_000, 5_000, 10_000] {
        while events < goal {
            answer = advance(&engine, &answer);
            events = session::ports::Store::read(engine.store(), session)
                .unwrap()
                .state
                .next_index;
        }
        let mut times: Vec<Duration> = (0..101)
            .map(|_| {
                let begin = Instant::now();
                answer = advance(&engine, &answer);
                begin.elapsed()
            })
            .collect();
        let cost = median(&mut times);
        println!("one advance at {goal} events (goal: under 5)\t{cost:.2}\tms");
        first = if goal == 100 { cost } else { first };
        if goal == 10_000 {
            println!(
                "one advance at 10,000 events against 100 (goal: 1)\t{:.2}\ttimes",
                cost / first
            );
        }
    }
    let mut times: Vec<Duration> = (0..11)
        .map(|_| {
            let cold = session_store::engine(dir.path()).unwrap();
            let begin = Instant::now();
            let request = ContinueRequest::new(&answer.token, Intent::Rehydrate);
            std::hint::black_box(cold.continue_run(&request, &|_| Verdict::pass()).unwrap());
            begin.elapsed()
        })
        .collect();
    println!(
        "rehydrate 10,000 events, read and verified anew (goal: under 50)\t{:.1}\tms",
        median(&mut times)
    );
    let mut times: Vec<Duration> = (0..101)
        .map(|_| {
            let begin = Instant::now();
            let request = ContinueRequest::new(&answer.token, Intent::Rehydrate);
            std::hint::black_box(engine.continue_run(&request, &|_| Verdict::pass()).unwrap());
            begin.elapsed()
        })
        .collect();
    println!(
        "rehydrate 10,000 events, known to the process\t{:.3}\tms",
        median(&mut times)
    );
}

//! What recording costs. Prints one line a figure, `name<TAB>value<TAB>unit`, for `make bench` to collect.
//!
//! A verdict waits for one sync of the log and an exchange for two, so the figures are mostly those of the storage; the
//! time on the processor is given beside.

use history::{Home, Run, exchange_at};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::time::{Duration, Instant};

const VERDICTS: usize = 1_000;

fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let plan = dir.path().join("plan.org");
    fs::write(&plan, "0").unwrap();
    let home = Home::open(&dir.path().join("history")).unwrap();
    let run = Run::open(&home, &plan, "bench", 0).unwrap();

    let busy = processor_time();
    let started = Instant::now();
    let mut times: Vec<Duration> = (0..VERDICTS)
        .map(|n| {
            let verdict = format!(
                r#"{{"task_id":"task-{n}","idx":{n},"title":"Task {n}","state":"DONE","output":"done","how":"true","ts":{n}}}"#
            );
            let started = Instant::now();
            assert!(run.verdict(&verdict).unwrap().is_empty());
            started.elapsed()
        })
        .collect();
    report("history: 1,000 verdicts", started.elapsed(), 1);
    report(
        "history: processor time of a verdict",
        processor_time() - busy,
        VERDICTS as u32,
    );
    times.sort();
    report("history: a verdict, median", times[VERDICTS / 2], 1);
    report("history: a verdict, 99 of 100", times[VERDICTS * 99 / 100], 1);

    let started = Instant::now();
    for n in 0..VERDICTS as u32 {
        run.step(&format!(
            r#"{{"step":{n},"tool":"sh","exit_code":0,"dur_ms":1,"ts":{n}}}"#
        ))
        .unwrap();
    }
    report("history: a step", started.elapsed(), VERDICTS as u32);

    let text = |n: usize| format!("{n}{}", "* TODO A task of a plan\n".repeat(1_000));
    fs::write(&plan, text(0)).unwrap();
    let started = Instant::now();
    for n in 0..200 {
        exchange_at(run.plan(), text(n).as_bytes(), text(n + 1).as_bytes()).unwrap();
    }
    report("history: an exchange of a plan of 24 KB", started.elapsed(), 200);

    let started = Instant::now();
    run.close();
    report("history: closing, with all copies", started.elapsed(), 1);
    let started = Instant::now();
    assert!(history::verify(&home, &plan).unwrap().is_sound());
    report("history: verifying 2,000 lines", started.elapsed(), 1);
}

fn report(name: &str, time: Duration, times: u32) {
    println!(
        "{name}\t{:.1}\tmicroseconds",
        (time / times).as_nanos() as f64 / 1_000.0
    );
}

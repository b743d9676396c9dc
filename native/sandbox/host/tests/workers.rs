//! The pool: every job runs once, on a thread of the pool, or is refused at once.

use host::{Error, Workers};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Barrier};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(20);

#[test]
fn every_job_runs_exactly_once_however_many_threads_submit() {
    let workers = Workers::start(3, 100_000).unwrap();
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..1_000 {
                    let tell = tell.clone();
                    workers.submit(move || tell.send(()).unwrap()).unwrap();
                }
            });
        }
    });
    for _ in 0..8_000 {
        told.recv_timeout(SOON).unwrap();
    }
    assert!(told.try_recv().is_err());
}

#[test]
fn a_job_submitted_after_a_pause_wakes_a_parked_worker() {
    let workers = Workers::start(2, 10).unwrap();
    for pause in [0, 20, 40, 60, 100, 1_000, 50_000] {
        for _ in 0..20 {
            std::thread::sleep(Duration::from_micros(pause));
            let (tell, told) = channel();
            workers.submit(move || tell.send(()).unwrap()).unwrap();
            told.recv_timeout(SOON).unwrap();
        }
    }
}

#[test]
fn two_jobs_submitted_together_run_side_by_side() {
    let workers = Workers::start(2, 10).unwrap();
    for _ in 0..200 {
        let (barrier, (tell, told)) = (Arc::new(Barrier::new(2)), channel());
        for _ in 0..2 {
            let (barrier, tell) = (barrier.clone(), tell.clone());
            workers
                .submit(move || {
                    barrier.wait();
                    tell.send(()).unwrap();
                })
                .unwrap();
        }
        told.recv_timeout(SOON).unwrap();
        told.recv_timeout(SOON).unwrap();
    }
}

#[test]
fn a_full_queue_is_busy_and_loses_nothing() {
    let workers = Workers::start(1, 2).unwrap();
    let (release, released) = sync_channel::<()>(0);
    let (started, has_started) = channel();
    workers
        .submit(move || {
            started.send(()).unwrap();
            released.recv().unwrap();
        })
        .unwrap();
    has_started.recv_timeout(SOON).unwrap();

    let (tell, told) = channel();
    for _ in 0..2 {
        let tell = tell.clone();
        workers.submit(move || tell.send(()).unwrap()).unwrap();
    }
    assert!(matches!(workers.submit(|| ()), Err(Error::Busy(2))));
    release.send(()).unwrap();
    told.recv_timeout(SOON).unwrap();
    told.recv_timeout(SOON).unwrap();
}

#[test]
fn a_job_that_panics_does_not_take_its_worker_along() {
    let workers = Workers::start(1, 10).unwrap();
    workers.submit(|| panic!("a job's own fault")).unwrap();
    let (tell, told) = channel();
    workers.submit(move || tell.send(()).unwrap()).unwrap();
    told.recv_timeout(SOON).unwrap();
}

#[test]
fn what_is_queued_still_runs_when_the_pool_is_dropped() {
    let workers = Workers::start(1, 1_000).unwrap();
    let (ran, (tell, told)) = (Arc::new(AtomicUsize::new(0)), channel::<()>());
    for _ in 0..500 {
        let (ran, tell) = (ran.clone(), tell.clone());
        workers
            .submit(move || {
                ran.fetch_add(1, Ordering::SeqCst);
                drop(tell);
            })
            .unwrap();
    }
    drop((workers, tell));
    assert!(
        told.recv_timeout(SOON).is_err(),
        "the last sender is gone when the last job is done"
    );
    assert_eq!(ran.load(Ordering::SeqCst), 500);
}

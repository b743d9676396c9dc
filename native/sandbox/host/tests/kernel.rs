//! Whatever a guest does, it costs its caller one error, and the next call works.

mod guest;

use host::{Cancel, Error, Export, Kernel, Limits, MAX_INSTANCES};
use std::thread;
use std::time::{Duration, Instant};

/// Whatever ends before that was ended.
const AN_HOUR: Limits = Limits {
    memory: 64 << 20,
    time: Duration::from_secs(3_600),
};

fn order(kernel: &Kernel, order: &str) -> Result<host::Answer, Error> {
    guest::with_stack(|| kernel.call(Export::Validate, &[order], &Cancel::default()))
}

#[test]
fn every_way_to_fail_is_an_error_and_the_next_call_works() {
    let kernel = guest::misbehaving();
    type Expected = fn(&Error) -> bool;
    let table: [(&str, Expected); 4] = [
        (
            "panic",
            |e| matches!(e, Error::Trap(why) if why.contains("unreachable")),
        ),
        ("recurse", |e| matches!(e, Error::Trap(_))),
        ("eat", |e| matches!(e, Error::Memory(_))),
        ("spin", |e| matches!(e, Error::Deadline(_))),
    ];
    for (what, expected) in table {
        let error = order(&kernel, what).expect_err(what);
        assert!(expected(&error), "{what}: {error}");
        assert_eq!(order(&kernel, "behave").unwrap(), Ok("[]".into()));
    }
}

#[test]
fn failed_guests_give_their_slots_back() {
    let kernel = guest::misbehaving();
    for _ in 0..=MAX_INSTANCES {
        assert!(matches!(order(&kernel, "panic"), Err(Error::Trap(_))));
    }
    assert_eq!(order(&kernel, "behave").unwrap(), Ok("[]".into()));
}

#[test]
fn a_deadline_is_kept() {
    let time = Duration::from_millis(300);
    let kernel = guest::misbehaving().with_limits(Limits { memory: 64 << 20, time });
    // A busy machine delays a round now and then; a clock that is slow or asleep delays them all.
    let took = (0..10).map(|_| {
        let start = Instant::now();
        assert!(matches!(order(&kernel, "spin"), Err(Error::Deadline(t)) if t == time));
        start.elapsed()
    });
    let best = took.min().unwrap();
    assert!(best >= time && best < 2 * time, "{best:?}");
}

#[test]
fn the_clock_wakes_up_again_after_it_has_slept() {
    let time = Duration::from_millis(50);
    let kernel = guest::misbehaving().with_limits(Limits { memory: 64 << 20, time });
    for _ in 0..3 {
        assert!(matches!(order(&kernel, "spin"), Err(Error::Deadline(_))));
        thread::sleep(Duration::from_millis(300));
    }
}

#[test]
fn a_cancelled_guest_stops_before_its_deadline() {
    let kernel = guest::misbehaving().with_limits(AN_HOUR);
    let cancel = Cancel::default();
    let answer = thread::scope(|scope| {
        let call = scope.spawn(|| kernel.call(Export::Validate, &["spin"], &cancel));
        thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        call.join().unwrap()
    });
    assert!(matches!(answer, Err(Error::Cancelled)));
}

#[test]
fn a_call_cancelled_before_it_starts_does_not_start() {
    let kernel = guest::misbehaving().with_limits(AN_HOUR);
    let cancel = Cancel::default();
    cancel.cancel();
    let answer = kernel.call(Export::Validate, &["spin"], &cancel);
    assert!(matches!(answer, Err(Error::Cancelled)));
}

#[test]
fn spinning_guests_that_outnumber_the_cores_all_stop() {
    let time = Duration::from_millis(200);
    let kernel = guest::misbehaving().with_limits(Limits { memory: 64 << 20, time });
    thread::scope(|scope| {
        let guests: Vec<_> = (0..16).map(|_| scope.spawn(|| order(&kernel, "spin"))).collect();
        for guest in guests {
            assert!(matches!(guest.join().unwrap(), Err(Error::Deadline(_))));
        }
    });
}

#[test]
fn memory_is_limited_to_what_the_call_may_have() {
    let limits = Limits {
        memory: 16 << 20,
        time: Duration::from_secs(10),
    };
    let kernel = guest::misbehaving().with_limits(limits);
    assert!(matches!(order(&kernel, "eat"), Err(Error::Memory(limit)) if limit == 16 << 20));
}

//! Components in fresh instances: what they may do, and how each one that misbehaves ends.

use host::{ArgMode, Call, Cancel, Channel, Error, Executor, Grant, Limits, Programs, Registry, Sandbox, Sink, Source};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::time::Duration;

const EVERYTHING: &[&str] = &["vfs", "commands", "llm", "browse", "parallel"];

struct World {
    sandbox: Arc<Sandbox>,
    executor: Arc<Executor>,
    programs: Arc<Programs>,
    commands: Arc<Registry>,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let cache = tempfile::tempdir().unwrap().keep();
    let sandbox = Arc::new(Sandbox::new(&cache.join("code")).unwrap());
    let commands = Registry::open(&cache.join("none"), &cache.join("commands")).unwrap();
    let upper = std::fs::read(guest("upper")).unwrap();
    commands.register(&sandbox, "upper", &upper, ArgMode::Argv).unwrap();
    World {
        sandbox,
        executor: Arc::new(Executor::start(2, 100, 1_000).unwrap()),
        programs: Arc::default(),
        commands: Arc::new(commands),
    }
});

/// The guests are built by `make test`, which says where.
fn guest(name: &str) -> PathBuf {
    let dir = std::env::var_os("WORKBOOKS_GUESTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../target/guests/wasm32-wasip2/release"),
        PathBuf::from,
    );
    dir.join(format!("{name}.wasm"))
}

fn call(input: &str) -> Call {
    Call {
        input: input.into(),
        grant: Grant::of(EVERYTHING.iter().copied()),
        limits: Limits {
            memory: 64 << 20,
            time: Duration::from_secs(5),
        },
        output: 1 << 20,
        session: r#"{"id":"s1"}"#.into(),
        disk: None,
        commands: WORLD.commands.clone(),
        bridge: None,
        executor: WORLD.executor.clone(),
        sink: None,
        cancel: Cancel::default(),
    }
}

fn run(name: &str, call: Call) -> Result<String, Error> {
    start(name, call).recv().unwrap()
}

fn start(name: &str, call: Call) -> mpsc::Receiver<Result<String, Error>> {
    let (tell, told) = mpsc::channel();
    let source = Source::File(guest(name));
    let world = &*WORLD;
    let loaded = world.programs.load(&world.sandbox, &source);
    let sandbox = world.sandbox.clone();
    let job = move || async move {
        let _ = tell.send(match loaded {
            Ok(program) => program.run(&sandbox, call).await.map(|answered| answered.text),
            Err(error) => Err(error),
        });
    };
    world.executor.submit(job).unwrap();
    told
}

#[test]
fn a_component_answers_from_a_fresh_instance_each_time() {
    assert_eq!(run("echo", call("hello")).unwrap(), "hello");
    assert_eq!(run("count_calls", call("")).unwrap(), "1");
    assert_eq!(run("count_calls", call("")).unwrap(), "1");
}

#[test]
fn the_session_says_who_runs() {
    assert_eq!(run("engine_probe", call("session-info")).unwrap(), r#"{"id":"s1"}"#);
}

#[test]
fn a_disk_is_queried_and_keeps_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(vfs::Disk::open(dir.path().join("disk"), vfs::Options::default()).unwrap());
    let with_disk = |sql: &str| Call {
        disk: Some(disk.clone()),
        ..call(&format!("vfs-query {sql}"))
    };
    assert_eq!(run("engine_probe", with_disk("CREATE TABLE t(a)")).unwrap(), "[]");
    run("engine_probe", with_disk("INSERT INTO t VALUES (7)")).unwrap();
    assert_eq!(run("engine_probe", with_disk("SELECT a FROM t")).unwrap(), "[[7]]");
}

#[test]
fn a_command_runs_by_name_and_a_missing_one_is_127() {
    assert_eq!(run("engine_probe", call("run-command upper\nquiet")).unwrap(), "QUIET");
    let missing = run("engine_probe", call("run-command nosuch")).unwrap();
    assert!(
        missing.contains("nosuch: exit status 127: command not found"),
        "{missing}"
    );
    let failing = run("engine_probe", call("run-command upper --fail")).unwrap();
    assert!(failing.contains("upper: exit status 1: asked to fail"), "{failing}");
}

#[test]
fn many_commands_keep_the_order_of_their_inputs() {
    let answer = run("dock_all", call("run-command-many upper\na\nb\nc")).unwrap();
    let places: Vec<_> = ["A", "B", "C"].iter().map(|x| answer.find(x).unwrap()).collect();
    assert!(places.is_sorted(), "{answer}");
}

#[test]
fn what_is_not_granted_is_not_there() {
    let ungranted = Call {
        grant: Grant::of(["vfs"]),
        ..call("session-info")
    };
    match run("engine_probe", ungranted) {
        Err(Error::NotGranted { import, capability }) => assert_eq!((import, capability), ("run-command", "commands")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_guest_reaches_no_directory_no_environment_and_no_network_without_a_grant() {
    let answer = run("reach_out", call("")).unwrap();
    assert!(!answer.contains("reached"), "{answer}");
}

#[test]
fn each_way_to_misbehave_has_its_own_end() {
    let short = |input: &str| Call {
        limits: Limits {
            memory: 16 << 20,
            time: Duration::from_millis(200),
        },
        ..call(input)
    };
    assert!(matches!(run("spin", short("")), Err(Error::Deadline(_))));
    assert!(matches!(run("sleep", short("60000")), Err(Error::Deadline(_))));
    assert!(matches!(run("eat_memory", call("")), Err(Error::Memory(_))));
    assert!(matches!(run("trap", call("")), Err(Error::Trap(_))));
    assert!(matches!(run("stack_overflow", call("")), Err(Error::Trap(_))));
    assert!(matches!(run("flood_stdout", call("")), Err(Error::Trap(_))));
    assert!(matches!(run("exit", call("3")), Err(Error::Exited(1, _))));
    assert!(matches!(
        run("undeclared_import", call("")),
        Err(Error::Nonconforming(_))
    ));
    assert!(matches!(run("wrong_run_type", call("")), Err(Error::Nonconforming(_))));
    assert_eq!(run("echo", call("still here")).unwrap(), "still here");
}

#[test]
fn a_guest_that_waits_in_a_host_call_is_stopped_by_the_switch() {
    let cancel = Cancel::default();
    // An hour: it does not come to its own end here.
    let waiting = start("sleep", endless(&cancel, "3600000"));
    std::thread::sleep(Duration::from_millis(100));
    cancel.cancel();
    assert!(matches!(waiting.recv().unwrap(), Err(Error::Cancelled)));
}

/// A call that only its switch ends.
fn endless(cancel: &Cancel, input: &str) -> Call {
    Call {
        limits: Limits {
            memory: 16 << 20,
            time: Duration::from_secs(3_600),
        },
        cancel: cancel.clone(),
        ..call(input)
    }
}

#[test]
fn spinning_guests_that_outnumber_the_threads_do_not_keep_others_waiting() {
    let cancel = Cancel::default();
    let spinning: Vec<_> = (0..8).map(|_| start("spin", endless(&cancel, ""))).collect();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(run("echo", call("x")).unwrap(), "x");
    cancel.cancel();
    for spinner in spinning {
        assert!(matches!(spinner.recv().unwrap(), Err(Error::Cancelled)));
    }
}

#[test]
fn a_newcomer_does_not_wait_for_guests_that_spin() {
    let executor = Executor::start(1, 100, 100).unwrap();
    let world = &*WORLD;
    let load = |name| world.programs.load(&world.sandbox, &Source::File(guest(name))).unwrap();
    let (spin, echo) = (load("spin"), load("echo"));
    let cancel = Cancel::default();
    for _ in 0..4 {
        let (program, sandbox) = (spin.clone(), world.sandbox.clone());
        let call = endless(&cancel, "");
        executor
            .submit(move || async move { drop(program.run(&sandbox, call).await) })
            .unwrap();
    }
    std::thread::sleep(Duration::from_millis(50));
    for _ in 0..10 {
        let (tell, answered) = mpsc::channel();
        let (program, sandbox, call) = (echo.clone(), world.sandbox.clone(), call("x"));
        executor
            .submit(move || async move { tell.send(program.run(&sandbox, call).await.unwrap().text).unwrap() })
            .unwrap();
        assert_eq!(answered.recv().unwrap(), "x");
    }
    cancel.cancel();
}

#[test]
fn a_program_that_many_ask_for_at_once_is_loaded_once() {
    let programs = Programs::default();
    let world = &*WORLD;
    let source = Source::File(guest("echo"));
    let loaded: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| programs.load(&world.sandbox, &source).unwrap()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(loaded.iter().all(|program| Arc::ptr_eq(program, &loaded[0])));
}

#[test]
fn what_a_guest_prints_is_heard_while_it_runs() {
    let heard: Arc<Mutex<usize>> = Arc::default();
    let count = heard.clone();
    let sink: Sink = Arc::new(move |channel, bytes: &[u8]| {
        assert_eq!(channel, Channel::Stdout);
        *count.lock().unwrap() += bytes.len();
    });
    run(
        "flood_stdout",
        Call {
            sink: Some(sink),
            ..call("8")
        },
    )
    .unwrap();
    assert!(*heard.lock().unwrap() >= 8 << 10);
}

#[test]
fn a_changed_file_is_loaded_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.wasm");
    let world = &*WORLD;
    std::fs::copy(guest("echo"), &path).unwrap();
    let source = Source::File(path.clone());
    world.programs.load(&world.sandbox, &source).unwrap();
    assert!(world.programs.at_hand(&source).is_some());
    std::fs::copy(guest("spin"), &path).unwrap();
    assert!(world.programs.at_hand(&source).is_none());
}

#[test]
fn ten_thousand_calls_leave_memory_where_it_was() {
    let batch = || (0..1_000).for_each(|_| drop(run("count_calls", call("")).unwrap()));
    batch();
    let before = resident();
    (0..9).for_each(|_| batch());
    let grown = resident().saturating_sub(before);
    assert!(grown < 32 << 20, "grown by {grown} bytes");
}

fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

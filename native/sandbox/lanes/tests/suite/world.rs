//! What every test needs: the compilers, a place for artifacts, and a way to run them.

use host::{Call, Cancel, Channel, Command, Executor, Grant, Launch, Limits, Program, Registry, Sandbox, Sink};
use lanes::{Artifact, Error, Lanes, Order, Shape, Source};
use pipe::Stream;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, mpsc};
use std::time::{Duration, Instant};

pub struct World {
    pub sandbox: Arc<Sandbox>,
    pub lanes: Lanes,
    executor: Arc<Executor>,
    commands: Arc<Registry>,
}

/// Compiled code is kept between runs of the tests: a compiler takes a minute to compile.
pub static WORLD: LazyLock<World> = LazyLock::new(|| {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let scratch = tempfile::tempdir().unwrap().keep();
    let sandbox = Arc::new(Sandbox::new(&root.join("target/lanes/code")).unwrap());
    let batteries = root.join("priv/wasm/commands");
    World {
        lanes: Lanes::open(&root.join("priv/wasm/lanes"), &scratch.join("builds"), sandbox.clone()).unwrap(),
        executor: Arc::new(Executor::start(2, 100, 1_000).unwrap()),
        commands: Arc::new(Registry::open(&batteries, &scratch.join("commands")).unwrap()),
        sandbox,
    }
});

/// A number that no compiler can have seen before.
pub fn random() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    let hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.finish() as u32 & 0x7fff_ffff
}

pub fn text(lang: &str, source: &str, shape: Shape) -> Order {
    Order::new(lang, Source::Text(source.into()), shape)
}

pub fn build(order: &Order) -> Result<Artifact, Error> {
    WORLD.lanes.build(order, &Cancel::default())
}

pub fn bytes(order: &Order) -> Vec<u8> {
    std::fs::read(build(order).unwrap().path).unwrap()
}

pub struct Ran {
    pub status: u8,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command without a directory.
pub fn run_command(wasm: &[u8], argv: &[&str], stdin: &str) -> Ran {
    let world = &*WORLD;
    let command = Command::load(&world.sandbox, wasm).unwrap();
    let printed = [Printed::default(), Printed::default()];
    let launch = Launch {
        argv: argv.iter().map(|word| word.as_bytes().to_vec()).collect(),
        env: Vec::new(),
        root: None,
        tmp: None,
        fence: None,
        shown: Vec::new(),
        descriptors: Vec::new(),
        umask: 0o022,
        written: None,
        streams: [
            Stream::bytes(stdin.to_owned()),
            printed[0].stream(),
            printed[1].stream(),
        ],
        limits: LIMITS,
        deadline: Instant::now() + LIMITS.time,
        cancel: Cancel::default(),
        spawn: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let status = runtime
        .unwrap()
        .block_on(command.launch(&world.sandbox, launch))
        .unwrap();
    let [stdout, stderr] = printed.map(|printed| printed.text());
    Ran { status, stdout, stderr }
}

const LIMITS: Limits = Limits {
    memory: 128 << 20,
    time: Duration::from_secs(20),
};

#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    fn stream(&self) -> Stream {
        let kept = self.0.clone();
        Stream::sink(move |bytes| {
            kept.lock().unwrap().extend_from_slice(bytes);
            Ok(())
        })
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Calls a component once, with these capabilities; its answer, and what it printed to standard error.
pub fn call(wasm: &[u8], input: &str, capabilities: &[&str]) -> (Result<String, host::Error>, String) {
    call_within(wasm, input, capabilities, LIMITS)
}

pub fn call_within(
    wasm: &[u8],
    input: &str,
    capabilities: &[&str],
    limits: Limits,
) -> (Result<String, host::Error>, String) {
    let world = &*WORLD;
    let printed = Printed::default();
    let keep = printed.0.clone();
    let sink: Sink = Arc::new(move |channel, bytes| {
        if channel == Channel::Stderr {
            keep.lock().unwrap().extend_from_slice(bytes);
        }
    });
    let call = Call {
        input: input.into(),
        grant: Grant::of(capabilities.iter().copied()),
        limits,
        output: 1 << 20,
        session: r#"{"id":"s1","tenant":null}"#.into(),
        disk: None,
        commands: world.commands.clone(),
        bridge: None,
        executor: world.executor.clone(),
        sink: Some(sink),
        cancel: Cancel::default(),
    };
    let (tell, told) = mpsc::channel();
    let loaded = Program::load(&world.sandbox, wasm);
    let sandbox = world.sandbox.clone();
    let job = move || async move {
        let answer = match loaded {
            Ok((program, _)) => program.run(&sandbox, call).await.map(|answered| answered.text),
            Err(error) => Err(error),
        };
        tell.send(answer).unwrap();
    };
    world.executor.submit(job).unwrap();
    (told.recv().unwrap(), printed.text())
}

//! An interpreter packaged with a script is a program: its own arguments go first, and its code is compiled once.

use host::{Cancel, Command, Launch, Limits, Sandbox};
use pipe::Stream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Built by `make build`: many commands in one module, told apart by the name they are called by.
fn wbox() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../priv/wasm/commands/wbox.wasm");
    std::fs::read(path).unwrap()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn printed(sandbox: &Sandbox, program: &[u8], argv: &[&str]) -> String {
    let command = Command::load(sandbox, program).unwrap();
    let out = Arc::new(Mutex::new(Vec::new()));
    let keep = out.clone();
    let stdout = Stream::sink(move |bytes| {
        keep.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    });
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
        streams: [Stream::null(), stdout, Stream::null()],
        limits: Limits {
            memory: 64 << 20,
            time: Duration::from_secs(20),
        },
        deadline: Instant::now() + Duration::from_secs(20),
        cancel: Cancel::default(),
        spawn: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    assert_eq!(runtime.block_on(command.launch(sandbox, launch)).unwrap(), 0);
    let out = out.lock().unwrap().clone();
    String::from_utf8(out).unwrap()
}

fn compiled(cache: &std::path::Path) -> usize {
    let files = std::fs::read_dir(cache).unwrap().flatten();
    files
        .filter(|file| file.path().extension().is_some_and(|end| end == "cwasm"))
        .count()
}

#[test]
fn its_own_arguments_go_before_the_callers() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().join("cache");
    let sandbox = Sandbox::new(&cache).unwrap();
    let wbox = wbox();
    let hello = host::package(&wbox, &words(&["echo", "hello"])).unwrap();
    assert_eq!(printed(&sandbox, &hello, &["greet", "world", "!"]), "hello world !\n");
    assert_eq!(printed(&sandbox, &hello, &["greet"]), "hello\n");
    assert_eq!(printed(&sandbox, &wbox, &["echo", "plain"]), "plain\n");

    for n in 0..20 {
        let script = host::package(&wbox, &words(&["echo", &format!("script {n}")])).unwrap();
        assert_eq!(printed(&sandbox, &script, &["x"]), format!("script {n}\n"));
    }
    assert_eq!(compiled(&cache), 1, "the interpreter is compiled once");
}

#[test]
fn two_programs_of_one_interpreter_have_hashes_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::new(&dir.path().join("cache")).unwrap();
    let wbox = wbox();
    let load = |argv: &[&str]| {
        let program = host::package(&wbox, &words(argv)).unwrap();
        Command::load(&sandbox, &program).unwrap().sha256()
    };
    assert_ne!(load(&["echo", "a"]), load(&["echo", "b"]));
    assert_eq!(load(&["echo", "a"]), load(&["echo", "a"]));
}

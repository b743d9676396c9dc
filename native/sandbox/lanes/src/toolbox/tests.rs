//! A compiler is alone with its input. Two of them can run programs, so they are given some that look around.

use super::*;
use std::time::Duration;

const LOOKS_JS: &str = r#"
import * as std from 'qjs:std';
import * as os from 'qjs:os';
const [entries, error] = os.readdir('/');
console.log(JSON.stringify([std.getenviron(), entries.filter((name) => !name.startsWith('.')), error !== 0,
    std.loadFile('/etc/passwd'), typeof os.exec, typeof fetch]));
"#;

const LOOKS_PYTHON: &str = r#"
import os
found = [dict(os.environ)]
for path in ["/etc/passwd", "/proc/self/environ", "../../etc/passwd"]:
    try:
        found.append(open(path).read())
    except OSError as error:
        found.append("none")
try:
    import socket
    socket.create_connection(("127.0.0.1", 80), 1)
    found.append("connected")
except Exception:
    found.append("no network")
print(found)
"#;

/// Runs a tool as a build does.
fn run(tool: &str, argv: &[&str], root: Option<&Path>) -> Ran {
    let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let sandbox = Arc::new(Sandbox::new(&at.join("target/lanes/code")).unwrap());
    let toolbox = Toolbox::open(&at.join("priv/wasm/lanes"), sandbox).unwrap();
    toolbox.command(tool).unwrap();
    let bounds = Bounds {
        time: Duration::from_secs(20),
        ..Bounds::default()
    };
    let site = Site {
        toolbox: &toolbox,
        bounds,
        deadline: Instant::now() + bounds.time,
        cancel: &Cancel::default(),
    };
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    let run = Run {
        argv,
        root,
        ..Run::default()
    };
    site.run(tool, run).unwrap()
}

#[test]
fn javascript_finds_nothing_around_it() {
    let ran = run("qjs.wasm", &["qjs", "-m", "-e", LOOKS_JS], None);
    let found = String::from_utf8(ran.content().unwrap()).unwrap();
    assert_eq!(found, "[{},[],true,null,\"undefined\",\"undefined\"]\n");
}

#[test]
fn what_has_a_directory_finds_its_input_there_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("input.js"), "1").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join(".link")).unwrap();
    let looks = format!("{LOOKS_JS}\nconsole.log(std.loadFile('/.link'), std.loadFile('../../etc/passwd'));");
    let ran = run("qjs.wasm", &["qjs", "-m", "-e", &looks], Some(dir.path()));
    let found = String::from_utf8(ran.content().unwrap()).unwrap();
    assert_eq!(
        found,
        "[{},[\"input.js\"],false,null,\"undefined\",\"undefined\"]\nnull null\n"
    );
}

#[test]
fn python_finds_nothing_around_it() {
    let ran = run("python.wasm", &["python", "-c", LOOKS_PYTHON], None);
    let found = String::from_utf8(ran.content().unwrap()).unwrap();
    assert_eq!(found, "[{}, 'none', 'none', 'none', 'no network']\n");
}

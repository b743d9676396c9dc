//! JavaScript: components and commands.

use super::world::{build, bytes, call, call_within, random, run_command, text};
use host::{Error, Limits};
use lanes::{Format, Shape, Source};
use std::time::Duration;

fn component(source: &str) -> Vec<u8> {
    bytes(&text("js", source, Shape::Component))
}

fn answer(source: &str, input: &str) -> String {
    call(&component(source), input, &[]).0.unwrap()
}

/// What the call of a component that fails says.
fn failure(source: &str) -> String {
    match call(&component(source), "", &[]).0 {
        Err(Error::Exited(1, Some(said))) => said,
        other => panic!("another end: {other:?}"),
    }
}

fn json(source: &str, input: &str) -> Result<String, Error> {
    let mut order = text("js", source, Shape::Component);
    (order.input, order.output) = (Format::Json, Format::Json);
    call(&bytes(&order), input, &[]).0
}

#[test]
fn the_default_export_answers() {
    for (source, input, expected) in [
        ("export default (input) => input.toUpperCase()", "hallo", "HALLO"),
        ("export default function (x) { return x.length }", "äöü", "3"),
        (
            "export default async (x) => { await null; return x + '!' }",
            "hi",
            "hi!",
        ),
        ("export default () => '\u{1f600} \\u{1f600}'", "", "\u{1f600} \u{1f600}"),
        (
            "const x = await Promise.resolve('late'); export default () => x",
            "",
            "late",
        ),
        (
            "export default () => new Promise((done) => setTimeout(done, 20, 'timer'))",
            "",
            "timer",
        ),
        ("export default (x, dock) => dock.sessionInfo().id", "", "s1"),
        (
            "export default () => sessionInfo().id + typeof fetch",
            "",
            "s1undefined",
        ),
        ("export default (x) => '\\ud800' + x", "lone", "\u{fffd}lone"),
    ] {
        assert_eq!(answer(source, input), expected, "{source}");
    }
}

#[test]
fn a_constant_made_up_now_comes_back() {
    let constant = random();
    let source = format!("export default (x) => String({constant} - Number(x))");
    assert_eq!(answer(&source, "1"), (constant - 1).to_string());
}

#[test]
fn values_pass_as_json() {
    let sum = "export default ({ numbers }) => ({ sum: numbers.reduce((a, b) => a + b, 0) })";
    assert_eq!(json(sum, r#"{"numbers":[1,2,3]}"#).unwrap(), r#"{"sum":6}"#);
    assert_eq!(json("export default (x) => x ?? [null]", "null").unwrap(), "[null]");
    assert!(json(sum, "{not json").unwrap_err().to_string().contains("SyntaxError"));
    assert!(
        json("export default () => undefined", "1")
            .unwrap_err()
            .to_string()
            .contains("no JSON")
    );
}

#[test]
fn a_throw_is_told_with_its_message_and_line() {
    let said = failure("export default () => {\n  const x = null;\n  return x.length;\n}");
    assert!(
        said.contains("TypeError: cannot read property 'length' of null"),
        "{said}"
    );
    assert!(said.contains("main.js:3:"), "{said}");
    assert!(failure("export default async () => { throw new Error('later') }").contains("Error: later"));
    assert!(failure("export default () => { throw 'a string' }").contains("a string"));
    assert!(failure("export default () => { Promise.reject(new Error('nobody')); return 1 }").contains("nobody"));
    assert!(failure("export default () => new Promise(() => {})").contains("never settle"));
    assert!(failure("export default () => ({})").contains("not text"));
    assert!(failure("export default 42").contains("no function"));
}

#[test]
fn console_goes_to_stderr_and_does_not_hide_the_error() {
    let source = "export default () => { console.log('one', 2, { three: [3] }); return 'ok' }";
    let (answer, stderr) = call(&component(source), "", &[]);
    assert_eq!(
        (answer.unwrap().as_str(), stderr.as_str()),
        ("ok", "one 2 {\"three\":[3]}\n")
    );
    let said = failure("export default () => { console.log('noise'); throw new Error('the error') }");
    assert!(said.starts_with("Error: the error"), "{said}");
}

#[test]
fn a_component_that_misbehaves_is_stopped() {
    let limits = |time, memory| Limits {
        memory,
        time: Duration::from_millis(time),
    };
    let spin = component("export default () => { for (;;); }");
    assert!(matches!(
        call_within(&spin, "", &[], limits(300, 64 << 20)).0,
        Err(Error::Deadline(_))
    ));
    let sleep = component("export default () => new Promise((done) => setTimeout(done, 3600000))");
    assert!(matches!(
        call_within(&sleep, "", &[], limits(300, 64 << 20)).0,
        Err(Error::Deadline(_))
    ));
    let eat = component("export default () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20)); }");
    assert!(matches!(
        call_within(&eat, "", &[], limits(20_000, 64 << 20)).0,
        Err(Error::Memory(_))
    ));
}

#[test]
fn deep_recursion_is_an_error_that_the_program_can_catch() {
    for (name, deep) in [
        ("calls", "const f = (n) => f(n + 1) + 1; f(0)"),
        ("getters", "const o = { get x() { return this.x } }; o.x"),
        ("text", "const o = { toString() { return '' + o } }; '' + o"),
        ("sort", "const s = () => [3, 2, 1].sort(s); s()"),
        ("replace", "const r = () => 'a'.replace(/a/, r); r()"),
        ("json", "JSON.parse('['.repeat(1e6))"),
        ("eval", "eval('('.repeat(1e6))"),
        ("regex", "new RegExp('('.repeat(1e6))"),
        ("constructors", "class A { constructor() { new A() } }; new A()"),
        ("generators", "const g = function* () { yield* g() }; g().next()"),
        (
            "bound",
            "let f = () => 1; for (let n = 0; n < 1e5; n++) f = f.bind(null); f()",
        ),
        (
            "iterators",
            "const i = { [Symbol.iterator]() { return [...i] } }; [...i]",
        ),
        (
            "flat",
            "let a = []; for (let n = 0; n < 1e5; n++) a = [a]; a.flat(Infinity)",
        ),
        ("arrows", "eval('a=>'.repeat(20000) + '1')"),
        ("classes", "eval('class A{x='.repeat(5000) + '1' + '}'.repeat(5000))"),
        ("templates", "eval('`${'.repeat(20000) + '1' + '}`'.repeat(20000))"),
        ("ternaries", "eval('1?1:'.repeat(100000) + '1')"),
        ("spread", "const f = (...a) => f(...a, 1); f()"),
        (
            "proxies",
            "let p = {}; for (let n = 0; n < 1e5; n++) p = new Proxy(p, {}); p.x",
        ),
    ] {
        let source = format!("export default () => {{ try {{ {deep} }} catch (e) {{ return 'caught ' + e.name }} }}");
        let caught = answer(&source, "");
        assert!(caught.starts_with("caught "), "{name}: {caught}");
        let (uncaught, _) = call(&component(&format!("export default () => {{ {deep} }}")), "", &[]);
        assert!(
            matches!(uncaught, Err(Error::Exited(1, Some(_)) | Error::Memory(_))),
            "{name}: {uncaught:?}"
        );
    }
}

#[test]
fn two_thousand_calls_are_not_too_deep() {
    let source = "export default (n) => { const f = (n) => n === 0 ? 0 : 1 + f(n - 1); return f(Number(n)) }";
    assert_eq!(answer(source, "2000"), "2000");
}

#[test]
fn what_is_not_used_is_not_imported() {
    for (uses, expected) in [
        (&[][..], vec!["session-info"]),
        (&["vfs"][..], vec!["session-info", "vfs-query"]),
        (&["commands", "net"][..], vec!["session-info", "run-command"]),
        (
            &["commands", "vfs"][..],
            vec!["session-info", "vfs-query", "run-command"],
        ),
    ] {
        let mut order = text("js", "export default (x) => x", Shape::Component);
        order.uses = uses.iter().map(|name| (*name).to_owned()).collect();
        let wasm = bytes(&order);
        let mut imports = conformance::imports(&wasm).unwrap();
        imports.sort();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(imports, expected, "{uses:?}");
        assert!(call(&wasm, "x", uses).0.is_ok());
        if !uses.is_empty() {
            assert!(
                matches!(call(&wasm, "x", &[]).0, Err(Error::NotGranted { .. })),
                "{uses:?}"
            );
        }
    }
}

#[test]
fn a_dock_function_that_was_not_declared_says_how_to_declare_it() {
    assert!(failure("export default () => vfsQuery('SELECT 1')").contains(":uses vfs"));
    assert!(failure("export default () => runCommand('cat', [], 'x')").contains(":uses commands"));
}

#[test]
fn commands_run_for_a_component() {
    let run = |source: &str| {
        let mut order = text("js", source, Shape::Component);
        order.uses = vec!["commands".into()];
        call(&bytes(&order), "", &["commands"]).0
    };
    assert_eq!(
        run("export default () => runCommand('tr', ['a-z', 'A-Z'], 'abc')").unwrap(),
        "ABC"
    );
    assert_eq!(
        run("export default () => runCommand('echo', ['ä', ''])").unwrap(),
        "ä \n"
    );
    let failed = run("export default () => runCommand('false')").unwrap_err().to_string();
    assert!(
        failed.contains("false: exit status 1") && failed.contains("main.js:1"),
        "{failed}"
    );
    let caught = "export default () => { try { runCommand('nosuch', []) } catch (e) { return e.message } }";
    assert!(run(caught).unwrap().contains("127"));
}

#[test]
fn a_project_of_several_modules_is_one_component() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, source: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    };
    write(
        "index.js",
        "import { twice } from './lib/twice.js';\nimport same from './lib';\nexport default (x) => twice(x) + same",
    );
    write(
        "lib/twice.js",
        "import sep from '../sep';\nexport const twice = (x) => x + sep + x;",
    );
    write("lib/index.js", "import sep from '../sep.js';\nexport default sep");
    write(
        "sep.js",
        "globalThis.count = (globalThis.count ?? 0) + 1;\nexport default '-' + globalThis.count",
    );
    write("notes.txt", "not a module");
    let order = lanes::Order::new("js", Source::Dir(dir.path().into()), Shape::Component);
    assert_eq!(call(&bytes(&order), "a", &[]).0.unwrap(), "a-1a-1");
}

#[test]
fn a_script_is_a_command() {
    let source = "import * as std from 'qjs:std';\n\
                  const name = scriptArgs[1] ?? 'nobody';\n\
                  std.out.puts(`hello ${name} ${std.in.readAsString().trim()}\\n`);\n\
                  if (name === 'fail') std.exit(3);";
    let wasm = bytes(&text("js", source, Shape::Command));
    let ran = run_command(&wasm, &["greet", "world"], "and all\n");
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, "hello world and all\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(run_command(&wasm, &["greet", "fail"], "").status, 3);
    let throws = bytes(&text("js", "\nthrow new Error('no')", Shape::Command));
    let ran = run_command(&throws, &["x"], "");
    assert_eq!(ran.status, 1);
    assert!(
        ran.stderr.contains("Error: no") && ran.stderr.contains("main.js:2"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_was_built_once_is_not_built_again() {
    let source = format!("export default () => '{}'", random());
    let order = text("js", &source, Shape::Component);
    let first = build(&order).unwrap();
    assert!(!first.cached);
    let again = build(&order).unwrap();
    assert!(again.cached);
    assert_eq!((again.path, again.sha256), (first.path, first.sha256));
}

#[test]
fn bad_source_is_refused_with_its_line() {
    let refused = |source: &str, shape| match build(&text("js", source, shape)) {
        Err(lanes::Error::Rejected { said }) => said,
        other => panic!("another end: {other:?}"),
    };
    let said = refused("export default () => {\n  return (1 +;\n}", Shape::Component);
    assert!(said.contains("SyntaxError") && said.contains("main.js:2"), "{said}");
    assert!(refused("const x = 1", Shape::Component).contains("no default export"));
    assert!(refused("import x from 'lodash'; export default x", Shape::Component).contains("no module `lodash`"));
    assert!(refused("let a; let a;", Shape::Command).contains("SyntaxError"));
}

//! Each first-party toolkit: its manifest is read, verified, built, and its work is done on real data.

use super::yard::{Yard, house};
use host::{Cancel, Limits, Transform};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

fn verified(yard: &Yard, id: &str) -> String {
    let found = yard.ask("verify", json!({"id": id})).unwrap();
    assert_eq!(found["ok"], true, "{}", found["text"]);
    found["text"].as_str().unwrap().to_owned()
}

/// Runs a script in the shell, with what was registered.
pub fn shell(yard: &Yard, script: &str) -> (u8, String, String) {
    let shell = shell::Shell {
        sandbox: (yard.foundry.sandbox)().unwrap(),
        registry: (yard.foundry.registry)().unwrap(),
    };
    let job = shell::Job {
        script: script.into(),
        name: "sh".into(),
        args: Vec::new(),
        env: Vec::new(),
        workdir: Some(yard.path("work")).filter(|work| work.is_dir()),
        dialect: shell::Dialect::Sh,
        own_tmp: false,
        read_only: Vec::new(),
        listener: None,
        seal: None,
        cwd: "/".into(),
        streams: std::array::from_fn(|_| pipe::Stream::null()),
        commands: None,
        each: Limits {
            memory: 256 << 20,
            time: Duration::from_secs(60),
        },
        limits: shell::Limits::default(),
        cancel: Cancel::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (finished, stdout, stderr) = runtime.block_on(shell.capture(job, 1 << 20, None)).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (finished.status, text(stdout), text(stderr))
}

fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(host::STACK);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

#[test]
fn every_first_party_toolkit_verifies_and_has_skills_worth_opening() {
    let yard = Yard::first_party();
    let all = yard.ask("list", json!({})).unwrap();
    let ids: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["contents", "csv", "levels", "plans", "quakes", "tally"]);
    for id in ids {
        verified(&yard, id);
        let shown = yard.ask("show", json!({"id": id})).unwrap();
        let skills = shown["skills"].as_array().unwrap();
        assert!(skills.len() >= 2 && skills[0]["slug"] == "overview", "{id}");
        for skill in skills {
            let text = yard.ask("skill", json!({"id": id, "skill": skill["slug"]})).unwrap();
            assert!(text["text"].as_str().unwrap().len() > 500, "{id} {skill}");
        }
    }
}

#[test]
fn csv_splits_where_cut_would_not() {
    let yard = Yard::first_party();
    assert!(
        verified(&yard, "csv").contains("✓ exec: command: not registered yet; `wasm:csv.wasm` is pinned by its hash")
    );
    let built = yard.ask("build", json!({"id": "csv", "which": "csv"})).unwrap();
    assert_eq!(
        (&built["name"], &built["shape"], &built["lane"]),
        (&json!("csv"), &json!("command"), &json!("prebuilt"))
    );
    assert!(verified(&yard, "csv").contains("✓ exec: command: registered"));
    let people =
        "name,town,\"said\"\r\nAda,\"London, UK\",\"a \"\"b\"\"\"\r\nBo,Oslo,\"two\nlines\tand a tab\"\r\n\"\",,end";
    yard.write("work/people.csv", people);
    let (status, out, _) = shell(&yard, "csv < people.csv");
    assert_eq!(status, 0);
    assert_eq!(
        out,
        "name\ttown\tsaid\nAda\tLondon, UK\ta \"b\"\nBo\tOslo\ttwo lines and a tab\n\t\tend\n"
    );
    assert_eq!(
        shell(&yard, "csv < people.csv | cut -f2 | sort").1,
        "\nLondon, UK\nOslo\ntown\n"
    );
    assert_eq!(shell(&yard, "printf 'a;b\\n' | csv -d ';'").1, "a\tb\n");
    assert_eq!(shell(&yard, "printf '' | csv").1, "");
    let (status, _, err) = shell(&yard, "printf 'a,\"b' | csv");
    assert_eq!((status, err.as_str()), (1, "csv: a quote is never closed\n"));
    assert_eq!(shell(&yard, "csv --wrong </dev/null").0, 2);
    // The skill's own recipe: sums by group.
    yard.write("work/sales.csv", "who,what,n\n\"x, y\",a,2\nz,b,3\n\"x, y\",c,5\n");
    let sums = r#"csv < sales.csv | tail -n +2 | awk -F'\t' '{s[$1]+=$3} END {for (k in s) print k "\t" s[k]}' | sort"#;
    assert_eq!(shell(&yard, sums).1, "x, y\t7\nz\t3\n");
    // More than its buffer holds.
    let long: String = (0..20_000).map(|n| format!("{n},\"v, {n}\"\n")).collect();
    yard.write("work/long.csv", long);
    assert_eq!(
        shell(&yard, "csv < long.csv | awk -F'\\t' 'NF==2' | tail -n 1").1,
        "19999\tv, 19999\n"
    );
}

#[test]
fn levels_stretches_frame_after_frame() {
    let yard = Yard::first_party();
    verified(&yard, "levels");
    yard.ask("build", json!({"id": "levels"})).unwrap();
    assert!(verified(&yard, "levels").contains("✓ exec: kernel: registered"));
    let (_, wasm) = yard.foundry.kernels().get("levels").unwrap();
    let limits = Limits {
        memory: 64 << 20,
        time: Duration::from_secs(5),
    };
    let mut levels = Transform::load((yard.foundry.sandbox)().unwrap(), &wasm, limits).unwrap();
    with_stack(|| {
        let mut call = |pixels: &[u8]| levels.process(pixels, &Cancel::default());
        assert_eq!(call(&[50, 100, 150]).unwrap(), [0, 128, 255]);
        assert_eq!(call(&[10, 20, 11]).unwrap(), [0, 255, 26]);
        assert_eq!(call(&[7, 7, 7]).unwrap(), [7, 7, 7]);
        assert!(call(&[]).unwrap().is_empty());
        assert_eq!(call(&[0, 255]).unwrap(), [0, 255]);
        assert_eq!(call(&vec![9; 1 << 20]).unwrap().len(), 1 << 20);
        assert!(call(&vec![9; (1 << 20) + 1]).is_err());
        assert_eq!(
            call(&[50, 100, 150]).unwrap(),
            [0, 128, 255],
            "the next call works again"
        );
    });
}

#[test]
fn contents_is_a_component_that_conforms_and_imports_nothing() {
    let yard = Yard::first_party();
    verified(&yard, "contents");
    yard.ask("build", json!({"id": "contents"})).unwrap();
    assert!(verified(&yard, "contents").contains("✓ exec: component: it conforms to `engine`"));
    let place = yard.ask("component", json!({"id": "contents"})).unwrap();
    let wasm = fs::read(place["path"].as_str().unwrap()).unwrap();
    assert_eq!(conformance::imports(&wasm).unwrap(), Vec::<String>::new());
    assert_eq!(place["caps"], Value::Null, "ones own runs under the profile");
}

#[test]
fn tally_counts() {
    let yard = Yard::first_party();
    assert!(verified(&yard, "tally").contains("✓ exec: task: 3 recipes"));
    yard.write("work/a.txt", "The cat and the dog.\nThe end\n");
    yard.write("work/b.txt", "one\ntwo words\none\n");
    let run = |task: &str, args: &[&str]| {
        let order = json!({"id": "tally", "task": task, "args": args, "workdir": "work"});
        let ran = yard.ask("run", order).unwrap();
        (
            ran["status"].as_u64().unwrap(),
            ran["stdout"].as_str().unwrap().to_owned(),
            ran["stderr"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(run("words", &["a.txt", "b.txt"]).1, "11\n");
    assert_eq!(run("top", &["3", "a.txt", "b.txt"]).1, "the\t3\none\t2\nand\t1\n");
    assert_eq!(run("repeated", &["b.txt"]).1, "2\tone\n");
    let (status, _, err) = run("repeated", &["missing.txt"]);
    assert!(status != 0 && err.contains("missing.txt"), "{status} {err}");
}

const FEED: &str = r#"{"type":"FeatureCollection","metadata":{"count":2},"features":[
  {"type":"Feature","id":"us1","properties":{"mag":6.1,"place":"south of Fiji","time":1700000000000,"tsunami":0},
   "geometry":{"type":"Point","coordinates":[179.1,-24.2,500.1]}},
  {"type":"Feature","id":"us2","properties":{"mag":5.2,"place":"near Oslo","time":1700000100000,"tsunami":1},
   "geometry":{"type":"Point","coordinates":[10.7,59.9,9]}}]}"#;

#[test]
fn quakes_answers_sql_and_becomes_tasks() {
    let yard = Yard::first_party();
    assert!(verified(&yard, "quakes").contains("✓ caps: net granted by network, posix"));
    let sql = "SELECT id, json_extract(properties, '$.place') AS place FROM quakes ORDER BY json_extract(properties, '$.mag')";
    let answer = yard
        .ask("select", json!({"id": "quakes", "answer": FEED, "sql": sql}))
        .unwrap();
    assert_eq!(
        answer,
        json!({"columns": ["id", "place"], "rows": [["us2", "near Oslo"], ["us1", "south of Fiji"]]})
    );
    let org = yard
        .ask("mirror", json!({"id": "quakes", "answer": FEED, "org": "* Notes\n"}))
        .unwrap();
    let org = org.as_str().unwrap();
    assert!(
        org.starts_with("* Notes\n* quakes :source:\n** TODO us1 :task:\n:PROPERTIES:\n:SOURCE: quakes\n:ROW: us1\n"),
        "{org}"
    );
    let tasks = oql::query(org, "(tags :task:)").unwrap();
    assert_eq!(tasks.len(), 2);
    assert!(tasks[1].props["ROW_PROPERTIES"].contains("near Oslo"));
    let again = yard
        .ask("mirror", json!({"id": "quakes", "answer": FEED, "org": org}))
        .unwrap();
    assert_eq!(again, org);
    assert!(
        yard.refusal("select", json!({"id": "quakes", "answer": "{}", "sql": sql}))
            .starts_with("bad_rows")
    );
}

#[test]
fn plans_is_discovery_only_and_its_examples_hold() {
    let yard = Yard::first_party();
    assert!(verified(&yard, "plans").contains("✓ exec: none declared (discovery-only toolkit)"));
    assert!(
        yard.refusal("build", json!({"id": "plans"}))
            .starts_with("nothing_to_build")
    );
    // The smallest plan of the overview lints clean.
    let text = fs::read_to_string(house().join("toolkits/plans/skills/overview.org")).unwrap();
    let plan: String = text
        .lines()
        .filter_map(|line| line.strip_prefix(": "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(plan.contains("** TODO Write it"));
    let facts = oql::Facts {
        commands: Some(shell::words(&(yard.foundry.registry)().unwrap()).unwrap()),
        ..oql::Facts::default()
    };
    assert_eq!(oql::lint(&plan, &facts).unwrap(), []);
}

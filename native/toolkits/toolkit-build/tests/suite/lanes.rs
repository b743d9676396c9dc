//! Source of a toolkit, built by its lane inside WASM.

use super::yard::{Yard, house};
use serde_json::json;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

fn yard() -> Yard {
    let tools = house().join("priv/wasm/lanes");
    assert!(
        tools.join("lanes.json").exists(),
        "the lanes are not built: `make lanes`"
    );
    let yard = Yard::own();
    let sandbox = (yard.foundry.sandbox)().unwrap();
    let lanes = ::lanes::Lanes::open(&tools, &yard.path("builds"), sandbox).unwrap();
    yard.with_lanes(Arc::new(lanes))
}

/// A number that no earlier build can have known.
fn fresh() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()
}

#[test]
fn a_js_component_is_built_conforms_and_is_registered() {
    let yard = yard();
    yard.toolkit("#+EXEC: component\n#+BUILD_LANG: js\n#+BUILD_SRC: path:src\n");
    yard.write(
        "toolkits/it/src/main.js",
        format!("export default (input) => input + '{}'\n", fresh()),
    );
    let text = |yard: &Yard| {
        yard.ask("verify", json!({"id": "it"})).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(
        text(&yard).contains("✓ exec: component: not registered yet; the js lane builds `path:src`"),
        "{}",
        text(&yard)
    );
    let built = yard.ask("build", json!({"id": "it"})).unwrap();
    assert!(built["lane"].as_str().unwrap().starts_with("quickjs"), "{built}");
    assert!(
        text(&yard).contains("✓ exec: component: it conforms to `engine`"),
        "{}",
        text(&yard)
    );
}

#[test]
fn a_js_command_is_a_word_of_the_shell() {
    let yard = yard();
    let number = fresh();
    yard.toolkit("#+EXEC: command\n#+CLI_BIN: greet\n#+BUILD_LANG: js\n#+BUILD_SRC: path:src\n");
    yard.write(
        "toolkits/it/src/main.js",
        format!("import * as std from 'qjs:std';\nstd.out.puts('hello {number}\\n');\n"),
    );
    yard.ask("build", json!({"id": "it"})).unwrap();
    let ran = super::first_party::shell(&yard, "greet | tr a-z A-Z");
    assert_eq!(ran, (0, format!("HELLO {number}\n"), String::new()));
}

#[test]
fn what_a_lane_cannot_build_is_said_with_what_to_do() {
    let yard = yard();
    yard.toolkit("#+EXEC: command\n#+CLI_BIN: greet\n#+BUILD_LANG: zig\n#+BUILD_SRC: path:src\n");
    yard.write("toolkits/it/src/main.zig", "");
    let error = yard.ask("build", json!({"id": "it"})).unwrap_err();
    assert_eq!(error.code(), "lane_unavailable");
    assert!(error.hint().contains("wasm32-wasi"), "{}", error.hint());
    yard.toolkit("#+EXEC: command\n#+CLI_BIN: greet\n#+BUILD_LANG: js\n#+BUILD_SRC: path:src\n");
    assert!(yard.refusal("build", json!({"id": "it"})).starts_with("build_failed"));
}

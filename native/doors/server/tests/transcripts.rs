//! What docs/server.md shows is what happens.

mod support;

use access::Scope;
use std::process::Command;
use support::{Plan, Stage};

const GUIDE: &str = include_str!("../../../../docs/server.md");

#[test]
fn the_guide_shows_what_curl_gets() {
    let stage = Stage::new(Plan::default());
    let scopes = [Scope::Read, Scope::Write, Scope::Run];
    let token = stage.store.create("guide", &scopes, None, 0).unwrap().token;
    let block = GUIDE
        .split("```console\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let mut shown = 0;
    for part in block.split("$ curl").skip(1) {
        let (command, expected) = part.split_once('\n').unwrap();
        let ran = Command::new("sh")
            .args(["-c", &format!("curl{command}")])
            .env("URL", format!("http://127.0.0.1:{}", stage.port()))
            .env("TOKEN", &token)
            .env_remove("http_proxy")
            .output()
            .unwrap();
        assert!(ran.status.success(), "{command}: {ran:?}");
        assert_eq!(
            String::from_utf8_lossy(&ran.stdout).trim_end(),
            expected.trim_end(),
            "curl{command}"
        );
        shown += 1;
    }
    assert!(shown >= 5, "{shown}");
}

//! TypeScript: oxc takes the types away, and JavaScript is left.

use super::{Build, js};
use crate::Error;
use crate::toolbox::Run;
use std::collections::BTreeMap;

const ENTRIES: [&str; 6] = ["main.ts", "index.ts", "main.mts", "index.mts", "main.tsx", "index.tsx"];

pub(super) fn build(build: &Build) -> Result<Vec<u8>, Error> {
    let mut modules = build.project.modules(&[".ts", ".mts", ".tsx", ".js", ".mjs", ".jsx"])?;
    // A declaration has types and nothing else.
    modules.retain(|path, _| !path.ends_with(".d.ts") && !path.ends_with(".d.mts"));
    let entry = build.project.entry(&ENTRIES)?;
    let run = Run {
        argv: vec!["ts".into()],
        stdin: serde_json::to_vec(&modules).expect("text is JSON"),
        ..Run::default()
    };
    let json = build.site.run("ts.wasm", run)?.content()?;
    let scripts: BTreeMap<String, String> =
        serde_json::from_slice(&json).map_err(|e| Error::Unfit(format!("ts.wasm printed no JSON: {e}")))?;
    let scripts = scripts
        .iter()
        .map(|(name, code)| (name.as_str(), code.as_str()))
        .collect();
    js::package(build, &entry, &scripts)
}

//! JavaScript: the source is checked by QuickJS, and travels with QuickJS.

use super::Build;
use crate::toolbox::Run;
use crate::{Error, Shape};
use std::collections::BTreeMap;

const ENTRIES: [&str; 4] = ["main.js", "main.mjs", "index.js", "index.mjs"];

pub(super) fn build(build: &Build) -> Result<Vec<u8>, Error> {
    let modules = build.project.modules(&[".js", ".mjs"])?;
    let entry = build.project.entry(&ENTRIES)?;
    package(build, &entry, &modules)
}

/// Checks modules and packages them with the engine that has what they use.
pub(super) fn package(build: &Build, entry: &str, modules: &BTreeMap<&str, &str>) -> Result<Vec<u8>, Error> {
    let order = build.order;
    let modules = serde_json::to_string(modules).expect("text is JSON");
    let check = ["qjs", "--check", order.shape.name(), entry, &modules];
    let run = Run {
        argv: check.map(str::to_owned).to_vec(),
        ..Run::default()
    };
    build.site.run("qjs.wasm", run)?.content()?;
    let (tool, argv) = match order.shape {
        Shape::Component => (
            engine(build),
            ["js", entry, order.input.name(), order.output.name(), &modules]
                .map(str::to_owned)
                .to_vec(),
        ),
        _ => (
            "qjs.wasm".to_owned(),
            ["qjs", "--packaged", entry, &modules].map(str::to_owned).to_vec(),
        ),
    };
    Ok(host::package(&build.site.toolbox.bytes(&tool)?, &argv)?)
}

/// The engine whose imports are what the source may use, and no more: a profile that grants less would not link more.
fn engine(build: &Build) -> String {
    let uses: String = super::uses(build.order).iter().map(|name| format!("-{name}")).collect();
    format!("js-engine{uses}.wasm")
}

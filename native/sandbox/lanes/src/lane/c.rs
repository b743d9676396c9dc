//! C: clang compiles each file, wasm-ld links them, both inside WASM. The driver cannot start processes, so we are it.

use super::Build;
use crate::toolbox::Run;
use crate::{Error, Shape};
use std::fs;
use std::path::Path;

const TOOL: &str = "clang.wasm";
/// Headers and libraries of WASI, which the compiler may read.
const SYSROOT: &[(&str, &str)] = &[("/usr", "c-sysroot")];
const LIBRARIES: &str = "/usr/lib/wasm32-wasip1";
const BUILTINS: &str = "/usr/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a";
/// Ours beside the project's: what a program needs before its `main`.
const START: (&str, &str) = ("workbooks-start.c", include_str!("c/start.c"));

pub(super) fn build(build: &Build) -> Result<Vec<u8>, Error> {
    let failed = |e| Error::file(Path::new("the working directory of a build"), e);
    let dir = tempfile::tempdir().map_err(failed)?;
    let mut sources: Vec<&str> = Vec::new();
    for (path, bytes) in &build.project.files {
        let place = dir.path().join("src").join(path);
        fs::create_dir_all(place.parent().unwrap_or(dir.path())).map_err(failed)?;
        fs::write(place, bytes).map_err(failed)?;
        sources.extend(path.ends_with(".c").then_some(path.as_str()));
    }
    if sources.is_empty() {
        return Err(Error::Source("the project has no .c file".into()));
    }
    if build.order.shape == Shape::Command {
        fs::write(dir.path().join("src").join(START.0), START.1).map_err(failed)?;
        sources.push(START.0);
    }
    let mut objects = Vec::new();
    for (n, source) in sources.iter().enumerate() {
        build.order.say(&format!("compiling {source}"));
        let object = format!("/{n}.o");
        compile(build, dir.path(), &format!("/src/{source}"), &object)?;
        objects.push(object);
    }
    build.order.say("linking");
    link(build, dir.path(), objects)?;
    fs::read(dir.path().join("out.wasm")).map_err(failed)
}

fn compile(build: &Build, root: &Path, source: &str, object: &str) -> Result<(), Error> {
    let flags = [
        "x",
        "clang",
        "--target=wasm32-wasip1",
        "--sysroot=/usr",
        "-resource-dir",
        "/usr",
        "-O2",
        "-std=gnu17",
        "-I/src",
        "-c",
        source,
        "-o",
        object,
    ];
    run(build, root, flags.map(str::to_owned).to_vec())
}

fn link(build: &Build, root: &Path, objects: Vec<String>) -> Result<(), Error> {
    let search = format!("-L{LIBRARIES}");
    let mut flags = vec![
        "x",
        "wasm-ld",
        "-o",
        "/out.wasm",
        "--stack-first",
        "-z",
        "stack-size=1048576",
        "--strip-debug",
        &search,
    ];
    let start = format!("{LIBRARIES}/crt1-command.o");
    match build.order.shape {
        Shape::Kernel => flags.extend(["--no-entry", "--export=process", "--export=in_ptr", "--export=out_ptr"]),
        _ => flags.push(&start),
    }
    let mut argv: Vec<String> = flags.into_iter().map(str::to_owned).collect();
    argv.extend(objects);
    argv.extend(["-lm", "-lc", BUILTINS].map(str::to_owned));
    run(build, root, argv)
}

fn run(build: &Build, root: &Path, argv: Vec<String>) -> Result<(), Error> {
    let run = Run {
        argv,
        root: Some(root),
        shown: SYSROOT,
        ..Run::default()
    };
    build.site.run(TOOL, run)?.content().map(|_| ())
}

use conformance::{Nonconformance, World};

use crate::from_wit::{component, with_packages, world};

const RUN: &str = "export run: func(input: string) -> string;";
const ENGINE: &str = "
    import session-info: func() -> string;
    import vfs-query: func(sql: string) -> result<string, string>;
    import run-command: func(name: string, argv: list<string>, stdin: string) -> result<string, string>;
    export run: func(input: string) -> string;";
const WASI: &str = "
    package wasi:io@0.2.6 {
        interface streams {
            resource output-stream { write: func(bytes: list<u8>) -> result<_, string>; }
        }
    }";
const MAIL: &str = "package acme:mail@1.0.0 { interface outbox { send: func(to: string); } }";

fn assert_findings(bytes: &[u8], in_world: World, expected: &[&str]) {
    let expected = match expected {
        [] => Ok(()),
        findings => Err(Nonconformance::Findings(
            findings.iter().map(|finding| finding.to_string()).collect(),
        )),
    };
    assert_eq!(conformance::check(bytes, in_world), expected);
}

/// Each line: what the component has, and what the world `engine` says to it.
macro_rules! engine_says {
    ($($name:ident: $component:expr => [$($finding:literal),* $(,)?];)*) => {
        $(#[test] fn $name() { assert_findings(&$component, World::Engine, &[$($finding),*]); })*
    };
}

engine_says! {
    the_whole_world_fits: world(ENGINE) => [];
    run_alone_fits: world(RUN) => [];
    more_exports_than_run_fit: world(&format!("{RUN} export stop: func();")) => [];
    wasi_is_always_permitted: with_packages(&format!("{RUN} import wasi:io/streams@0.2.6;"), WASI) => [];
    a_resource_of_wasi_used_in_the_world_is_permitted:
        with_packages(&format!("{RUN} use wasi:io/streams@0.2.6.{{output-stream}};
                                export flush: func(to: output-stream);"), WASI) => [];
    a_named_type_in_the_world_asks_for_nothing:
        world(&format!("{RUN} record point {{ x: u32 }} export at: func() -> point;")) => [];

    no_run_is_a_missing_export: world("export walk: func(input: string) -> string;") => ["missing required export `run`"];
    the_kernel_is_of_another_world:
        component(include_str!("../../../../../wit/oql.wit")) => ["missing required export `run`"];
    an_unknown_function_is_undeclared:
        world(&format!("{RUN} import launch: func();")) => ["undeclared Dock import `launch` (not in workbooks:engine)"];
    an_interface_that_is_not_wasi_is_undeclared_by_its_name:
        with_packages(&format!("{RUN} import acme:mail/outbox@1.0.0;"), MAIL)
        => ["undeclared Dock import `acme:mail/outbox@1.0.0` (not in workbooks:engine)"];
    an_inline_interface_is_undeclared_even_when_it_is_called_wasi:
        world(&format!("{RUN} import wasi: interface {{ read: func() -> string; }}"))
        => ["undeclared Dock import `wasi` (not in workbooks:engine)"];
    a_resource_in_the_root_is_undeclared:
        world(&format!("{RUN} resource door;"))
        => ["undeclared Dock import `door` (not in workbooks:engine)"];
    a_function_of_a_wider_world_is_undeclared:
        world(&format!("{RUN} import llm-complete: func(prompt: string) -> result<string, string>;"))
        => ["undeclared Dock import `llm-complete` (not in workbooks:engine)"];

    run_with_another_parameter_type:
        world("export run: func(input: u32) -> string;")
        => ["export `run` has type func(input: u32) -> string, expected func(input: string) -> string"];
    run_with_another_parameter_name:
        world("export run: func(text: string) -> string;")
        => ["export `run` has type func(text: string) -> string, expected func(input: string) -> string"];
    run_without_a_result:
        world("export run: func(input: string);")
        => ["export `run` has type func(input: string), expected func(input: string) -> string"];
    run_that_can_fail:
        world("export run: func(input: string) -> result<string, string>;")
        => ["export `run` has type func(input: string) -> result<string, string>, expected func(input: string) -> string"];
    run_that_is_an_interface:
        world("export run: interface { go: func(); }")
        => ["export `run` has type interface, expected func(input: string) -> string"];
    vfs_query_with_another_type:
        world(&format!("{RUN} import vfs-query: func(sql: string) -> string;"))
        => ["import `vfs-query` has type func(sql: string) -> string, expected func(sql: string) -> result<string, string>"];

    all_findings_come_at_once_in_order:
        with_packages("
            import acme:mail/outbox@1.0.0;
            import run-command: func(name: string);
            import launch: func();
            import vfs-query: func() -> string;", MAIL)
        => [
            "missing required export `run`",
            "undeclared Dock import `acme:mail/outbox@1.0.0` (not in workbooks:engine)",
            "undeclared Dock import `launch` (not in workbooks:engine)",
            "import `run-command` has type func(name: string), expected func(name: string, argv: list<string>, stdin: string) -> result<string, string>",
            "import `vfs-query` has type func() -> string, expected func(sql: string) -> result<string, string>",
        ];
    a_wrong_run_comes_between_undeclared_and_wrong_imports:
        world("import vfs-query: func(); import launch: func(); export run: func();")
        => [
            "undeclared Dock import `launch` (not in workbooks:engine)",
            "export `run` has type func(), expected func(input: string) -> string",
            "import `vfs-query` has type func(), expected func(sql: string) -> result<string, string>",
        ];
}

#[test]
fn a_type_is_written_as_wit_writes_it() {
    let items = "
        use wasi:io/streams@0.2.6.{output-stream};
        record r { a: bool, b: list<u8> }
        variant v { none, some(char) }
        enum e { red, green }
        flags f { read, write }
        export run: func(a: r, b: v, c: e, d: f, e: option<s64>, f: tuple<f32, f64>, g: result, h: result<u8>,
                         i: result<_, u8>, j: borrow<output-stream>) -> output-stream;";
    assert_findings(
        &with_packages(items, WASI),
        World::Engine,
        &[
            "export `run` has type func(a: record { a: bool, b: list<u8> }, b: variant { none, some(char) }, \
           c: enum { red, green }, d: flags { read, write }, e: option<s64>, f: tuple<f32, f64>, g: result, \
           h: result<u8>, i: result<_, u8>, j: borrow<output-stream>) -> output-stream, \
           expected func(input: string) -> string",
        ],
    );
}

#[test]
fn a_capability_world_adds_its_own_function_and_no_other() {
    const LLM: &str = "import llm-complete: func(prompt: string) -> result<string, string>;";
    const BROWSE: &str = "import browse-fetch: func(url: string) -> result<string, string>;";
    const PARALLEL: &str = "
        import run-command-many: func(name: string, inputs: list<string>) -> list<result<string, string>>;";
    const NO_LLM: &str = "undeclared Dock import `llm-complete` (not in workbooks:engine/engine-browse)";
    const NO_PARALLEL: &str = "undeclared Dock import `run-command-many` (not in workbooks:engine/engine-llm)";
    for (items, in_world, expected) in [
        (LLM, World::EngineLlm, &[][..]),
        (BROWSE, World::EngineBrowse, &[]),
        (PARALLEL, World::EngineParallel, &[]),
        (LLM, World::EngineBrowse, &[NO_LLM]),
        (PARALLEL, World::EngineLlm, &[NO_PARALLEL]),
        (&[LLM, BROWSE, PARALLEL].concat(), World::Dock, &[]),
        (
            "import launch: func();",
            World::Dock,
            &["undeclared Dock import `launch` (not in workbooks:engine)"],
        ),
    ] {
        assert_findings(&world(&format!("{ENGINE} {items}")), in_world, expected);
    }
}

#[test]
fn imports_are_those_of_the_dock_in_the_components_order() {
    let items = format!("{RUN} import wasi:io/streams@0.2.6; import vfs-query: func(); import launch: func();");
    let names = conformance::imports(&with_packages(&items, WASI));
    assert_eq!(names, Ok(vec!["vfs-query".to_owned(), "launch".to_owned()]));
}

#[test]
fn what_is_not_a_component_is_said_to_be_none() {
    let whole = world(ENGINE);
    for bytes in [
        &b""[..],
        b"#!/bin/sh",
        b"\0asm",
        b"\0asm\x01\0\0\0",
        &whole[..whole.len() - 1],
        &whole[..whole.len() / 2],
        &[&whole[..], b"\0"].concat(),
    ] {
        assert_eq!(conformance::engine(bytes), Err(Nonconformance::NotAComponent));
        assert_eq!(conformance::imports(bytes), Err(Nonconformance::NotAComponent));
        assert_eq!(
            conformance::check_upgrade(&whole, bytes),
            Err(Nonconformance::NotAComponent)
        );
        assert_eq!(
            conformance::check_upgrade(bytes, &whole),
            Err(Nonconformance::NotAComponent)
        );
    }
}

#[test]
fn an_error_reads_as_a_sentence() {
    let verdict = conformance::engine(&world("import launch: func();"));
    let sentence = "missing required export `run`; undeclared Dock import `launch` (not in workbooks:engine)";
    assert_eq!(verdict.map_err(|error| error.to_string()), Err(sentence.to_owned()));
}

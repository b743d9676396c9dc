use conformance::{Level, UpgradeFinding, check_upgrade};

use crate::from_wit::{with_packages, world};

const ABSENT: &str = "absent";
const GONE: &str = "exports may grow, never shrink: its users lose it";
const DEMANDED: &str = "imports may shrink, never grow: a host of the old component need not provide it";
const OTHER: &str = "the one cannot be read as the other";

type Expected<'a> = (&'a str, &'a str, &'a str, &'a str);

fn assert_upgrade(old: &[u8], new: &[u8], level: Level, expected: &[Expected]) {
    let type_or_absent = |ty: &str| (ty != ABSENT).then(|| ty.to_owned());
    let expected: Vec<UpgradeFinding> = expected
        .iter()
        .map(|(path, was, now, why)| UpgradeFinding {
            path: path.to_string(),
            was: type_or_absent(was),
            now: type_or_absent(now),
            why: why.to_string(),
            level,
        })
        .collect();
    assert_eq!(check_upgrade(old, new), Ok(expected));
}

/// Each line: the old world, the new world, and the findings as (path, was, now, why).
macro_rules! upgrades {
    ($($name:ident: $old:expr, $new:expr => [$($finding:expr),* $(,)?];)*) => {
        $(#[test] fn $name() { assert_upgrade(&world($old), &world($new), Level::Error, &[$($finding),*]); })*
    };
}

const RUN: &str = "export run: func(input: string) -> string;";

upgrades! {
    the_same_world_is_safe: RUN, RUN => [];
    an_added_export_is_safe: RUN, "export run: func(input: string) -> string; export stop: func();" => [];
    a_removed_export_breaks:
        "export run: func(input: string) -> string; export stop: func();", RUN
        => [("stop", "func()", ABSENT, GONE)];
    a_dropped_import_is_safe: "import ask: func();", "" => [];
    a_new_import_breaks: "", "import ask: func() -> u8;" => [("ask", ABSENT, "func() -> u8", DEMANDED)];
    an_export_of_another_kind_breaks:
        "export run: func();", "export run: interface { go: func(); }"
        => [("run", "func()", "interface", "what it is cannot be compared, or is no longer the same")];
    findings_come_all_at_once_exports_first:
        "export a: func(); export b: func(x: u8) -> u8;", "import c: func(); export b: func(x: u16) -> u16;"
        => [
            ("a", "func()", ABSENT, GONE),
            ("b.param.x", "u8", "u16", OTHER),
            ("b.result", "u8", "u16", OTHER),
            ("c", ABSENT, "func()", DEMANDED),
        ];

    another_parameter_type_breaks:
        RUN, "export run: func(input: u32) -> string;" => [("run.param.input", "string", "u32", OTHER)];
    another_result_type_breaks:
        RUN, "export run: func(input: string) -> u32;" => [("run.result", "string", "u32", OTHER)];
    a_wider_number_breaks:
        "export f: func() -> u32;", "export f: func() -> u64;" => [("f.result", "u32", "u64", OTHER)];
    a_lost_result_breaks:
        RUN, "export run: func(input: string);"
        => [("run.result", "string", ABSENT, "a result is read and none is sent")];
    a_new_result_breaks:
        "export f: func();", "export f: func() -> u8;"
        => [("f.result", ABSENT, "u8", "a result is sent and none is read")];
    a_new_parameter_breaks:
        RUN, "export run: func(input: string, more: u8) -> string;"
        => [("run.param.more", ABSENT, "u8", "it is taken here and callers do not pass it here")];
    a_lost_parameter_breaks:
        RUN, "export run: func() -> string;"
        => [("run.param.input", "string", ABSENT, "callers pass it here and it is not taken here")];
    a_renamed_parameter_breaks:
        "export f: func(a: u8);", "export f: func(b: u8);"
        => [
            ("f.param.a", "u8", ABSENT, "callers pass it here and it is not taken here"),
            ("f.param.b", ABSENT, "u8", "it is taken here and callers do not pass it here"),
        ];

    a_result_record_may_gain_a_field:
        "record r { a: u8 } export f: func() -> r;", "record r { a: u8, b: u8 } export f: func() -> r;" => [];
    a_result_record_may_not_lose_a_field:
        "record r { a: u8, b: string } export f: func() -> r;", "record r { a: u8 } export f: func() -> r;"
        => [("f.result.b", "string", ABSENT, "field `b` is read but not sent")];
    a_result_record_may_lose_an_option:
        "record r { a: u8, b: option<u8> } export f: func() -> r;", "record r { a: u8 } export f: func() -> r;" => [];
    a_parameter_record_may_lose_a_field:
        "record r { a: u8, b: u8 } export f: func(x: r);", "record r { a: u8 } export f: func(x: r);" => [];
    a_parameter_record_may_not_gain_a_field:
        "record r { a: u8 } export f: func(x: r);", "record r { a: u8, b: u16 } export f: func(x: r);"
        => [("f.param.x.b", ABSENT, "u16", "field `b` is read but not sent")];
    a_parameter_record_may_gain_an_option:
        "record r { a: u8 } export f: func(x: r);", "record r { a: u8, b: option<u16> } export f: func(x: r);" => [];
    the_order_of_fields_does_not_matter:
        "record r { a: u8, b: u16 } export f: func() -> r;", "record r { b: u16, a: u8 } export f: func() -> r;" => [];

    a_result_variant_may_lose_a_case:
        "variant v { a, b } export f: func() -> v;", "variant v { a } export f: func() -> v;" => [];
    a_result_variant_may_not_gain_a_case:
        "variant v { a } export f: func() -> v;", "variant v { a, b(string) } export f: func() -> v;"
        => [("f.result.b", ABSENT, "b(string)", "case `b` can be sent and is not known to the reader")];
    a_parameter_variant_may_gain_a_case:
        "variant v { a } export f: func(x: v);", "variant v { a, b } export f: func(x: v);" => [];
    a_parameter_variant_may_not_lose_a_case:
        "variant v { a, b } export f: func(x: v);", "variant v { a } export f: func(x: v);"
        => [("f.param.x.b", "b", ABSENT, "case `b` can be sent and is not known to the reader")];
    the_payload_of_a_case_is_compared:
        "variant v { a(u8), b, c(u8) } export f: func() -> v;", "variant v { a(u16), b(u8), c } export f: func() -> v;"
        => [
            ("f.result.a", "u8", "u16", OTHER),
            ("f.result.b", ABSENT, "u8", "a value is sent where none is read"),
            ("f.result.c", "u8", ABSENT, "a value is read where none is sent"),
        ];
    a_result_enum_may_not_gain_a_case:
        "enum e { a } export f: func() -> e;", "enum e { a, b } export f: func() -> e;"
        => [("f.result.b", ABSENT, "b", "case `b` can be sent and is not known to the reader")];
    a_result_enum_may_lose_a_case:
        "enum e { a, b } export f: func() -> e;", "enum e { a } export f: func() -> e;" => [];
    result_flags_may_grow:
        "flags f { a } export f1: func() -> f;", "flags f { a, b } export f1: func() -> f;" => [];
    result_flags_may_not_shrink:
        "flags f { a, b } export f1: func() -> f;", "flags f { a } export f1: func() -> f;"
        => [("f1.result.b", "b", ABSENT, "flag `b` is read but not sent")];

    parts_are_compared_where_they_are:
        "export f: func() -> tuple<list<u8>, option<u8>, result<u8, u8>>;",
        "export f: func() -> tuple<list<s8>, option<s8>, result<s8, s8>>;"
        => [
            ("f.result.0.element", "u8", "s8", OTHER),
            ("f.result.1.some", "u8", "s8", OTHER),
            ("f.result.2.ok", "u8", "s8", OTHER),
            ("f.result.2.err", "u8", "s8", OTHER),
        ];
    a_longer_tuple_breaks:
        "export f: func() -> tuple<u8>;", "export f: func() -> tuple<u8, u8>;"
        => [("f.result", "tuple<u8>", "tuple<u8, u8>", "a tuple of 2 cannot be read as a tuple of 1")];
    an_error_that_becomes_possible_breaks:
        "export f: func() -> string;", "export f: func() -> result<string>;"
        => [("f.result", "string", "result<string>", OTHER)];

    an_import_may_send_less_and_read_more_carefully:
        "record r { a: u8 } variant v { x, y } import ask: func(q: v) -> r;",
        "record r { a: u8 } variant v { x } import ask: func(q: v) -> r;" => [];
    an_import_may_not_read_what_the_host_does_not_send:
        "record r { a: u8 } import ask: func() -> r;", "record r { a: u8, b: u8 } import ask: func() -> r;"
        => [("ask.result.b", ABSENT, "u8", "field `b` is read but not sent")];
    an_import_may_not_send_what_the_host_does_not_know:
        "enum e { a } import ask: func(q: e);", "enum e { a, b } import ask: func(q: e);"
        => [("ask.param.q.b", ABSENT, "b", "case `b` can be sent and is not known to the reader")];
    a_named_type_of_the_world_is_no_demand:
        "import ask: func() -> u8;", "type count = u8; import ask: func() -> count;" => [];
}

const OUTBOX: &str = "
    interface outbox {
        resource letter { constructor(text: string); send: func() -> u32; }
        post: func(what: borrow<letter>);
    }";

fn mail(version: &str, interface: &str) -> String {
    format!("package acme:mail@{version} {{ {interface} }}")
}

#[test]
fn a_compatible_version_of_an_interface_is_the_same_interface() {
    let old = with_packages("export acme:mail/outbox@1.0.0;", &mail("1.0.0", OUTBOX));
    let new = with_packages("export acme:mail/outbox@1.4.2;", &mail("1.4.2", OUTBOX));
    assert_upgrade(&old, &new, Level::Error, &[]);
}

#[test]
fn an_incompatible_version_of_an_interface_is_another_interface() {
    let old = with_packages("export acme:mail/outbox@1.0.0;", &mail("1.0.0", OUTBOX));
    let new = with_packages("export acme:mail/outbox@2.0.0;", &mail("2.0.0", OUTBOX));
    assert_upgrade(
        &old,
        &new,
        Level::Error,
        &[("acme:mail/outbox@1.0.0", "interface", ABSENT, GONE)],
    );
}

#[test]
fn the_functions_and_resources_of_an_interface_are_compared() {
    let narrower = "
        interface outbox {
            resource parcel { send: func() -> u32; }
            resource letter { constructor(text: string); send: func() -> u64; }
            post: func(what: borrow<parcel>);
        }";
    let old = with_packages("export acme:mail/outbox@1.0.0;", &mail("1.0.0", OUTBOX));
    let new = with_packages("export acme:mail/outbox@1.0.0;", &mail("1.0.0", narrower));
    let not_a_parcel = "resource `acme:mail/outbox@1.letter` is not resource `acme:mail/outbox@1.parcel`";
    assert_upgrade(
        &old,
        &new,
        Level::Error,
        &[
            ("acme:mail/outbox@1.0.0.[method]letter.send.result", "u32", "u64", OTHER),
            (
                "acme:mail/outbox@1.0.0.post.param.what",
                "borrow<letter>",
                "borrow<parcel>",
                not_a_parcel,
            ),
        ],
    );
}

#[test]
fn a_lost_resource_breaks() {
    let old = with_packages(
        "export acme:mail/outbox@1.0.0;",
        &mail("1.0.0", "interface outbox { resource letter; }"),
    );
    let new = with_packages(
        "export acme:mail/outbox@1.0.0;",
        &mail("1.0.0", "interface outbox { post: func(); }"),
    );
    assert_upgrade(
        &old,
        &new,
        Level::Error,
        &[("acme:mail/outbox@1.0.0.letter", "resource", ABSENT, GONE)],
    );
}

#[test]
fn asking_more_of_wasi_is_a_warning() {
    const RANDOM: &str = "package wasi:random@0.2.6 { interface random { get: func() -> u64; again: func() -> u64; } }";
    const LESS: &str = "package wasi:random@0.2.6 { interface random { get: func() -> u64; } }";
    let none = world(RUN);
    let import = format!("import wasi:random/random@0.2.6; {RUN}");
    let some = with_packages(&import, LESS);
    let more = with_packages(&import, RANDOM);
    let whole = [("wasi:random/random@0.2.6", ABSENT, "interface", DEMANDED)];
    let function = [("wasi:random/random@0.2.6.again", ABSENT, "func() -> u64", DEMANDED)];
    assert_upgrade(&none, &some, Level::Warning, &whole);
    assert_upgrade(&some, &more, Level::Warning, &function);
    assert_upgrade(&more, &none, Level::Warning, &[]);
}

#[test]
fn losing_an_export_of_wasi_breaks() {
    const HANDLER: &str = "package wasi:http@0.2.6 { interface handler { handle: func(); } }";
    let old = with_packages(&format!("{RUN} export wasi:http/handler@0.2.6;"), HANDLER);
    assert_upgrade(
        &old,
        &world(RUN),
        Level::Error,
        &[("wasi:http/handler@0.2.6", "interface", ABSENT, GONE)],
    );
}

#[test]
fn naming_a_resource_of_an_interface_is_no_demand() {
    const STREAMS: &str = "package wasi:io@0.2.6 { interface streams { resource output-stream; } }";
    let import = format!("{RUN} import wasi:io/streams@0.2.6;");
    let named = format!("{import} use wasi:io/streams@0.2.6.{{output-stream}}; export flush: func(to: output-stream);");
    assert_upgrade(
        &with_packages(&import, STREAMS),
        &with_packages(&named, STREAMS),
        Level::Error,
        &[],
    );
}

#[test]
fn a_finding_reads_as_a_sentence() {
    let findings = check_upgrade(&world(RUN), &world("export run: func(input: u32) -> string;")).unwrap();
    assert_eq!(
        findings[0].to_string(),
        "run.param.input: was string, now u32: the one cannot be read as the other"
    );
    let findings = check_upgrade(&world(RUN), &world("")).unwrap();
    assert_eq!(
        findings[0].to_string(),
        "run: was func(input: string) -> string, now absent: exports may grow, never shrink: its users lose it"
    );
}

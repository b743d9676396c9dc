//! Bytes that want to take the reader down. Each gets a verdict.

use conformance::{MAX_BYTES, Nonconformance, World};
use wasm_encoder::{
    Alias, Component, ComponentImportSection, ComponentOuterAliasKind, ComponentTypeRef, ComponentTypeSection,
    InstanceType, NestedComponentSection, PrimitiveValType,
};

use crate::from_wit::{with_packages, world};

const HEADER: &[u8] = b"\0asm\x0d\0\x01\0";

/// A small generator with a fixed seed, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..start + 1 + self.below((length - start).min(64))
    }
}

fn mutate(dice: &mut Dice, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    match dice.below(4) {
        0 => bytes.truncate(dice.below(seed.len())),
        1 => {
            for _ in 0..1 + dice.below(4) {
                let at = dice.below(bytes.len());
                bytes[at] ^= 1 << dice.below(8);
            }
        }
        2 => {
            let (cut, piece) = (dice.range(bytes.len()), dice.range(other.len()));
            bytes.splice(cut, other[piece].iter().copied());
        }
        _ => {
            let noise: Vec<u8> = (0..1 + dice.below(16)).map(|_| dice.below(256) as u8).collect();
            bytes.splice(dice.range(seed.len()), noise);
        }
    }
    bytes
}

#[test]
fn ten_thousand_mutations_get_a_verdict_each() {
    let plain = world(
        "import vfs-query: func(sql: string) -> result<string, string>; export run: func(input: string) -> string;",
    );
    let rich = with_packages(
        "record r { a: list<u8>, b: option<string> } variant v { x, y(r) } flags f { p, q }
         import acme:mail/outbox@1.0.0; import ask: func(a: v, b: f) -> tuple<r, v>; export run: func(input: r) -> v;",
        "package acme:mail@1.0.0 { interface outbox { resource letter { send: func() -> u32; } } }",
    );
    let mut dice = Dice(0x5eed_0bad_c0de_1234);
    let (mut refused, mut read) = (0, 0);
    for round in 0..10_000 {
        let (seed, other) = if round % 2 == 0 {
            (&plain, &rich)
        } else {
            (&rich, &plain)
        };
        let bytes = mutate(&mut dice, seed, other);
        match conformance::check(&bytes, World::Dock) {
            Err(Nonconformance::NotAComponent) => refused += 1,
            Err(Nonconformance::Findings(_)) | Ok(()) => {
                conformance::imports(&bytes).expect("what has a verdict has imports");
                conformance::check_upgrade(seed, &bytes).expect("what has a verdict can be compared");
                read += 1;
            }
        }
    }
    // Most mutations break the bytes. Some must not, or the types were never reached.
    assert!(refused > 1_000 && read > 100, "{refused} refused, {read} read");
}

#[test]
fn random_bytes_behind_a_header_get_a_verdict() {
    let mut dice = Dice(42);
    for _ in 0..1_000 {
        let noise: Vec<u8> = (0..dice.below(200)).map(|_| dice.below(256) as u8).collect();
        // The name of a custom section may be any string, so a lucky draw is a component; it has no `run`.
        assert!(conformance::engine(&[HEADER, &noise].concat()).is_err());
    }
}

#[test]
fn type_declarations_inside_each_other_do_not_overflow_the_stack() {
    for (depth, verdict) in [
        (30, missing_run()),
        (1_000, not_a_component()),
        (1_000_000, not_a_component()),
    ] {
        // An instance type whose one declaration is an instance type, and so on; the innermost is empty.
        let mut section = vec![1];
        section.extend([0x42, 1, 1].repeat(depth));
        section.extend([0x42, 0]);
        let bytes = [HEADER, &[7], &leb128(section.len()), &section].concat();
        assert_eq!(conformance::engine(&bytes), verdict, "{depth}");
    }
}

#[test]
fn instance_types_that_refer_to_each_other_do_not_panic_the_reader() {
    for (length, verdict) in [
        (50, Ok(vec!["deep".to_owned()])),
        (1_000, Err(Nonconformance::NotAComponent)),
    ] {
        let mut component = Component::new();
        for index in 0..length {
            let mut ty = InstanceType::new();
            if let Some(previous) = u32::checked_sub(index, 1) {
                ty.alias(Alias::Outer {
                    kind: ComponentOuterAliasKind::Type,
                    count: 1,
                    index: previous,
                });
                ty.export("inner", ComponentTypeRef::Instance(0));
            }
            let mut section = ComponentTypeSection::new();
            section.instance(&ty);
            component.section(&section);
        }
        let mut imports = ComponentImportSection::new();
        imports.import("deep", ComponentTypeRef::Instance(length - 1));
        component.section(&imports);
        assert_eq!(conformance::imports(&component.finish()), verdict, "{length}");
    }
}

#[test]
fn components_inside_each_other_do_not_overflow_the_stack() {
    for (depth, verdict) in [(30, missing_run()), (2_000, not_a_component())] {
        let mut component = Component::new();
        for _ in 0..depth {
            let mut outer = Component::new();
            outer.section(&NestedComponentSection(&component));
            component = outer;
        }
        assert_eq!(conformance::engine(&component.finish()), verdict, "{depth}");
    }
}

#[test]
fn a_type_that_is_huge_when_written_out_is_not_written_out() {
    let cases: Vec<String> = (0..500).map(|case| format!("a-case-with-a-long-name-{case}")).collect();
    let hundred = |ty: &str| vec![ty; 100].join(", ");
    let items = format!(
        "enum e {{ {} }} type wide = tuple<{}>; type wider = tuple<{}>; export run: func(input: wider) -> string;",
        cases.join(", "),
        hundred("e"),
        hundred("wide"),
    );
    let huge = world(&items);
    let finding =
        "export `run` has type func(input: (unreadable)) -> (unreadable), expected func(input: string) -> string";
    assert_eq!(
        conformance::engine(&huge),
        Err(Nonconformance::Findings(vec![finding.to_owned()]))
    );

    let other = world(&items.replace("-> string", "-> u8"));
    let findings = conformance::check_upgrade(&huge, &other).unwrap();
    assert!(
        findings
            .iter()
            .all(|finding| finding.why == "the type is too large to compare")
    );
    assert_eq!(
        findings.iter().map(|finding| &*finding.path).collect::<Vec<_>>(),
        ["run.param.input", "run.result"]
    );
    assert_eq!(conformance::check_upgrade(&huge, &huge), Ok(vec![]));
}

#[test]
fn long_names_over_many_members_do_not_fill_the_memory() {
    let members = |count: usize| {
        let mut interface = InstanceType::new();
        interface
            .ty()
            .function()
            .params([] as [(&str, PrimitiveValType); 0])
            .result(None);
        for member in 0..count {
            interface.export(format!("member-n{member}"), ComponentTypeRef::Func(0));
        }
        let mut types = ComponentTypeSection::new();
        types.instance(&interface);
        let mut imports = ComponentImportSection::new();
        imports.import("long-".repeat(8_000) + "name", ComponentTypeRef::Instance(0));
        let mut component = Component::new();
        component.section(&types).section(&imports);
        component.finish()
    };
    let findings = conformance::check_upgrade(&members(1), &members(1_000)).unwrap();
    let last = findings.last().unwrap();
    assert_eq!(
        last.to_string(),
        "..: was absent, now absent: there is more here than can be compared"
    );
    assert!(findings.len() < 500, "{}", findings.len());
}

#[test]
fn bytes_above_the_limit_are_not_read() {
    let finding = "component has 67108865 bytes, more than 67108864".to_owned();
    let verdict = conformance::engine(&vec![0; MAX_BYTES + 1]);
    assert_eq!(verdict, Err(Nonconformance::Findings(vec![finding])));
    assert_eq!(conformance::engine(&vec![0; MAX_BYTES]), not_a_component());
}

fn missing_run() -> Result<(), Nonconformance> {
    Err(Nonconformance::Findings(vec![
        "missing required export `run`".to_owned(),
    ]))
}

fn not_a_component() -> Result<(), Nonconformance> {
    Err(Nonconformance::NotAComponent)
}

fn leb128(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

//! TypeScript: the types go, JavaScript stays.

use super::world::{build, bytes, call, random, run_command, text};
use lanes::{Error, Order, Shape, Source};

fn answer(source: &str, input: &str) -> String {
    call(&bytes(&text("ts", source, Shape::Component)), input, &[])
        .0
        .unwrap()
}

#[test]
fn what_only_typescript_has_is_translated() {
    let source = "
        enum Unit { Day = 24, Week = Day * 7 }
        interface Span { n: number; unit: Unit }
        abstract class Base<T extends Span> { constructor(protected readonly span: T) {} abstract hours(): number }
        class Hours extends Base<Span> { hours(): number { return this.span.n * (this.span.unit as number) } }
        namespace Text { export const of = (n: number): string => `${n}h` }
        const make = <T,>(x: T): T => x satisfies T;
        export default (input: string): string => Text.of(make(new Hours({ n: Number(input)!, unit: Unit.Week })).hours());
    ";
    assert_eq!(answer(source, "2"), "336h");
}

#[test]
fn a_constant_made_up_now_comes_back() {
    let constant = random();
    let source = format!("const k: number = {constant}; export default async (x: string): Promise<string> => x + k;");
    assert_eq!(answer(&source, "is "), format!("is {constant}"));
}

#[test]
fn a_project_imports_its_parts_as_people_write_them() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, source: &str| std::fs::write(dir.path().join(path), source).unwrap();
    write(
        "index.ts",
        "import type { Name } from './name';\nimport { greet } from './greet.ts';\nimport { end } from './end.js';\n\
         export default (x: Name) => greet(x) + end",
    );
    write("name.d.ts", "export type Name = string;");
    write(
        "greet.ts",
        "import { hello } from './hello';\nexport const greet = (x: string) => `${hello} ${x}`;",
    );
    write("hello.ts", "export const hello: string = 'hello';");
    write("end.js", "export const end = '!';");
    let order = Order::new("ts", Source::Dir(dir.path().into()), Shape::Component);
    assert_eq!(call(&bytes(&order), "you", &[]).0.unwrap(), "hello you!");
}

#[test]
fn a_throw_names_the_line_that_was_written() {
    let source = "interface X {\n  a: number\n}\n\ntype Y = X | string;\nexport default (y: Y): Y => {\n  // nothing\n\n  \
                  const t = `a\n   b`;\n  throw new Error(t as string);\n}";
    let failed = call(&bytes(&text("ts", source, Shape::Component)), "", &[])
        .0
        .unwrap_err()
        .to_string();
    assert!(failed.contains("Error: a\n   b"), "{failed}");
    assert!(failed.contains("main.ts:11:"), "{failed}");
}

#[test]
fn a_script_is_a_command() {
    let wasm = bytes(&text(
        "ts",
        "const n: number = 6 * 7;\nconsole.log(n, ...scriptArgs.slice(1));",
        Shape::Command,
    ));
    assert_eq!(run_command(&wasm, &["x", "a"], "").stdout, "42 a\n");
}

#[test]
fn bad_source_is_refused_with_its_line() {
    for (source, said) in [
        (
            "export default (x: string) => {\n  const y: = x;\n}",
            "main.ts:2:12: Unexpected token",
        ),
        (
            "let a = 1;\nlet a = 2;\nexport default a",
            "main.ts:1:5: Identifier `a` has already been declared",
        ),
        ("export const x = 1", "no default export"),
    ] {
        match build(&text("ts", source, Shape::Component)) {
            Err(Error::Rejected { said: found }) => assert!(found.contains(said), "{found}"),
            other => panic!("{source}: {other:?}"),
        }
    }
}

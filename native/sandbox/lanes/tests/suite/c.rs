//! C: commands and kernels.

use super::world::{build, bytes, random, run_command, text};
use lanes::{Error, Order, Shape, Source};

#[test]
fn a_program_is_a_command() {
    let source = r#"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(int argc, char **argv)
{
    int numbers[100], count = 0;
    while (count < 100 && scanf("%d", &numbers[count]) == 1)
        count++;
    qsort(numbers, count, sizeof *numbers, by_size);
    for (int n = 0; n < count; n++)
        printf("%d%c", numbers[n], n + 1 < count ? ' ' : '\n');
    printf("%s %.3f %c\n", argc > 1 ? argv[1] : "-", sqrt(2), toupper('x'));
    return count;
}
"#;
    let wasm = bytes(&text("c", source, Shape::Command));
    let ran = run_command(&wasm, &["sort", "arg"], "3 1 2");
    assert_eq!((ran.status, ran.stdout.as_str()), (3, "1 2 3\narg 1.414 X\n"));
}

#[test]
fn a_constant_made_up_now_comes_back() {
    let constant = random();
    let source =
        format!("#include <stdio.h>\nint main(void) {{ printf(\"%u\\n\", {constant}u ^ 0x5555u); return 0; }}");
    let ran = run_command(&bytes(&text("c", &source, Shape::Command)), &["x"], "");
    assert_eq!(ran.stdout, format!("{}\n", constant ^ 0x5555));
}

#[test]
fn a_project_of_several_files_is_linked() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, source: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    };
    write(
        "main.c",
        "#include \"lib/twice.h\"\n#include <stdio.h>\nint main(void) { printf(\"%d\\n\", twice(21)); }",
    );
    write("lib/twice.h", "int twice(int n);");
    write(
        "lib/twice.c",
        "#include \"twice.h\"\n#include \"lib/twice.h\"\nint twice(int n) { return 2 * n; }",
    );
    let order = Order::new("c", Source::Dir(dir.path().into()), Shape::Command);
    assert_eq!(run_command(&bytes(&order), &["x"], "").stdout, "42\n");
}

const KERNEL: &str = "
#include <stdint.h>
#include <string.h>
static uint8_t in[65536], out[65536];
uint8_t *in_ptr(void) { return in; }
uint8_t *out_ptr(void) { return out; }
int process(int length) { memcpy(out, in, length); out[0] ^= 0x20; return length; }
";

#[test]
fn a_kernel_has_its_exports_and_no_imports() {
    let wasm = bytes(&text("c", KERNEL, Shape::Kernel));
    let (mut exports, mut imports) = (Vec::new(), 0);
    for payload in wasmparser::Parser::new(0).parse_all(&wasm) {
        match payload.unwrap() {
            wasmparser::Payload::ExportSection(found) => {
                exports.extend(found.into_iter().map(|export| export.unwrap().name.to_owned()));
            }
            wasmparser::Payload::ImportSection(found) => imports += found.into_imports().count(),
            _ => {}
        }
    }
    for name in ["memory", "process", "in_ptr", "out_ptr"] {
        assert!(exports.iter().any(|export| export == name), "{name}");
    }
    assert_eq!(imports, 0);
}

#[test]
fn a_kernel_that_lacks_a_part_or_asks_for_more_does_not_fit() {
    let without = KERNEL.replace("uint8_t *out_ptr", "static uint8_t *elsewhere");
    assert!(
        matches!(build(&text("c", &without, Shape::Kernel)), Err(Error::Rejected { said }) if said.contains("out_ptr"))
    );
    let prints = KERNEL
        .replace("int process", "#include <stdio.h>\nint process")
        .replace("return length;", "puts(\"x\"); return length;");
    assert!(
        matches!(build(&text("c", &prints, Shape::Kernel)), Err(Error::Unfit(why)) if why.contains("it imports `fd_"))
    );
}

#[test]
fn bad_source_is_refused_with_its_line() {
    for (source, said) in [
        (
            "int main(void) {\n  return x;\n}",
            "main.c:2:10: error: use of undeclared identifier 'x'",
        ),
        ("int f(void);\nint main(void) { return f(); }", "undefined symbol: f"),
        ("#include <nosuch.h>\nint main(void) {}", "'nosuch.h' file not found"),
    ] {
        match build(&text("c", source, Shape::Command)) {
            Err(Error::Rejected { said: found }) => assert!(found.contains(said), "{found}"),
            other => panic!("{source}: {other:?}"),
        }
    }
}

//! A compiler is alone with its input: no environment, no network, no other file.
//!
//! What can run a program is asked by the tests of the toolbox to look around. clang cannot, so here it is asked to include
//! what it should not see.

use super::world::{build, text};
use lanes::{Error, Shape};

const OUTSIDE: [&str; 4] = ["/etc/passwd", "/proc/self/environ", "../../../../etc/passwd", "/home"];

#[test]
fn clang_cannot_include_what_is_not_in_the_project() {
    for outside in OUTSIDE {
        for source in [
            format!("#include \"{outside}\"\nint main(void) {{}}"),
            format!("static const char x[] = {{\n#embed \"{outside}\"\n}};\nint main(void) {{}}"),
            format!("__asm__(\".incbin \\\"{outside}\\\"\");\nint main(void) {{}}"),
        ] {
            match build(&text("c", &source, Shape::Command)) {
                Err(Error::Rejected { said }) => assert!(!said.contains("root:") && said.contains("error"), "{said}"),
                other => panic!("{source}: {other:?}"),
            }
        }
    }
}

#[test]
fn typescript_has_no_directory_at_all() {
    let source = "/// <reference path=\"/etc/passwd\" />\nimport x from '/etc/passwd';\nexport default () => x;";
    match build(&text("ts", source, Shape::Component)) {
        Err(Error::Rejected { said }) => assert!(said.contains("no module `/etc/passwd`"), "{said}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_compiler_that_takes_too_long_or_too_much_is_stopped() {
    let deep = format!("int main(void) {{ return {}0{}; }}", "(".repeat(200), ")".repeat(200));
    let mut order = text("c", &deep, Shape::Command);
    order.bounds.time = std::time::Duration::from_millis(1);
    assert_eq!(build(&order).unwrap_err().code(), "timeout");
    let mut order = text("c", &format!("{deep}\n"), Shape::Command);
    order.bounds.memory = 8 << 20;
    assert_eq!(build(&order).unwrap_err().code(), "memory");
    // A macro that doubles thirty times would be a gigabyte of text.
    let mut bomb = String::from("#define A0 1+1+1+1+1+1+1+1\n");
    for n in 1..30 {
        bomb += &format!("#define A{n} A{0}+A{0}\n", n - 1);
    }
    let mut order = text("c", &format!("{bomb}int main(void) {{ return A29; }}"), Shape::Command);
    order.bounds.time = std::time::Duration::from_secs(5);
    let code = build(&order).unwrap_err().code();
    assert!(["timeout", "memory", "build_failed"].contains(&code), "{code}");
}

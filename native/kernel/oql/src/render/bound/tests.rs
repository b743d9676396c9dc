use super::check;
use crate::error::{Code, Error};

const MIB: usize = 1024 * 1024;

fn filled(pattern: &str, size: usize) -> String {
    pattern.repeat(size / pattern.len())
}

fn refusal(org: &str) -> Option<String> {
    check(org).err().map(|Error { code, message, .. }| {
        assert_eq!(code, Code::TooComplex);
        message
    })
}

#[test]
fn a_megabyte_of_what_never_closes_is_refused() {
    for pattern in [
        "#+begin_quote\n",
        "#+begin_src\n",
        ":a:\n",
        "\\begin{a}\n",
        "#+ATTR_A: b\n",
        "*a ",
        "_a *b ",
        "*/_+",
        "[[",
        "[fn::",
        "a_{",
        "a^{",
        "{{{a(",
        "<%%(",
        "src_a{",
        " call_a(",
        "\\(",
        "\\[",
        "=",
        "- *a [[b [fn:: {{{c( $d\n#+begin_e\n",
    ] {
        let message = refusal(&filled(pattern, MIB)).unwrap_or_else(|| panic!("{pattern:?} is accepted"));
        assert!(message.starts_with("line "), "{message}");
    }
}

#[test]
fn a_megabyte_of_what_closes_or_cannot_open_is_accepted() {
    for pattern in [
        "#+begin_quote\n#+end_quote\n",
        ":a:\n:END:\n",
        "*a* ",
        "[[a]] ",
        "[fn::a] ",
        "{{{a}}} ",
        "<<a>> ",
        "<<",
        "$a",
        "$a$ ",
        "@@a:",
        "@@a:b@@ ",
        "\\alpha ",
        "\\a ",
        "a_{b} ",
        "| a ",
        "| a | b |\n",
        ":a: b\n",
        "- a\n",
        "* a\n",
        "\n",
        "a",
        "é",
        "a\n\n",
        "#+NAME: a\n",
        "[[https://a.org/b/c.png]] ",
        "A *bold* word, =code=, /italic/ text; see https://a.org/b. ",
    ] {
        assert_eq!(refusal(&filled(pattern, MIB)), None, "{pattern:?}");
    }
}

#[test]
fn a_block_that_never_closes_costs_more_under_attributes() {
    let unclosed = |above: &str| format!("{above}#+begin_x\n\n").repeat(2_000);
    assert_eq!(refusal(&unclosed("")), None);
    assert!(refusal(&unclosed(&"#+ATTR_A: b\n".repeat(20))).is_some());
}

#[test]
fn a_refusal_names_the_line() {
    let paragraph = filled("*a ", 64 * 1024);
    assert_eq!(
        refusal(&format!("* A\nb\n\n{paragraph}\n")).as_deref(),
        Some("line 4: the text takes too much work to render"),
    );
    assert_eq!(
        refusal(&format!("* A\n\n{}", nested_lists(101))).as_deref(),
        Some("line 103: lists, blocks or markup nest more than 100 deep"),
    );
}

fn nested_lists(depth: usize) -> String {
    (0..depth)
        .map(|indent| format!("{}- a\n", " ".repeat(indent)))
        .collect()
}

fn nested_blocks(depth: usize) -> String {
    // Blocks of one name do not nest, so each has its own.
    let name = |i: usize| -> String { i.to_string().bytes().map(|b| (b - b'0' + b'a') as char).collect() };
    let begins: String = (0..depth).map(|i| format!("#+begin_{}\n", name(i))).collect();
    let ends: String = (0..depth).rev().map(|i| format!("#+end_{}\n", name(i))).collect();
    format!("{begins}a\n{ends}")
}

fn nested_markup(depth: usize) -> String {
    let opening: String = "*/".chars().cycle().take(depth).collect();
    let closing: String = opening.chars().rev().collect();
    format!("{opening}a{closing}")
}

fn nested_footnotes(depth: usize) -> String {
    format!("{}a{}", "[fn::".repeat(depth), "]".repeat(depth))
}

fn nested_indices(depth: usize) -> String {
    format!("{}b{}", "a_{".repeat(depth), "}".repeat(depth))
}

/// A list item can hold another of its own indentation, if attributes stand between them.
fn attributed_lists(depth: usize) -> String {
    "- a\n  #+ATTR_A: b\n".repeat(depth)
}

#[test]
fn a_hundred_levels_are_accepted_and_no_more() {
    for nested in [
        nested_lists,
        nested_blocks,
        nested_markup,
        nested_footnotes,
        nested_indices,
        attributed_lists,
    ] {
        assert_eq!(refusal(&nested(100)), None);
        assert!(refusal(&nested(101)).is_some());
    }
}

/// What a thread may well have; code that is not optimised needs more.
const STACK: usize = if cfg!(debug_assertions) { 2 * MIB } else { MIB / 2 };

#[test]
fn the_deepest_text_that_is_accepted_renders_on_a_small_stack() {
    let mut deepest: Vec<String> = [
        nested_lists,
        nested_blocks,
        nested_markup,
        nested_footnotes,
        nested_indices,
        attributed_lists,
    ]
    .map(|nested| nested(100))
    .into();
    deepest.push(format!(
        "{}{}- {}\n",
        nested_lists(99),
        " ".repeat(99),
        nested_footnotes(100)
    ));
    for org in deepest {
        let small = std::thread::Builder::new().stack_size(STACK);
        let rendered = small
            .spawn(move || super::super::html(&org, (vec![], vec![])))
            .unwrap()
            .join();
        assert!(rendered.expect("the stack is deep enough").is_ok());
    }
}

#[test]
fn headlines_nest_for_free() {
    let org: String = (1..=5_000).map(|level| format!("{} a\n", "*".repeat(level))).collect();
    assert_eq!(refusal(&org), None);
    assert!(super::super::html(&org, (vec![], vec![])).is_ok());
}

#[test]
fn the_largest_ordinary_text_is_accepted() {
    let part = "\
* TODO [#A] Write the *kernel* for =oql= [1/3] :workflow:rust:
SCHEDULED: <2026-06-11 Thu>
:PROPERTIES:
:ID: abc-1
:END:

The plan says /what/ is to be done and ~why~; see [[https://example.org/a][the site]]
and the other pages. Costs, clocks, sources and constants. A formula x_{1} and \\alpha too.

- one item with a [[./link.html]]
- [X] another item, checked
  - nested item with text that goes on
    and on
- a third item :: tagged

| name | value | note |
|------+-------+------|
| a    | 1     | *b*  |

#+begin_src rust :out x:string
fn main() {
    println!(\"hello\");
}
#+end_src

";
    assert_eq!(refusal(&filled(part, 16 * MIB)), None);
}

#[test]
fn what_is_shown_as_written_costs_no_markup() {
    let minified = filled("a=b/c*d[[e[fn::{{{f(", MIB);
    assert_eq!(refusal(&format!("#+begin_src js\n{minified}\n#+end_src\n")), None);
}

/// Ways to make a block look as if it held a hostile text that orgize reads after all.
#[test]
fn a_hostile_text_cannot_hide_in_a_block_that_orgize_does_not_see() {
    let hostile = filled("*a ", MIB);
    for org in [
        format!("#+begin_src\n{hostile}\n"),
        format!("#+begin_quote\n#+begin_src\n#+end_quote\n{hostile}\n#+end_src\n"),
        format!(":a:\n#+begin_src\n:END:\n{hostile}\n#+end_src\n"),
        format!("\\begin{{a}}\n#+begin_src\n\\end{{a}}\n{hostile}\n#+end_src\n"),
        format!("#+ATTR_A: b\nc\n#+begin_src\n\n{hostile}\n#+end_src\n"),
        format!("#+begin_src\n* A\n{hostile}\n#+end_src\n"),
    ] {
        assert!(refusal(&org).is_some(), "{}", &org[..40]);
    }
}

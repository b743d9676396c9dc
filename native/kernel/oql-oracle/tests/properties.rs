//! The oracles over generated texts: hostile ones made of Org's own pieces, and plans that make sense.

use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Longer texts are for the fuzzer.
const MAX_BYTES: usize = 64 * 1024;

/// The kernel's bound aims at a second. The rest is for a busy machine, and for code that is not optimised.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 100 } else { 10 });

/// What Org is made of, and what others have put into it.
const PIECES: &[&str] = &[
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "a",
    "TODO",
    "é",
    "🦀",
    "\0",
    "\u{feff}",
    "* ",
    "** ",
    "*** TODO ",
    "* DONE [#A] ",
    " :tag:",
    " :workflow:",
    " :component:",
    " [0/1]",
    " [50%]",
    "*",
    "/",
    "_",
    "+",
    "=",
    "~",
    "-",
    "- ",
    "  - ",
    "1. ",
    "- [X] ",
    " :: ",
    "| ",
    "|-",
    "|",
    "#",
    "# ",
    "#+",
    ": ",
    ":",
    ":a:\n",
    ":END:\n",
    ":PROPERTIES:\n",
    ":ID: a\"b\n",
    ":CUSTOM_ID: <c>\n",
    "#+begin_src js :in a:b :out c:d\n",
    "#+end_src\n",
    "#+BEGIN_SRC \"><script>\n",
    "#+END_SRC\n",
    "#+begin_quote\n",
    "#+end_quote\n",
    "#+begin_export html\n",
    "#+end_export\n",
    "#+begin_x\" onload=\"y\n",
    "#+end_x\n",
    "#+begin_example\n",
    "#+end_example\n",
    "#+begin_verse\n",
    "#+end_verse\n",
    "#+HTML: <script>\n",
    "#+ATTR_HTML: :onclick x\n",
    "#+TODO: A<B \"C | D&E\n",
    "#+NAME: n\n",
    "\\begin{a}\n",
    "\\end{a}\n",
    "\\alpha",
    "\\_ ",
    "\\",
    "\\\\\n",
    "\\(",
    "\\)",
    "$",
    "$$",
    "{",
    "}",
    "_{",
    "^{",
    "{{{a(",
    ")}}}",
    "[",
    "]",
    "[[",
    "]]",
    "][",
    "[fn:1]",
    "[fn::",
    "[fn:a:",
    "<",
    ">",
    "<<",
    ">>",
    "<<<",
    ">>>",
    "<%%(",
    "<2026-06-11 Thu>",
    "[2026-06-11]",
    "SCHEDULED: ",
    "CLOCK: ",
    "@@html:",
    "@@",
    "src_a[b]{",
    " call_a(",
    ")",
    "-----\n",
    "+-+\n",
    "javascript:alert(1)",
    "JaVaScRiPt:",
    "data:text/html,",
    "vbscript:",
    "https://a.org/b.png",
    "mailto:a",
    "file:a.svg",
    "id:a",
    "./b.png",
    "<script>",
    "</p>",
    "<img onerror=x>",
    "&#106;",
    "&colon;",
    "\"",
    "'",
    "&",
    "<!--",
    "-->",
    "]]>",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    let few = prop::collection::vec(piece.clone(), 0..200).prop_map(|pieces| pieces.concat());
    let phrase = prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat());
    let many = (phrase, 1..3_000_usize).prop_map(|(phrase, times)| phrase.repeat(times.min(MAX_BYTES / phrase.len())));
    prop::collection::vec(prop_oneof![4 => few, 1 => many], 1..4).prop_map(|parts| {
        let mut text = parts.concat();
        text.truncate(text.floor_char_boundary(MAX_BYTES));
        text
    })
}

/// Workflows with components that feed each other, in the way that people write them.
fn plan() -> impl Strategy<Value = String> {
    let word = "[a-d]{1,2}";
    let component = (word, prop::option::of(word), prop::option::of(word), prop::bool::ANY);
    let workflow = (word, prop::collection::vec(component, 0..5));
    prop::collection::vec(workflow, 0..4).prop_map(|workflows| {
        let mut plan = String::new();
        for (title, components) in workflows {
            plan += &format!("* TODO {title} [/] :workflow:\n");
            for (name, input, output, source) in components {
                plan += &format!("** NEXT {name} :component:\n:PROPERTIES:\n:WB_ID: {name}\n:END:\n");
                if source {
                    let input = input.map(|value| format!(" :in {value}:string")).unwrap_or_default();
                    let output = output.map(|value| format!(" :out {value}:string")).unwrap_or_default();
                    plan += &format!("#+begin_src js{input}{output} :uses workbook:net/{name}\ncode\n#+end_src\n");
                }
            }
        }
        plan
    })
}

fn a_query() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "(todo)",
        "(todo \"TODO\")",
        "(done)",
        "(level 1 2)",
        "(tags \"workflow\")",
        "(tags :component:)",
        "(title \"a\")",
        "(property \"WB_ID\" \"a\")",
        "(scheduled :before \"2026-12-01\")",
        "(",
        ")",
        "\"",
        "(level x)",
        "(title \"[\")",
    ]);
    leaf.prop_map(String::from).prop_recursive(4, 32, 3, |inner| {
        let operator = prop::sample::select(vec!["and", "or", "not", "ancestors", "descendants"]);
        (operator, prop::collection::vec(inner, 0..3))
            .prop_map(|(operator, parts)| format!("({operator} {})", parts.join(" ")))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_renders_to_safe_html_or_is_refused_in_time(org in hostile()) {
        let start = Instant::now();
        if let Ok(html) = oql::render(&org) {
            oql_oracle::assert_safe_html(&html);
        }
        prop_assert!(start.elapsed() < PATIENCE);
    }

    #[test]
    fn every_promise_holds_for_hostile_texts(org in hostile()) {
        oql_oracle::kernel(&org);
    }

    #[test]
    fn every_promise_holds_for_plans(plan in plan()) {
        oql_oracle::kernel(&plan);
    }

    #[test]
    fn queries_select_headlines(org in prop_oneof![plan(), hostile()], query in a_query()) {
        oql_oracle::query(&org, &query);
    }
}

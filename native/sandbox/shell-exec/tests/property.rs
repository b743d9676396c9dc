//! Whatever bytes come, a run ends, and does not panic.

mod port;

use port::bench;
use proptest::prelude::*;
use shell_exec::{Dialect, Limits};

/// Little of everything, so that runs are short.
const SMALL: Limits = Limits {
    script: 16 << 10,
    nesting: 40,
    steps: 2_000,
    argv: 4 << 10,
    pipes: 8,
    jobs: 4,
    memory: 1 << 20,
    written: 1 << 20,
};

fn ends(script: &[u8]) {
    let mut bench = bench();
    bench.limits = SMALL;
    bench.stdin = b"line one\nline two\n".to_vec();
    let _ = bench.run(script);
    bench.dialect = Dialect::Bash;
    let _ = bench.run(script);
}

/// Pieces of scripts, put together in any order.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(" ".to_owned()),
        prop::sample::select(vec![
            "echo",
            "a",
            "x=1",
            "$x",
            "${x:-",
            "}",
            "$(",
            ")",
            "(",
            "{ ",
            "; }",
            ";",
            "&",
            "&&",
            "||",
            "|",
            "\n",
            "'",
            "\"",
            "`",
            "\\",
            "if ",
            "then ",
            "else ",
            "fi",
            "for x in ",
            "do ",
            "done",
            "while ",
            "case x in ",
            "esac",
            ";;",
            "x) ",
            "f() ",
            "f",
            "<<E\n",
            "E\n",
            ">f",
            "<f",
            "2>&1",
            "$((",
            "))",
            "1+",
            "*",
            "?",
            "[a-",
            "]",
            "~",
            "#",
            "!",
            "set -e",
            "eval ",
            "read y",
            "cat",
            "upper",
            "exit 3",
            "return",
            "break",
            "local z",
            "export ",
            "trap 'echo t' EXIT",
            "printf '%d' ",
            "test ",
            "-a ",
            "alias a=b",
            "$@",
            "\"$@\"",
            "$#",
            "${#x}",
            "${x#*",
            "${x//a/",
            "$'",
            "unset x",
            "wait",
            "kill $!",
            "sh -c ",
            ". ./f",
            "getopts ab x -a",
            "shift",
            "cd ..",
            "/",
            "..",
            "IFS=x",
            "command ",
            "exec ",
            "[[ ",
            " ]]",
            "((",
            "))",
            "a=(",
            "a[",
            "]=",
            "x+=",
            "{1..3}",
            "{a,",
            "${a[@]",
            "${!x",
            "${x^^",
            "${x@Q}",
            "@(",
            "=~ ",
            "<(",
            "declare -A ",
            "declare -n x=",
            "local ",
            "printf -v x ",
            "mapfile a",
            "trap : ERR DEBUG",
            "for ((",
            "select x in ",
            "shopt -s globstar extglob",
            "**",
            "pushd .",
            "unset 'a[0]'",
            "function f ",
        ])
        .prop_map(str::to_owned),
        "[a-z0-9 $]{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_a_run_that_ends(script in prop::collection::vec(any::<u8>(), 0..400)) {
        ends(&script);
    }

    #[test]
    fn arbitrary_pieces_of_scripts_are_a_run_that_ends(pieces in prop::collection::vec(piece(), 0..40)) {
        ends(pieces.concat().as_bytes());
    }

    #[test]
    fn a_quoted_word_is_itself(text in "[^\0]{0,60}") {
        let quoted = text.replace('\'', "'\\''");
        let ran = port::run(format!("printf '%s' '{quoted}'"));
        prop_assert_eq!(ran.stdout, text);
    }

    #[test]
    fn an_assigned_value_comes_back(text in "[^\0]{0,60}") {
        let quoted = text.replace('\'', "'\\''");
        let ran = port::run(format!("x='{quoted}'; y=$x; set -- \"$y\"; printf '%s' \"$1\""));
        prop_assert_eq!(ran.stdout, text);
    }

    #[test]
    fn what_set_prints_reads_back(text in "[^\0]{0,40}") {
        let quoted = text.replace('\'', "'\\''");
        let ran = port::run(format!("x='{quoted}'; export x; saved=$(export -p); unset x; eval \"$saved\"; printf '%s' \"$x\""));
        prop_assert_eq!(ran.stdout, text);
    }

    #[test]
    fn sums_are_those_of_the_machine(a in any::<i32>(), b in any::<i32>(), c in 1..1000i64) {
        let (x, y) = (i64::from(a), i64::from(b));
        let ran = port::run(format!("echo $((({a}) + ({b}) * {c})) $((({a}) % {c})) $((({a}) < ({b})))"));
        let expected = format!("{} {} {}\n", x.wrapping_add(y.wrapping_mul(c)), x % c, i64::from(x < y));
        prop_assert_eq!(ran.stdout, expected);
    }

    #[test]
    fn trimming_takes_nothing_else(text in "[ab/]{0,12}") {
        let ran = port::run(format!("x='{text}'; echo \"${{x%%/*}}|${{x##*/}}|${{x%/*}}|${{x#*/}}\""));
        let first = text.split('/').next().unwrap_or_default();
        let last = text.rsplit('/').next().unwrap_or_default();
        let head = text.rfind('/').map_or(&text[..], |at| &text[..at]);
        let tail = text.find('/').map_or(&text[..], |at| &text[at + 1..]);
        prop_assert_eq!(ran.stdout, format!("{first}|{last}|{head}|{tail}\n"));
    }
}

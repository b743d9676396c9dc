//! What a script names and where it goes wrong. dash is the judge of the grammar where it is installed.

use proptest::prelude::*;
use shell_grammar::{Dialect, Limits, Named, Script, SyntaxError};
use std::process::Command;

const MAX_LENGTH: usize = 256 << 10;
const MAX_NESTING: usize = 200;

fn check(script: &str) -> Result<Vec<Named>, SyntaxError> {
    Script::read(script.as_bytes(), &Limits::default()).map(|script| script.commands())
}

/// Scripts that every POSIX shell reads, with the commands that they name.
const ACCEPTED: &[(&str, &[&str])] = &[
    // Words and quoting.
    ("", &[]),
    (" \n\t\n", &[]),
    ("# only a comment", &[]),
    ("true", &["true"]),
    ("echo a # b | c", &["echo"]),
    ("echo a#b | cat", &["echo", "cat"]),
    ("'ec'\"ho\" a", &["echo"]),
    ("\\echo a", &["echo"]),
    ("ec\\\nho a \\\n  b", &["echo"]),
    ("/usr/bin/env ./x", &["/usr/bin/env"]),
    ("[ -f x ]", &["["]),
    ("echo 'a\nb' \"c\nd\"", &["echo"]),
    ("echo \"\\\"\" '\\'", &["echo"]),
    ("echo \\", &["echo"]),
    ("echo é ✓", &["echo"]),
    // What is not certain is left out.
    ("$x a", &[]),
    ("a$x b", &[]),
    ("\"$x\" a", &[]),
    ("$(which) a", &["which"]),
    ("./*.sh", &[]),
    ("~/bin/x", &[]),
    ("'*' a", &["*"]),
    ("a$ b", &["a$"]),
    ("\"a$\" b", &["a$"]),
    // Assignments.
    ("x=1", &[]),
    ("x=1 y=$(date) make all", &["date", "make"]),
    ("make x=1", &["make"]),
    ("1x=2", &["1x=2"]),
    ("'x'=1", &["x=1"]),
    ("x=if", &[]),
    ("x=1 if", &["if"]),
    // Lists and pipelines.
    ("a; b & c\nd", &["a", "b", "c", "d"]),
    ("a |\n\n b && # why\n c || d", &["a", "b", "c", "d"]),
    ("! a | b", &["a", "b"]),
    ("! ( a )", &["a"]),
    ("!a", &["!a"]),
    ("a &", &["a"]),
    ("a&b", &["a", "b"]),
    // Expansions.
    ("echo $(a; b) `c | d`", &["echo", "a", "b", "c", "d"]),
    ("echo \"$(a \"$(b)\")\"", &["echo", "a", "b"]),
    ("echo `a \\`b\\``", &["echo", "a", "b"]),
    ("echo \"`a \\\"b\\\"`\"", &["echo", "a"]),
    ("echo $() ``", &["echo"]),
    ("echo $(a) $((b))", &["echo", "a"]),
    ("echo $( (a) )", &["echo", "a"]),
    ("echo $(case x in x) a;; esac)", &["echo", "a"]),
    ("echo $(a # )\n)", &["echo", "a"]),
    ("echo $((1 + (2 * $x) + $(a)))", &["echo", "a"]),
    ("echo ${x} ${#x} ${x:-$(a)} ${x##*'}'} ${x%\"}\"}", &["echo", "a"]),
    ("echo ${x:-${y:-`a`}}", &["echo", "a"]),
    ("echo \"${x:-'}\" ${#} ${$} ${?-} ${@}", &["echo"]),
    ("echo \"${x#'}'}\"", &["echo"]),
    ("echo ${x:-a\nb}", &["echo"]),
    ("echo \\$\\(", &["echo"]),
    // Compound commands.
    ("{ a; }", &["a"]),
    ("{ (a) }", &["a"]),
    ("{a; b", &["{a", "b"]),
    ("echo { } if fi", &["echo"]),
    ("(a; b)", &["a", "b"]),
    ("( (a))", &["a"]),
    ("(a)>f 2>&1 | b", &["a", "b"]),
    ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]),
    ("if a\nthen\nb\nfi >f", &["a", "b"]),
    ("if (a) then (b) fi", &["a", "b"]),
    ("while a; do b; done; until c; do d; done", &["a", "b", "c", "d"]),
    ("for x in 1 $(a) \"$@\"; do b; done", &["a", "b"]),
    ("for x do a; done", &["a"]),
    ("for x; do a; done", &["a"]),
    ("for x\nin a\ndo b\ndone", &["b"]),
    ("for x in; do a; done", &["a"]),
    ("case $(a) in (b|c) d;; *) e; esac", &["a", "d", "e"]),
    ("case x in esac", &[]),
    ("case x in\n a) ;;\n\n b)\n  c\n  ;;\nesac", &["c"]),
    ("case x in (esac) a;; esac", &["a"]),
    ("case x in \"$y\") a; ;; esac", &["a"]),
    ("i\\\nf a; then b; fi", &["a", "b"]),
    ("\"if\" a", &["if"]),
    // Functions are not commands, wherever they are defined.
    ("f() { a; }; f; b", &["a", "b"]),
    ("g; f ( )\n\n( a ) >x; g() if b; then c; fi", &["a", "b", "c"]),
    ("f() { g() { a; }; }; g", &["a"]),
    // Redirections.
    ("a <b >c 2>>d 3<>e >|f 2>&1 <&- >& 2", &["a"]),
    (">f", &[]),
    (">f a", &["a"]),
    ("2>f a b", &["a"]),
    ("a 2 >f; b x2>f", &["a", "b"]),
    ("> f if", &["if"]),
    ("a >$(b)", &["a", "b"]),
    ("a & >f", &["a"]),
    // Here-documents.
    ("cat <<E\n$(a) `b` 'c' \"d\n\\$(e)\nE\nf", &["cat", "a", "b", "f"]),
    ("cat <<'E'\n$(a\nE\nb", &["cat", "b"]),
    ("cat <<\\E\n`a\nE\nb", &["cat", "b"]),
    ("cat <<-E | b\n\tx\n\tE\nc", &["cat", "b", "c"]),
    ("cat <<A <<B; c\n$(a)\nA\n$(b)\nB\nd", &["cat", "c", "a", "b", "d"]),
    ("cat <<E &&\n$(x)\nE\nb", &["cat", "x", "b"]),
    ("cat <<E\nnever ended $(a)", &["cat", "a"]),
    ("cat <<E", &["cat"]),
    ("echo $(cat <<E\nx\nE\n)", &["echo", "cat"]),
    ("cat <<E\nx\\\nE\nE\na", &["cat", "a"]),
    ("cat <<E\n\\\nE\na", &["cat", "a"]),
    ("(cat <<E\nx\nE\n)", &["cat"]),
    ("cat <<$x\n)\n$x\na", &["cat", "a"]),
];

/// Quoting that dash does not have.
const BEYOND_DASH: &[(&str, &[&str])] = &[
    ("echo $'it\\'s' | cat", &["echo", "cat"]),
    ("$'echo' a", &["echo"]),
    ("$'ec\\x68o' a", &["echo"]),
    ("cat <<< a", &["cat"]),
    ("my-f() { a; }; my-f", &["a"]),
    ("echo ${x:}", &["echo"]),
    ("echo ${x:-$'\\''}", &["echo"]),
    ("a 10>f", &["a"]),
];

/// Scripts that no shell reads: the token where it goes wrong, and what is said.
const REFUSED: &[(&str, usize, &str)] = &[
    // What is never closed is reported where it opens, a quote at the word that it stands in.
    ("echo 'a", 5, "unterminated quoted string"),
    ("echo \"a", 5, "unterminated quoted string"),
    ("echo \"$(a\"", 8, "unterminated quoted string"),
    ("echo $(a", 5, "end of file unexpected"),
    ("echo $(a # )", 5, "end of file unexpected"),
    ("echo $((1 + 2)", 5, "end of file unexpected"),
    ("echo ${x", 5, "missing '}'"),
    ("echo \"${x:-\"}", 5, "unterminated quoted string"),
    ("echo `a", 5, "missing '`'"),
    ("a; (b", 3, "end of file unexpected"),
    ("{ a", 0, "end of file unexpected"),
    ("{ a }", 0, "end of file unexpected"),
    ("if a; then b", 0, "end of file unexpected"),
    ("if a", 0, "end of file unexpected"),
    ("while a; do b", 0, "end of file unexpected"),
    ("for x in a b", 0, "end of file unexpected"),
    ("case x in a) b;;", 0, "end of file unexpected"),
    ("case x", 0, "end of file unexpected"),
    ("cat <<'E\nx\n", 6, "unterminated quoted string"),
    ("cat <<E\n$(a\nE\n", 8, "end of file unexpected"),
    // What closes nothing.
    (")", 0, "')' unexpected"),
    ("a)", 1, "')' unexpected"),
    ("a; }", 3, "'}' unexpected"),
    ("fi", 0, "'fi' unexpected"),
    ("a\nesac", 2, "'esac' unexpected"),
    ("a;; b", 1, "';;' unexpected"),
    ("if a; then b; done", 14, "'done' unexpected"),
    ("{ a; )", 5, "')' unexpected"),
    ("( a; }", 5, "'}' unexpected"),
    // What lacks a command.
    ("a |", 3, "end of file unexpected"),
    ("a | | b", 4, "'|' unexpected"),
    ("a &&", 4, "end of file unexpected"),
    ("a && fi", 5, "'fi' unexpected"),
    ("!", 1, "end of file unexpected"),
    ("a | ! b", 4, "'!' unexpected"),
    ("&& a", 0, "'&&' unexpected"),
    ("; a", 0, "';' unexpected"),
    ("a & ; b", 4, "';' unexpected"),
    ("()", 1, "')' unexpected"),
    ("{ }", 2, "'}' unexpected"),
    ("if ; then a; fi", 3, "';' unexpected"),
    ("if a; then fi", 11, "'fi' unexpected"),
    ("while a; do done", 12, "'done' unexpected"),
    ("if a; then b; else fi", 19, "'fi' unexpected"),
    // What stands in the wrong place.
    ("(a) b", 4, "'b' unexpected"),
    ("if a; then b; fi c", 17, "'c' unexpected"),
    ("echo (a)", 6, "'a' unexpected"),
    ("echo $$(a)", 7, "'(' unexpected"),
    ("x=1 f() { a; }", 5, "'(' unexpected"),
    ("f( { a; }", 3, "'{' unexpected"),
    ("for 1 in a; do b; done", 4, "bad for loop variable"),
    ("for; do a; done", 3, "';' unexpected"),
    ("for x in a & do b; done", 11, "'&' unexpected"),
    ("case x in a b) c;; esac", 12, "'b' unexpected"),
    ("case x a) b;; esac", 7, "'a' unexpected"),
    ("f()", 3, "end of file unexpected"),
    // What lacks a target.
    ("a >", 3, "end of file unexpected"),
    ("a > ; b", 4, "';' unexpected"),
    ("a 2>&\n", 5, "newline unexpected"),
    ("cat <<", 6, "end of file unexpected"),
];

/// Scripts that dash reads and that could only fail later.
const STRICTER: &[(&str, usize, &str)] = &[
    ("f() a", 5, "a function's body must be a compound command"),
    ("echo $((a) | b))", 15, "')' unexpected"),
    ("echo `a;; b`", 7, "';;' unexpected"),
    ("echo `fi`", 6, "'fi' unexpected"),
];

/// Scripts that bash reads, with the commands that they name.
const BASH: &[(&str, &[&str])] = &[
    ("[[ -f x && ! -d y || ( a < b ) ]]", &[]),
    ("[[ $(a) == *(b|c)\n&& x =~ ^(a|b )+$ ]] && d", &["a", "d"]),
    ("[[ a ||\n b && -f c ]]", &[]),
    ("[[ x = -f ]]; [[ 1 < 2 ]]", &[]),
    ("((i++)); (( x = (1 + $(a)) * 2 ))", &["a"]),
    ("((a); (b))", &["a", "b"]),
    ("for ((i = 0; i < $(a); i++)); do b; done", &["a", "b"]),
    ("for ((;;)) { a; }", &["a"]),
    ("for x in a; { b; }", &["b"]),
    ("select x in a b; do c; done", &["c"]),
    ("function f { a; }; f", &["a"]),
    ("function f() ( a ); function g ( b )", &["a", "b"]),
    ("a=(1 $(b) [2]=3 [x y]+=z # why\n 4)", &["b"]),
    ("a+=(1); a[1 + 2]=x; a[$(b)]+=y; c+=d e", &["b", "e"]),
    (
        "declare -A m=([a]=1 [b c]=$(d)); export x=1 y=(2)",
        &["declare", "d", "export"],
    ),
    ("a |& b", &["a", "b"]),
    ("a &>f; b &>>f", &["a", "b"]),
    ("a <(b) >(c) < <(d)", &["a", "b", "c", "d"]),
    ("echo {a,$(b)}{1..3} {x {} a{b}c {1..}", &["echo", "b"]),
    (
        "echo ${!x} ${!x*} ${!a[@]} ${a[$(b)]} ${#a[@]} ${x^^} ${x,} ${x@Q} ${a[@]:1:2}",
        &["echo", "b"],
    ),
    ("echo !(a|b) @(c) x+(d)y", &["echo"]),
    ("x=1 a[1 + 2]=3 b a[1 + 2]=3", &["b"]),
    ("!(a)", &["a"]),
    ("case x in @(a|b)) c;;& *) d;; esac", &["c", "d"]),
    ("time a | b; ! ! c", &["a", "b", "c"]),
    ("exec {fd}>f {other}<&-", &["exec"]),
    ("echo $\"a $(b)\" $[1 + 2]", &["echo", "b"]),
    ("f() [[ -n x ]]", &[]),
    ("if [[ a ]]; then ((1)); fi", &[]),
];

/// Scripts that bash does not read either.
const REFUSED_BY_BASH: &[(&str, usize, &str)] = &[
    ("[[ a", 0, "end of file unexpected"),
    ("[[ ]]", 3, "']]' unexpected"),
    ("[[ -n ]]", 6, "']]' unexpected"),
    ("[[ a b ]]", 5, "'b' unexpected"),
    ("[[ a\n]]", 4, "newline unexpected"),
    ("[[ a -eq ]]", 9, "']]' unexpected"),
    ("[[ ( a ]]", 7, "']]' unexpected"),
    ("((1", 0, "missing ')'"),
    ("a=(1", 2, "end of file unexpected"),
    ("a=(1 ; 2)", 5, "';' unexpected"),
    ("for ((a; b)); do c; done", 4, "missing '))'"),
    ("function", 8, "end of file unexpected"),
    ("echo @(a", 5, "missing ')'"),
    ("coproc a", 0, "coproc is not supported here"),
    ("a <(b", 2, "end of file unexpected"),
];

/// What only bash has: in sh it is an error that names bash.
const NOT_IN_SH: &[(&str, usize, &str)] = &[
    ("[[ -f x ]]", 0, "[["),
    ("if [[ 5 -gt 3 ]]; then a; fi", 3, "[["),
    ("((i++))", 0, "(("),
    ("a; (( x > 1 )) && b", 3, "(("),
    ("for ((i=0; i<3; i++)); do a; done", 4, "for (("),
    ("x+=b", 0, "+="),
    ("a=(1 2)", 2, "name=(..)"),
    ("a[0]=x", 0, "name[index]=value"),
    ("echo {1..3}", 5, "{first..last}"),
    ("for x in {a,b}; do c; done", 9, "{a,b}"),
    ("mv f{,.old}", 3, "{a,b}"),
    ("a < <(b)", 4, "<("),
    ("tee >(b)", 4, ">("),
    ("a &>f", 2, "&>"),
    ("a &>>f", 2, "&>>"),
    ("a |& b", 2, "|&"),
    ("function f { a; }", 0, "function"),
    ("select x in a b; do c; done", 0, "select"),
    ("case x in a) b;;& esac", 14, ";;&"),
];

#[test]
fn bash_reads_more() {
    let read = |script: &str| Script::read_as(script.as_bytes(), Dialect::Bash, &Limits::default());
    let mut wrong = Vec::new();
    // What POSIX reads, bash reads too, but for names that are reserved words there.
    for (script, names) in ACCEPTED.iter().chain(BEYOND_DASH).chain(BASH) {
        let found = read(script).map(|found| found.commands().into_iter().map(|named| named.name).collect::<Vec<_>>());
        if found.as_ref().ok() != Some(&names.iter().map(|n| n.to_string()).collect()) {
            wrong.push(format!("{script:?}: {found:?}"));
        }
    }
    for (script, offset, message) in REFUSED_BY_BASH {
        let error = read(script).map(|_| ()).map_err(|e| (e.offset, e.message));
        if error != Err((*offset, message.to_string())) {
            wrong.push(format!("{script:?}: {error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bash_agrees() {
    // With its extended patterns on, which a text can only turn on for the lines that follow.
    let reads = |script: &str| {
        Command::new("bash")
            .args(["-O", "extglob", "-n", "-c", script])
            .output()
    };
    if reads("").is_err() {
        eprintln!("skipped: bash is not installed");
        return;
    }
    // bash has `coproc`, sees only as it runs that `[[ ]]` asks nothing, and with extended patterns `!(a)` is one.
    let ours = ["coproc a", "[[ ]]", "!(a)"];
    let verdicts = (BASH.iter().map(|row| (row.0, true))).chain(REFUSED_BY_BASH.iter().map(|row| (row.0, false)));
    for (script, accepted) in verdicts.filter(|(script, _)| !ours.contains(script)) {
        let output = reads(script).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.success() && said.is_empty(),
            accepted,
            "{script:?}: {said}"
        );
    }
}

#[test]
fn what_only_bash_has_is_an_error_in_sh_that_names_bash() {
    let mut wrong = Vec::new();
    for (script, offset, construct) in NOT_IN_SH {
        let expected = (
            *offset,
            format!("`{construct}` is bash's, and this is sh: run it with bash"),
        );
        let error = check(script).map(|_| ()).map_err(|e| (e.offset, e.message));
        if error != Err(expected) {
            wrong.push(format!("{script:?}: {error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_well_formed_script_tells_its_commands() {
    let mut wrong = Vec::new();
    for (script, names) in ACCEPTED.iter().chain(BEYOND_DASH) {
        let found = check(script).map(|found| found.into_iter().map(|named| named.name).collect::<Vec<_>>());
        if found.as_ref().ok() != Some(&names.iter().map(|n| n.to_string()).collect()) {
            wrong.push(format!("{script:?}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_malformed_script_is_refused_where_it_goes_wrong() {
    let mut wrong = Vec::new();
    for (script, offset, message) in REFUSED.iter().chain(STRICTER) {
        let error = check(script).map_err(|e| (e.offset, e.message));
        if error != Err((*offset, message.to_string())) {
            wrong.push(format!("{script:?}: {error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dash_agrees() {
    let reads = |script: &str| Command::new("dash").args(["-n", "-c", script]).output();
    if reads("").is_err() {
        eprintln!("skipped: dash is not installed");
        return;
    }
    let verdicts = (ACCEPTED.iter().map(|row| (row.0, true)))
        .chain(STRICTER.iter().map(|row| (row.0, true)))
        .chain(REFUSED.iter().map(|row| (row.0, false)));
    for (script, accepted) in verdicts {
        let output = reads(script).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), accepted, "{script:?}: {said}");
    }
}

#[test]
fn a_command_is_located_in_bytes() {
    let script = "é | 'a' | `b \\`c\\`` <<E\n$(d)\nE\n e";
    let found = check(script).unwrap();
    let found: Vec<_> = found.iter().map(|word| (word.name.as_str(), word.offset)).collect();
    assert_eq!(found, [("é", 0), ("a", 5), ("b", 12), ("c", 16), ("d", 27), ("e", 33)]);
}

#[test]
fn nesting_ends_at_its_limit() {
    let pairs = [
        ("( ", ")"),
        ("{ ", "; }"),
        ("$(", ")"),
        ("if a; then ", "; fi"),
        ("f() { ", "; }"),
    ];
    for (open, close) in pairs {
        let nested = |levels: usize| format!("{}a{}", open.repeat(levels), close.repeat(levels));
        assert!(check(&nested(MAX_NESTING)).is_ok(), "{open}");
        let error = check(&nested(MAX_NESTING + 1)).unwrap_err();
        assert_eq!(error.message, "nested deeper than 200 levels", "{open}");
    }
    let nested = |levels: usize| format!("echo {}a{}", "${x-".repeat(levels), "}".repeat(levels));
    assert!(check(&nested(MAX_NESTING)).is_ok());
    assert_eq!(
        check(&nested(MAX_NESTING + 1)).unwrap_err().message,
        "nested deeper than 200 levels"
    );
}

#[test]
fn a_script_that_is_too_long_is_refused() {
    let message = "the script is longer than 262144 bytes".to_owned();
    assert!(check(&" ".repeat(MAX_LENGTH)).is_ok());
    assert_eq!(
        check(&" ".repeat(MAX_LENGTH + 1)),
        Err(SyntaxError { offset: 0, message })
    );
}

#[test]
fn hostile_scripts_are_read_or_refused() {
    let openers = [
        "(",
        "$(",
        "{ ",
        "${x-",
        "`",
        "$((",
        "\"$(",
        "if ",
        "case x in a) ",
        "f() { ",
        "\\`",
        "[[ ( ",
        "a=(",
        "{",
        "{a,",
        "@(",
        "<(",
        "((",
        "${a[",
        "a[",
        "a[ ",
        "for ((",
        "[[ a =~ (",
        "function f { ",
    ];
    let flat = [
        "a;", "'a'", "\\\n", "a=", "\\", "<<E ", "<<E\n", "$x", "1", "#", "\n", "&", "! ", "\\\\\\\n", "a|",
    ];
    let halves = ["a", "1", "\\", "<<E", "a-", "\n", "`", "\\\n"];
    let mut scripts: Vec<String> = openers
        .iter()
        .chain(&flat)
        .map(|s| s.repeat(MAX_LENGTH / s.len()))
        .collect();
    for (first, second) in halves
        .iter()
        .flat_map(|a| halves.map(|b| (a, b)))
        .chain([(&"a-", "="), (&"a", "=")])
    {
        let half = |s: &str| s.repeat(MAX_LENGTH / 2 / s.len());
        scripts.push(half(first) + &half(second));
        scripts.push(format!("cat <<E\n{}", half(first) + &half(second)[8..]));
    }
    // A reading that is not linear does not come back from these in a day.
    for script in scripts {
        let _ = check(&script);
        let _ = Script::read_as(script.as_bytes(), Dialect::Bash, &Limits::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(any in "(?s).{0,80}", near in "[a-fx(){}$`\"'\\\\|&;<>\n #=!E-]{0,80}", bash in "(\\[\\[ |\\]\\] |\\(\\(|\\)\\)|a=\\(|a\\[|\\]=|\\{a,|\\.\\.|@\\(|<\\(|=~|\\$\\{!?a|\\[@\\]|\\}|\\^|function |for |;|\"|'| |x|1|\n){0,40}") {
        for script in [&any, &near, &bash] {
            let read = Script::read_as(script.as_bytes(), Dialect::Bash, &Limits::default());
            match read.map(|script| script.commands()) {
                Ok(found) => prop_assert!(found.iter().all(|word| script.is_char_boundary(word.offset))),
                Err(error) => prop_assert!(script.is_char_boundary(error.offset)),
            }
        }
        for script in [any, near, bash] {
            match check(&script) {
                Ok(found) => prop_assert!(found.iter().all(|word| script.is_char_boundary(word.offset))),
                Err(error) => prop_assert!(script.is_char_boundary(error.offset)),
            }
        }
    }

    #[test]
    fn single_quotes_make_any_text_one_command(name in "[^'\u{0}]{1,20}") {
        let found = check(&format!("'{name}' a b")).unwrap();
        prop_assert_eq!(found, vec![Named { name, offset: 0 }]);
    }

    #[test]
    fn two_good_scripts_in_a_row_are_one(first in 0..ACCEPTED.len(), second in 0..ACCEPTED.len()) {
        let (first, second) = (ACCEPTED[first], ACCEPTED[second]);
        // A here-document or a backslash at the end would reach into the second, and a function be known in both.
        prop_assume!(!first.0.contains("<<") && !first.0.ends_with('\\'));
        prop_assume!(!first.0.contains("()") && !first.0.contains("( )") && !second.0.contains("( )"));
        let joined = check(&format!("{}\n{}", first.0, second.0)).unwrap();
        let names: Vec<&str> = joined.iter().map(|word| word.name.as_str()).collect();
        let expected: Vec<&str> = first.1.iter().chain(second.1).copied().collect();
        if !second.0.contains("()") {
            prop_assert_eq!(names, expected);
        }
    }
}

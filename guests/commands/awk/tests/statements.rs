//! Control flow, functions, arrays and the shape of programs.

mod table;

use table::{check, check_begin, run};

#[test]
fn loops_and_conditions() {
    check_begin(&[
        ("for (;;) { if (++i > 3) break; if (i == 2) continue; print i }", "1\n3"),
        ("do { i++ } while (i < 5); print i; while (i > 3) i--; print i", "5\n3"),
        (
            "for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) { if (j == 1) break; print i, j }",
            "0 0\n1 0\n2 0",
        ),
        ("for (i = 0; i < 2; i++); print i", "2"),
        ("if (1) print \"a\"; else print \"b\"", "a"),
        ("if (0) print \"a\"\nelse if (0) print \"b\"\nelse\nprint \"c\"", "c"),
        ("if (0) { print 1 } else { print 2 }", "2"),
        ("if (1) { } ; ; print \"x\"", "x"),
        ("n = split(\"c b a\", x); for (i in x) s = s x[i]; print s", "cba"),
        (
            "a[1]; a[2]; a[3]; for (k in a) { if (k == 2) continue; s = s k } print s",
            "13",
        ),
        (
            "a[1]; a[2]; for (k in a) { for (l in a) { if (l == 2) break; s = s k l \",\" } } print s",
            "11,21,",
        ),
        ("a[1]; a[2]; for (k in a) delete a[k]; print length(a)", "0"),
        ("print 1,\n 2; x = 1 &&\n 0; print x", "1 2\n0"),
        ("print \"a\" \\\n \"b\" # a comment\n print \"c\"", "ab\nc"),
    ]);
}

#[test]
fn arrays() {
    check_begin(&[
        ("a[\"x\"] = 1; delete a[\"x\"]; print (\"x\" in a), length(a)", "0 0"),
        ("a[1]; a[2]; delete a; print length(a)", "0"),
        ("a[1]; print length(a), (1 in a), a[2] == \"\", length(a)", "1 1 1 2"),
        (
            "a[1, 2] = 3; for (k in a) { split(k, p, SUBSEP); print p[1], p[2] }",
            "1 2",
        ),
        ("SUBSEP = \":\"; a[1, 2] = 3; for (k in a) print k", "1:2"),
        (
            "a[01] = 1; a[\"01\"] = 2; print a[1], a[\"1\"], a[\"01\"], length(a)",
            "1 1 2 2",
        ),
        ("a[0.1 + 0.2] = 1; print (0.3 in a), (\"0.3\" in a)", "1 1"),
        ("a[\"\"] = 5; print a[x]", "5"),
        (
            "for (i = 1; i <= 5; i++) a[i] = i * i; delete a[3]; a[3] = \"n\"; print a[2], a[3], a[5], length(a)",
            "4 n 25 5",
        ),
        ("n = split(\"3 1 2\", a); print asort(a), a[1], a[2], a[3]", "3 1 2 3"),
        (
            "a[\"b\"]; a[\"a\"]; n = asorti(a, b); print n, b[1], b[2], length(a)",
            "2 a b 2",
        ),
        ("delete a[\"none\"]; print length(a)", "0"),
    ]);
}

#[test]
fn functions() {
    check(&[
        (
            "function f(n) { return n < 2 ? 1 : n * f(n - 1) } BEGIN { print f(10) }",
            "",
            "3628800\n",
        ),
        (
            "func f(a) { a[\"k\"] = 1 } BEGIN { f(z); print z[\"k\"], length(z) }",
            "",
            "1 1\n",
        ),
        ("function f(x) { x = 5 } BEGIN { x = 1; f(x); print x }", "", "1\n"),
        (
            "function f(a, i) { i = 7; return } BEGIN { print f(1) \"|\" i \"|\" }",
            "",
            "||\n",
        ),
        (
            "function f(n,  a) { a[n] = n; if (n) f(n - 1); s = s length(a) } BEGIN { f(3); print s }",
            "",
            "1111\n",
        ),
        (
            "function g(b) { b[1]++ } function f(a) { g(a); g(a) } BEGIN { f(x); print x[1] }",
            "",
            "2\n",
        ),
        (
            "function f(a) { for (k in a) if (k == 2) return a[k] } BEGIN { x[1] = 5; x[2] = 6; print f(x); for (k in x) n++; print n }",
            "",
            "6\n2\n",
        ),
        (
            "function f(n) { return n <= 0 ? 0 : 1 + f(n - 1) } BEGIN { print f(100000) }",
            "",
            "100000\n",
        ),
        (
            "function count(a) { return length(a) } BEGIN { x[1]; x[2]; print count(x) }",
            "",
            "2\n",
        ),
        (
            "function f() { next } { f(); print \"no\" } END { print NR }",
            "a\nb\n",
            "2\n",
        ),
        (
            "function f() { exit 3 } BEGIN { f(); print \"no\" } END { print \"end\" }",
            "",
            "end\n",
        ),
        ("function f(a, b) { return a + b }\nBEGIN { print f(1,\n2) }", "", "3\n"),
        (
            "function or(a, b) { return \"mine\" } BEGIN { print or(1, 2) }",
            "",
            "mine\n",
        ),
        (
            "BEGIN { print or(1, 2, 4), and(7, 5), xor(6, 3), lshift(1, 4), rshift(16, 2), compl(0) }",
            "",
            "7 5 5 16 4 9007199254740991\n",
        ),
    ]);
    assert_eq!(run("function f() { exit 3 } BEGIN { f() }", "").status, Ok(3));
}

#[test]
fn rules() {
    check(&[
        ("/b/", "abc\nxyz\n", "abc\n"),
        ("NR == 2, NR == 3", "a\nb\nc\nd\n", "b\nc\n"),
        ("/a/, /a/ { print \"r\" $0 }", "a\nb\na\n", "ra\nra\n"),
        ("/b/, /nomatch/", "a\nb\nc\n", "b\nc\n"),
        (
            "BEGIN { print \"b\" } BEGIN { print \"c\" } END { print \"e\" } END { print \"f\" }",
            "x\n",
            "b\nc\ne\nf\n",
        ),
        ("NR == 1 { next } { print } END { print NR }", "a\nb\n", "b\n2\n"),
        ("{ print; exit } END { print \"e\" NR }", "a\nb\n", "a\ne1\n"),
        ("END { print $0, NF }", "a b\nc d e\n", "c d e 3\n"),
        ("$1 > 2", "1\n3\n", "3\n"),
        (
            "!/a/; /b/ { print \"x\" }\n\n;;\nEND { print NR }",
            "a\nb\n",
            "b\nx\n2\n",
        ),
        ("!seen[$0]++", "a\nb\na\n", "a\nb\n"),
    ]);
    assert_eq!(run("BEGIN { exit 2 } END { exit }", "").status, Ok(2));
    assert_eq!(run("BEGIN { exit 2 } END { exit 4 }", "").status, Ok(4));
    assert_eq!(run("{ exit 1 + 1 }", "a\n").status, Ok(2));
}

#[test]
fn what_is_wrong_is_an_error_with_its_line() {
    for (program, message, line) in [
        ("{", "syntax error", 1),
        ("BEGIN {\n\nprint )\n}", "syntax error", 3),
        ("BEGIN { print 1 2 ]", "syntax error", 1),
        ("BEGIN { \"abc", "non-terminated string", 1),
        ("/abc", "non-terminated regular expression", 1),
        ("/(/", "unmatched ( in regular expression /(/", 1),
        ("{ return }", "return not in function", 1),
        ("{ break }", "break illegal outside of loops", 1),
        ("BEGIN { next }", "next used in BEGIN", 1),
        ("BEGIN { f(1) }", "calling undefined function f", 1),
        ("function f(a, a) {}", "duplicate argument a", 1),
        (
            "function f() {}\nfunction f() {}",
            "you can't define function f more than once",
            2,
        ),
        ("function f(f) {}", "can't use f as a parameter of function f", 1),
        ("function f() {} BEGIN { f = 1 }", "function f is used as a variable", 1),
        (
            "BEGIN { a[1]; a = 2 }",
            "can't use a both as an array and as a variable",
            1,
        ),
        ("BEGIN { substr(1) }", "not enough arguments to substr", 1),
        ("BEGIN { length(1, 2) }", "too many arguments to length", 1),
        ("BEGIN { 1 = 2 }", "syntax error", 1),
        ("BEGIN { getline < }", "syntax error", 1),
        ("@", "syntax error", 1),
        ("BEGIN {\n x = 0\n print 1 / x }", "division by zero", 3),
        ("BEGIN { x = 0; print 1 % x }", "division by zero in %", 1),
        (
            "BEGIN { x = \"(\"; print 1 ~ x }",
            "unmatched ( in regular expression (",
            1,
        ),
        ("BEGIN { print $(-1) }", "trying to access out of range field -1", 1),
        ("BEGIN { NF = -1 }", "NF set to -1", 1),
        (
            "BEGIN { $1000000000 = 1 }",
            "trying to access out of range field 1000000000",
            1,
        ),
        ("BEGIN { printf \"%s %s\", 1 }", "not enough args in printf(%s %s)", 1),
        ("BEGIN { print > x }", "null file name in print or getline", 1),
        (
            "function f() { f() } BEGIN { f() }",
            "function calls nested too deep",
            1,
        ),
    ] {
        let ran = run(program, "");
        assert_eq!(ran.status, Err((message.into(), Some(line))), "{program}");
    }
}

/// What is nested deep is refused; what is only long is not.
#[test]
fn depth_has_a_bound() {
    let nested = |open: &str, close: &str, count: usize| {
        format!("BEGIN {{ x = {}1{} }}", open.repeat(count), close.repeat(count))
    };
    for program in [
        nested("(", ")", 100_000),
        nested("-", "", 100_000),
        nested("!", "", 100_000),
        nested("$", "", 100_000),
        nested("1 ? 1 : ", "", 100_000),
        nested("a[", "]", 100_000),
        nested("2 ^ ", "", 100_000),
        nested("x = ", "", 100_000),
        nested("length(", ")", 100_000),
        format!("BEGIN {{ x = 1{} }}", " + 1".repeat(100_000)),
        format!("BEGIN {{ x = 1{} }}", " && 1".repeat(100_000)),
        format!("BEGIN {}{}", "{".repeat(100_000), "}".repeat(100_000)),
        format!("BEGIN {{ {} x }}", "while (1) ".repeat(100_000)),
        format!("BEGIN {{ {} x }}", "if (1) ".repeat(100_000)),
        // Chains inside parentheses: the parser is never deep, the tree is.
        format!(
            "BEGIN {{ x = {}1{} }}",
            "(".repeat(500),
            " + 1 + 1 + 1 + 1)".repeat(500)
        ),
    ] {
        let (message, _) = run(&program, "").status.expect_err("too deep");
        assert!(message.ends_with("nested too deep"), "{message}");
    }
    check(&[
        (&nested("(", ")", 300), "", ""),
        (
            &format!("BEGIN {{ x = 1{}; print length(x) }}", " 1".repeat(20_000)),
            "",
            "20001\n",
        ),
        (
            &format!("BEGIN {{ x = 0{}; print x }}", " + 1".repeat(900)),
            "",
            "900\n",
        ),
        (
            &format!("BEGIN {{ {} print \"y\" }}", "if (0) x; else ".repeat(5_000)),
            "",
            "y\n",
        ),
        (
            &format!("BEGIN {{ {} print n }}", "n++\n".repeat(100_000)),
            "",
            "100000\n",
        ),
        (
            &format!(
                "BEGIN {{ for (i = 0; i < 3; i++) {{ {} }} print n }}",
                "if (i < 5) n++;".repeat(30_000)
            ),
            "",
            "90000\n",
        ),
    ]);
}

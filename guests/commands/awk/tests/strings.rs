//! The functions of strings, and bytes that are no characters.

mod table;

use table::{check, check_begin};

#[test]
fn functions_of_strings() {
    check_begin(&[
        ("print length(\"abc\"), length(\"\"), length()", "3 0 0"),
        (
            "print substr(\"hello\", 2), substr(\"hello\", 2, 3), substr(\"hello\", 10) \"|\"",
            "ello ell |",
        ),
        (
            "print substr(\"hello\", 0, 2), substr(\"hello\", -1, 3), substr(\"hello\", 1.5, 1), substr(\"hello\", 2, -1) \"|\"",
            "he hel h |",
        ),
        (
            "print index(\"foobar\", \"bar\"), index(\"foo\", \"x\"), index(\"abc\", \"\")",
            "4 0 1",
        ),
        ("print toupper(\"aBc1\"), tolower(\"AbC1\")", "ABC1 abc1"),
        ("n = split(\"a:b:c\", x, \":\"); print n, x[1], x[3]", "3 a c"),
        ("n = split(\"a1b22c\", x, /[0-9]+/); print n, x[2], x[3]", "3 b c"),
        (
            "n = split(\"abc\", x, \"\"); print n, x[1], x[3]; print split(\"abc\", x, //)",
            "3 a c\n3",
        ),
        ("x[9]; n = split(\"\", x); print n, length(x)", "0 0"),
        ("n = split(\"  a  b \", x); print n, x[1] x[2]", "2 ab"),
        ("n = split(\"a.b.c\", x, \".\"); print n", "3"),
        ("FS = \",\"; n = split(\"a,b c\", x); print n, x[2]", "2 b c"),
        ("s = \"aaa\"; print gsub(/a/, \"b&b\", s), s", "3 babbabbab"),
        (
            "s = \"hello\"; print sub(/l/, \"[&]\", s), s; print sub(/z/, \"\", s), s",
            "1 he[l]lo\n0 he[l]lo",
        ),
        ("s = \"hello\"; gsub(/l/, \"[\\\\&]\", s); print s", "he[&][&]o"),
        ("s = \"abc\"; gsub(//, \"-\", s); print s", "-a-b-c-"),
        ("$0 = \"a b c\"; print gsub(/b/, \"x y\"), NF, $0", "1 4 a x y c"),
        ("$0 = \"a b c\"; sub(/b/, \"\", $2); print; print NF", "a  c\n3"),
        ("a[1] = \"x\"; i = 1; gsub(/x/, \"y\", a[i++]); print a[1], i", "y 2"),
        (
            "s = \"a+b\"; gsub(\"+\", \"-\", s); print s; gsub(\"[+-]\", \"*\", s); print s",
            "a-b\na*b",
        ),
        (
            "print gensub(/(a)(b)/, \"\\\\2\\\\1\", \"g\", \"abab\"), gensub(/a/, \"x\", 2, \"aaa\")",
            "baba axa",
        ),
        ("$0 = \"foo\"; print gensub(/o/, \"0\", \"g\"), $0", "f00 foo"),
        (
            "print sprintf(\"%5s|%-5s|%05d|%+d|%x|%o|%e|%G\", \"a\", \"b\", 42, 7, 255, 8, 1234.5, 0.00001)",
            "    a|b    |00042|+7|ff|10|1.234500e+03|1E-05",
        ),
        (
            "print strtonum(\"0x1f\"), strtonum(\"017\"), strtonum(\"12abc\"), strtonum(9)",
            "31 15 12 9",
        ),
        (
            "print \"tab\\there\", \"oct\\101\", \"hex\\x41\", \"q\\q\", \"sl\\/\"",
            "tab\there octA hexA qq sl/",
        ),
        (
            "print strftime(\"%Y-%m-%d %H:%M:%S\", 86400 * 365, 1), mktime(\"1971 01 01 00 00 00\", 1)",
            "1971-01-01 00:00:00 31536000",
        ),
        ("for (i = 0; i < 3; i++) s = s \"x\" i; print s", "x0x1x2"),
        ("s = \"a\"; t = s; s = s \"b\"; s = s s; print s, t", "abab a"),
        (
            "srand(1); a = rand(); srand(1); print a == rand(), srand(5), srand()",
            "1 1 5",
        ),
    ]);
}

#[test]
fn characters_are_those_of_utf8() {
    check_begin(&[
        (
            "print length(\"h\u{e9}llo\"), substr(\"h\u{e9}llo\", 2, 1), index(\"h\u{e9}llo\", \"l\")",
            "5 \u{e9} 3",
        ),
        ("print toupper(\"\u{e9}a\"), tolower(\"\u{c9}A\")", "\u{c9}A \u{e9}a"),
        (
            "printf \"%5s|%.1s|%c|%c\\n\", \"\u{e9}\", \"\u{e9}a\", 233, \"\u{20ac}x\"",
            "    \u{e9}|\u{e9}|\u{e9}|\u{20ac}",
        ),
        (
            "print match(\"a\u{20ac}bc\", /b/), RSTART; n = split(\"\u{20ac}x\", c, \"\"); print n, c[1]",
            "3 3\n2 \u{20ac}",
        ),
        (
            "s = \"\u{20ac}\"; gsub(/./, \"<&>\", s); print s; print \"\u{20ac}\" ~ /^.$/",
            "<\u{20ac}>\n1",
        ),
        (
            "s = sprintf(\"%300s\", \"\u{e9}\"); print length(s), substr(s, 300), length(s s)",
            "300 \u{e9} 600",
        ),
    ]);
    check(&[("BEGIN { FS = \"\u{e9}\" } { print $2 }", "a\u{e9}b\n", "b\n")]);
}

#[test]
fn bytes_that_are_no_characters_survive() {
    let program = awk::program::Program::new(
        b"{ print; print length($0), $2; gsub(/b./, \"X\"); printf \"%s\", $0 > \"/dev/stderr\" }",
    )
    .unwrap();
    let directory = std::env::temp_dir().join(format!("awk-bytes-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let output = directory.join("out");
    let standard = awk::streams::Standard {
        input: Some(Box::new(&b"\xff\xfea b\xc3\n"[..])),
        output: Box::new(std::fs::File::create(&output).unwrap()),
        errors: Box::new(std::fs::File::create(directory.join("err")).unwrap()),
    };
    assert_eq!(program.run(&awk::machine::Setting::default(), standard), Ok(0));
    assert_eq!(std::fs::read(&output).unwrap(), b"\xff\xfea b\xc3\n6 b\xc3\n");
    assert_eq!(std::fs::read(directory.join("err")).unwrap(), b"\xff\xfea X");
    std::fs::remove_dir_all(&directory).unwrap();
}

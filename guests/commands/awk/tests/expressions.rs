//! Operators, numbers and comparisons. The expected values are what gawk and mawk print.

mod table;

use table::check_begin;

#[test]
fn precedence() {
    check_begin(&[
        ("print 1 + 2 * 3, (1 + 2) * 3", "7 9"),
        ("print 2 ^ 3 ^ 2, 2 ** 3, -2 ^ 2, 2 ^ -1", "512 8 -4 0.5"),
        ("print 10 - 4 - 3, 100 / 10 / 5, 17 % 5 % 2", "3 2 0"),
        ("print 1 2 + 3, 1 + 1 \" \" 2 + 2", "15 2 4"),
        ("print -12 \" \" -24", "-12-24"),
        ("x = 5; print x-1, x -1, x - 1", "4 4 4"),
        ("print 1 < 2 && 2 < 3, (1 > 2 || 0)", "1 0"),
        ("print !0 + 1, !1 + 1, !\"a\" \"b\"", "2 1 0b"),
        ("x = \"b\"; print ! x ~ \"1\"", "0"),
        ("print 1 ? 2 : 3 ? 4 : 5, 0 ? 1 : 0 ? 2 : 3", "2 3"),
        ("a = b = 3; print a, b; a += b -= 1; print a, b", "3 3\n5 2"),
        ("x = 1; x && y = 7; print y", "7"),
        ("$0 = \"3 4 5\"; i = 1; print $i++, i; print $1, $i + 1", "3 1\n4 5"),
        ("$0 = \"3 4 5\"; i = 1; print $++i, i, $NF-1, $(NF-1)", "4 2 4 4"),
        ("$0 = \"1 2\"; print -$1, +$2, !$1, $1^2, - -$2", "-1 2 0 1 2"),
        ("print 1 in a, !(1 in a); a[1]; print 1 in a", "0 1\n1"),
        ("print \"a\" > \"/dev/stdout\"", "a"),
        ("print (1 > 2), (2 > 1)", "0 1"),
        ("print (1)(2), (1) (2)", "12 12"),
        ("print(1, 2)", "1 2"),
        ("print 6 / 3 / 2; a = 8; a /= 2; print a", "1\n4"),
        ("print \"x\" ~ \"y\" \"z\", \"xyz\" ~ \"y\" \"z\"", "0 1"),
        ("x[\"a\", 1] = 2; print ((\"a\", 1) in x), ((\"a\", 2) in x)", "1 0"),
        ("while (i --> -2) print i", "-1\n-2"),
    ]);
}

#[test]
fn assignments() {
    check_begin(&[
        (
            "x = 7; x += 2; print x; x -= 4; print x; x *= 3; print x; x /= 5; print x; x %= 2; print x",
            "9\n5\n15\n3\n1",
        ),
        ("x = 3; x ^= 2; print x; x **= 2; print x", "9\n81"),
        ("print x++, x, ++x, x--, --x", "0 1 2 2 0"),
        ("a[1] = 5; a[1] += 2; print a[1]++, a[1], --a[1]", "7 8 7"),
        ("$0 = \"1 2\"; $1 += 5; $2++; print; print $1--", "6 3\n6"),
        ("x = \"A\"; y = x++; print x, y", "1 0"),
        ("a = 5; a += a += 2; print a", "14"),
        ("i = 1; a[i++] = i; for (k in a) print k, a[k]", "1 2"),
    ]);
}

#[test]
fn numbers() {
    check_begin(&[
        ("print 1e3, 1E-3, .5, 010, 0x11, 1.", "1000 0.001 0.5 10 17 1"),
        (
            "print 100000 * 100000, 2^31, 2^53, 2^53 + 1",
            "10000000000 2147483648 9007199254740992 9007199254740992",
        ),
        (
            "print 1e15, 1e16, 1e30",
            "1000000000000000 10000000000000000 1000000000000000019884624838656",
        ),
        (
            "print 0.1 + 0.2, 1 / 3, 123456789.125, 1e-5",
            "0.3 0.333333 1.23457e+08 1e-05",
        ),
        ("print -3 % 2, 3 % -2, 5.5 % 2", "-1 1 1.5"),
        ("print int(3.9), int(-3.9), int(\"3abc\"), int(\"\")", "3 -3 3 0"),
        (
            "print \"1e2\" + 0, \"+5\" + 0, \".5.\" + 0, \"0x11\" + 0, \"abc\" + 0, \" 12 \" + 0",
            "100 5 0.5 0 0 12",
        ),
        ("x = 0; print -x, 1 - 1", "0 0"),
        ("print log(0), -log(0)", "-inf inf"),
        (
            "CONVFMT = \"%.2g\"; a = 3.14159; b = a \"\"; print b; OFMT = \"%.3f\"; print a, a \"\", 17 \"\"",
            "3.1\n3.142 3.1 17",
        ),
        ("CONVFMT = \"%d\"; a[12.7] = 1; for (k in a) print k", "12"),
        ("print length(12345), length(1 / 3), substr(12345, 2, 3)", "5 8 234"),
        (
            "print sqrt(16), exp(0), log(1), sin(0), cos(0), atan2(0, -1)",
            "4 1 0 0 1 3.14159",
        ),
    ]);
}

#[test]
fn comparisons() {
    check_begin(&[
        (
            "print 1 == 1.0, \"a\" == \"a\", \"10\" < \"9\", 10 < 9, \"abc\" < \"abd\"",
            "1 1 1 0 1",
        ),
        ("a = \"10\"; b = 9; print (a < b), (a + 0 < b)", "1 0"),
        ("print x == 0, x == \"\", x < 1, length(x)", "1 1 1 0"),
        ("print 2 < 10, 2 < \"10\", \"2\" < 10", "1 0 0"),
        (
            "$0 = \"10 9 abc 1e1\"; print ($1 > $2), ($1 < \"9\"), ($3 > 5), ($1 == $4)",
            "1 1 1 1",
        ),
        ("$0 = \"a\"; print ($5 == 0), ($5 == \"\")", "0 1"),
        ("split(\"10 9\", a); print (a[1] > a[2])", "1"),
        ("print !\"a\", !\"\", !0, !\"0\", !x", "0 1 1 0 1"),
        ("$0 = \"0 0.0 x\"; print !$1, !$2, !$3, !$4", "1 1 0 1"),
        ("if (0.1 + 0.2 == 0.3) print \"same\"; else print \"not\"", "not"),
        ("print \"a\" \"b\" == \"ab\"", "1"),
    ]);
}

#[test]
fn regular_expressions() {
    check_begin(&[
        (
            "print \"abc\" ~ /b/, \"abc\" !~ /b/, \"abc\" ~ \"^a\", \"abc\" ~ /^b/",
            "1 0 1 0",
        ),
        ("r = \"^[0-9]+$\"; print \"123\" ~ r, \"12a\" ~ r", "1 0"),
        (
            "print \"a.c\" ~ /a\\.c/, \"abc\" ~ /a\\.c/, \"a.c\" ~ \"a\\\\.c\", \"abc\" ~ \"a\\\\.c\"",
            "1 0 1 0",
        ),
        ("print \"a/b\" ~ /a\\/b/, \"a/b\" ~ \"a/b\", \"/\" ~ /[/]/", "1 1 1"),
        (
            "$0 = \"xay\"; print /a/, /b/, !/a/, /a/ + 1; x = /a/; print x",
            "1 0 0 2\n1",
        ),
        (
            "print \"aab\" ~ /^a{2}b$/, \"ab\" ~ /^a{2}b$/, \"a{2}\" ~ /a\\{2\\}/",
            "1 0 1",
        ),
        (
            "print match(\"foobar\", /o+/), RSTART, RLENGTH, match(\"x\", /y/), RSTART, RLENGTH",
            "2 2 2 0 0 -1",
        ),
        ("print match(\"xabcabcx\", /(abc)+|abcabcx/), RLENGTH", "2 7"),
        (
            "print match(\"abc\", /$/), RLENGTH, match(\"abc\", //), RLENGTH",
            "4 0 1 0",
        ),
        (
            "print match(\"key=val\", /([a-z]+)=([a-z]+)/, m), m[0], m[1], m[2], m[2, \"start\"], m[2, \"length\"]",
            "1 key=val key val 5 3",
        ),
        ("print \"\" ~ /^$/, \"a\\nb\" ~ /^b/, \"a\\nb\" ~ /a.b/", "1 0 1"),
        ("print \"x=1\" ~ /=1/, 1 /1/ 1", "1 1"),
    ]);
}

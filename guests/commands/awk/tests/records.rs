//! Records, fields, files and commands.

mod table;

use awk::machine::Setting;
use std::fs;
use std::path::PathBuf;
use table::{check, check_begin, run, run_with};

/// A directory that is removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("awk-test-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn with_arguments(arguments: &[&str]) -> Setting {
    let words = std::iter::once(&"awk").chain(arguments);
    Setting {
        arguments: words.map(|word| word.as_bytes().to_vec()).collect(),
        ..Setting::default()
    }
}

#[test]
fn fields() {
    check(&[
        ("{ print $2, NF, $NF }", "a b c\n", "b 3 c\n"),
        (
            "{ NF = 5; print; $7 = \"x\"; print; NF = 2; print $0; print $3 \"|\" }",
            "a b c\n",
            "a b c  \na b c    x\na b\n|\n",
        ),
        (
            "BEGIN { OFS = \"-\" } { $1 = $1; print; print $1, $2 }",
            " a  b \n",
            "a-b\na-b\n",
        ),
        ("{ $2 = \"\"; print; print NF }", "a b\n", "a \n2\n"),
        ("{ $3 = \"c\"; print; print NF }", "a\n", "a  c\n3\n"),
        ("{ $0 = \"x y\"; print NF, $1 }", "a b c\n", "2 x\n"),
        (
            "{ $2 = \"p q\"; print NF, $2; $0 = $0; print NF, $2 }",
            "a b\n",
            "2 p q\n3 p\n",
        ),
        ("{ FS = \":\"; print $1 }", "a:b\nc:d\n", "a:b\nc\n"),
        ("BEGIN { FS = \"|\" } { print $2 }", "a|b\n", "b\n"),
        ("BEGIN { FS = \"\\t\" } { print NF, $2 }", "a b\tc\n", "2 c\n"),
        ("BEGIN { FS = \"\" } { print NF, $2 }", "abc\n", "3 b\n"),
        ("BEGIN { FS = \"[ ]\" } { print NF }", " a  b\n", "4\n"),
        ("{ $1 = 0.1 + 0.2; print $1, $0 }", "a b\n", "0.3 0.3 b\n"),
        ("{ OFS = \"-\"; $1 = $1; OFS = \":\"; print }", "a b\n", "a-b\n"),
        (
            "{ print NF; NF += 2; print NF; $0 = \"q\"; print NF }",
            "a\n",
            "1\n3\n1\n",
        ),
        ("{ i = 2; $i = \"z\"; print $(i - 1) $i; print }", "a b\n", "az\na z\n"),
        ("{ print }", "no line end", "no line end\n"),
        ("{ print length() }", "\n", "0\n"),
    ]);
}

#[test]
fn records() {
    check(&[
        ("BEGIN { RS = \";\" } { print NR \":\" $0 }", "a;b;c", "1:a\n2:b\n3:c\n"),
        (
            "BEGIN { RS = \"\" } { print NR \":\" $1 \"-\" $NF; print NF }",
            "\n\na b\nc\n\n\nd\n",
            "1:a-c\n3\n2:d-d\n1\n",
        ),
        (
            "BEGIN { RS = \"\"; FS = \"\\n\" } { print NF \":\" $1 }",
            "one x\ntwo\n\nthree\n",
            "2:one x\n1:three\n",
        ),
        ("BEGIN { RS = \"\"; FS = \":\" } { print NF, $3 }", "a:b\nc\n", "3 c\n"),
        ("BEGIN { RS = \"[0-9]+\" } { print }", "a1b22c", "a\nb\nc\n"),
        (
            "BEGIN { RS = \"\\n\\n|;\" } { print NR, $0 }",
            "a;b\n\nc",
            "1 a\n2 b\n3 c\n",
        ),
        (
            "NR == 1 { RS = \",\" } { print NR \":\" $0 }",
            "a\nb,c,",
            "1:a\n2:b\n3:c\n",
        ),
        (
            "{ NR = 10; print NR } END { print NR, FNR }",
            "a\nb\n",
            "10\n10\n10 2\n",
        ),
        ("BEGIN { ORS = \";\" } { print }", "a\nb\n", "a;b;"),
    ]);
}

#[test]
fn comma_separated_values() {
    let setting = Setting {
        csv: true,
        ..with_arguments(&[])
    };
    let program = "{ print NF; for (i = 1; i <= NF; i++) printf \"[%s]\", $i; print \"\" }";
    let ran = run_with(program, "a,\"b \"\"q\"\"\",\"x,y\"\n\"two\nlines\",\n", &setting);
    assert_eq!(ran.stdout, "3\n[a][b \"q\"][x,y]\n2\n[two\nlines][]\n");
}

#[test]
fn getline_has_six_forms() {
    let directory = Directory::new("getline");
    let file = directory.file("lines", "f1 x\nf2\n");
    check(&[
        ("NR == 1 { getline; print \"got\", $0, NR }", "a\nb\nc\n", "got b 2\n"),
        ("NR == 1 { getline x; print x, $0, NR, NF }", "a\nb c\n", "b c a 2 1\n"),
        (
            &format!("BEGIN {{ while ((getline l < \"{file}\") > 0) print \"l\" l, NR }}"),
            "",
            "lf1 x 0\nlf2 0\n",
        ),
        (
            &format!("BEGIN {{ getline < \"{file}\"; print $2, NF, NR }}"),
            "",
            "x 2 0\n",
        ),
        (
            "BEGIN { while (\"echo a; echo b\" | getline x) print \"c\" x }",
            "",
            "ca\ncb\n",
        ),
        ("BEGIN { \"echo a b\" | getline; print $2, NF }", "", "b 2\n"),
        ("BEGIN { print (getline x < \"/no/such/file\"), x \"|\" }", "", "-1 |\n"),
        (
            &format!("BEGIN {{ getline a[1] < \"{file}\"; getline $2 < \"{file}\"; print a[1]; print }}"),
            "",
            "f1 x\n f2\n",
        ),
        (
            &format!("BEGIN {{ f = \"{file}\"; getline x < f; close(f); getline y < f; print x == y }}"),
            "",
            "1\n",
        ),
        (
            "BEGIN { while ((getline line) > 0) n++; print n, NR }",
            "a\nb\n",
            "2 2\n",
        ),
        (
            "BEGIN { getline x < \"-\"; print x; getline; print }",
            "a\nb\n",
            "a\nb\n",
        ),
        ("END { print (getline x), x \"|\" }", "a\n", "0 |\n"),
        ("BEGIN { \"echo \" \"a b\" | getline x; print x }", "", "a b\n"),
        ("BEGIN { \"echo 10\" | getline x; print (x > 9) }", "", "1\n"),
    ]);
}

#[test]
fn operands_are_files_and_assignments() {
    let directory = Directory::new("operands");
    let (one, two) = (directory.file("one", "a\nb\n"), directory.file("two", "c d\n"));
    for (program, arguments, input, expected) in [
        (
            "{ print FILENAME == ARGV[1], FNR, NR, $0 }",
            vec![&*one, &two],
            "",
            "1 1 1 a\n1 2 2 b\n0 1 3 c d\n",
        ),
        (
            "{ print v, $0 }",
            vec!["v=1", &one, "v=x\\ty", &two],
            "",
            "1 a\n1 b\nx\ty c d\n",
        ),
        ("{ print $1 }", vec![&two, "FS=d", &two], "", "c\nc \n"),
        ("{ print $0 }", vec!["-"], "in\n", "in\n"),
        ("END { print v, NR }", vec!["v=2"], "x\n", "2 1\n"),
        (
            "BEGIN { ARGV[1] = \"\" } { print }",
            vec!["/no/such", &two],
            "",
            "c d\n",
        ),
        (
            "BEGIN { delete ARGV[1] } { print }",
            vec!["/no/such", &two],
            "",
            "c d\n",
        ),
        ("BEGIN { ARGC = 2 } { print }", vec![&two, "/no/such"], "", "c d\n"),
        (
            "BEGIN { ARGV[ARGC++] = \"v=5\"; ARGV[ARGC++] = \"-\" } { print v, $0 }",
            vec![],
            "in\n",
            "5 in\n",
        ),
        (
            "FNR == 1 { print; nextfile } { print \"no\" }",
            vec![&one, &two],
            "",
            "a\nc d\n",
        ),
        (
            "BEGIN { printf \"%s %s\\n\", ARGC, ARGV[1] }",
            vec!["x=y"],
            "",
            "2 x=y\n",
        ),
        ("{ print } END { print v }", vec!["v=010", "-"], "a\n", "a\n010\n"),
        ("NR == FNR { a[$1]; next } $1 in a", vec![&one, &one], "", "a\nb\n"),
    ] {
        let ran = run_with(program, input, &with_arguments(&arguments));
        assert_eq!((ran.stdout.as_str(), ran.status), (expected, Ok(0)), "{program}");
    }
    let ran = run_with("{ print } END { print NR }", "", &with_arguments(&["/no/such", &two]));
    assert_eq!((ran.stdout.as_str(), ran.status), ("c d\n1\n", Ok(2)));
    assert!(
        ran.stderr
            .contains("can't open file /no/such: No such file or directory"),
        "{}",
        ran.stderr
    );
}

#[test]
fn output_goes_where_it_is_sent() {
    let directory = Directory::new("output");
    let file = directory.path("out");
    let ran = run(
        &format!(
            "{{ print > \"{file}\"; print \"b\" >> \"{file}\"; printf \"%s\\n\", \"c\" > \"{file}\" }} END {{ print close(\"{file}\"), close(\"{file}\") }}"
        ),
        "a\n",
    );
    assert_eq!(ran.stdout, "0 -1\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\nb\nc\n");
    run(&format!("BEGIN {{ print \"d\" >> \"{file}\" }}"), "");
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\nb\nc\nd\n");
    run(
        &format!("BEGIN {{ f = \"{file}\"; print \"x\", \"y\" > f \".2\" }}"),
        "",
    );
    assert_eq!(fs::read_to_string(format!("{file}.2")).unwrap(), "x y\n");
    let ran = run(
        "BEGIN { print \"o\"; print \"e\" > \"/dev/stderr\"; print \"p\" > \"/dev/stdout\"; printf \"q\" }",
        "",
    );
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("o\np\nq", "e\n"));
    let ran = run("BEGIN { print 1 > \"/no/such/dir/file\" }", "");
    assert!(
        ran.status
            .unwrap_err()
            .0
            .starts_with("can't open file /no/such/dir/file")
    );
}

#[test]
fn commands() {
    let directory = Directory::new("commands");
    let file = directory.path("out");
    check_begin(&[
        ("print system(\"exit 3\")", "3"),
        (
            "print \"x\" | \"cat >/dev/null; exit 5\"; print close(\"cat >/dev/null; exit 5\")",
            "5",
        ),
        ("\"exit 4\" | getline; print close(\"exit 4\")", "4"),
        ("print close(\"never opened\")", "-1"),
        (
            "\"echo a; echo b\" | getline x; close(\"echo a; echo b\"); \"echo a; echo b\" | getline y; print x y",
            "aa",
        ),
        (
            &format!(
                "c = \"sort > {file}\"; print \"b\" | c; print \"a\" | c; close(c); getline x < \"{file}\"; print x"
            ),
            "a",
        ),
        (
            &format!("print \"b\\na\" | \"sort > {file}\"; system(\"\"); fflush()"),
            "",
        ),
    ]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\nb\n");
}

#[test]
fn variables_of_the_command_line() {
    let setting = Setting {
        assignments: vec![
            ("x".into(), b"5".to_vec()),
            ("y".into(), b"a\\nb".to_vec()),
            ("FS".into(), b":".to_vec()),
        ],
        environment: vec![(b"HOME".to_vec(), b"/h".to_vec()), (b"N".to_vec(), b"10".to_vec())],
        ..with_arguments(&[])
    };
    let ran = run_with(
        "BEGIN { print x + 1, y, ENVIRON[\"HOME\"], (ENVIRON[\"N\"] > 9), (x == 5.0) } { print $2 }",
        "p:q\n",
        &setting,
    );
    assert_eq!(ran.stdout, "6 a\nb /h 1 1\nq\n");
}

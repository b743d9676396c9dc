//! Python: a script is a command.

use super::world::{build, bytes, random, run_command, text};
use lanes::{Error, Order, Shape, Source};

fn command(source: &str) -> Vec<u8> {
    bytes(&text("python", source, Shape::Command))
}

#[test]
fn a_script_reads_writes_and_exits_as_anywhere() {
    let source = "\
import json, re, sys
from collections import Counter
words = re.findall(r'\\w+', sys.stdin.read())
print(json.dumps(Counter(words).most_common(2), ensure_ascii=False), sys.argv[1:])
sys.exit(len(words))
";
    let ran = run_command(&command(source), &["count", "ä", ""], "ö a ö b ö a");
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (6, "[[\"ö\", 3], [\"a\", 2]] ['ä', '']\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_constant_made_up_now_comes_back() {
    let constant = random();
    let ran = run_command(&command(&format!("print({constant} * 3)")), &["x"], "");
    assert_eq!(ran.stdout, format!("{}\n", u64::from(constant) * 3));
}

#[test]
fn an_exception_names_the_line_of_the_script() {
    let ran = run_command(&command("def f():\n    raise ValueError('no')\n\nf()\n"), &["x"], "");
    assert_eq!(ran.status, 1);
    let expected = "Traceback (most recent call last):\n  File \"main.py\", line 4, in <module>\n    f()\n  File \"main.py\", \
                    line 2, in f\n    raise ValueError('no')\nValueError: no\n";
    assert_eq!(ran.stderr, expected);
}

#[test]
fn a_project_imports_its_own_modules() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, source: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    };
    write(
        "main.py",
        "from shapes.square import area\nimport plain.part\nif __name__ == '__main__':\n    print(area(3), plain.part.x)",
    );
    write("shapes/__init__.py", "from . import square");
    write("shapes/square.py", "def area(n):\n    return n * n");
    write("plain/part.py", "x = 'part'");
    let order = Order::new("python", Source::Dir(dir.path().into()), Shape::Command);
    let ran = run_command(&bytes(&order), &["x"], "");
    assert_eq!(ran.stdout, "9 part\n", "{}", ran.stderr);
}

#[test]
fn bad_source_is_refused_with_its_line_and_nothing_of_it_runs() {
    match build(&text("python", "print('ran')\ndef f(:\n  pass", Shape::Command)) {
        Err(Error::Rejected { said }) => {
            assert!(
                said.contains("File \"main.py\", line 2") && said.contains("SyntaxError"),
                "{said}"
            );
            assert!(!said.contains("ran\n"));
        }
        other => panic!("{other:?}"),
    }
}

//! What the shell does beyond what dash can be asked about: its messages, its port, its own choices.

mod port;

use port::{bench, run};

/// Scripts with what they print and their status.
fn check(cases: &[(&str, &str, u8)]) {
    for (script, stdout, status) in cases {
        let ran = run(script);
        assert_eq!(
            (ran.stdout.as_str(), ran.status()),
            (*stdout, *status),
            "{script}\n{}",
            ran.stderr
        );
    }
}

/// Scripts with what they say on standard error and their status.
fn says(cases: &[(&str, &str, u8)]) {
    for (script, stderr, status) in cases {
        let ran = run(script);
        assert_eq!(
            (ran.stderr.as_str(), ran.status()),
            (*stderr, *status),
            "{script}\n{}",
            ran.stdout
        );
    }
}

#[test]
fn an_unknown_command_is_127_and_named_in_the_outcome() {
    let ran = run("nosuch || echo x; other; nosuch");
    assert_eq!(ran.stdout, "x\n");
    assert_eq!(
        ran.stderr,
        "nosuch: command not found\nother: command not found\nnosuch: command not found\n"
    );
    assert_eq!(ran.outcome.unwrap().missing, ["nosuch", "other"]);
}

#[test]
fn hash_tells_which_commands_were_called_until_it_is_told_to_forget() {
    check(&[
        ("hash", "", 0),
        ("upper </dev/null; args; hash", "[args]\n/bin/args\n/bin/upper\n", 0),
        ("hash upper; hash", "/bin/upper\n", 0),
        ("upper </dev/null; hash -r; hash", "", 0),
        ("(args); hash", "[args]\n", 0),
        ("nosuch; echo; hash nosuch", "\n", 1),
    ]);
}

#[test]
fn a_file_does_not_take_the_place_of_a_command() {
    let bench = bench();
    std::fs::create_dir(bench.path().join("bin")).unwrap();
    std::fs::write(bench.path().join("bin/upper"), "echo mine").unwrap();
    std::fs::write(bench.path().join("bin/mine"), "echo mine").unwrap();
    let ran = bench.run("echo hello | /bin/upper; /bin/mine");
    assert_eq!(ran.stdout, "HELLO\nmine\n");
}

#[test]
fn a_script_along_path_is_called_by_its_bare_name() {
    use std::os::unix::fs::PermissionsExt;
    let bench = bench();
    for (file, text, mode) in [
        ("a/tool", "echo a $0 $1", 0o755),
        ("b/tool", "echo b", 0o755),
        ("b/plain", "echo not executable", 0o644),
        ("b/python", "#!/usr/bin/env python3\nprint(1)", 0o755),
        ("b/shell", "#!/bin/sh -e\necho shell", 0o755),
        ("b/binary", "\u{7f}ELF\0", 0o755),
        ("b/upper", "echo not mine", 0o755),
    ] {
        let path = bench.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    for (script, stdout, missing) in [
        ("tool", "", &["tool"][..]),
        ("PATH=/a:/b; tool x", "a /a/tool x\n", &[]),
        ("PATH=/b:/a; tool x; command -v tool", "b\n/b/tool\n", &[]),
        ("cd b; PATH=:/a; tool; shell", "b\nshell\n", &[]),
        ("PATH=/b; plain; python; binary", "", &["plain", "python", "binary"]),
        ("PATH=/b; echo x | upper", "X\n", &[]),
        ("cd a; PATH=/nosuch:../b; tool", "b\n", &[]),
        ("PATH=../b; tool", "", &["tool"]),
    ] {
        let ran = bench.run(script);
        assert_eq!(ran.stdout, stdout, "{script}\n{}", ran.stderr);
        assert_eq!(ran.outcome.unwrap().missing, missing, "{script}");
    }
}

#[test]
fn a_syntax_error_is_told_with_its_line_and_the_status_is_2() {
    says(&[
        ("echo a (", "sh: line 1: syntax error: '(' unexpected\n", 2),
        ("\n\nif true; fi", "sh: line 3: syntax error: 'fi' unexpected\n", 2),
        (
            "for 1 in a; do :; done",
            "sh: line 1: syntax error: bad for loop variable\n",
            2,
        ),
        ("echo 'a", "sh: line 1: syntax error: unterminated quoted string\n", 2),
        ("echo $(a", "sh: line 1: syntax error: end of file unexpected\n", 2),
        ("echo ${a", "sh: line 1: syntax error: missing '}'\n", 2),
        ("echo `a", "sh: line 1: syntax error: missing '`'\n", 2),
        ("a &&", "sh: line 1: syntax error: end of file unexpected\n", 2),
        ("a | | b", "sh: line 1: syntax error: '|' unexpected\n", 2),
        ("{ }", "sh: line 1: syntax error: '}' unexpected\n", 2),
        ("()", "sh: line 1: syntax error: ')' unexpected\n", 2),
        (
            "case x in a) ;; b",
            "sh: line 1: syntax error: end of file unexpected\n",
            2,
        ),
        (";", "sh: line 1: syntax error: ';' unexpected\n", 2),
        ("a ;; b", "sh: line 1: syntax error: ';;' unexpected\n", 2),
        ("! ! true", "sh: line 1: syntax error: '!' unexpected\n", 2),
        (
            "f() echo x",
            "sh: line 1: syntax error: a function's body must be a compound command\n",
            2,
        ),
        ("echo >", "sh: line 1: syntax error: end of file unexpected\n", 2),
        ("done", "sh: line 1: syntax error: 'done' unexpected\n", 2),
    ]);
}

#[test]
fn lines_before_a_syntax_error_have_run() {
    check(&[
        ("echo a\necho b; )", "a\n", 2),
        ("eval 'echo a\n)'; echo b", "a\n", 2),
        ("command eval ')'; echo b", "", 2),
        ("(eval ')'); echo $?", "2\n", 0),
    ]);
}

#[test]
fn errors_of_expansion_end_the_shell_with_status_1() {
    says(&[
        ("echo ${x?}; echo no", "sh: line 1: x: parameter not set\n", 1),
        ("echo ${x:?}; echo no", "sh: line 1: x: parameter null or not set\n", 1),
        ("echo ${x?not here}", "sh: line 1: x: not here\n", 1),
        ("set -u; echo $x", "sh: line 1: x: parameter not set\n", 1),
        ("set -u; echo $1", "sh: line 1: 1: parameter not set\n", 1),
        ("echo ${x!}", "sh: line 1: bad substitution\n", 1),
        (
            "echo $((1/0))",
            "sh: line 1: arithmetic expression: division by zero\n",
            1,
        ),
        (
            "echo $((1%0))",
            "sh: line 1: arithmetic expression: division by zero\n",
            1,
        ),
        (
            "echo $((1+))",
            "sh: line 1: arithmetic expression: `1+` ends too early\n",
            1,
        ),
        (
            "echo $((1 2))",
            "sh: line 1: arithmetic expression: `1 2` goes wrong at `2`\n",
            1,
        ),
        ("readonly x=1; x=2; echo no", "sh: line 1: x: is read only\n", 1),
        (
            "readonly x=1; unset x; echo no",
            "sh: line 1: unset: x: is read only\n",
            1,
        ),
        ("export 1x=2; echo no", "sh: line 1: export: 1x: bad variable name\n", 1),
        ("set -o nosuch; echo no", "sh: line 1: set: nosuch: bad option\n", 1),
        ("shift 2; echo no", "sh: line 1: shift: can't shift that many\n", 1),
        (
            ". ./nosuch; echo no",
            "sh: line 1: .: ./nosuch: No such file or directory\n",
            1,
        ),
        (
            "exec 3<nosuch; echo no",
            "sh: line 1: nosuch: No such file or directory\n",
            1,
        ),
    ]);
    check(&[
        ("(echo ${x?}) 2>/dev/null; echo $?", "1\n", 0),
        ("command set -o nosuch 2>/dev/null; echo $?", "1\n", 0),
        ("command . ./nosuch 2>/dev/null; echo $?", "1\n", 0),
        ("[ a -eq b ] 2>/dev/null; echo $?", "2\n", 0),
        ("cd nosuch 2>/dev/null; echo $?", "1\n", 0),
    ]);
}

#[test]
fn commands_get_their_arguments_environment_and_directory() {
    check(&[("args a 'b c' \"\"", "[args][a][b c][]\n", 0)]);
    let ran = run("export X=1; Z=3; Y=2 env; echo ${Y-gone}");
    assert_eq!(ran.stdout, "X=1\nY=2\nPWD=/\nin /\ngone\n");
    let bench = bench();
    std::fs::create_dir(bench.path().join("d")).unwrap();
    assert_eq!(bench.run("cd d; env").stdout, "OLDPWD=/\nPWD=/d\nin /d\n");
}

#[test]
fn the_environment_becomes_exported_variables() {
    let mut bench = bench();
    bench.env = vec![
        (b"A".to_vec(), b"1".to_vec()),
        (b"not a name".to_vec(), b"2".to_vec()),
        (b"IFS".to_vec(), b"x".to_vec()),
        (b"PWD".to_vec(), b"/elsewhere".to_vec()),
    ];
    let ran = bench.run("echo $A $PWD; y=axb; echo $y; env");
    assert_eq!(ran.stdout, "1 /\naxb\nA=1\nPWD=/\nin /\n");
}

#[test]
fn how_a_command_ends_is_its_status() {
    check(&[
        ("exit-7; echo $?", "7\n", 0),
        ("exit-3", "", 3),
        ("exit-1 || echo failed", "failed\n", 0),
        ("exit-5 | exit-0; echo $?", "0\n", 0),
        ("set -o pipefail; exit-5 | exit-6 | exit-0; echo $?", "6\n", 0),
        ("set -o pipefail; exit-0 | exit-0; echo $?", "0\n", 0),
        ("set -e; exit-4; echo no", "", 4),
        ("! exit-4; echo $?", "0\n", 0),
    ]);
    says(&[("fail", "fail: out of luck\n", 9)]);
    let broken = run("echo before; fatal; echo after");
    assert_eq!(broken.outcome.unwrap_err().code(), "port");
    assert_eq!(broken.stdout, "before\n");
    assert_eq!(run("(fatal) & wait").outcome.unwrap_err().code(), "port");
    assert_eq!(run("fatal | yes").outcome.unwrap_err().code(), "port");
}

#[test]
fn stages_say_what_ran_and_in_which_order() {
    let outcome = run("echo a | upper; exit-3").outcome.unwrap();
    let stages: Vec<_> = outcome
        .stages
        .iter()
        .map(|s| (&s.name[..], s.status, s.started, s.ended))
        .collect();
    assert_eq!(
        stages,
        [("upper", Some(0), 1, Some(2)), ("exit-3", Some(3), 3, Some(4))]
    );
    assert!(outcome.stages.iter().all(|stage| stage.module == Some([7; 32])));
    let cut = run("forever & echo x").outcome.unwrap();
    assert_eq!((cut.stages[0].status, cut.stages[0].ended), (None, None));
}

#[test]
fn an_allow_list_hides_the_other_commands() {
    let mut bench = bench();
    bench.allow = Some(["cat".to_owned()].into());
    let ran = bench.run("echo a | cat; echo b | upper; sh -c 'echo c | cat; yes'");
    assert_eq!(ran.stdout, "a\nc\n");
    assert_eq!(ran.outcome.unwrap().missing, ["upper", "yes"]);
}

#[test]
fn sh_is_the_shell_itself_started_afresh() {
    check(&[
        ("x=1; sh -c 'echo ${x-unset} $0 $1' name arg", "unset name arg\n", 0),
        ("export x=1; sh -c 'echo $x; x=2'; echo $x", "1\n1\n", 0),
        ("sh -c 'exit 4'; echo $?", "4\n", 0),
        ("sh -ec 'false; echo no'; echo $?", "1\n", 0),
        ("sh -c 'echo $-'", "\n", 0),
        ("echo 'echo file $1' >f; sh f x", "file x\n", 0),
        ("echo 'echo file $0' >f; ./f", "file ./f\n", 0),
        ("echo 'echo in; read x; echo got $x\ndata' | sh", "in\ngot data\n", 0),
        ("echo 'echo $1' | sh -s a", "a\n", 0),
        ("sh nosuch 2>/dev/null; echo $?", "127\n", 0),
        ("./nosuch 2>/dev/null; echo $?", "127\n", 0),
        (
            "/bin/sh -c 'echo path'; /usr/bin/args x",
            "path\n[/usr/bin/args][x]\n",
            0,
        ),
        ("x=1 exec sh -c 'echo $x $$'; echo no", "1 1000\n", 0),
        ("exec -- 3>&1; echo kept >&3", "kept\n", 0),
        (
            "alias two='echo 1\necho 2'; printf 'alias two=\"echo 1\\necho 2\"\\ntwo\\n' | sh",
            "1\n2\n",
            0,
        ),
        ("f() { echo no; }; sh -c f 2>/dev/null; echo $?", "127\n", 0),
        ("sh -c 'trap \"echo bye\" EXIT; echo hi'", "hi\nbye\n", 0),
        ("sh -o errexit -c 'false; echo no'; echo $?", "1\n", 0),
    ]);
}

#[test]
fn a_running_command_can_start_others() {
    check(&[
        ("spawn args x y", "[args][x][y]\n", 0),
        ("spawn sh -c 'echo $1; exit 3' n a; echo $?", "a\n3\n", 0),
        ("spawn echo builtin", "builtin\n", 0),
        ("export X=1; spawn env", "X=1\nPWD=/\nin /\n", 0),
        ("echo in | spawn upper", "IN\n", 0),
        ("spawn spawn spawn args deep", "[args][deep]\n", 0),
    ]);
    let ran = run("spawn nosuch; echo $?");
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str()),
        ("127\n", "nosuch: command not found\n")
    );
    assert_eq!(ran.outcome.unwrap().missing, ["nosuch"]);
}

#[test]
fn bytes_pass_as_they_are() {
    let mut bench = bench();
    bench.stdin = (0..=255).collect();
    bench.run("cat | cat >f");
    assert_eq!(
        std::fs::read(bench.path().join("f")).unwrap(),
        (0..=255).collect::<Vec<u8>>()
    );
    let ran = bench.run(b"printf '%s' 'a\xffb' >g; x='\xff\xfe'; echo ${#x}");
    assert_eq!(std::fs::read(bench.path().join("g")).unwrap(), b"a\xffb");
    assert_eq!(ran.stdout, "2\n");
}

#[test]
fn text_counts_in_characters_where_it_is_utf_8() {
    check(&[
        ("x=héllo; echo ${#x} ${x#h?} ${x%%[é]*}", "5 llo h\n", 0),
        ("case é in ?) echo one;; esac", "one\n", 0),
        ("x=äöü; echo ${x:1:1} ${x/ö/o}", "ö äoü\n", 0),
    ]);
}

#[test]
fn what_people_write_from_other_shells() {
    check(&[
        (
            "x=hello; echo ${x:1:3} ${x:2} ${x: -3} ${x:0:-1}",
            "ell llo llo hell\n",
            0,
        ),
        (
            "x=aXbXc; echo ${x/X/-} ${x//X/-} ${x/#a/A} ${x/%c/C} ${x//X}",
            "a-bXc a-b-c AXbXc aXbXC abc\n",
            0,
        ),
        (r"echo $'a\tb\x41\u00e9\'q'", "a\tbAé'q\n", 0),
        ("cat <<<'here string'", "here string\n", 0),
        ("x='a b'; cat <<<$x", "a b\n", 0),
        ("echo data >f; x=$(<f); echo $x", "data\n", 0),
        ("echo 'x=1' >f; source ./f; echo $x", "1\n", 0),
        ("[ a == a ] && echo equal", "equal\n", 0),
        ("case x in x) echo a ;& y) echo b ;; z) echo c;; esac", "a\nb\n", 0),
        ("i=1; echo $((i++)) $i $((++i)) $((i--)) $((--i))", "1 2 3 3 1\n", 0),
        ("set -- a b c d; echo ${@:2:2} ${@:3}", "b c c d\n", 0),
        ("echo $((echo a); echo b)", "a b\n", 0),
        ("a='1+2'; echo $((a*2))", "6\n", 0),
        ("f() { echo ${FUNCNAME-none} $LINENO; }\nf", "none 1\n", 0),
        ("echo $LINENO\n\necho $LINENO", "1\n3\n", 0),
    ]);
}

#[test]
fn jobs_run_beside_the_script_and_end_with_it() {
    check(&[
        ("echo a & wait; echo b", "a\nb\n", 0),
        ("exit-5 & wait $!; echo $?", "5\n", 0),
        ("exit-5 & p=$!; exit-6 & wait $p; echo $?; wait; echo $?", "5\n0\n", 0),
        ("forever & forever & echo done", "done\n", 0),
        ("forever & kill $!; wait $!; echo $?", "143\n", 0),
        ("forever & kill -9 %1; wait %1; echo $?", "137\n", 0),
        (
            "forever & kill -0 $! && echo alive; kill -0 4711 2>/dev/null || echo gone",
            "alive\ngone\n",
            0,
        ),
        ("{ read x; echo [$x]; } & wait", "[]\n", 0),
        ("x=1; x=2 & wait; echo $x", "1\n", 0),
        ("(echo sub; exit 3) & wait $!; echo $?", "sub\n3\n", 0),
        ("for i in 1 2 3; do echo $i & done; wait", "1\n2\n3\n", 0),
        ("{ yes | first; } & wait; echo $?", "y\n0\n", 0),
        ("forever & jobs", "[1] + Running forever\n", 0),
        ("fg 2>/dev/null || echo no", "no\n", 0),
        ("echo $$ $(echo $$); (echo $$)", "1000 1000\n1000\n", 0),
    ]);
}

#[test]
fn signals_of_the_script_to_itself_run_its_traps() {
    check(&[
        ("trap 'echo usr' USR1; kill -USR1 $$; echo after", "usr\nafter\n", 0),
        ("trap 'echo term; exit 4' TERM; kill $$; echo no", "term\n", 4),
        ("kill $$; echo no", "", 143),
        ("trap '' TERM; kill $$; echo still", "still\n", 0),
        ("trap 'echo x' TERM; trap - TERM; kill -TERM $$; echo no", "", 143),
        ("sh -c 'kill $$'; echo $?", "143\n", 0),
        ("(kill $$); echo no", "", 143),
        ("trap 'echo in' INT; (kill -INT $$); echo out", "in\nout\n", 0),
        (
            "trap 'echo got' USR1
            long() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do x=$(yes | first); done; }
            { long; kill -USR1 $$; long; } &
            wait; echo $?",
            "got\n138\n",
            0,
        ),
        (
            "trap 'echo a' USR1 EXIT; trap",
            "trap -- 'echo a' EXIT\ntrap -- 'echo a' USR1\na\n",
            0,
        ),
    ]);
}

#[test]
fn a_writer_ends_when_its_reader_has_gone() {
    check(&[
        ("yes | first", "y\n", 0),
        ("yes | first | upper", "Y\n", 0),
        ("while :; do echo y; done | first", "y\n", 0),
        (
            "set -o pipefail; while :; do echo y; done | first; echo $?",
            "y\n141\n",
            0,
        ),
        ("set -o pipefail; yes | first; echo $?", "y\n141\n", 0),
        ("yes | { read x; echo $x; }", "y\n", 0),
        ("yes | :; echo end", "end\n", 0),
        ("x=$(yes | first); echo $x", "y\n", 0),
        ("trap '' PIPE; { echo a; echo b >&2; } 2>&1 | :; echo end", "end\n", 0),
    ]);
}

#[test]
fn readers_take_no_more_than_they_need() {
    let mut bench = bench();
    bench.stdin = b"one\ntwo\nthree\n".to_vec();
    assert_eq!(bench.run("read a; first; cat").stdout, "two\nthree\n");
    assert_eq!(
        bench.run("while read x; do echo [$x]; done").stdout,
        "[one]\n[two]\n[three]\n"
    );
    assert_eq!(bench.run("first | cat; first").stdout, "one\ntwo\n");
}

#[test]
fn tracing_goes_to_standard_error() {
    says(&[
        ("set -x; echo a 'b c'", "+ echo a 'b c'\n", 0),
        ("set -x; x=1 y='a b'", "+ x=1 y='a b'\n", 0),
        ("PS4='$x> '; x=p; set -x; :", "p> :\n", 0),
        ("set -x; echo a 2>/dev/null", "+ echo a\n", 0),
        ("set -v\necho a >/dev/null", "echo a >/dev/null", 0),
    ]);
}

#[test]
fn dropping_a_run_drops_its_commands() {
    use std::sync::atomic::Ordering;
    use std::task::{Context, Waker};
    let bench = bench();
    let (stdout, _) = port::collector();
    let mut run = Box::pin(bench.start("forever & forever | forever", stdout.clone(), stdout));
    let mut cx = Context::from_waker(Waker::noop());
    // The first job is polled once the script waits.
    for _ in 0..4 {
        assert!(run.as_mut().poll(&mut cx).is_pending());
    }
    assert_eq!(bench.alive.load(Ordering::SeqCst), 3);
    drop(run);
    assert_eq!(bench.alive.load(Ordering::SeqCst), 0);
}

#[test]
fn a_loop_of_builtins_lets_its_owner_look_at_the_clock() {
    use std::task::{Context, Waker};
    let bench = bench();
    let (stdout, _) = port::collector();
    let mut run = Box::pin(bench.start("while :; do :; done", stdout.clone(), stdout));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(run.as_mut().poll(&mut cx).is_pending());
    assert!(run.as_mut().poll(&mut cx).is_pending());
}

#[test]
fn every_builtin_is_known_by_name() {
    for name in shell_exec::BUILTINS {
        assert_eq!(run(format!("command -v {name}")).stdout, format!("{name}\n"));
    }
    assert!(shell_exec::BUILTINS.is_sorted());
}

#[test]
fn an_interactive_shell_prompts_and_survives_errors() {
    let ran = run("printf 'echo ${x?gone}\\necho ok\\n' | sh -i");
    assert_eq!(ran.stdout, "ok\n");
    assert_eq!(ran.stderr, "$ sh: line 1: x: gone\n$ $ ");
}

#[test]
fn what_only_bash_has_ends_an_sh_script_and_names_bash() {
    // Each of these would be a wrong answer if the script went on.
    for script in [
        "if [[ 5 -gt 3 ]]; then echo yes; else echo no; fi; echo on",
        "i=1; ((i++)); echo on",
        "x=a; x+=b; echo on",
        "for i in {1..3}; do echo $i; done; echo on",
        "a=(1 2); echo on",
        "printf -v x %s a; echo on",
        "if declare -A m; then echo yes; else echo no; fi; echo on",
        "let x=1 || echo no; echo on",
        "echo a | read -a x; read -a x <<E; echo on\na b\nE",
        "echo ${x^^}; echo on",
        "x=y; echo ${!x}; echo on",
        "trap 'echo err' ERR; echo on",
        "shopt -s nullglob; echo on",
        "mapfile -t x; echo on",
        "type -t echo; echo on",
        "pushd /; echo on",
        "f() { local -a x; }; f; echo on",
        "[ -v x ] || echo no; echo on",
        "set -E; echo on",
        "a &>f; echo on",
    ] {
        let ran = run(script);
        assert!(ran.stderr.contains("bash"), "{script}\n{}", ran.stderr);
        assert!(
            !ran.stdout.contains("on") && ran.status() != 0,
            "{script}\n{}",
            ran.stdout
        );
    }
}

#[test]
fn a_first_line_and_a_name_choose_the_language() {
    check(&[
        ("#!/bin/bash\n[[ a == a ]] && echo bash", "bash\n", 0),
        ("#!/usr/bin/env bash\necho {1..3}", "1 2 3\n", 0),
        ("bash -c 'echo {1..3}'; sh -c 'echo $1' x y", "1 2 3\ny\n", 0),
        ("/bin/bash -c 'a=(1 2); echo ${#a[@]}'", "2\n", 0),
        ("echo '[[ a ]] && echo yes' >f; bash f; bash <f", "yes\nyes\n", 0),
        ("echo '#!/bin/bash\n[[ a ]] && echo yes' >f; ./f", "yes\n", 0),
        ("echo 'echo $((1 + 1))' >f; ./f", "2\n", 0),
        ("bash -c 'sh -c \"echo \\$((1 + 1))\"'", "2\n", 0),
        ("command -v bash", "/bin/bash\n", 0),
    ]);
}

#[test]
fn the_grammar_knows_the_builtins_of_bash() {
    assert_eq!(shell_exec::BASH_BUILTINS, shell_grammar::BASH_BUILTINS);
}

#[test]
fn statuses_below_zero_and_bytes_by_number() {
    check(&[
        ("(exit -1); echo $?", "255\n", 0),
        ("f() { return -2; }; f; echo $?", "254\n", 0),
        (r"printf '\x41\x42\n'", "AB\n", 0),
    ]);
}

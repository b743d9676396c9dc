//! Every bound is an error, soon, and never a crash.

mod port;

use port::{bench, run};
use shell_exec::{Error, Limits};
use std::time::{Duration, Instant};

/// How long a refusal may take, with room for a busy machine and a slow build.
const SOON: Duration = Duration::from_secs(5);

fn error_of(limits: Limits, script: impl AsRef<[u8]>) -> Error {
    let mut bench = bench();
    bench.limits = limits;
    let ran = bench.run(&script);
    let script = String::from_utf8_lossy(script.as_ref()).into_owned();
    ran.outcome.expect_err(&script)
}

#[test]
fn a_script_of_openers_is_an_error_at_once() {
    let many = 100_000;
    let cases = [
        ("(", Some(Error::TooDeep)),
        ("( ", Some(Error::TooDeep)),
        ("$(", Some(Error::TooDeep)),
        ("\"$(", Some(Error::ScriptTooLong)),
        ("{ ", Some(Error::TooDeep)),
        ("{\n", Some(Error::TooDeep)),
        ("${", Some(Error::TooDeep)),
        ("${x:-", Some(Error::ScriptTooLong)),
        ("${x#", Some(Error::ScriptTooLong)),
        ("$((", Some(Error::ScriptTooLong)),
        ("((", Some(Error::TooDeep)),
        ("`", None),
        ("'", None),
        ("\"", None),
        ("if ", Some(Error::ScriptTooLong)),
        ("f()", None),
        ("a|", None),
        ("a&&", Some(Error::ScriptTooLong)),
        ("! ", None),
        ("\\", None),
        ("$", None),
        (";", None),
        ("x=", None),
        ("<<a", Some(Error::ScriptTooLong)),
    ];
    for (opener, expected) in cases {
        let started = Instant::now();
        let ran = run(opener.repeat(many));
        assert!(started.elapsed() < SOON, "{opener} took {:?}", started.elapsed());
        if let Some(expected) = expected {
            assert_eq!(ran.outcome.as_ref().err(), Some(&expected), "{opener}");
        }
    }
}

#[test]
fn the_same_within_the_length_of_a_script() {
    for opener in [
        "(",
        "$(",
        "{ ",
        "${x:-",
        "${x#",
        "$((",
        "`",
        "if ",
        "while ",
        "case x in x) ",
        "for x in y; do ",
        "f() { ",
        "\"${x:-",
        "$(( (",
        "x=$(",
        "a | ",
        "a && ",
        "! { ",
        "until ",
        "\"$((",
        "${x/",
    ] {
        let script = opener.repeat((256 << 10) / opener.len());
        let started = Instant::now();
        let ran = run(&script);
        assert!(started.elapsed() < SOON, "{opener} took {:?}", started.elapsed());
        let refused = [Error::TooDeep, Error::TooManyPipes, Error::TooManySteps];
        match ran.outcome {
            Ok(outcome) => assert_ne!(outcome.status, 0, "{opener}"),
            Err(error) => assert!(refused.contains(&error), "{opener}: {error}"),
        }
    }
}

#[test]
fn balanced_nesting_is_fine_to_the_limit_and_an_error_beyond() {
    let forms: &[(&str, &str, &str)] = &[
        ("( ", "echo x", ")"),
        ("{ ", "echo x;", " }"),
        ("echo $(", "echo x", ")"),
        ("if true; then ", "echo x;", " fi;"),
        ("case x in x) ", "echo x;", " ;; esac;"),
        ("while true; do ", "echo x;", " break; done;"),
        ("for i in 1; do ", "echo x;", " done;"),
        ("echo \"${x:-", "x", "}\""),
        ("f() { ", "echo x;", " }\n f\n"),
        // A parser that backtracks takes a year for these.
        ("case x in x) ", ")", " ;; esac;"),
        ("case x in (x) ", ";;", " ;; esac;"),
        ("if ", ";;", "; then x; fi;"),
    ];
    for (open, inside, close) in forms {
        for depth in [40, 190] {
            let started = Instant::now();
            let ran = run(format!("{}{inside}{}", open.repeat(depth), close.repeat(depth)));
            assert!(started.elapsed() < SOON, "{open} took {:?}", started.elapsed());
            // Substitutions are calls and pipes too, and dollars in braces are two levels each.
            let bounds = [Error::TooDeep, Error::TooManyPipes];
            assert!(
                ran.outcome
                    .as_ref()
                    .map_or_else(|error| bounds.contains(error), |_| true),
                "{open}"
            );
        }
        let deep = run(format!("{}{inside}{}", open.repeat(400), close.repeat(400)));
        assert_eq!(deep.outcome.err(), Some(Error::TooDeep), "{open}");
    }
    assert_eq!(
        run(format!("{}echo x{}", "( ".repeat(190), ")".repeat(190))).stdout,
        "x\n"
    );
}

#[test]
fn what_is_written_to_files_is_bounded() {
    let mut bench = bench();
    bench.limits.written = 10_000;
    for script in [
        "while :; do echo 0123456789 >>f; done",
        "yes >f",
        "yes | cat >f; echo after",
    ] {
        let ran = bench.run(script);
        assert_eq!(ran.outcome.err(), Some(Error::TooMuchWritten), "{script}");
        let size = std::fs::metadata(bench.path().join("f")).expect("it was made").len();
        assert!(size <= 10_000, "{script}: {size}");
    }
    // What goes elsewhere does not count.
    bench.limits.written = 10;
    assert_eq!(
        bench
            .run("for i in 1 2 3; do echo 0123456789; done | cat >/dev/null")
            .status(),
        0
    );
}

#[test]
fn each_limit_has_its_error() {
    let limits = Limits::default();
    let small = Limits {
        memory: 4 << 20,
        ..limits
    };
    let cases: &[(Limits, &str, Error)] = &[
        (Limits { script: 10, ..limits }, "echo 1234567890", Error::ScriptTooLong),
        (
            Limits { script: 40, ..limits },
            "x=aaaaaaaaaa; eval \"$x$x$x$x$x\"",
            Error::ScriptTooLong,
        ),
        (Limits { nesting: 3, ..limits }, "{ { { { :; }; }; }; }", Error::TooDeep),
        (limits, "f() { f; }; f", Error::TooDeep),
        (limits, "f() { eval f; }; f", Error::TooDeep),
        (limits, "f() { (f); }; f", Error::TooDeep),
        (limits, "f() { x=$(f); }; f", Error::TooManyPipes),
        (limits, "f() { f | f; }; f", Error::TooManyPipes),
        (limits, "echo '. ./s' >s; . ./s", Error::TooDeep),
        (limits, "echo ./s >s; ./s", Error::TooDeep),
        (limits, "echo sh s >s; sh s", Error::TooDeep),
        (
            limits,
            "f() { spawn sh -c 'spawn sh -c \"$X\"'; }; export X='spawn sh -c \"$X\"'; f",
            Error::TooDeep,
        ),
        (
            limits,
            "trap 'kill -USR1 $$; :' USR1; kill -USR1 $$",
            Error::TooManySteps,
        ),
        (limits, "while :; do :; done", Error::TooManySteps),
        (limits, "until false; do :; done", Error::TooManySteps),
        (limits, "while :; do (:); done", Error::TooManySteps),
        (limits, "while :; do x=$(:); done", Error::TooManySteps),
        (limits, "f() { g & g & }; g() { f; }; f; wait", Error::TooManyJobs),
        (limits, "x=aaaaaaaa; while :; do x=$x$x; done", Error::TooMuchMemory),
        (
            limits,
            "set a; while :; do set -- \"$@\" \"$@\"; done",
            Error::TooMuchMemory,
        ),
        (
            limits,
            "x=$(printf '%99999d' 1); while :; do i=$((i+1)); eval v$i='$x'; done",
            Error::TooMuchMemory,
        ),
        (small, "yes | x=$(cat)", Error::TooMuchMemory),
        (small, "x=$(</dev/zero)", Error::TooMuchMemory),
        (small, "read x </dev/zero", Error::TooMuchMemory),
        (limits, ". /dev/zero", Error::ScriptTooLong),
        (limits, "sh </dev/zero", Error::ScriptTooLong),
        (small, "yes | while read -d z x; do :; done", Error::TooMuchMemory),
        (limits, "printf '%99999999999d' 1", Error::TooMuchMemory),
        (
            limits,
            "x=$(printf '%0999999d' 1) a=$(printf '%0999d' 1); y=${x//0/$a}",
            Error::TooMuchMemory,
        ),
        (
            Limits { argv: 100, ..limits },
            "x=$(printf '%099d' 1); args $x $x",
            Error::ArgvTooLong,
        ),
        (Limits { pipes: 3, ..limits }, ":|:|:|:|:", Error::TooManyPipes),
        (
            Limits { pipes: 3, ..limits },
            "echo $(echo $(echo $(echo $(echo x))))",
            Error::TooManyPipes,
        ),
        (
            Limits { jobs: 3, ..limits },
            "forever & forever & forever & forever &",
            Error::TooManyJobs,
        ),
    ];
    for (limits, script, expected) in cases {
        let started = Instant::now();
        assert_eq!(&error_of(*limits, script), expected, "{script}");
        assert!(started.elapsed() < 4 * SOON, "{script} took {:?}", started.elapsed());
    }
}

#[test]
fn work_that_is_no_command_counts_too() {
    let few = Limits {
        steps: 5_000,
        ..Limits::default()
    };
    let long = "x=$(printf '%999999d' 1); ";
    let pattern = "p=$(printf '%999d' 1); ";
    for script in [
        // A long text against a long pattern, over and over.
        format!("{long}{pattern}while :; do y=${{x##*$p*}}; done"),
        format!("{long}{pattern}while :; do case $x in *$p*$p) ;; esac; done"),
        format!("{long}while :; do y=${{x// *2/}}; done"),
        // Expressions that name each other.
        "a=b+b b=c+c c=d+d d=e+e e=f+f f=g+g g=h+h h=i+i i=j+j j=k+k k=l+l l=m+m m=n+n n=o+o o=p+p p=q+q q=r+r r=s+s s=t+t t=1; while :; do echo $((a)); done >/dev/null".to_owned(),
        // Many names, many times.
        "for i in 0 1 2 3 4 5 6 7 8 9; do for j in 0 1 2 3 4 5 6 7 8 9; do : >$i$j; done; done; while :; do : */../*/../*; : *; done".to_owned(),
    ] {
        let started = Instant::now();
        assert_eq!(error_of(few, &script), Error::TooManySteps, "{script}");
        assert!(started.elapsed() < 12 * SOON, "{script} took {:?}", started.elapsed());
    }
}

#[test]
fn aliases_cannot_multiply_a_script() {
    let mut script = String::new();
    for level in 0..60 {
        script += &format!("alias a{level}='a{next};a{next}'\n", next = level + 1);
    }
    script += "a0\n";
    assert_eq!(run(script).outcome.err(), Some(Error::ScriptTooLong));
}

#[test]
fn a_variable_that_names_itself_is_an_error_of_the_expression() {
    let ran = run("x=x; echo $((x))");
    assert_eq!(ran.stderr, "sh: line 1: arithmetic expression: nested too deeply\n");
}

#[test]
fn a_stack_of_two_megabytes_is_enough() {
    let deep = [
        format!("{}echo x{}", "(".repeat(199), ")".repeat(199)),
        format!("{}echo x;{}", "if :; then ".repeat(199), " fi;".repeat(199)),
        "f() { if :; then for i in 1; do case x in x) { f; } ;; esac; done; fi; }; f".to_owned(),
        "f() { echo $(f); }; f".to_owned(),
        "f() { eval '{ f; }'; }; f".to_owned(),
        format!("echo $(({}1{}))", "(".repeat(190), ")".repeat(190)),
        format!("{}x{}", "echo \"${x:-".repeat(60), "}\"".repeat(60)),
        format!("test {} x {}", "\\( ".repeat(90), "\\) ".repeat(90)),
        "f() { f | cat; }; f".to_owned(),
        "f() { sh -c \"$X\"; }; export X='sh -c \"$X\"'; f".to_owned(),
    ];
    for script in deep {
        // A run has a thread with a stack of its own, and an overflow would end this very process.
        drop(run(script));
    }
}

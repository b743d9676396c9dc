//! Scripts of bash: the shell says what bash says, to the byte, with the same status.
//!
//! The expected values are bash's own, asked for as the test runs. Where bash is not installed there is nothing to
//! compare with, and the tests say so.

mod port;

use port::bench;
use shell_exec::{Dialect, Error, Limits};
use std::process::{Command, Stdio};

/// Directories that scripts find where they start: no builtin makes any.
const INSIDE: &str = "d/e";

/// What bash prints, and its status.
fn bash(script: &str) -> Option<(String, i32)> {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::create_dir_all(directory.path().join(INSIDE)).expect("directories in it");
    let output = Command::new("bash")
        .args(["-c", script, "bash"])
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let status = output.status.code().expect("bash ends by itself");
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), status))
}

fn ours(script: &str) -> port::Ran {
    let mut bench = bench();
    bench.dialect = Dialect::Bash;
    std::fs::create_dir_all(bench.path().join(INSIDE)).expect("directories in it");
    bench.run(script)
}

fn agree(scripts: &[&str]) {
    let mut differ = Vec::new();
    for script in scripts {
        let Some(expected) = bash(script) else {
            eprintln!("skipped: bash is not installed");
            return;
        };
        let ran = ours(script);
        let got = match &ran.outcome {
            Ok(outcome) => (ran.stdout.clone(), i32::from(outcome.status)),
            Err(error) => (format!("{error}"), -1),
        };
        if got != expected {
            differ.push(format!(
                "{script}\n  bash: {expected:?}\n  ours: {got:?} {}",
                ran.stderr
            ));
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

#[test]
fn conditions() {
    agree(&[
        "[[ 5 -gt 3 ]] && echo yes",
        "if [[ 5 -gt 3 ]]; then echo right; else echo wrong; fi",
        "[[ abc == a* ]]; echo $?; [[ abc == 'a*' ]]; echo $?; [[ abc != b* ]]; echo $?",
        "x='a b'; [[ $x == 'a b' ]]; echo $?; [[ -z $nope && -n $x ]]; echo $?",
        "[[ a < b ]]; echo $?; [[ b < a ]]; echo $?; [[ 10 -eq 0xa ]]; echo $?",
        "[[ ! a == b ]]; echo $?; [[ ( a == b || c == c ) && d ]]; echo $?",
        ">f; [[ -f f && ! -d f && -e f && -r f ]]; echo $?; [[ -s f ]]; echo $?",
        "x=3; [[ x -eq 3 ]]; echo $?; [[ x+1 -eq 4 ]]; echo $?",
        "[[ abc123 =~ ^([a-z]+)([0-9]+)$ ]]; echo $? ${#BASH_REMATCH[@]} ${BASH_REMATCH[@]}",
        "[[ abc =~ b ]]; echo ${BASH_REMATCH[0]}; [[ abc =~ x ]]; echo $? ${#BASH_REMATCH[@]}",
        "re='^[0-9]+$'; [[ 42 =~ $re ]] && echo number; [[ 4x =~ $re ]] || echo not",
        "[[ 'a.b' =~ 'a.b' ]]; echo $?; [[ 'axb' =~ 'a.b' ]]; echo $?; [[ axb =~ a.b ]]; echo $?",
        "[[ foobar =~ (foo|foobar) ]]; echo ${BASH_REMATCH[1]}",
        "[[ 'x y' =~ x[[:space:]]y ]]; echo $?; [[ a-b =~ ^[a-z-]+$ ]]; echo $?; [[ ']' =~ ^[]]$ ]]; echo $?",
        "[[ file.txt == *.@(txt|md) ]]; echo $?; [[ ab == !(ab) ]]; echo $?; [[ aaa == +(a) ]]; echo $?",
        "x=1; [[ -v x ]]; echo $?; [[ -v y ]]; echo $?; a=(1); [[ -v a[0] ]]; echo $?; [[ -v a[1] ]]; echo $?",
        "shopt -s nocasematch; [[ ABC == abc ]]; echo $?; case X in x) echo low;; esac",
        "[[ $(echo a) == a ]] && echo sub; [[ -n \"\" ]] || echo empty",
        "[[ a == a ]] && [[ b == b ]] || echo no; ! [[ a == b ]]; echo $?",
        "declare -n r=x; x=5; [[ -R r ]]; echo $?; [[ -o errexit ]]; echo $?",
    ]);
}

#[test]
fn arithmetic() {
    agree(&[
        "i=1; ((i++)); echo $i $?; ((i = 0)); echo $?",
        "((x = 3, y = x ** 2)); echo $x $y; ((y > 8)) && echo big",
        "let x=1+2 y=x*2; echo $x $y; let 0; echo $?",
        "echo $((10#08)) $((16#ff)) $((2#1010)) $((36#z)) $((64#_)) $((0x1F)) $((017))",
        "a=(1 2 3); ((a[1] += 5)); echo ${a[@]} $((a[0] + a[2])); i=1; echo $((a[i]))",
        "declare -A m; m[k]=4; ((m[k]++)); echo ${m[k]}; k=z; ((m[$k] = 7)); echo ${m[z]}",
        "for ((i = 0; i < 3; i++)); do echo $i; done; for ((;;)); do break; done; echo $i",
        "for ((i=0,j=10; i<j; i+=3,j-=3)); do echo $i $j; done",
        "declare -i n=2+3; n+=4; echo $n; n=n*2; echo $n",
        "echo $((2 ** 10)) $((-7 / 2)) $((-7 % 3)) $((5 > 3 ? 1 : 2)) $((1 << 4)) $((~5))",
        "(( 1 == 1 && 2 > 1 || 0 )); echo $?; echo $(( (1 + 2) * 3 ))",
        "x=5; echo $[x + 1] $((x--)) $((--x)) $x",
        "((1/0)); echo $?",
        "i=0; a=(1 2 3); ((a[i++] += 5)); echo $i ${a[@]} ${a[i++]} $i; ((a[i++]++)); echo $i ${a[@]}",
        "x='a[0]'; a=(7); echo $((x))",
    ]);
}

#[test]
fn arrays() {
    agree(&[
        "a=(1 2 3); echo ${a[0]} ${a[@]} ${#a[@]} ${a[-1]} $a ${#a[1]}",
        "a=(x 'y z'); for e in \"${a[@]}\"; do echo \"[$e]\"; done; echo \"${a[*]}\"; IFS=,; echo \"${a[*]}\"",
        "a=(a b c d e); echo ${a[@]:1:2} ${a[@]:3} ${a[@]: -2} ${!a[@]}",
        "a=(1); a+=(2 3); a[5]=9; echo ${a[@]} ${!a[@]} ${#a[@]}",
        "a=([3]=x [1]=y z); echo ${!a[@]} ${a[@]}; declare -p a",
        "a=(1 2 3); unset 'a[1]'; echo ${a[@]} ${!a[@]}; unset a; echo ${#a[@]}",
        "a=(apple banana); echo ${a[@]^} ${a[@]/an/AN} ${a[@]#a} ${a[@]%a}",
        "a=(); echo \"${#a[@]}\" \"${a[@]:-none}\"; set -u; echo \"x${a[@]}y\"",
        "declare -A m=([one]=1 [two]=2); echo ${m[one]} ${m[two]} ${#m[@]}; for k in \"${!m[@]}\"; do echo $k=${m[$k]}; done",
        "declare -A m; m[a b]=1; m['c d']=2; echo \"${m[a b]}\" \"${m['c d']}\"; unset 'm[a b]'; echo ${#m[@]}",
        "declare -A m=([x]=1); m+=([y]=2); m[x]+=0; declare -p m",
        "a=(1 2 3); b=(\"${a[@]}\" 4); echo ${#b[@]}; echo ${b[@]:(-1)}",
        "a=(*.none); echo ${#a[@]} ${a[0]}; shopt -s nullglob; a=(*.none); echo ${#a[@]}",
        "mapfile -t l <<< $'a\\nb\\nc'; echo ${#l[@]} ${l[1]}; mapfile -t -s 1 -n 1 l <<< $'a\\nb\\nc'; declare -p l",
        "readarray -t -d , l < <(printf 'a,b,c'); echo ${l[@]}",
        "read -r -a w <<< 'x y z'; echo ${#w[@]} ${w[2]}",
        "f() { local -a l=(1 2); l+=(3); echo ${l[@]}; }; l=g; f; echo $l",
        "f() { local -n r=$1; r+=(z); }; a=(x); f a; echo ${a[@]}",
        "a=(5 3 1); echo ${a[a[2]]}; a[0]=q; echo ${a[@]}; echo ${a[9]-unset}",
        "x=(1 2); y=x; echo ${!y}; y='x[1]'; echo ${!y}; y='x[@]'; echo ${!y}",
        "set -- a b c; echo ${@:2} ${@:1:2} ${@: -1} ${*:2:1} ${@:0:1}",
        "a=(1 2 3 4); a=(\"${a[@]:0:1}\" \"${a[@]:2}\"); echo ${a[@]}",
        "declare -a e; echo ${#e[@]} ${e[@]+set}; e[2]=x; echo ${e[@]+set}",
        "a=(a b); printf '%s\\n' \"${a[@]/#/x}\" \"${a[@]/%/y}\"",
    ]);
}

#[test]
fn variables_and_attributes() {
    agree(&[
        "x=a; x+=b; echo $x; x+=c y=d; echo $x$y",
        "declare -r c=1; c=2; echo after $?",
        "declare -l low=ABC; declare -u up=abc; echo $low $up; up=xyz; echo $up",
        "declare -x e=1; bash -c 'echo $e'; export -n e; bash -c 'echo ${e-gone}'",
        "declare -p nope; echo $?; x=1; declare -p x; declare -i n=5; declare -p n; declare -rx r=a; declare -p r",
        "x=\"a'b\"; declare -p x; x=$'a\\nb'; declare -p x; x='$y \"q\"'; declare -p x",
        "f() { local x=in; echo $x; g; }; g() { echo g$x; x=changed; }; x=out; f; echo $x",
        "f() { local x; echo \"[${x-unset}]\"; }; x=1; f; echo $x",
        "f() { declare x=1; declare -g y=2; }; f; echo ${x-no} ${y-no}",
        "declare -n ref=target; ref=5; echo $target $ref ${!ref}; target=6; echo $ref",
        "x=hello; y=x; echo ${!y} ${!y^^}",
        "abc1=1 abc2=2; echo ${!abc*} \"${!abc@}\"",
        "x='a b'; echo ${x@Q}; x=abc; echo ${x@U} ${x@u} ${x@L} ${x@a}; declare -i n=1; echo ${n@a}; echo ${x@A}",
        "x=hello; echo ${x^} ${x^^} ${x^^[el]}; y=WORLD; echo ${y,} ${y,,}",
        "x=hello; echo ${x/l/L} ${x//l/L} ${x/#h/H} ${x/%o/O} ${x//[el]/-} ${x/l}; echo ${x:1:3} ${x: -2} ${x:0:-1}",
        "x=a.b.c; echo ${x%.*} ${x%%.*} ${x#*.} ${x##*.}",
        "x=abc; echo ${x/b/[&]} ${x/b/\\&}",
        "readonly x=1; unset x; echo $? $x; typeset y=2; echo $y",
        "echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL); echo ${BASH_VERSINFO[0]} ${#FUNCNAME[@]}",
        "f() { echo ${FUNCNAME[0]} ${FUNCNAME[1]} $LINENO; }\ng() { f; }\ng",
        "true | false | true; echo ${PIPESTATUS[@]}; false; echo ${PIPESTATUS[@]}",
        "RANDOM=5; x=$RANDOM; ((x >= 0 && x < 32768)) && echo ok; SECONDS=10; ((SECONDS >= 10)) && echo later",
        "[[ $EPOCHSECONDS -gt 1600000000 && $$ -gt 0 && -n $BASHPID ]]; echo $?",
        "x=5 y=6; unset x y; echo ${x-u}${y-u}; set -u; echo ${z-dflt}; echo $z; echo never",
        "printf -v x '%05.1f|%s' 3.14159 a; echo \"$x\"; printf -v 'a[2]' z; echo ${a[2]}",
        "printf '%q\\n' 'a b' '' \"it's\" '$x' plain 'a;b'; printf '%s-%s\\n' a b c",
        "printf '%(%Y)T\\n' 0; printf '%d %x %o %e %c\\n' 255 255 8 1.5 xyz",
        "x=1; f() { echo $x; }; x=2 f; echo $x; IFS=: read a b <<< 'p:q'; echo $a $b \"$IFS\"",
    ]);
}

#[test]
fn words() {
    agree(&[
        "echo {1..3} {a..e..2} {5..1} {01..10..3} a{b,c}d {x,y}{1,2} {a,b{c,d}} {a} {} {a,} x{,y}",
        "echo {a..c}{1..2} \"{a,b}\" '{a,b}' \\{a,b} {a\\,b} ${x:-{a,b}} {-2..2} {1..0}",
        "x=1; echo {$x,2} {1..$x} a{$x}b",
        "echo -e 'a\\tb\\x41\\n' x; echo -n a; echo -ne 'b\\n'; echo 'a\\tb'; echo -E 'c\\n'; echo -z; echo -- -n",
        "echo $'a\\tb' $'\\x41\\u00e9\\'' \"$'x'\" $\"hi\"",
        "cat <<< \"a b\"; x='y z'; cat <<< $x",
        ">a.txt; >b.md; >c.txt; shopt -s extglob\necho *.@(txt|md) !(*.txt) ?(a).txt +([a-b]).*",
        ">.h; >v; echo *; shopt -s dotglob; echo *",
        "shopt -s failglob; echo nope*; echo on",
        ">A; >b; shopt -s nocaseglob; echo a* B*",
        ">d/x; >d/e/y; >z; shopt -s globstar; echo **; echo **/; echo d/**/y",
        "x='a  b'; set -- $x; echo $#; set -- \"$x\"; echo $#; echo ~+ | cat >/dev/null; echo a~b",
        "echo ${#} ${#x} \"${x:-a b}\" ${x:+y}; x=1; echo ${x:+y}",
        "case abc in a*) echo 1;;& *c) echo 2;;& x) echo 3;; *) echo 4;; esac; case a in a) echo a;& b) echo b;; c) echo c;; esac",
        "shopt -s extglob\ncase file.tar.gz in *.@(zip|tar.gz)) echo archive;; esac; case x in [[:upper:]]) echo U;; *) echo other;; esac",
    ]);
}

#[test]
fn commands_and_redirections() {
    agree(&[
        "{ echo out; echo err >&2; } &>f; cat <f; echo more &>>f; cat <f; echo x >&g; cat <g",
        "{ echo out; echo err >&2; } |& cat",
        "cat <(echo a) <(echo b); while read -r l; do echo \"<$l>\"; done < <(printf 'x\\ny\\n')",
        "n=0; while read -r l; do ((n++)); done < <(printf '1\\n2\\n3\\n'); echo $n",
        "exec {fd}>f; echo hi >&$fd; exec {fd}>&-; cat <f; [[ $fd -ge 10 ]] && echo high",
        "exec 3>f; echo a >&3; exec 4>&3-; echo b >&4; exec 4>&-; cat <f",
        "function f { echo f $1; }; f x; function g() { echo g; }; g; function h ( echo sub ); h",
        "f() { return 3; }; f; echo $?; return 2>/dev/null; echo still",
        "select x in a b; do echo $x $REPLY; break; done <<< 2",
        "shopt -s lastpipe; echo v | read x; echo ${x-none}; echo v | { read y; }; echo $y",
        "time true; echo $?; ! true; echo $?; ! ! true; echo $?",
        "cd d; pushd e >/dev/null; echo ${PWD##*/}; popd >/dev/null; echo ${PWD##*/}; popd; echo $?; pushd / >/dev/null; pwd; dirs -c; dirs",
        "type -t echo cd if nosuch; f() { :; }; type -t f; type -t cat; command -v f cd",
        "shopt -q extglob || shopt -s extglob; shopt -s nullglob; shopt -p nullglob; shopt -u nullglob; shopt nullglob; echo $?",
        "set -o pipefail; false | true; echo $?; set -eo pipefail; false | true; echo never",
        "set -e; f() { false; echo in; }; f || echo or; x=$(false; echo sub); echo $x; false; echo never",
        "for x in a b; { echo $x; }; for ((i=0;i<2;i++)) { echo $i; }",
        "if ! [[ a == b ]]; then echo differ; fi; until ((n++ > 1)); do echo $n; done",
        "let 'x = 5'; builtin echo b; command echo c; builtin nosuch; echo $?",
        "f() { echo \"$# $*\"; shift; echo \"$1\"; shift 5; echo $?; }; f a b",
        "declare -f nosuch; echo $?; f() { :; }; declare -F f; unset -f f; declare -F f; echo $?",
        "export -f nosuch; f() { echo exported; }; export -f f; bash -c f",
        "wait -n; (exit 3) & wait $!; echo $?; true & wait; echo $?",
        "exit 300",
        "exit abc",
        "nosuch_command; echo $?",
        "eval 'a=(1 2); echo ${a[1]}'; echo 'echo sourced $1' >f; source ./f x; . ./f",
    ]);
}

#[test]
fn reading() {
    agree(&[
        "read -n 3 x <<< abcdef; echo $x; read -N 4 x <<< 'a b c'; echo \"[$x]\"",
        "read -d : x <<< 'a:b'; echo $x; read -r x <<< 'a\\b'; echo $x; read x <<< '  a  '; echo \"[$x]\"; read <<< '  a  '; echo \"[$REPLY]\"",
        "IFS=, read -ra p <<< '1,2,,3'; echo ${#p[@]} \"${p[2]}\"; read -t 1 x <<< v; echo $x $?; read x < /dev/null; echo $?",
        "printf 'a\\0b\\0' | while IFS= read -r -d '' x; do echo \"$x\"; done",
        "exec 3<<< 'three'; read -u 3 x; echo $x; read -p prompt x <<< y; echo $x",
        "while IFS== read -r k v; do echo \"$k -> $v\"; done <<< $'a=1\\nb=2=3'",
    ]);
}

#[test]
fn traps() {
    agree(&[
        "trap 'echo err $?' ERR; false; true; (exit 4); if false; then :; fi; false || true; echo end",
        "trap 'echo err' ERR; f() { false; true; }; f; set -E; f; echo end",
        "trap 'echo bye' EXIT; trap -p EXIT; exit 3",
        "set -e; trap 'echo err; ' ERR; trap 'echo exit' EXIT; false; echo never",
        "trap 'echo debug' DEBUG; echo a; trap - DEBUG; echo b",
        "trap 'echo t' TERM; kill -TERM $$; trap -p TERM; trap '' INT; trap -p INT",
    ]);
}

#[test]
fn errors_end_what_bash_ends() {
    agree(&[
        "readonly x=1\nx=2\necho next",
        "readonly x=1; x=2; echo same line",
        "echo $((1/0)); echo same\necho next",
        "echo ${x?gone}; echo same\necho next",
        "set -u; echo $nope; echo same\necho next",
        "f() { echo $((1/0)); echo in; }; f; echo same\necho next $?",
        "for i in 1 2; do echo ${x?}; done; echo on",
        "export 1a=2; echo $?; unset 1a; echo $?; cd /nosuch; echo $?; shift 9; echo $?",
        "x=1 y=(2); echo \"${y[0]}\"; a=(1); a[-5]=2; echo same\necho next",
    ]);
}

#[test]
fn what_is_not_supported_says_so() {
    for script in [
        "coproc cat; echo on",
        "shopt -s extdebug && echo on",
        "echo \"$BASH_COMMAND\"; echo on",
        "x='\\u'; echo ${x@P}; echo on",
        "[[ aa =~ (a)\\1 ]] && echo on",
        "set -o physical && echo on",
        "mapfile -C cb x </dev/null && echo on",
    ] {
        let ran = ours(script);
        let said = ran.stderr.contains("not supported");
        assert!(
            said && !ran.stdout.contains("on"),
            "{script}\n{}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn bombs_are_bounded() {
    let mut bench = bench();
    bench.dialect = Dialect::Bash;
    bench.limits = Limits {
        memory: 8 << 20,
        steps: 10_000,
        ..Limits::default()
    };
    for script in [
        "echo {1..1000000000}",
        "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "for ((;;)); do :; done",
        "x='a[x]'; echo $((x))",
        "declare -n a=b b=a; echo $a; while :; do x+=xxxxxxxxxxxxxxxx$x; done",
        "a=(); for ((i = 0;; i++)); do a[i]=$i$i$i$i$i$i$i$i; done",
        "x=aaaaaaaaaaaaaaaa; while [[ $x != *(*(a)*(a))b ]]; do x+=$x; done",
        "f() { f; }; f",
        "trap 'false' ERR; f() { false; f; }; f",
        "while :; do x=(\"${x[@]}\" a b c); done",
        "while :; do cat <(echo a) >/dev/null; done",
    ] {
        let ran = bench.run(script);
        let bounded = matches!(
            &ran.outcome,
            Err(Error::TooMuchMemory | Error::TooManySteps | Error::TooDeep | Error::ArgvTooLong | Error::TooManyJobs)
        ) || ran.stderr.contains("too deeply");
        assert!(bounded, "{script}\n{:?}\n{}", ran.outcome.map(|o| o.status), ran.stderr);
    }
}

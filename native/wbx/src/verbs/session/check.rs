//! A step's check, run in the WASM shell of this very program.
//!
//! The script is handed over in a variable and evaluated in a subshell, so nothing in it reaches the lines around it.
//! Those print a line with a fresh nonce, and only when the subshell's status is 0. See `Workbooks.Workflow.Check`.

use session::{Verdict, ports::Random, workflow::Check};
use std::{
    env,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const TIME: Duration = Duration::from_secs(30);
/// How much of the end of the output is looked at.
const KEPT: usize = 8192;

const WRAPPER: &str = "\
( eval \"$__WB_CHECK\"
__wb_status=$?
trap - EXIT
exit $__wb_status
)
__wb_status=$?
case $__wb_status in
0) printf '\\n%s\\n' '@sentinel@' ;;
*) exit $__wb_status ;;
esac
";

/// Runs a check in a directory. What cannot be run does not pass.
pub fn run(check: &Check, workdir: &Path) -> Verdict {
    let script = match check {
        Check::Command { command } => command,
        Check::Block { lang, body } if matches!(lang.as_str(), "sh" | "shell" | "bash") => body,
        Check::Block { lang, .. } => {
            return fail(format!(
                "the check is written in `{lang}`, which the shell does not run"
            ));
        }
    };
    let mut nonce = [0; 16];
    session_store::System.fill(&mut nonce);
    let sentinel: String = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
    let sentinel = format!("__WB_CHECK_OK__{sentinel}");
    match shell(script, &sentinel, workdir) {
        Ok((Some(0), stdout)) if stdout.ends_with(&format!("\n{sentinel}\n")) => Verdict::Pass,
        Ok((Some(0), _)) => fail("the check's own end was not reached".into()),
        Ok((Some(status), _)) => fail(format!("the check exited with status {status}")),
        Ok((None, _)) => fail(format!("the check took longer than {} s", TIME.as_secs())),
        Err(error) => fail(format!("the check could not be run: {error}")),
    }
}

fn fail(reason: String) -> Verdict {
    Verdict::Fail { reason }
}

/// The exit status, or none when the time ran out; and what was said.
fn shell(script: &str, sentinel: &str, workdir: &Path) -> std::io::Result<(Option<i32>, String)> {
    let mut child = Command::new(env::current_exe()?)
        .args(["shell", "-C"])
        .arg(workdir)
        .args(["-c", &WRAPPER.replace("@sentinel@", sentinel)])
        .env_clear()
        // What the shell needs to find its commands and its cache; a check sees no more of the environment than that.
        .envs(env::vars_os().filter(|(name, _)| {
            ["HOME", "WORKBOOKS_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"]
                .iter()
                .any(|kept| name == kept)
        }))
        .env("__WB_CHECK", script)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut out = child.stdout.take().expect("it is piped");
    // The end is what counts, and a check may say more than anybody wants to keep.
    let reader = thread::spawn(move || {
        let (mut end, mut chunk) = (Vec::new(), [0; 4096]);
        while let Ok(n @ 1..) = out.read(&mut chunk) {
            end.extend_from_slice(&chunk[..n]);
            end.drain(..end.len().saturating_sub(KEPT));
        }
        String::from_utf8_lossy(&end).into_owned()
    });
    let begin = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status.code().or(Some(-1)),
            None if begin.elapsed() > TIME => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    Ok((status, reader.join().unwrap_or_default()))
}

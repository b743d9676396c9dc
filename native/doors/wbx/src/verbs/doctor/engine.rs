//! What `wbx run` and `wbx deploy` start: the Erlang VM, the built application, its library, commands and compilers.

use super::{Check, Status};
use crate::{engine, root};
use ::engine::{Error, Place};
use lanes::State;
use std::{env, path::Path, process::Stdio};

/// Says whether the VM loads the library, and why not.
const LOADS: &str = "case Workbooks.Native.loaded() do
  :ok -> IO.puts(\"loaded\")
  {:error, error} -> IO.puts(error.message)
end";

pub fn checks() -> Vec<Check> {
    let mut checks: Vec<Check> = engine::PROGRAMS.into_iter().map(program).collect();
    let application = root::engine().places().application();
    checks.push(built(application.as_deref()));
    let startable = checks.iter().all(|check| check.status == Status::Ok);
    checks.push(match application {
        Ok(application) if startable => library(&application),
        _ => Check::missing(
            "library",
            "cannot be tried without the engine and the VM",
            "see the checks above",
        ),
    });
    checks.extend([commands(), compilers()]);
    let mut checks: Vec<Check> = checks.into_iter().map(Check::needed_by_runs).collect();
    // A plan can be run without compilers; only what it builds needs them.
    if let Some(lanes) = checks.last_mut() {
        lanes.for_runs = false;
    }
    checks.push(address());
    checks
}

fn program(name: &'static str) -> Check {
    match engine::on_path(name) {
        Some(path) => Check::ok(name, path.display().to_string()),
        None => Check::missing(
            name,
            "not on the PATH",
            "install the Erlang VM with Elixir, on Debian with: apt-get install elixir",
        ),
    }
}

fn built(application: Result<&Path, &Error>) -> Check {
    match application {
        Ok(path) if !path.join("priv/wasm/oql.wasm").is_file() => Check::broken(
            "engine",
            format!("{} has no kernel: priv/wasm/oql.wasm is not there", path.display()),
            "run `make build`",
        ),
        Ok(path) => Check::ok("engine", path.display().to_string()),
        Err(error) => Check::missing("engine", error.to_string(), error.hint()),
    }
}

fn library(application: &Path) -> Check {
    let hint = "run `make build` on this machine";
    let asked = engine::command(application, true)
        .args(["-e", LOADS])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    let output = match asked {
        Ok(output) => output,
        Err(error) => return Check::broken("library", format!("the VM does not start: {error}"), hint),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    match (output.status.success(), said.trim()) {
        (true, "loaded") => Check::ok("library", "the VM loads it"),
        (true, why) => Check::broken("library", why, hint),
        (false, _) => {
            let why = String::from_utf8_lossy(&output.stderr);
            let last = why.trim().lines().last().unwrap_or("it said nothing").to_owned();
            Check::broken("library", format!("the VM ended: {last}"), hint)
        }
    }
}

fn commands() -> Check {
    let hint = "run `make build`";
    let found = root::engine().registry().and_then(|registry| {
        let unsound = registry.unsound()?;
        Ok((registry.names()?.len(), unsound))
    });
    match found {
        Ok((0, _)) => Check::missing("commands", "the shell has no commands", "run `make commands`"),
        Ok((n, unsound)) if unsound.is_empty() => Check::ok("commands", format!("{n}, each as its hash says")),
        Ok((_, unsound)) => Check::broken(
            "commands",
            format!("gone, or not as their hashes say: {}", unsound.join(" ")),
            hint,
        ),
        Err(error @ Error::NoApplication(_)) => {
            Check::missing("commands", "there are none without the engine", error.hint())
        }
        Err(error) => Check::broken("commands", error.to_string(), error.hint()),
    }
}

fn compilers() -> Check {
    match root::engine().lanes() {
        Ok(lanes) => {
            let list = lanes.list();
            let of = |state| -> Vec<&str> {
                let some = list.iter().filter(|status| status.state == state);
                some.map(|status| status.lane.lang).collect()
            };
            let (ready, absent) = (of(State::Ready), of(State::Absent));
            match absent.is_empty() {
                true => Check::ok("lanes", ready.join(" ")),
                false => Check::missing(
                    "lanes",
                    format!("no compiler for {}", absent.join(" ")),
                    "run `make lanes`",
                ),
            }
        }
        Err(error @ Error::NoApplication(_)) => {
            Check::missing("lanes", "there are none without the engine", error.hint())
        }
        Err(error) => Check::broken("lanes", error.to_string(), error.hint()),
    }
}

/// No verb of this build talks to an engine that listens, so its absence is no illness.
fn address() -> Check {
    if let Some(url) = env::var_os("WB_ENGINE_URL").filter(|url| !url.is_empty()) {
        let url = url.to_string_lossy();
        return Check::ok("address", format!("WB_ENGINE_URL is {url}; not contacted"));
    }
    match root::engine().places().get(Place::Runtime) {
        Ok(path) if path.is_file() => Check::ok("address", format!("found {}; not contacted", path.display())),
        Ok(path) => Check::missing(
            "address",
            format!("WB_ENGINE_URL is not set, and there is no {}", path.display()),
            "nothing: wbx starts an engine of its own for each call",
        ),
        Err(error) => Check::missing("address", error.to_string(), error.hint()),
    }
}

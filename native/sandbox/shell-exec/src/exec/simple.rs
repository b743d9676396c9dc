//! Simple commands: assignments, words and redirections.

use crate::Dialect;
use crate::assign::Place;
use crate::ast::{Assign, Assigned, Bytes, Redirect, Simple};
use crate::builtins::{self, Builtin, Halt, Run};
use crate::expand::Args;
use crate::shell::{Defined, Exec, Shell, Stop, Trouble, lossy};
use crate::variables::Variable;
use std::sync::Arc;

/// What a command's name stands for.
pub(crate) enum Found {
    Builtin(&'static Builtin),
    Function(Defined),
    /// `sh` or `bash`: this very interpreter, started afresh.
    Interpreter(Dialect),
    /// A command of the port.
    External(String),
    /// A script in the working directory: the name has a slash, or is found along `PATH`.
    Script(Bytes),
    Nothing,
}

impl Shell {
    pub(super) async fn simple(&mut self, simple: &Simple, redirects: &[Redirect], last: bool) -> Exec {
        self.substituted = None;
        self.compounds.clear();
        let mut args = match self.fields(&simple.words).await {
            Ok(args) => args,
            Err(trouble) => return Err(self.give_up(trouble).await),
        };
        if args.list.is_empty() {
            return self.without_command(simple, redirects).await;
        }
        self.world.called();
        // Behind `command`, functions do not count and special builtins are like any other.
        let mut plain = false;
        while let Some(name) = behind_command(&args.list).filter(|_| !self.functions.contains_key(&args.list[0])) {
            if args.list[0] == b"builtin"
                && (!self.is_bash() || builtins::find(&args.list[name], self.dialect).is_none())
            {
                break;
            }
            args.list.drain(..name);
            self.compounds.iter_mut().for_each(|(at, _)| *at -= name);
            plain = true;
        }
        let found = self.find(&args.list[0], !plain);
        // bash has no special builtins, unless it is asked to be POSIX.
        let special = !plain && !self.is_bash() && matches!(&found, Found::Builtin(builtin) if builtin.special);
        let replaces = matches!(&found, Found::Builtin(builtin) if builtin.name == "exec");
        let before = self.touched(redirects);
        let redirected = match self.redirect(redirects).await {
            Ok(held) => held,
            Err(trouble) => {
                self.restore(before);
                return match special {
                    true => Err(self.give_up(trouble.into_trouble()).await),
                    false => self.redirect_failed(trouble).await,
                };
            }
        };
        args.held.absorb(redirected);
        let hidden = match self.assign_all(&simple.assigns, special).await {
            Ok(hidden) => hidden,
            // In bash the command does not run, and that is all.
            Err(Trouble::Say(message)) if self.is_bash() => {
                self.say(&message).await;
                self.restore(before);
                self.status = 1;
                return Ok(());
            }
            Err(trouble) => {
                let stop = self.give_up(trouble).await;
                self.restore(before);
                return Err(stop);
            }
        };
        // `PATH=dir name`: the file is looked for along the new path.
        let found = match found {
            Found::Nothing | Found::Script(_) if simple.assigns.iter().any(|assign| assign.name == b"PATH") => {
                self.find(&args.list[0], !plain)
            }
            found => found,
        };
        if replaces {
            // What is set for the command that takes over is for its environment.
            for assign in &simple.assigns {
                self.variables.change(&assign.name, |variable| variable.exported = true);
            }
        }
        // A trace is the shell's, so it does not follow the command's redirections.
        let stderr = before.iter().find(|(fd, _)| *fd == 2).map(|(_, stream)| stream.clone());
        let stderr = stderr.unwrap_or_else(|| self.descriptor(2).cloned());
        self.trace(&simple.assigns, &args.list, stderr).await;
        let keeps = replaces && args.list[1..].iter().all(|arg| arg == b"--");
        let flow = self.start(found, args, hidden, special, last).await;
        if !keeps {
            self.restore(before);
        }
        flow
    }

    /// Finds what a name stands for.
    pub(crate) fn find(&self, name: &[u8], functions: bool) -> Found {
        let builtin = builtins::find(name, self.dialect);
        if let Some(builtin) = builtin.filter(|builtin| builtin.special && !self.is_bash()) {
            return Found::Builtin(builtin);
        }
        if let Some(defined) = self.functions.get(name).filter(|_| functions) {
            return Found::Function(defined.clone());
        }
        if let Some(builtin) = builtin {
            return Found::Builtin(builtin);
        }
        let Ok(text) = std::str::from_utf8(name) else {
            return Found::Nothing;
        };
        if let Some(dialect) = Dialect::named(text) {
            return Found::Interpreter(dialect);
        }
        if self.world.command(text).is_some() {
            return Found::External(text.to_owned());
        }
        if !name.contains(&b'/') {
            return self.script_on_path(name).map_or(Found::Nothing, Found::Script);
        }
        // Where other systems keep their commands, ours are found too, and no file takes their place.
        let bare = text.strip_prefix("/usr").unwrap_or(text).strip_prefix("/bin/");
        match bare {
            Some(shell @ ("sh" | "bash")) => Found::Interpreter(Dialect::named(shell).unwrap_or_default()),
            Some(bare) if self.world.command(bare).is_some() => Found::External(bare.to_owned()),
            _ if self.files().metadata(name).is_ok() => Found::Script(name.to_vec()),
            _ => Found::Nothing,
        }
    }

    /// What a name stands for that is no builtin and no function.
    pub(crate) fn find_file(&self, name: &[u8]) -> Found {
        match builtins::find(name, self.dialect).is_some() && !name.contains(&b'/') {
            true => match std::str::from_utf8(name)
                .ok()
                .filter(|name| self.world.command(name).is_some())
            {
                Some(name) => Found::External(name.to_owned()),
                None => self.script_on_path(name).map_or(Found::Nothing, Found::Script),
            },
            false => match self.find(name, false) {
                Found::Builtin(_) | Found::Function(_) => Found::Nothing,
                found => found,
            },
        }
    }

    /// Notes that a command was called.
    pub(crate) fn remember(&mut self, name: &str) {
        if !self.remembered.contains(name) {
            Arc::make_mut(&mut self.remembered).insert(name.to_owned());
        }
    }

    /// What a name stands for where the shell itself gives way: in `exec`.
    pub(crate) fn find_external(&self, name: &[u8]) -> Found {
        let port = std::str::from_utf8(name)
            .ok()
            .filter(|name| Dialect::named(name).is_none() && self.world.command(name).is_some());
        match port {
            Some(name) => Found::External(name.to_owned()),
            None => match self.find(name, false) {
                Found::Builtin(builtin) if !builtins::runs_alone(builtin) => Found::Nothing,
                found => found,
            },
        }
    }

    /// Runs what was found. Variables that were only set for it get their old values back.
    async fn start(
        &mut self,
        found: Found,
        args: Args,
        hidden: Vec<(Bytes, Option<Variable>)>,
        special: bool,
        last: bool,
    ) -> Exec {
        let flow = match found {
            Found::Builtin(builtin) => self.builtin(builtin, &args.list, special).await,
            Found::Function(defined) => {
                let Args { mut list, held } = args;
                let name = list.remove(0);
                let flow = Box::pin(self.call(defined, &name, list)).await;
                drop(held);
                flow
            }
            Found::Interpreter(dialect) => Box::pin(self.interpreter(dialect, &args.list, last)).await,
            Found::Script(path) => Box::pin(self.script_file(path, &args.list, last)).await,
            Found::External(name) => {
                self.remember(&name);
                return self.external(name, args, hidden, last).await;
            }
            Found::Nothing => {
                let name = lossy(&args.list[0]).into_owned();
                self.not_found(&name).await
            }
        };
        for (name, variable) in hidden.into_iter().rev() {
            self.variables.restore(name, variable);
        }
        flow
    }

    /// Says that there is no such command.
    pub(crate) async fn not_found(&mut self, name: &str) -> Exec {
        // A builtin of bash that sh does not have would be a wrong answer wherever its failure is one.
        if !self.is_bash() && builtins::find(name.as_bytes(), Dialect::Bash).is_some() {
            self.say(&format!("syntax error: {}", Dialect::refuses(name))).await;
            self.status = 2;
            return Err(Stop::Error);
        }
        if self.is_bash() && self.functions.contains_key(&b"command_not_found_handle"[..]) {
            return Err(self
                .give_up(Trouble::Say("command_not_found_handle: not supported here".into()))
                .await);
        }
        self.world.missed(name)?;
        self.tell(format!("{name}: command not found\n").as_bytes()).await;
        self.status = 127;
        Ok(())
    }

    /// Runs a builtin, and writes what it printed.
    pub(crate) async fn builtin(&mut self, builtin: &'static Builtin, args: &[Bytes], special: bool) -> Exec {
        let mut out = builtins::Out::default();
        let result = match builtin.run {
            Run::Now(run) => run(self, args, &mut out),
            Run::Later(later) => Box::pin(self.later(later, args)).await,
        };
        let written = self.write(&out.bytes).await?;
        for complaint in &out.complaints {
            self.say(&format!("{}: {complaint}", builtin.name)).await;
        }
        match result {
            Ok(status) => self.status = status,
            Err(Halt::Stop(stop)) => return Err(stop),
            Err(Halt::Refused(message)) => {
                self.say(&format!("{}: {message}", builtin.name)).await;
                self.status = 2;
                return Err(Stop::Error);
            }
            Err(Halt::Trouble(Trouble::Fatal(error))) => return Err(error.into()),
            Err(Halt::Trouble(Trouble::Say(message) | Trouble::End(message))) => {
                self.say(&format!("{}: {message}", builtin.name)).await;
                self.status = builtin.failure;
                if special {
                    return Err(Stop::Error);
                }
            }
        }
        if let Err(why) = written {
            self.say(&format!("{}: write error: {why}", builtin.name)).await;
            self.status = self.status.max(1);
        }
        Ok(())
    }

    /// Writes to standard output: a broken pipe ends the shell, another failure is told.
    async fn write(&self, bytes: &[u8]) -> Exec<Result<(), String>> {
        if bytes.is_empty() {
            return Ok(Ok(()));
        }
        let Some(stdout) = self.descriptor(1).cloned() else {
            return Ok(Err("Bad file descriptor".into()));
        };
        match stdout.write_all(bytes).await {
            Ok(()) => Ok(Ok(())),
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe && !self.ignores_broken_pipes() => {
                Err(Stop::BrokenPipe)
            }
            Err(error) => {
                self.world.check_written()?;
                Ok(Err(crate::files::reason(&error)))
            }
        }
    }

    async fn without_command(&mut self, simple: &Simple, redirects: &[Redirect]) -> Exec {
        let before = self.touched(redirects);
        // Without a command, what redirections assign is lost, as in a subshell.
        let variables = self.variables.clone();
        let redirected = self.redirect(redirects).await;
        self.variables = variables;
        let flow = match redirected {
            Ok(_held) => match self.assign_all(&simple.assigns, true).await {
                Ok(_) => {
                    self.trace(&simple.assigns, &[], self.descriptor(2).cloned()).await;
                    self.status = self.substituted.unwrap_or(0);
                    Ok(())
                }
                Err(trouble) => Err(self.give_up(trouble).await),
            },
            Err(trouble) => self.redirect_failed(trouble).await,
        };
        self.restore(before);
        flow
    }

    /// Assigns. If not for good, the variables are exported, and the answer is what they were before.
    async fn assign_all(
        &mut self,
        assigns: &[Assign],
        for_good: bool,
    ) -> Result<Vec<(Bytes, Option<Variable>)>, Trouble> {
        let mut hidden = Vec::new();
        for assign in assigns {
            let index = match &assign.index {
                Some(parts) => Some(self.index_text(parts).await?),
                None => None,
            };
            let value = match &assign.value {
                Assigned::Word(word) => self.text(word).await?.0,
                Assigned::Array(elements) => {
                    let written = self.written(elements).await?;
                    if !for_good {
                        return Err(format!("{}: an array cannot be set for one command", lossy(&assign.name)).into());
                    }
                    self.assign_array(&assign.name, written, assign.append)?;
                    continue;
                }
            };
            let place = self.resolve(&assign.name);
            let place = Place {
                index: index.or(place.index),
                name: place.name,
            };
            if !for_good {
                hidden.push((place.name.clone(), self.variables.entry(&place.name).cloned()));
            }
            self.assign_to(&place, value, assign.append)?;
            if !for_good {
                self.variables.change(&place.name, |variable| variable.exported = true);
            }
        }
        Ok(hidden)
    }
}

/// Where the name is in `command [-p] [--] NAME ..`, unless it is a question with `-v` or `-V`.
fn behind_command(args: &[Bytes]) -> Option<usize> {
    if args[0] == b"builtin" {
        return args.get(1).map(|_| 1).filter(|_| !args[1].starts_with(b"-"));
    }
    if args[0] != b"command" {
        return None;
    }
    let at = 1 + args[1..].iter().take_while(|arg| *arg == b"-p").count();
    match args.get(at)? {
        dashes if dashes == b"--" => args.get(at + 1).map(|_| at + 1),
        option if option.starts_with(b"-") => None,
        _ => Some(at),
    }
}

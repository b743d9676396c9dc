//! Shells inside the shell: `sh`, scripts by name, and what a running command starts.

use crate::ast::{Bytes, Open};
use crate::exec::MOST_ON_STACK;
use crate::exec::simple::Found;
use crate::expand::Args;
use crate::options::{self, Flag};
use crate::process::Process;
use crate::shell::{Exec, Shell, Stop, Trouble, lossy};
use crate::variables::Variables;
use crate::world::World;
use crate::{Dialect, Error};
use futures_util::future::BoxFuture;
use pipe::Stream;
use std::sync::Arc;

/// Lets a running command (xargs, `find -exec`, env, awk) start another one, or `sh -c ..`, under the same run's
/// bounds.
#[derive(Clone)]
pub struct Nested {
    world: Arc<World>,
    variables: Variables,
    cwd: Arc<[u8]>,
    depth: usize,
    umask: u32,
    dialect: Dialect,
}

impl Nested {
    pub(crate) fn of(shell: &Shell, variables: Variables) -> Nested {
        Nested {
            world: shell.world.clone(),
            variables,
            cwd: shell.cwd.clone(),
            depth: shell.depth,
            umask: shell.umask,
            dialect: shell.dialect,
        }
    }

    /// Runs a command to its end, in the environment and the directory of who asks, unless others are given.
    pub fn run(
        &self,
        argv: Vec<Vec<u8>>,
        env: Option<Vec<(Vec<u8>, Vec<u8>)>>,
        cwd: Option<String>,
        stdin: Stream,
        stdout: Stream,
        stderr: Stream,
    ) -> BoxFuture<'static, u8> {
        let this = self.clone();
        Box::pin(async move {
            let env = env.unwrap_or_else(|| this.variables.exported());
            let cwd = cwd.map_or(this.cwd, |cwd| cwd.into_bytes().into());
            let descriptors = vec![Some(stdin), Some(stdout), Some(stderr)];
            let world = this.world;
            let shell = Shell::fresh(world.clone(), env, cwd, descriptors, this.umask, this.dialect);
            let ran = match shell {
                Ok(mut shell) => {
                    shell.depth = this.depth;
                    // Whoever polls this may be deep in its own stack.
                    shell.stack = MOST_ON_STACK;
                    shell.invoke(argv).await
                }
                Err(error) => Err(error),
            };
            ran.unwrap_or_else(|error| {
                world.tasks.fail(error);
                2
            })
        })
    }
}

impl Shell {
    /// Runs a command for one that is running.
    async fn invoke(mut self, argv: Vec<Bytes>) -> Result<u8, Error> {
        let Some(name) = argv.first() else { return Ok(0) };
        self.enter()?;
        self.world.step()?;
        let flow = match self.find_external(name) {
            Found::Interpreter(dialect) => self.interpreter(dialect, &argv, true).await,
            Found::Script(path) => self.script_file(path, &argv, true).await,
            Found::External(name) => {
                let args = Args {
                    list: argv,
                    held: self.world.meter.memory(0)?,
                };
                self.external(name, args, Vec::new(), true).await
            }
            Found::Builtin(builtin) => self.builtin(builtin, &argv, false).await,
            _ => {
                let name = lossy(name).into_owned();
                self.not_found(&name).await
            }
        };
        self.end(flow).await
    }

    /// A new shell with this one's environment, directory and descriptors. If it takes this one's place, it is the same
    /// process.
    fn child(&self, dialect: Dialect, in_place: bool) -> Result<Shell, Error> {
        let mut shell = Shell::fresh(
            self.world.clone(),
            self.environment(),
            self.cwd.clone(),
            self.descriptors.clone(),
            self.umask,
            dialect,
        )?;
        // bash hands exported functions down.
        if dialect == Dialect::Bash && self.is_bash() {
            let exported = self.functions.iter().filter(|(_, defined)| defined.exported);
            shell.functions = Arc::new(
                exported
                    .map(|(name, defined)| (name.clone(), defined.clone()))
                    .collect(),
            );
        }
        shell.depth = self.depth;
        shell.stack = self.stack;
        if in_place && self.owns_process {
            self.world.processes.forget(shell.pid);
            shell.process = self.process.clone();
            shell.pid = shell.process.pid;
        } else {
            let parent = self.process.pid.to_string().into();
            shell.variables.set(b"PPID", parent, &self.world.meter)?;
        }
        shell.enter()?;
        Ok(shell)
    }

    /// `sh [OPTIONS] [-c TEXT [NAME]] [FILE] [ARGS]`.
    pub(crate) async fn interpreter(&mut self, dialect: Dialect, argv: &[Bytes], in_place: bool) -> Exec {
        let mut child = self.child(dialect, in_place)?;
        let process = child.process.clone();
        let work = async {
            let flow = child.main(argv).await;
            child.end(flow).await
        };
        let status = live(&process, work).await;
        self.outlive(&process, status)
    }

    /// The status of a child that has ended.
    fn outlive(&mut self, child: &Process, status: Result<u8, Error>) -> Exec {
        if child.pid != self.process.pid {
            self.world.processes.forget(child.pid);
        }
        self.status = status?;
        Ok(())
    }

    async fn main(&mut self, argv: &[Bytes]) -> Exec {
        let mut args = argv[1..].iter();
        let mut text = None;
        let mut rest: Vec<Bytes> = Vec::new();
        let (mut from_text, mut from_stdin) = (false, false);
        while let Some(arg) = args.next() {
            let on = match arg.first() {
                Some(b'-') => true,
                Some(b'+') => false,
                _ => {
                    rest.push(arg.clone());
                    break;
                }
            };
            if arg == b"--" || arg == b"-" {
                break;
            }
            if self.is_bash() && arg.starts_with(b"--") {
                match &arg[2..] {
                    b"norc" | b"noprofile" | b"login" | b"noediting" => continue,
                    b"rcfile" | b"init-file" => {
                        args.next();
                        continue;
                    }
                    b"version" => {
                        let version = self.variable(b"BASH_VERSION").unwrap_or_default().into_owned();
                        let text = format!("bash, the language of version {}, in Workbooks\n", lossy(&version));
                        if let Some(stdout) = self.descriptor(1).cloned() {
                            let _ = stdout.write_all(text.as_bytes()).await;
                        }
                        return Ok(());
                    }
                    _ => return Err(self.usage(&format!("{}: not supported here", lossy(arg))).await),
                }
            }
            for letter in &arg[1..] {
                match letter {
                    b'c' => from_text = true,
                    b's' => from_stdin = true,
                    b'i' => self.options.set(Flag::Interactive, on),
                    b'l' => {}
                    b'o' => {
                        let named = args.next().and_then(|name| options::by_name(name, self.dialect));
                        match named {
                            Some(flag) => self.options.set(flag, on),
                            None => return Err(self.usage("bad option").await),
                        }
                    }
                    b'O' if self.is_bash() => {
                        let named = args.next();
                        match named.map(|name| self.shopt.set(name, on)) {
                            Some(Ok(())) => {}
                            _ => return Err(self.usage("bad option").await),
                        }
                    }
                    letter => match options::by_letter(*letter, self.dialect) {
                        Some(flag) => self.options.set(flag, on),
                        None => return Err(self.usage("bad option").await),
                    },
                }
            }
        }
        rest.extend(args.cloned());
        let mut rest = rest.into_iter();
        if from_text {
            match rest.next() {
                Some(given) => text = Some(given),
                None => return Err(self.usage("-c needs an argument").await),
            }
        }
        if self.is(Flag::Interactive) {
            for (name, prompt) in [(b"PS1", b"$ "), (b"PS2", b"> ")] {
                if self.variables.get(name).is_none() {
                    self.variables.set(name, prompt.to_vec(), &self.world.meter)?;
                }
            }
        }
        self.options
            .set(Flag::Stdin, from_stdin || (!from_text && rest.len() == 0));
        let mut file = None;
        if !from_stdin && let Some(name) = rest.next() {
            if !from_text {
                file = Some(name.clone());
            }
            self.name = name.into();
        }
        self.set_positional(rest.collect())?;
        match (text, file) {
            (Some(text), _) => self.whole_script(text.into()).await,
            (None, Some(path)) => {
                self.from_file = true;
                self.run_file(&path).await
            }
            (None, None) => {
                let stdin = self.descriptor(0).cloned().unwrap_or_else(Stream::null);
                self.script_from(&stdin).await
            }
        }
    }

    async fn usage(&mut self, message: &str) -> Stop {
        self.give_up(Trouble::Say(message.into())).await
    }

    /// A script in the working directory, started by its path.
    pub(crate) async fn script_file(&mut self, path: Bytes, argv: &[Bytes], in_place: bool) -> Exec {
        // Without a `#!` line, a script is read by the shell that starts it.
        let dialect = self.asks_for(&path).unwrap_or(self.dialect);
        let mut child = self.child(dialect, in_place)?;
        child.from_file = true;
        let process = child.process.clone();
        child.name = path.clone().into();
        child.set_positional(argv[1..].to_vec())?;
        let work = async {
            let flow = child.run_file(&path).await;
            child.end(flow).await
        };
        let status = live(&process, work).await;
        self.outlive(&process, status)
    }

    /// Runs a file, which has to be text.
    async fn run_file(&mut self, path: &[u8]) -> Exec {
        let text = match self.read_script(path).await {
            Ok(text) => text,
            Err(Trouble::Fatal(error)) => return Err(error.into()),
            Err(Trouble::Say(reason) | Trouble::End(reason)) => {
                self.say(&reason).await;
                self.status = match self.files().metadata(path).is_ok() {
                    true => 126,
                    false => 127,
                };
                return Err(Stop::Error);
            }
        };
        match self.is(Flag::Interactive) {
            true => self.script_from(&Stream::bytes(text)).await,
            false => self.whole_script(text.into()).await,
        }
    }

    /// The text of a script in a file.
    pub(crate) async fn read_script(&mut self, path: &[u8]) -> Result<Bytes, Trouble> {
        let stream = self.open(path, Open::Read)?;
        if stream
            .file()
            .is_some_and(|file| file.metadata().is_ok_and(|found| found.is_dir()))
        {
            return Err(format!("{}: Is a directory", lossy(path)).into());
        }
        let text = match stream.read_to_end(self.world.limits.script).await {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => return Err(Error::ScriptTooLong.into()),
            Err(error) => return Err(format!("{}: {}", lossy(path), crate::files::reason(&error)).into()),
        };
        match text.iter().take_while(|byte| **byte != b'\n').any(|byte| *byte == 0) {
            true => Err(format!("{}: cannot execute: not a text", lossy(path)).into()),
            false => Ok(text),
        }
    }
}

/// Runs the work of a shell that has a process of its own.
pub(crate) async fn live(process: &Process, work: impl Future<Output = Result<u8, Error>>) -> Result<u8, Error> {
    process.live(work, Ok).await
}

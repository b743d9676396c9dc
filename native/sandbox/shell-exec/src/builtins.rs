//! Commands that are the shell itself.

mod arrays;
mod cd;
mod declare;
mod directories;
mod echo;
mod evaluate;
mod flow;
mod getopts;
mod jobs;
mod kill;
mod lookup;
mod mode;
mod names;
mod printf;
mod read;
mod set;
mod shopt;
pub(crate) mod test;
mod trap;
mod variables;

use crate::Dialect;
use crate::ast::Bytes;
use crate::shell::{Shell, Stop, Trouble};

/// What a builtin prints, before it is written.
#[derive(Default)]
pub(crate) struct Out {
    pub bytes: Bytes,
    /// For standard error, one line each.
    pub complaints: Vec<String>,
}

impl Out {
    pub fn line(&mut self, text: impl AsRef<[u8]>) {
        self.bytes.extend_from_slice(text.as_ref());
        self.bytes.push(b'\n');
    }

    pub fn complain(&mut self, text: impl Into<String>) {
        self.complaints.push(text.into());
    }
}

/// Why a builtin gives no status.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The commands around it stop.
    Stop(Stop),
    /// It failed: a special builtin takes the shell with it.
    Trouble(Trouble),
    /// It was asked for what only bash has: that ends the shell, for to go on would be another meaning.
    Refused(String),
}

impl<T: Into<Trouble>> From<T> for Halt {
    fn from(trouble: T) -> Halt {
        Halt::Trouble(trouble.into())
    }
}

pub(crate) type Done = Result<u8, Halt>;

pub(crate) struct Builtin {
    pub name: &'static str,
    /// POSIX calls it special: it is found before functions, and its errors end the shell.
    pub special: bool,
    pub run: Run,
    /// Its status when it cannot do what it was asked.
    pub failure: u8,
}

#[derive(Clone, Copy)]
pub(crate) enum Run {
    Now(fn(&mut Shell, &[Bytes], &mut Out) -> Done),
    /// It has to wait for something.
    Later(Later),
}

#[derive(Clone, Copy)]
pub(crate) enum Later {
    Command,
    Dot,
    Eval,
    Exec,
    Mapfile,
    Read,
    Wait,
}

const fn special(name: &'static str, run: Run) -> Builtin {
    Builtin {
        name,
        special: true,
        run,
        failure: 1,
    }
}

const fn regular(name: &'static str, run: Run) -> Builtin {
    Builtin {
        name,
        special: false,
        run,
        failure: 1,
    }
}

/// Status 1 is an answer, so failure is 2.
const fn question(name: &'static str, run: fn(&mut Shell, &[Bytes], &mut Out) -> Done) -> Builtin {
    Builtin {
        name,
        special: false,
        run: Run::Now(run),
        failure: 2,
    }
}

const TABLE: &[Builtin] = &[
    special(".", Run::Later(Later::Dot)),
    special(":", Run::Now(flow::succeed)),
    question("[", test::bracket),
    regular("alias", Run::Now(names::alias)),
    regular("bg", Run::Now(jobs::no_job_control)),
    special("break", Run::Now(flow::leave_loop)),
    regular("cd", Run::Now(cd::cd)),
    regular("command", Run::Later(Later::Command)),
    special("continue", Run::Now(flow::continue_loop)),
    regular("echo", Run::Now(echo::echo)),
    special("eval", Run::Later(Later::Eval)),
    special("exec", Run::Later(Later::Exec)),
    special("exit", Run::Now(flow::exit)),
    special("export", Run::Now(variables::export)),
    regular("false", Run::Now(flow::fail)),
    regular("fg", Run::Now(jobs::no_job_control)),
    regular("getopts", Run::Now(getopts::getopts)),
    regular("hash", Run::Now(lookup::hash)),
    regular("jobs", Run::Now(jobs::jobs)),
    regular("kill", Run::Now(kill::kill)),
    regular("local", Run::Now(variables::local)),
    regular("printf", Run::Now(printf::printf)),
    regular("pwd", Run::Now(cd::pwd)),
    regular("read", Run::Later(Later::Read)),
    special("readonly", Run::Now(variables::readonly)),
    special("return", Run::Now(flow::return_)),
    special("set", Run::Now(set::set)),
    special("shift", Run::Now(set::shift)),
    special("source", Run::Later(Later::Dot)),
    question("test", test::test),
    special("times", Run::Now(mode::times)),
    special("trap", Run::Now(trap::trap)),
    regular("true", Run::Now(flow::succeed)),
    regular("type", Run::Now(lookup::type_)),
    regular("umask", Run::Now(mode::umask)),
    regular("unalias", Run::Now(names::unalias)),
    special("unset", Run::Now(variables::unset)),
    regular("wait", Run::Later(Later::Wait)),
];

/// Those that only bash has, and those that are others in bash.
const BASH_TABLE: &[Builtin] = &[
    regular("builtin", Run::Now(lookup::builtin)),
    regular("caller", Run::Now(lookup::caller)),
    regular("declare", Run::Now(declare::declare)),
    regular("dirs", Run::Now(directories::dirs)),
    regular("disown", Run::Now(flow::succeed)),
    regular("let", Run::Now(arrays::let_)),
    regular("mapfile", Run::Later(Later::Mapfile)),
    regular("popd", Run::Now(directories::popd)),
    regular("pushd", Run::Now(directories::pushd)),
    regular("readarray", Run::Later(Later::Mapfile)),
    regular("shopt", Run::Now(shopt::shopt)),
    regular("typeset", Run::Now(declare::declare)),
];

/// The builtins that only bash has.
///
/// ```
/// assert!(shell_exec::BASH_BUILTINS.contains(&"declare"));
/// assert!(!shell_exec::BUILTINS.contains(&"declare"));
/// ```
pub const BASH_BUILTINS: &[&str] = &{
    let mut names = [""; BASH_TABLE.len()];
    let mut at = 0;
    while at < BASH_TABLE.len() {
        names[at] = BASH_TABLE[at].name;
        at += 1;
    }
    names
};

/// The commands that run in the shell itself. All others are started through [`Commands`](crate::Commands).
///
/// ```
/// assert!(shell_exec::BUILTINS.contains(&"cd"));
/// assert!(!shell_exec::BUILTINS.contains(&"cat"));
/// ```
pub const BUILTINS: &[&str] = &{
    let mut names = [""; TABLE.len()];
    let mut at = 0;
    while at < TABLE.len() {
        names[at] = TABLE[at].name;
        at += 1;
    }
    names
};

pub(crate) fn find(name: &[u8], dialect: Dialect) -> Option<&'static Builtin> {
    let within = |table: &'static [Builtin]| {
        let at = table.binary_search_by(|builtin| builtin.name.as_bytes().cmp(name));
        at.ok().map(|at| &table[at])
    };
    within(TABLE).or_else(|| match dialect {
        Dialect::Bash => within(BASH_TABLE),
        Dialect::Sh => None,
    })
}

/// What only bash has, in sh: an error that ends the script.
fn only_bash(shell: &Shell, what: &str) -> Result<(), Halt> {
    match shell.is_bash() {
        true => Ok(()),
        false => Err(Halt::Refused(Dialect::refuses(what))),
    }
}

/// Whether it means something outside the shell that runs it.
pub(crate) fn runs_alone(builtin: &Builtin) -> bool {
    matches!(
        builtin.name,
        ":" | "[" | "echo" | "false" | "kill" | "printf" | "pwd" | "test" | "true"
    )
}

impl Shell {
    pub(crate) async fn later(&mut self, later: Later, args: &[Bytes]) -> Done {
        match later {
            Later::Command => lookup::command(self, args).await,
            Later::Dot => evaluate::dot(self, args).await,
            Later::Eval => evaluate::eval(self, args).await,
            Later::Exec => evaluate::exec(self, args).await,
            Later::Mapfile => arrays::mapfile(self, args).await,
            Later::Read => read::read(self, args).await,
            Later::Wait => jobs::wait(self, args).await,
        }
    }

    /// Writes for a builtin that waits; a broken pipe ends the shell.
    pub(crate) async fn print(&self, bytes: &[u8]) -> Result<(), Halt> {
        let Some(stdout) = self.descriptor(1).cloned() else {
            return Err("write error: Bad file descriptor".to_owned().into());
        };
        match stdout.write_all(bytes).await {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe && !self.ignores_broken_pipes() => {
                Err(Halt::Stop(Stop::BrokenPipe))
            }
            Err(error) => Err(format!("write error: {}", crate::files::reason(&error)).into()),
        }
    }
}

/// Splits options off: the letters that were given, and the arguments that are left.
fn options<'a>(args: &'a [Bytes], known: &[u8]) -> Result<(Vec<u8>, &'a [Bytes]), Halt> {
    let mut letters = Vec::new();
    let mut rest = &args[1..];
    while let Some(arg) = rest.first().filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        rest = &rest[1..];
        if arg == b"--" {
            break;
        }
        for letter in &arg[1..] {
            if !known.contains(letter) {
                return Err(format!("-{}: bad option", char::from(*letter)).into());
            }
            letters.push(*letter);
        }
    }
    Ok((letters, rest))
}

/// A decimal number that a builtin was given.
fn number(text: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(text).ok()?;
    match !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => digits.parse().ok(),
        false => None,
    }
}

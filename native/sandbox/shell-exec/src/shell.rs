//! The state of one shell. A subshell is a copy, and copies share what they do not change.

use crate::assign::Written;
use crate::ast::{Bytes, Function, is_name};
use crate::expand::field::Separators;
use crate::files::Files;
use crate::meter::Held;
use crate::options::{Flag, Options};
use crate::parse::Aliases;
use crate::process::Process;
use crate::shopt::Shopt;
use crate::signal::Signal;
use crate::special::Made;
use crate::variables::{Variable, Variables};
use crate::world::{FIRST_PID, World};
use crate::{Dialect, Error, files};
use pipe::Stream;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The highest descriptor there is.
pub(crate) const MOST_DESCRIPTORS: usize = 256;

#[derive(Clone)]
pub(crate) struct Shell {
    pub world: Arc<World>,
    pub process: Arc<Process>,
    /// Signals to the process are for this shell, and not for one that it is a copy of.
    pub owns_process: bool,
    /// `$$`.
    pub pid: u32,
    pub variables: Variables,
    pub functions: Arc<HashMap<Bytes, Defined>>,
    pub readonly_functions: Arc<BTreeSet<Bytes>>,
    pub aliases: Arc<Aliases>,
    /// Commands of the port that were called by their bare names: what `hash` tells.
    pub remembered: Arc<BTreeSet<String>>,
    positional: Arc<Positional>,
    /// How many of them `shift` has passed.
    shifted: usize,
    /// `$0`.
    pub name: Arc<[u8]>,
    pub options: Options,
    pub dialect: Dialect,
    pub shopt: Shopt,
    pub descriptors: Descriptors,
    /// Descriptors that stand for process substitutions of the commands at hand.
    pub substitutions: Vec<usize>,
    pub cwd: Arc<[u8]>,
    /// Where `popd` goes, the next one first.
    pub pushed: Arc<Vec<Bytes>>,
    pub traps: Arc<Traps>,
    pub jobs: Arc<Vec<Job>>,
    pub last_job: Option<u32>,
    pub status: u8,
    /// The statuses of the last pipeline's commands.
    pub statuses: Vec<u8>,
    /// Arrays that are arguments of the command at hand, by where they stand.
    pub compounds: Vec<(usize, Vec<Written>)>,
    /// Functions and files around the command at hand, innermost last.
    pub frames: Vec<Frame>,
    /// The script comes from a file.
    pub from_file: bool,
    /// How many subshells there are around.
    pub subshells: usize,
    pub made: Made,
    /// Expressions around the one that is being evaluated.
    pub arithmetic_depth: usize,
    /// The status of the last command substitution in the command at hand.
    pub substituted: Option<u8>,
    /// Names that are set for the function call at hand alone.
    pub temporary: Vec<Bytes>,
    /// What `local` has hidden, innermost last.
    pub scopes: Vec<Vec<(Bytes, Option<Variable>)>>,
    /// Loops around the command at hand, in this function.
    pub loops: usize,
    /// The shell around has a loop around this one, which `break` can leave by ending this one.
    pub in_loop: bool,
    /// Functions and sourced files around it.
    pub returns: usize,
    /// Calls, evaluations and substitutions around it.
    pub depth: usize,
    /// Lists around the command at hand that are polled on the same stack.
    pub stack: usize,
    /// All work of the run when others could last run.
    pub paused_at: u64,
    /// A failure is being tested, so `set -e` looks away.
    pub tested: bool,
    /// In the action of a signal.
    pub trapping: bool,
    /// In the action on ERR, DEBUG or RETURN.
    pub bash_trapping: bool,
    /// In a trap's action: the status before it, which `exit` gives back.
    pub acting: Option<u8>,
    pub line: u32,
    pub umask: u32,
    /// Where `getopts` is inside a group of letters.
    pub getopts_at: usize,
}

/// A function that was called, or a file that is being read.
#[derive(Clone)]
pub(crate) struct Frame {
    pub name: Arc<[u8]>,
    /// The file it comes from.
    pub source: Arc<[u8]>,
    /// The line it was called on.
    pub line: u32,
}

/// A function, and the memory it takes.
#[derive(Clone)]
pub(crate) struct Defined {
    pub function: Arc<Function>,
    /// The file it was defined in.
    pub source: Arc<[u8]>,
    pub exported: bool,
    pub _held: Arc<Held>,
}

#[derive(Default)]
struct Positional {
    args: Vec<Bytes>,
    _held: Option<Held>,
}

/// The positional parameters at one time.
pub(crate) struct Parameters(Arc<Positional>, usize);

impl Parameters {
    pub fn args(&self) -> &[Bytes] {
        &self.0.args[self.1..]
    }
}

/// Open descriptors by number.
pub(crate) type Descriptors = Vec<Option<Stream>>;

#[derive(Clone)]
pub(crate) struct Job {
    pub process: Arc<Process>,
    pub number: usize,
    pub text: Bytes,
}

#[derive(Clone, Default)]
pub(crate) struct Traps {
    /// What to do on a condition; an empty action ignores it.
    pub actions: BTreeMap<Condition, Arc<[u8]>>,
    /// How many functions were around when the action on ERR was set.
    pub err_level: usize,
    /// In a subshell: what the shell around it had, which `trap` still shows.
    pub inherited: Option<BTreeMap<Condition, Arc<[u8]>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Condition {
    Exit,
    Signal(Signal),
    /// bash: a command failed that nobody asked about.
    Err,
    /// bash: before each command.
    Debug,
    /// bash: a function or a file is over.
    Return,
}

/// Why the commands that follow do not run.
#[derive(Debug)]
pub(crate) enum Stop {
    Break(usize),
    Continue(usize),
    Return,
    /// The shell ends, with its status.
    Exit,
    /// The same, for an error: an interactive shell goes on with the next line.
    Error,
    /// The same, and no trap hears of it: what was written to is gone.
    BrokenPipe,
    Fatal(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Fatal(error)
    }
}

pub(crate) type Exec<T = ()> = Result<T, Stop>;

/// What went wrong in a command: something to say, or the end of the run.
#[derive(Debug)]
pub(crate) enum Trouble {
    Say(String),
    /// The same, and the shell ends even where it would go on with the next line.
    End(String),
    Fatal(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Fatal(error)
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Say(message)
    }
}

impl Shell {
    pub fn files(&self) -> Files<'_> {
        Files {
            root: &self.world.root,
            tmp: self.world.tmp.as_deref(),
            cwd: &self.cwd,
            fence: self.world.fence.as_deref(),
        }
    }

    pub fn is(&self, flag: Flag) -> bool {
        self.options.is(flag)
    }

    pub fn descriptor(&self, number: usize) -> Option<&Stream> {
        self.descriptors.get(number)?.as_ref()
    }

    /// Opens or closes a descriptor.
    pub fn set_descriptor(&mut self, number: usize, stream: Option<Stream>) {
        if self.descriptors.len() <= number {
            self.descriptors.resize(number + 1, None);
        }
        self.descriptors[number] = stream;
    }

    pub fn separators(&self) -> Separators {
        Separators::new(self.variables.get(b"IFS"))
    }

    pub fn is_bash(&self) -> bool {
        self.dialect == Dialect::Bash
    }

    pub fn set_positional(&mut self, args: Vec<Bytes>) -> Result<(), Error> {
        let bytes = args.iter().map(|arg| arg.len() + size_of::<Bytes>()).sum();
        let _held = Some(self.world.meter.memory(bytes)?);
        self.positional = Arc::new(Positional { args, _held });
        self.shifted = 0;
        Ok(())
    }

    pub fn args(&self) -> &[Bytes] {
        &self.positional.args[self.shifted..]
    }

    /// The parameters, to keep while the shell changes them.
    pub fn parameters(&self) -> Parameters {
        Parameters(self.positional.clone(), self.shifted)
    }

    pub fn restore_parameters(&mut self, parameters: Parameters) {
        Parameters(self.positional, self.shifted) = parameters;
    }

    /// Passes some of the parameters, of which there are that many.
    pub fn shift(&mut self, count: usize) {
        self.shifted += count;
    }

    /// A shell that has nothing but an environment.
    pub fn fresh(
        world: Arc<World>,
        env: Vec<(Bytes, Bytes)>,
        cwd: Arc<[u8]>,
        descriptors: Descriptors,
        umask: u32,
        dialect: Dialect,
    ) -> Result<Shell, Error> {
        let pid = world.next_pid();
        let process = world.processes.start(pid);
        let mut variables = Variables::default();
        for (name, value) in env {
            if is_name(&name) && name != b"IFS" && name != b"PWD" {
                variables.set(&name, value, &world.meter)?;
                variables.change(&name, |variable| variable.exported = true);
            }
        }
        let made: [(&[u8], Bytes); 5] = [
            (b"IFS", b" \t\n".to_vec()),
            (b"OPTIND", b"1".to_vec()),
            (b"PS4", b"+ ".to_vec()),
            (b"PPID", (FIRST_PID - 1).to_string().into()),
            (b"PWD", cwd.to_vec()),
        ];
        for (name, value) in made {
            variables.set(name, value, &world.meter)?;
        }
        variables.change(b"PWD", |variable| variable.exported = true);
        let mut options = Options::default();
        if dialect == Dialect::Bash {
            options.set(Flag::HashAll, true);
            options.set(Flag::BraceExpand, true);
            let level = variables
                .get(b"SHLVL")
                .and_then(|text| std::str::from_utf8(text).ok()?.parse::<u32>().ok());
            let level = level.map_or(1, |level| level.wrapping_add(1));
            variables.set(b"SHLVL", level.to_string().into(), &world.meter)?;
            variables.change(b"SHLVL", |variable| variable.exported = true);
        }
        Ok(Shell {
            process,
            owns_process: true,
            pid,
            variables,
            functions: Arc::default(),
            readonly_functions: Arc::default(),
            aliases: Arc::default(),
            remembered: Arc::default(),
            positional: Arc::default(),
            shifted: 0,
            name: Arc::from(dialect.name().as_bytes()),
            options,
            dialect,
            shopt: Shopt::default(),
            substitutions: Vec::new(),
            pushed: Arc::default(),
            statuses: vec![0],
            compounds: Vec::new(),
            frames: Vec::new(),
            from_file: false,
            subshells: 0,
            made: Made::new(pid),
            arithmetic_depth: 0,
            descriptors,
            cwd,
            traps: Arc::default(),
            jobs: Arc::default(),
            last_job: None,
            status: 0,
            substituted: None,
            temporary: Vec::new(),
            scopes: Vec::new(),
            loops: 0,
            in_loop: false,
            returns: 0,
            depth: 0,
            stack: 0,
            paused_at: 0,
            tested: false,
            acting: None,
            trapping: false,
            bash_trapping: false,
            line: 1,
            umask,
            getopts_at: 0,
            world,
        })
    }

    /// The exported variables, and where the shell is.
    pub fn environment(&self) -> Vec<(Bytes, Bytes)> {
        let mut environment = self.variables.exported();
        environment.retain(|(name, _)| name != b"PWD");
        environment.push((b"PWD".to_vec(), self.cwd.to_vec()));
        environment
    }

    /// A copy that cannot change this one.
    pub fn subshell(&self) -> Shell {
        let mut shell = self.clone();
        shell.owns_process = false;
        shell.jobs = Arc::default();
        shell.in_loop |= shell.loops > 0;
        shell.loops = 0;
        shell.subshells += 1;
        shell.substitutions = Vec::new();
        shell.compounds = Vec::new();
        shell.acting = None;
        shell.trapping = false;
        shell.options.set(Flag::Interactive, false);
        shell.inherit_traps();
        shell
    }

    /// In a subshell traps are gone, except what is ignored.
    fn inherit_traps(&mut self) {
        if self.traps.actions.is_empty() {
            return;
        }
        let actions = self.traps.actions.clone();
        let (err, debug) = (self.is(Flag::ErrTrace), self.is(Flag::FuncTrace));
        let ignored = actions.iter().filter(|(condition, action)| match condition {
            Condition::Err => err,
            Condition::Debug | Condition::Return => debug,
            _ => action.is_empty(),
        });
        self.traps = Arc::new(Traps {
            err_level: self.traps.err_level,
            actions: ignored
                .map(|(condition, action)| (*condition, action.clone()))
                .collect(),
            inherited: Some(actions),
        });
    }

    /// Counts one more level of calling, for as long as the caller keeps track.
    pub fn enter(&mut self) -> Result<(), Error> {
        if self.depth >= self.world.limits.nesting {
            return Err(Error::TooDeep);
        }
        self.depth += 1;
        Ok(())
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// For messages.
pub(crate) fn lossy(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

/// What a refusal is to the command that met it.
impl From<files::Refused> for Trouble {
    fn from(refused: files::Refused) -> Trouble {
        match refused {
            files::Refused::Because(reason) => Trouble::Say(reason),
            files::Refused::Outside(error) => Trouble::Fatal(error),
        }
    }
}

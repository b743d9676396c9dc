//! Why a job has no answer, as the BEAM sees it.

use conformance::Nonconformance;
use rustler::{Atom, Encoder, Env, Term};

/// The reason in `{:error, reason}`.
pub(crate) enum Failure {
    /// The bytes of an argument stop being UTF-8 here.
    NotUtf8(usize),
    /// An argument is not of the shape that `Workbooks.Native` gives it.
    BadArgument,
    /// Text that should be JSON is not.
    NotJson(String),
    /// The host gave up on the guest.
    Host(host::Error),
    /// The disk refused.
    Disk(vfs::Error),
    /// The store of deployed versions refused.
    Deploy(deploy::Error),
    /// The history refused.
    History(history::Error),
    /// An import or an audit refused.
    Import(import::Error),
    /// A bundle was refused.
    Bundle(Box<bundle::Error>),
    /// A schedule cannot be read.
    Schedule(schedule::Error),
    /// The registry of commands refused.
    Registry(host::RegistryError),
    /// A session refused; its envelope as JSON.
    Session(String),
    /// There is no artifact.
    Lane(lanes::Error),
    /// The shell gave up on the script.
    Shell(shell::Error),
    /// A toolkit refused.
    Toolkit(foundry::Error),
    /// The disk was closed.
    Closed,
    /// Our own code panicked.
    Panic(String),
}

mod atoms {
    rustler::atoms! {
        bad_argument,
        bundle,
        busy,
        cancelled,
        deadline,
        disk,
        engine,
        file,
        history,
        import,
        lane,
        lane_unavailable,
        memory,
        nonconforming,
        not_a_component,
        not_granted,
        not_json,
        not_private,
        not_utf8,
        output_too_large,
        outside_sandbox,
        panic,
        session,
        stdin_too_large,
        timeout,
        trap,
        unfit,
        workdir,
    }
}

impl From<host::Error> for Failure {
    fn from(error: host::Error) -> Self {
        Failure::Host(error)
    }
}

impl From<lanes::Error> for Failure {
    fn from(error: lanes::Error) -> Self {
        Failure::Lane(error)
    }
}

impl From<shell::Error> for Failure {
    fn from(error: shell::Error) -> Self {
        Failure::Shell(error)
    }
}

impl From<vfs::Error> for Failure {
    fn from(error: vfs::Error) -> Self {
        Failure::Disk(error)
    }
}

impl From<deploy::Error> for Failure {
    fn from(error: deploy::Error) -> Self {
        Failure::Deploy(error)
    }
}

impl From<history::Error> for Failure {
    fn from(error: history::Error) -> Self {
        Failure::History(error)
    }
}

impl From<bundle::Error> for Failure {
    fn from(error: bundle::Error) -> Self {
        Failure::Bundle(Box::new(error))
    }
}

impl From<schedule::Error> for Failure {
    fn from(error: schedule::Error) -> Self {
        Failure::Schedule(error)
    }
}

impl From<Nonconformance> for Failure {
    fn from(found: Nonconformance) -> Self {
        Failure::Host(found.into())
    }
}

impl From<rustler::Error> for Failure {
    fn from(_: rustler::Error) -> Self {
        Failure::BadArgument
    }
}

impl Encoder for Failure {
    fn encode<'a>(&self, env: Env<'a>) -> Term<'a> {
        match self {
            Failure::NotUtf8(offset) => (atoms::not_utf8(), *offset).encode(env),
            Failure::BadArgument => atoms::bad_argument().encode(env),
            Failure::NotJson(why) => (atoms::not_json(), why).encode(env),
            Failure::Panic(why) => (atoms::panic(), why).encode(env),
            Failure::Host(error) => host(env, error),
            Failure::Disk(error) => (atoms::disk(), error.code(), error.to_string(), error.hint()).encode(env),
            Failure::Deploy(error) => (atoms::disk(), error.code(), error.to_string(), error.hint()).encode(env),
            Failure::Import(error) => (atoms::import(), error.code(), error.to_string(), error.hint()).encode(env),
            Failure::Bundle(error) => bundle(env, error),
            Failure::Schedule(error) => (atoms::disk(), error.code(), error.to_string(), error.hint()).encode(env),
            Failure::Registry(error) => crate::registry::refusal(env, error),
            Failure::History(error) => history(env, error),
            Failure::Session(envelope) => (atoms::session(), crate::json::decode(env, envelope).ok()).encode(env),
            Failure::Lane(lanes::Error::Unavailable { lang, what_to_do }) => {
                (atoms::lane_unavailable(), lang, what_to_do).encode(env)
            }
            Failure::Lane(error) => (atoms::lane(), error.code(), error.to_string(), error.hint()).encode(env),
            Failure::Shell(error) => shell(env, error),
            Failure::Toolkit(error) => crate::toolkit::refusal(env, error),
            Failure::Closed => (atoms::disk(), "closed", "the disk is closed", "open it again").encode(env),
        }
    }
}

fn history<'a>(env: Env<'a>, error: &history::Error) -> Term<'a> {
    let holder = match error {
        history::Error::AlreadyRunning { run_id } => Some(run_id),
        _ => None,
    };
    (atoms::history(), error.code(), error.to_string(), error.hint(), holder).encode(env)
}

fn bundle<'a>(env: Env<'a>, error: &bundle::Error) -> Term<'a> {
    let diagnostics = match error {
        bundle::Error::Diagnostics(found) => serde_json::to_string(found).ok(),
        _ => None,
    };
    let diagnostics = diagnostics.and_then(|json| crate::json::decode(env, &json).ok());
    (
        atoms::bundle(),
        error.code(),
        error.to_string(),
        error.hint(),
        diagnostics,
    )
        .encode(env)
}

fn host<'a>(env: Env<'a>, error: &host::Error) -> Term<'a> {
    use host::Error;
    let told = |tag: Atom| (tag, error.to_string()).encode(env);
    match error {
        Error::Deadline(_) => told(atoms::deadline()),
        Error::Memory(_) => told(atoms::memory()),
        Error::Trap(why) => (atoms::trap(), why).encode(env),
        Error::Exited(..) => told(atoms::trap()),
        Error::Cancelled => told(atoms::cancelled()),
        Error::Busy(_) => told(atoms::busy()),
        Error::NotAComponent => atoms::not_a_component().encode(env),
        Error::Nonconforming(findings) => (atoms::nonconforming(), findings).encode(env),
        Error::NotGranted { import, capability } => (atoms::not_granted(), *import, *capability).encode(env),
        Error::Unfit(_) => told(atoms::unfit()),
        Error::File { .. } => told(atoms::file()),
        Error::NotPrivate(_) => told(atoms::not_private()),
        Error::Engine(_) => told(atoms::engine()),
    }
}

fn shell<'a>(env: Env<'a>, error: &shell::Error) -> Term<'a> {
    use shell::{Error, ScriptError};
    match error {
        Error::Script(ScriptError::OutsideSandbox(path)) => (atoms::outside_sandbox(), path).encode(env),
        Error::Workdir(_) => (atoms::workdir(), error.to_string()).encode(env),
        error => Atom::from_str(env, error.code()).map_or_else(|_| atoms::trap().encode(env), |code| code.encode(env)),
    }
}

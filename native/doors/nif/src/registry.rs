//! The registry of commands.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::runtime::Runtime;
use data_encoding::HEXLOWER;
use host::ArgMode;
use rustler::{Binary, Encoder, Env, NifResult, NifTaggedEnum, NifUnitEnum, ResourceArc, Term};

/// What is to be done with the registry.
#[derive(NifTaggedEnum)]
#[rustler(decode)]
enum Operation<'a> {
    Names,
    /// The words that a script may call.
    Words,
    Find(String),
    Unregister(String),
    Register(String, Mode, Binary<'a>),
    /// Name, mode, root, path.
    RegisterFile(String, Mode, String, String),
}

#[derive(NifUnitEnum)]
#[rustler(decode)]
enum Mode {
    Argv,
    Stdin1,
}

impl From<Mode> for ArgMode {
    fn from(mode: Mode) -> ArgMode {
        match mode {
            Mode::Argv => ArgMode::Argv,
            Mode::Stdin1 => ArgMode::Stdin1,
        }
    }
}

/// Does one thing with the registry.
#[rustler::nif]
fn registry_call<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    operation: Term<'a>,
) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn(env, &runtime.workers, tag, operation, move |operation, _| {
        let operation: Operation = failure::given(operation)?;
        let (sandbox, registry) = (keep.sandbox()?, keep.registry()?);
        Ok(match operation {
            Operation::Names => Done::Names(registry.names()?),
            Operation::Words => Done::Names(shell::words(&registry)?),
            Operation::Find(name) => Done::Found(registry.load(&sandbox, &name)?.map(|found| found.command.sha256())),
            Operation::Unregister(name) => Done::Was(registry.unregister(&name)?),
            Operation::Register(name, mode, wasm) => {
                registry.register(&sandbox, &name, &wasm, mode.into())?;
                Done::Registered
            }
            Operation::RegisterFile(name, mode, root, path) => {
                registry.register_file(&sandbox, &name, root.as_ref(), path.as_ref(), mode.into())?;
                Done::Registered
            }
        })
    })
}

enum Done {
    Names(Vec<String>),
    Found(Option<[u8; 32]>),
    Was(bool),
    Registered,
}

impl Answer for Done {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok(match self {
            Done::Names(names) => names.encode(env),
            Done::Found(sha256) => sha256.map(hex).encode(env),
            Done::Was(was) => was.encode(env),
            Done::Registered => rustler::types::atom::ok().encode(env),
        })
    }
}

/// A digest as people read it.
pub(crate) fn hex(digest: [u8; 32]) -> String {
    HEXLOWER.encode(&digest)
}

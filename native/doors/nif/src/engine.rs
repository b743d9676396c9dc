//! The engine as the BEAM starts it: where things are, what may be done, and who owns the data directory.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer};
use crate::runtime::Runtime;
use ::engine::{Engine, Environment, Error, Owner, Place, Places, Policy, Profile, VARIABLES};
use parking_lot::Mutex;
use rustler::types::atom;
use rustler::{Binary, Encoder, Env, NifMap, NifResult, Resource, ResourceArc, Term};
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path, or the value of a variable: bytes that need not be UTF-8.
type Bytes<'a> = Binary<'a>;

/// What the BEAM's own environment and its configuration say.
#[derive(NifMap)]
#[rustler(decode)]
pub(crate) struct Settings<'a> {
    environment: Vec<(String, Bytes<'a>)>,
    /// By the key of the configuration.
    places: Vec<(String, Bytes<'a>)>,
    /// The keys of places that this engine is not to have.
    without: Vec<String>,
    /// Name, MiB, seconds, capabilities.
    profiles: Vec<(String, u32, u64, Vec<String>)>,
}

/// The engine that settings describe.
pub(crate) fn settle(settings: Settings<'_>) -> NifResult<Engine> {
    let added = settings
        .profiles
        .into_iter()
        .map(|(name, memory_mib, time_s, capabilities)| {
            let profile = Profile {
                memory_mib,
                time_s,
                capabilities,
            };
            (name, profile)
        });
    let policy = Policy::built_in()
        .with(added)
        .map_err(|e| rustler::Error::Term(Box::new(e.to_string())))?;
    let places = places(settings.environment, settings.places)?;
    let places = settings.without.iter().try_fold(places, |places, key| {
        Ok::<_, rustler::Error>(places.without(keyed(key)?))
    })?;
    Ok(Engine::with_policy(places, policy))
}

/// The place that a key of the configuration gives.
fn keyed(key: &str) -> NifResult<Place> {
    let place = Place::ALL.into_iter().find(|place| place.key() == Some(key));
    place.ok_or(rustler::Error::BadArg)
}

fn places(environment: Vec<(String, Bytes<'_>)>, given: Vec<(String, Bytes<'_>)>) -> NifResult<Places> {
    let environment: Environment = environment
        .into_iter()
        .map(|(name, value)| (name, text(&value)))
        .collect();
    given
        .into_iter()
        .try_fold(Places::new(environment), |places, (key, path)| {
            Ok(places.give(keyed(&key)?, PathBuf::from(text(&path))))
        })
}

fn text(bytes: &Bytes<'_>) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

/// The variables whose values [`engine_places`] and `runtime_start` want.
#[rustler::nif]
fn engine_variables() -> Vec<&'static str> {
    VARIABLES.to_vec()
}

/// Where everything is that has a key in the configuration: `%{key => {:ok, path} | {:error, reason}}`.
#[rustler::nif]
fn engine_places<'a>(
    env: Env<'a>,
    environment: Vec<(String, Bytes<'a>)>,
    given: Vec<(String, Bytes<'a>)>,
) -> NifResult<HashMap<&'static str, Term<'a>>> {
    let places = places(environment, given)?;
    let known = Place::ALL.into_iter().filter_map(|place| Some((place.key()?, place)));
    Ok(known
        .map(|(key, place)| match places.get(place) {
            Ok(path) => (key, (atom::ok(), binary(env, &path)).encode(env)),
            Err(error) => (key, (atom::error(), refusal(env, error)).encode(env)),
        })
        .collect())
}

fn binary<'a>(env: Env<'a>, path: &Path) -> Term<'a> {
    let bytes = path.as_os_str().as_bytes();
    let mut binary = rustler::NewBinary::new(env, bytes.len());
    binary.copy_from_slice(bytes);
    Binary::from(binary).to_term(env)
}

/// The built-in policy: profiles as name, MiB, seconds and capabilities, and what the names in `:uses` ask for.
#[rustler::nif]
#[expect(clippy::type_complexity, reason = "it is the shape of the term")]
fn policy_table() -> (Vec<(&'static str, u32, u64, Vec<String>)>, Vec<(String, String)>) {
    let policy = Policy::built_in();
    let profiles = policy.profiles().into_iter();
    let profiles = profiles.map(|(name, one)| (name, one.memory_mib, one.time_s, one.capabilities.clone()));
    let uses = policy.uses().iter();
    (
        profiles.collect(),
        uses.map(|(name, capability)| (name.clone(), capability.clone()))
            .collect(),
    )
}

/// Who works here, as git or the system says. It asks other programs.
#[rustler::nif]
fn engine_author<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, tag: Term<'a>) -> NifResult<Term<'a>> {
    jobs::spawn(env, &runtime.workers, tag, atom::nil().to_term(env), |_, _| {
        Ok(Author(::engine::author()?))
    })
}

struct Author(String);

impl Answer for Author {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        Ok(self.0.encode(env))
    }
}

/// The right to change a data directory, held by the BEAM. It ends when it is released, when nothing in the VM refers to
/// it any more, or with the VM, however that ends.
struct DataOwner(Mutex<Option<Owner>>);

#[rustler::resource_impl]
impl Resource for DataOwner {}

/// Takes a data directory: `{:ok, owner}`, or `{:error, reason}` with who has it. An application waits for it when it
/// starts, so this is no job: there are no workers yet.
#[rustler::nif(schedule = "DirtyIo")]
fn data_take<'a>(env: Env<'a>, dir: Bytes<'a>) -> Term<'a> {
    match Owner::take(Path::new(&text(&dir))) {
        Ok(owner) => (atom::ok(), ResourceArc::new(DataOwner(Mutex::new(Some(owner))))).encode(env),
        Err(error) => (atom::error(), refusal(env, error)).encode(env),
    }
}

/// Lets go of a data directory. It is free when this returns.
#[rustler::nif(schedule = "DirtyIo")]
fn data_release(owner: ResourceArc<DataOwner>) -> rustler::Atom {
    drop(owner.0.lock().take());
    atom::ok()
}

fn refusal<'a>(env: Env<'a>, error: Error) -> Term<'a> {
    failure::term(env, &error.into())
}

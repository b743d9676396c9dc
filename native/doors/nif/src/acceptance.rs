//! Checks: read, asked, and held against a record.

use crate::failure::{self, Failure};
use crate::jobs::{self, Answer, Arguments};
use crate::runtime::Runtime;
use ::acceptance::{Check, Place, Task, Verdict, Work};
use rustler::types::atom;
use rustler::{Atom, Binary, Encoder, Env, Error, NewBinary, NifMap, NifResult, ResourceArc, Term};
use shell::Shell;
use std::path::PathBuf;
use std::str;
use std::time::Duration;

mod atoms {
    rustler::atoms! {
        fit, unfit, pass, how, reason, status, stdout, stderr, changed, commands, files_read, warnings, name, path, sha256
    }
}

/// What a task says about its check.
#[derive(NifMap)]
#[rustler(decode)]
struct Said<'a> {
    done_when: Option<Binary<'a>>,
    check: Option<(Binary<'a>, Binary<'a>)>,
    check_error: Option<String>,
}

/// Reads the check of a task: `nil`, `{:fit, script, how}` or `{:unfit, reason}`.
#[rustler::nif]
fn acceptance_read<'a>(env: Env<'a>, said: Said<'a>) -> Term<'a> {
    let text = |binary: &Binary<'a>| str::from_utf8(binary.as_slice()).map(str::to_owned);
    let done_when = said.done_when.as_ref().map(text).transpose();
    let check = said.check.as_ref().map(|(lang, body)| Ok((text(lang)?, text(body)?)));
    let check: Result<_, str::Utf8Error> = check.transpose();
    let read = match (&done_when, &check) {
        (Ok(done_when), Ok(check)) => Check::of(Task {
            done_when: done_when.as_deref(),
            check: check.as_ref().map(|(lang, body)| (lang.as_str(), body.as_str())),
            check_error: said.check_error.as_deref(),
        }),
        _ => Some(Check::Unfit {
            reason: "the check is not UTF-8".to_owned(),
        }),
    };
    match read {
        None => atom::nil().encode(env),
        Some(Check::Fit { script, dialect, how }) => (atoms::fit(), script, dialect.name(), how).encode(env),
        Some(Check::Unfit { reason }) => (atoms::unfit(), reason).encode(env),
    }
}

/// Where a check is asked.
#[derive(NifMap)]
#[rustler(decode)]
struct Order<'a> {
    check: Term<'a>,
    workdir: String,
    read_only: Vec<String>,
    /// What did the work that is judged, and the files that it wrote.
    script: Option<String>,
    wrote: Vec<String>,
    /// Milliseconds.
    time: u64,
}

/// Asks a check. Replies with its verdict.
#[rustler::nif]
fn acceptance_check<'a>(
    env: Env<'a>,
    runtime: ResourceArc<Runtime>,
    tag: Term<'a>,
    order: Term<'a>,
) -> NifResult<Term<'a>> {
    let keep = runtime.clone();
    jobs::spawn_guest(
        env,
        &runtime.executor,
        tag,
        None,
        Arguments::keep(order),
        move |order, cancel, reply| async move {
            let run = async {
                let (check, place) = order.read(|order| -> Result<_, Failure> {
                    let order: Order = failure::given(order)?;
                    let place = Place {
                        read_only: order.read_only.into_iter().map(PathBuf::from).collect(),
                        work: Work {
                            script: order.script.unwrap_or_default(),
                            wrote: order.wrote,
                        },
                        time: Duration::from_millis(order.time),
                        cancel,
                        ..Place::at(order.workdir)
                    };
                    Ok((
                        decode(order.check)
                            .map_err(|_| Failure::internal("a check of another shape than the library gave"))?,
                        place,
                    ))
                })?;
                drop(order);
                let Some(check) = check else {
                    return Ok(Answered(Verdict::unchecked()));
                };
                let shell = Shell {
                    sandbox: keep.sandbox()?,
                    registry: keep.registry()?,
                };
                Ok(Answered(::acceptance::run(&shell, &check, place).await))
            };
            reply.send(run.await);
        },
    )
}

/// What [`acceptance_read`] gave.
fn decode(check: Term) -> NifResult<Option<Check>> {
    if check.is_atom() && check.decode::<Atom>()? == atom::nil() {
        return Ok(None);
    }
    if let Ok((kind, script, dialect, how)) = check.decode::<(Atom, String, String, String)>()
        && kind == atoms::fit()
    {
        let dialect = shell::Dialect::named(&dialect).ok_or(Error::BadArg)?;
        return Ok(Some(Check::Fit { script, dialect, how }));
    }
    let (kind, reason): (Atom, String) = check.decode()?;
    match kind == atoms::unfit() {
        true => Ok(Some(Check::Unfit { reason })),
        false => Err(Error::BadArg),
    }
}

struct Answered(Verdict);

impl Answer for Answered {
    fn into_term<'a>(self, env: Env<'a>) -> Result<Term<'a>, Failure> {
        let Answered(verdict) = self;
        let warnings = verdict.warnings();
        let binary = |bytes: &[u8]| -> Term { NewBinary::from_slice(env, bytes).into() };
        let hashed = |key: Atom, name: &str, sha256: &Option<String>| {
            map(env, &[(key, name.encode(env)), (atoms::sha256(), sha256.encode(env))])
        };
        let commands = verdict.commands.iter();
        let commands: Vec<Term> = commands.map(|it| hashed(atoms::name(), &it.name, &it.sha256)).collect();
        let files = verdict.files_read.iter();
        let files: Vec<Term> = files.map(|it| hashed(atoms::path(), &it.path, &it.sha256)).collect();
        Ok(map(
            env,
            &[
                (atoms::pass(), verdict.pass.encode(env)),
                (atoms::how(), verdict.how.encode(env)),
                (atoms::reason(), verdict.reason.encode(env)),
                (atoms::status(), verdict.status.encode(env)),
                (atoms::stdout(), binary(&verdict.stdout)),
                (atoms::stderr(), binary(&verdict.stderr)),
                (atoms::changed(), verdict.changed.encode(env)),
                (atoms::commands(), commands.encode(env)),
                (atoms::files_read(), files.encode(env)),
                (atoms::warnings(), warnings.encode(env)),
            ],
        ))
    }
}

fn map<'a>(env: Env<'a>, pairs: &[(Atom, Term<'a>)]) -> Term<'a> {
    Term::map_from_pairs(env, pairs).unwrap_or_else(|_| atom::nil().encode(env))
}

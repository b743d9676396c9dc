//! How a failure crosses to the BEAM: as one tuple, `{:failure, code, message, hint, retryable, details, pointer}`, of
//! which `Workbooks.Error` makes its struct.

use crate::json;
use ::failure::codes::{NOT_JSON, NOT_UTF8};
use rustler::types::atom;
use rustler::{Atom, Decoder, Encoder, Env, Term};
use serde_json::Value;

pub(crate) use ::failure::Failure;

mod atoms {
    rustler::atoms! { failure }
}

/// The reason in `{:error, reason}`.
pub(crate) fn term<'a>(env: Env<'a>, failure: &Failure) -> Term<'a> {
    (
        atoms::failure(),
        failure.code.name,
        &failure.message,
        &failure.hint,
        failure.retryable,
        details(env, failure.details.as_deref()),
        failure.pointer.as_deref(),
    )
        .encode(env)
}

/// The facts as a map whose keys are atoms: [`failure::Fails::details`] promises that they are names of ours. What lies
/// below may be a stranger's, and keeps its strings.
fn details<'a>(env: Env<'a>, details: Option<&Value>) -> Term<'a> {
    let empty = || Term::map_new(env);
    let Some(Value::Object(details)) = details else {
        return empty();
    };
    let pairs: Option<Vec<(Atom, Term)>> = details
        .iter()
        .map(|(key, value)| {
            Some((
                Atom::from_str(env, key).ok()?,
                json::decode(env, &value.to_string()).ok()?,
            ))
        })
        .collect();
    pairs
        .and_then(|pairs| Term::map_from_pairs(env, &pairs).ok())
        .unwrap_or_else(empty)
}

/// An argument of a job. One of another shape than `Workbooks.Native` gives it holds bytes that are no text.
pub(crate) fn given<'a, T: Decoder<'a>>(term: Term<'a>) -> Result<T, Failure> {
    term.decode()
        .map_err(|_| Failure::new(NOT_UTF8, "an argument is not UTF-8 text", "use UTF-8 names"))
}

/// A text that an argument holds.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(bytes).map_err(|e| {
        Failure::new(
            NOT_UTF8,
            format!("the text is not UTF-8: byte {} (the first is 0)", e.valid_up_to()),
            "save the file as UTF-8",
        )
    })
}

/// Text that should be JSON is not.
pub(crate) fn not_json(why: impl ToString) -> Failure {
    Failure::new(NOT_JSON, why.to_string(), "check the text at the place named")
}

/// Our own code panicked.
pub(crate) fn panicked(why: impl ToString) -> Failure {
    Failure::internal(format!("the host panicked: {}", why.to_string()))
}

/// `{:error, reason}`, where there is no job to answer.
pub(crate) fn error<'a>(env: Env<'a>, failure: &Failure) -> Term<'a> {
    (atom::error(), term(env, failure)).encode(env)
}

//! The way to what Elixir owns: a question becomes a message to `Workbooks.Operations`, and its reply the answer.

use crate::failure::{self, Failure};
use crate::jobs::Arguments;
use crate::{json, terms};
use futures_util::future::BoxFuture;
use operations::{Asked, Live};
use rustler::types::atom;
use rustler::{Atom, Encoder, LocalPid, OwnedEnv, Resource, ResourceArc, Term};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc::{self, UnboundedSender};

mod atoms {
    rustler::atoms! { workbooks_operation, workbooks_operation_over }
}

/// Asks a process: `{:workbooks_operation, id, call, name, params}`. When the caller is gone first, the process is told
/// `{:workbooks_operation_over, id}`.
pub(crate) struct Dispatcher(pub(crate) Option<LocalPid>);

/// A question that waits. When the BEAM forgets it unanswered, whoever asked is told.
struct Question(UnboundedSender<Said>);

#[rustler::resource_impl]
impl Resource for Question {}

/// What is said about a question. It is read where there is time for it, and in the order in which it was said.
enum Said {
    Event(Arguments),
    Answer(Arguments),
}

impl Live for Dispatcher {
    fn ask(&self, asked: Asked) -> BoxFuture<'static, Result<Value, Failure>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let Some(dispatcher) = self.0 else {
            return operations::NoEngine.ask(asked);
        };
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (say, mut said) = mpsc::unbounded_channel();
        let question = ResourceArc::new(Question(say));
        let Asked { name, params, events } = asked;
        let params = params.to_string();
        // If nobody is there, `question` is gone after this line, and so is whoever could answer.
        let _ = OwnedEnv::new().send_and_clear(&dispatcher, |env| {
            let params = json::decode(env, &params).unwrap_or_else(|_| atom::nil().encode(env));
            (atoms::workbooks_operation(), id, question, name, params)
        });
        Box::pin(async move {
            let mut waiting = Waiting {
                id,
                dispatcher: Some(dispatcher),
            };
            let answer = loop {
                match said.recv().await {
                    Some(Said::Event(event)) => events(event.read(terms::value)?),
                    Some(Said::Answer(answer)) => break answer.read(read),
                    None => break Err(Failure::internal(format!("`{name}` was not answered"))),
                }
            };
            waiting.dispatcher = None;
            answer
        })
    }
}

/// `{:ok, term}`, or `{:error, error}` with an error as the map that frames carry.
fn read(answer: Term) -> Result<Value, Failure> {
    let (kind, term): (Atom, Term) = failure::given(answer)?;
    let value = terms::value(term)?;
    match kind == atom::ok() {
        true => Ok(value),
        false => Err(operations::failure(value)),
    }
}

/// A caller that waits, and may be gone while it does.
struct Waiting {
    id: u64,
    dispatcher: Option<LocalPid>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(dispatcher) = self.dispatcher {
            let _ = OwnedEnv::new().send_and_clear(&dispatcher, |_| (atoms::workbooks_operation_over(), self.id));
        }
    }
}

/// Answers a question. A second answer, and one that is too late, is dropped.
#[rustler::nif]
fn operation_reply(question: ResourceArc<Question>, answer: Term) -> Atom {
    let _ = question.0.send(Said::Answer(Arguments::keep(answer)));
    atom::ok()
}

/// Tells whoever asked how it goes.
#[rustler::nif]
fn operation_event(question: ResourceArc<Question>, event: Term) -> Atom {
    let _ = question.0.send(Said::Event(Arguments::keep(event)));
    atom::ok()
}

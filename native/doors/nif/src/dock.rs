//! The Dock's way to the BEAM: a guest's question becomes a message to `Workbooks.Dock`, and its reply the answer.

use crate::jobs::Arguments;
use host::{Bridge, Question};
use parking_lot::Mutex;
use rustler::types::atom;
use rustler::{Atom, LocalPid, OwnedEnv, Resource, ResourceArc, Term};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::oneshot::{self, Sender};

mod atoms {
    rustler::atoms! { workbooks_dock, workbooks_dock_over }
}

/// Asks a process: `{:workbooks_dock, id, call, import, text, session}`. When the guest is stopped first, the process
/// is told `{:workbooks_dock_over, id}`.
pub(crate) struct Dock(pub(crate) LocalPid);

/// A question that waits. When the BEAM forgets it unanswered, the guest is told.
struct Asked(Mutex<Option<Sender<Arguments>>>);

#[rustler::resource_impl]
impl Resource for Asked {}

impl Bridge for Dock {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Result<String, String>> + Send>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (tell, told) = oneshot::channel();
        let call = ResourceArc::new(Asked(Mutex::new(Some(tell))));
        let dock = self.0;
        // If nobody is there, `call` is gone after this line, and so is whoever could tell.
        let _ = OwnedEnv::new().send_and_clear(&dock, |_| {
            let Question { import, text, session } = question;
            (atoms::workbooks_dock(), id, call, import.name(), text, session)
        });
        Box::pin(async move {
            let mut waiting = Waiting { id, dock: Some(dock) };
            let answer = told.await;
            waiting.dock = None;
            match answer {
                Ok(answer) => answer
                    .read(|answer| answer.decode())
                    .unwrap_or_else(|_| Err("the answer is not text".into())),
                Err(_) => Err("the Dock did not answer".into()),
            }
        })
    }
}

/// A guest that waits for the Dock, and may be stopped while it does.
struct Waiting {
    id: u64,
    dock: Option<LocalPid>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(dock) = self.dock {
            let _ = OwnedEnv::new().send_and_clear(&dock, |_| (atoms::workbooks_dock_over(), self.id));
        }
    }
}

/// Answers a question with `{:ok, text}` or `{:error, text}`. A second answer, and one that is too late, is dropped.
#[rustler::nif]
fn dock_reply(call: ResourceArc<Asked>, answer: Term) -> Atom {
    if let Some(tell) = call.0.lock().take() {
        let _ = tell.send(Arguments::keep(answer));
    }
    atom::ok()
}

//! The Dock: the host functions of a call, linked only where they are granted.

use super::command::{self, Outcome};
use super::grant::{DockImport, Grant};
use super::state::State;
use crate::{Error, Sandbox};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use vfs::Stop;
use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

/// The longest that one guest query may take, whatever time the call has left.
const MAX_QUERY: Duration = Duration::from_secs(5);
/// Inputs that one `run-command-many` takes.
const MAX_INPUTS: usize = 1_000;

/// What the Dock asks of somebody outside: a model, a browser.
#[derive(Debug, Clone)]
pub struct Question {
    /// Which Dock function asks.
    pub import: DockImport,
    /// The prompt or the URL.
    pub text: String,
    /// Who asks: what `session-info` answers.
    pub session: String,
}

/// The answer to a [`Question`], when it comes.
pub type Answering = Pin<Box<dyn Future<Output = Result<String, String>> + Send>>;

/// Answers what this crate cannot.
pub trait Bridge: Send + Sync {
    /// Asks; the guest waits for the answer, at most until its deadline.
    fn ask(&self, question: Question) -> Answering;
}

type Reply<T> = Box<dyn Future<Output = wasmtime::Result<(T,)>> + Send>;

/// A linker with WASI and with what `grant` opens.
pub(super) fn linker(sandbox: &Sandbox, grant: Grant) -> Result<Linker<State>, Error> {
    let mut linker = Linker::new(&sandbox.engine);
    let linked = wasmtime_wasi::p2::add_to_linker_async(&mut linker).and_then(|()| {
        DockImport::ALL
            .into_iter()
            .filter(|import| grant.opens(*import))
            .try_for_each(|import| link(&mut linker, import))
    });
    linked.map_err(|e| Error::Engine(format!("{e:#}")))?;
    Ok(linker)
}

fn link(linker: &mut Linker<State>, import: DockImport) -> wasmtime::Result<()> {
    let mut root = linker.root();
    let name = import.name();
    match import {
        DockImport::SessionInfo => root.func_wrap(name, |store: StoreContextMut<'_, State>, (): ()| {
            Ok((store.data().dock().session.clone(),))
        }),
        DockImport::VfsQuery => root.func_wrap_async(name, |store, (sql,)| vfs_query(store, sql)),
        DockImport::RunCommand => root.func_wrap_async(name, |store, (command, argv, stdin)| {
            run_command(store, command, argv, stdin)
        }),
        DockImport::RunCommandMany => root.func_wrap_async(name, |store, (command, inputs)| {
            run_command_many(store, command, inputs)
        }),
        DockImport::LlmComplete | DockImport::BrowseFetch => {
            root.func_wrap_async(name, move |store, (text,)| ask(store, import, text))
        }
    }
}

/// SQL over the workbook's disk, on a thread that can wait for it.
fn vfs_query(store: StoreContextMut<'_, State>, sql: String) -> Reply<Result<String, String>> {
    let dock = store.data().dock();
    let disk = dock.disk.clone();
    let time = dock.deadline.saturating_duration_since(std::time::Instant::now());
    Box::new(async move {
        let Some(disk) = disk else {
            return Ok((Err("this instance has no disk".into()),));
        };
        let stop = Stop::after(time.min(MAX_QUERY));
        // When the guest is stopped this future is dropped, and the query must not outlive it.
        let _stop_with_us = Raise(stop.cancel.clone());
        let answer = tokio::task::spawn_blocking(move || disk.query(&sql, &stop)).await?;
        Ok((answer.map_err(|e| e.to_string()),))
    })
}

struct Raise(Arc<AtomicBool>);

impl Drop for Raise {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn run_command(
    store: StoreContextMut<'_, State>,
    name: String,
    argv: Vec<String>,
    stdin: String,
) -> Reply<Result<String, String>> {
    let run = command::Run::within(store.data().dock());
    Box::new(async move { Ok((outcome(&name, run.command(&name, argv, stdin).await),)) })
}

fn run_command_many(
    store: StoreContextMut<'_, State>,
    name: String,
    inputs: Vec<String>,
) -> Reply<Vec<Result<String, String>>> {
    let run = command::Run::within(store.data().dock());
    Box::new(async move {
        if inputs.len() > MAX_INPUTS {
            let refusal = Err(format!("{name}: {} inputs, the limit is {MAX_INPUTS}", inputs.len()));
            return Ok((vec![refusal; inputs.len()],));
        }
        let ended = Arc::new(run).for_each(&name, inputs).await;
        Ok((ended.into_iter().map(|end| outcome(&name, end)).collect(),))
    })
}

/// What a guest is told of a command: its stdout, or the exit status and stderr.
fn outcome(name: &str, ran: Result<Outcome, Error>) -> Result<String, String> {
    match ran {
        Err(error) => Err(format!("{name}: {error}")),
        Ok(Outcome { status: 0, stdout, .. }) => {
            String::from_utf8(stdout).map_err(|_| format!("{name}: its output is not UTF-8"))
        }
        Ok(Outcome { status, stderr, .. }) => {
            let stderr = String::from_utf8_lossy(&stderr);
            Err(format!("{name}: exit status {status}: {}", stderr.trim_end()))
        }
    }
}

fn ask(store: StoreContextMut<'_, State>, import: DockImport, text: String) -> Reply<Result<String, String>> {
    let dock = store.data().dock();
    let session = dock.session.clone();
    let answering = dock
        .bridge
        .as_ref()
        .map(|bridge| bridge.ask(Question { import, text, session }));
    Box::new(async move {
        Ok((match answering {
            Some(answering) => answering.await,
            None => Err(format!("nobody answers `{}` here", import.name())),
        },))
    })
}

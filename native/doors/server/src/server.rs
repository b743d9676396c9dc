//! A router with threads, and a socket when one is wanted.

use crate::{Config, Hosts, Listen, Stop, router};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use failure::codes::{BAD_OPTION, CONFLICT, IO};
use failure::fails;
use std::io;
use std::net::SocketAddr;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle, Runtime};
use tower::ServiceExt;

/// Why there is no server.
#[derive(Debug, Error)]
pub enum Error {
    /// It would be reachable from elsewhere without TLS.
    #[error("`{0}` can be reached from other machines, and there is no TLS")]
    Open(SocketAddr),
    /// The certificate or its key is no good.
    #[error("{0}")]
    Tls(String),
    /// Somebody else listens there.
    #[error("somebody listens at {0} already")]
    Taken(SocketAddr),
    /// The machine refused.
    #[error("cannot listen at {0}: {1}")]
    Io(SocketAddr, io::Error),
    /// There are no threads.
    #[error("the threads of the server did not start: {0}")]
    Threads(io::Error),
}

fails! {
    Error {
        Error::Open(_) => BAD_OPTION, "give `tls: [cert, key]`, or `behind_proxy: true` where a proxy does TLS, or bind to 127.0.0.1";
        Error::Tls(_) => BAD_OPTION, "give the paths of a PEM certificate and of its PEM key";
        Error::Taken(_) => CONFLICT, "choose another port; 0 takes a free one";
        Error::Io(..) => IO, "choose an address of this machine";
        Error::Threads(_) => IO, "see how many threads this user may have";
    }
}

/// A running server. Dropped, it ends at once.
pub struct Server {
    address: Option<SocketAddr>,
    tls: bool,
    router: Router,
    stop: Stop,
    runtime: Option<Runtime>,
    listening: Option<JoinHandle<()>>,
}

/// How long goodbyes may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// Threads that answer. What blocks has threads of its own.
const THREADS: usize = 2;

impl Server {
    /// Starts answering, and listening if that is wanted. It listens when this returns.
    pub fn start(mut config: Config, listen: Option<Listen>) -> Result<Server, Error> {
        // One for each call that may be under way: a call that takes long must not keep the others waiting.
        let blocking = config.limits.calls.total() + 8;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(blocking)
            .thread_name("workbooks-server")
            .enable_all()
            .build()
            .map_err(Error::Threads)?;
        let stop = config.stop.clone();
        if let Some(listen) = &listen {
            config.hosts = match listen.bind.ip().is_loopback() && !listen.behind_proxy {
                true => Hosts::Loopback,
                false => Hosts::Any,
            };
        }
        let router = router(config);
        let mut server = Server {
            address: None,
            tls: false,
            router: router.clone(),
            stop: stop.clone(),
            runtime: None,
            listening: None,
        };
        if let Some(listen) = listen {
            let tls = listen.check()?;
            server.tls = tls.is_some();
            let listener = bind(&runtime, listen.bind)?;
            server.address = Some(listener.local_addr().map_err(|error| Error::Io(listen.bind, error))?);
            let handle = runtime.handle().clone();
            let run = move || handle.block_on(listen.run(listener, tls, router, stop));
            let thread = thread::Builder::new().name("workbooks-listener".into());
            server.listening = Some(thread.spawn(run).map_err(Error::Threads)?);
        }
        server.runtime = Some(runtime);
        Ok(server)
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Where it listens, as a URL without a path.
    pub fn url(&self) -> Option<String> {
        let scheme = if self.tls { "https" } else { "http" };
        self.address.map(|address| format!("{scheme}://{address}"))
    }

    /// Answers a request of this program itself, on the server's threads. Put an [`crate::InProcess`] among its
    /// extensions, and a [`crate::Bearer`] beside it to vouch for whoever asks. When `gone` comes first, the request is
    /// dropped, and what it asked for is cancelled.
    pub fn call<F: Future<Output = ()> + Send>(
        &self,
        request: Request<Body>,
        gone: impl Future<Output = ()> + Send + 'static,
        answer: impl FnOnce(Response<Body>) -> F + Send + 'static,
    ) {
        let router = self.router.clone();
        let Some(handle) = self.handle() else { return };
        handle.spawn(async move {
            let answered = async {
                let Ok(response) = router.oneshot(request).await;
                answer(response).await;
            };
            tokio::select! {
                () = answered => {}
                () = gone => {}
            }
        });
    }

    /// The server's threads.
    pub fn handle(&self) -> Option<Handle> {
        self.runtime.as_ref().map(|runtime| runtime.handle().clone())
    }

    /// Takes nothing new, waits up to `grace` for what is under way, says goodbye on what is left, and ends.
    pub fn stop(mut self, grace: Duration) {
        self.stop.drain();
        let (stop, over) = (self.stop.clone(), self.stop.clone());
        if let (Some(listening), Some(handle)) = (self.listening.take(), self.handle()) {
            let ending = handle.spawn(async move {
                tokio::time::sleep(grace).await;
                over.end();
            });
            let _ = listening.join();
            // Requests are answered. Conversations end when what they asked for is, or when the time is up.
            handle.block_on(async {
                tokio::select! {
                    () = stop.all_gone() => {}
                    () = stop.over() => {}
                }
                ending.abort();
                stop.end();
                let _ = tokio::time::timeout(FAREWELL, stop.all_gone()).await;
            });
        }
        self.stop.end();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.drain();
        self.stop.end();
        if let Some(runtime) = self.runtime.take() {
            // What blocks may take its time; nobody waits for it here.
            runtime.shutdown_background();
        }
    }
}

fn bind(runtime: &Runtime, address: SocketAddr) -> Result<TcpListener, Error> {
    runtime
        .block_on(TcpListener::bind(address))
        .map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => Error::Taken(address),
            _ => Error::Io(address, error),
        })
}

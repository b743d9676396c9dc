//! Connections: from the socket to the router, each with its time-outs.

use crate::{Error, Stop, tls};
use axum::Router;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

/// Where and how to listen.
#[derive(Debug, Clone)]
pub struct Listen {
    /// The address. Port 0 takes a free one.
    pub bind: SocketAddr,
    /// Certificate and key, both PEM.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether somebody in front of this does TLS.
    pub behind_proxy: bool,
    /// Connections at once. More wait to be accepted.
    pub connections: usize,
    /// Bytes of the head of a request.
    pub head: usize,
    /// How long a client may take for the head of a request, and be silent between two.
    pub head_time: Duration,
    /// How long a client may take to read a piece of a response.
    pub write_time: Duration,
}

impl Listen {
    /// On loopback, at a port.
    pub fn on(port: u16) -> Listen {
        Listen::at(SocketAddr::from(([127, 0, 0, 1], port)))
    }

    /// At an address.
    pub fn at(bind: SocketAddr) -> Listen {
        Listen {
            bind,
            tls: None,
            behind_proxy: false,
            connections: 12_000,
            head: 64 << 10,
            head_time: Duration::from_secs(15),
            write_time: Duration::from_secs(30),
        }
    }

    /// What is listened with. Beyond loopback only with TLS, or behind somebody who does it.
    pub(crate) fn check(&self) -> Result<Option<TlsAcceptor>, Error> {
        if !self.bind.ip().is_loopback() && self.tls.is_none() && !self.behind_proxy {
            return Err(Error::Open(self.bind));
        }
        self.tls
            .as_ref()
            .map(|(certificate, key)| tls::acceptor(certificate, key))
            .transpose()
    }

    /// Accepts until [`Stop::drain`], and answers until everything is over.
    pub(crate) async fn run(self, listener: TcpListener, tls: Option<TlsAcceptor>, router: Router, stop: Stop) {
        let listen = Arc::new(self);
        let places = Arc::new(Semaphore::new(listen.connections));
        // Held by every connection; when all have let go, everything is answered.
        let (alive, mut all_gone) = mpsc::channel::<()>(1);
        loop {
            let accepted = tokio::select! {
                () = stop.draining() => break,
                accepted = async {
                    let place = places.clone().acquire_owned().await;
                    (listener.accept().await, place)
                } => accepted,
            };
            let (Ok((stream, _)), Ok(place)) = accepted else {
                // Out of file descriptors, or the client was gone before it was greeted.
                sleep(Duration::from_millis(10)).await;
                continue;
            };
            let (listen, tls, router, stop) = (listen.clone(), tls.clone(), router.clone(), stop.clone());
            let alive = alive.clone();
            tokio::spawn(async move {
                listen.connection(stream, tls, router, stop).await;
                drop((place, alive));
            });
        }
        drop((listener, alive));
        let _ = all_gone.recv().await;
    }

    async fn connection(&self, stream: TcpStream, tls: Option<TlsAcceptor>, router: Router, stop: Stop) {
        let _ = stream.set_nodelay(true);
        match tls {
            None => self.answer(stream, router, stop).await,
            Some(tls) => {
                if let Ok(Ok(stream)) = timeout(self.head_time, tls.accept(stream)).await {
                    self.answer(stream, router, stop).await;
                }
            }
        }
    }

    async fn answer<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(&self, stream: S, router: Router, stop: Stop) {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.write_time));
        let service = router.map_request(|request: hyper::Request<hyper::body::Incoming>| request.map(Body::new));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_time)
            .max_buf_size(self.head)
            .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(service))
            .with_upgrades();
        let mut connection = pin!(connection);
        tokio::select! {
            _ = connection.as_mut() => return,
            () = stop.draining() => connection.as_mut().graceful_shutdown(),
        }
        tokio::select! {
            _ = connection => {}
            () = async { stop.over().await; sleep(FAREWELL).await } => {}
        }
    }
}

/// How long a goodbye may take.
const FAREWELL: Duration = Duration::from_secs(1);

//! What a server is made of.

use crate::budget::Share;
use crate::{Gate, Hosts, Stop};
use axum::Router;
use operations::Context;
use std::sync::Arc;
use std::time::Duration;

/// Makes the context of a call. The server sets who hears its events and what cancels it.
pub type Contexts = Arc<dyn Fn() -> Context + Send + Sync>;

/// What a server is made of.
#[derive(Clone)]
pub struct Config {
    /// What each call starts from.
    pub contexts: Contexts,
    /// Who may ask.
    pub gate: Arc<Gate>,
    /// For which hosts, and from which pages.
    pub hosts: Hosts,
    /// How much of everything.
    pub limits: Limits,
    /// A service below `/mcp`. It is asked only by those who hold a token, and finds them as a [`crate::Bearer`] among
    /// the extensions of the request.
    pub mcp: Option<Router>,
    /// Pages that anybody may read, merged at the root.
    pub pages: Option<Router>,
    /// Hears what went wrong inside, which no client is told.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
    /// Ends streams.
    pub stop: Stop,
}

impl Config {
    /// A server on loopback with the ordinary limits.
    pub fn new(contexts: Contexts, gate: Gate) -> Config {
        Config {
            contexts,
            gate: Arc::new(gate),
            hosts: Hosts::Loopback,
            limits: Limits::default(),
            mcp: None,
            pages: None,
            log: Arc::new(|_| {}),
            stop: Stop::default(),
        }
    }
}

/// How much of everything.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a body, after decompression; also of a WebSocket message.
    pub body: usize,
    /// Bytes of the archive of a toolkit.
    pub archive: usize,
    /// Bytes of a URL.
    pub url: usize,
    /// How long a client may take to send a body.
    pub body_time: Duration,
    /// Calls that are under way.
    pub calls: Share,
    /// Calls that may last, and connections that stay: live operations, subscriptions, WebSockets.
    pub streams: Share,
    /// Events that a stream keeps for those who come back.
    pub replay: usize,
    /// Bytes of the same.
    pub replay_bytes: usize,
    /// How long a call goes on whose reader is gone and may come back.
    pub linger: Duration,
    /// How often a quiet stream or socket is heard of.
    pub heartbeat: Duration,
    /// Messages that wait for a slow reader of a WebSocket.
    pub outbox: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body: 16 << 20,
            archive: 50 << 20,
            url: 8 << 10,
            body_time: Duration::from_secs(60),
            calls: Share::new(64, 32),
            streams: Share::new(12_000, 10_500),
            replay: 1_024,
            replay_bytes: 4 << 20,
            linger: Duration::from_secs(30),
            heartbeat: Duration::from_secs(15),
            outbox: 1_024,
        }
    }
}

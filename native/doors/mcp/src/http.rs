//! A server over HTTP, as a tower service with no socket of its own.

use crate::Server;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

/// Who may reach the service. By default this machine alone: a page of a stranger cannot, whatever name it gave the
/// machine (DNS rebinding).
#[derive(Debug, Clone)]
pub struct Http {
    /// What may stand in `Host`.
    pub hosts: Vec<String>,
    /// What may stand in `Origin`, where there is one.
    pub origins: Vec<String>,
}

impl Default for Http {
    fn default() -> Http {
        let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Http {
            hosts: all(&["localhost", "127.0.0.1", "::1"]),
            origins: all(&["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]),
        }
    }
}

/// The largest body.
const MOST_BYTES: usize = 16 << 20;

/// The service to nest at `/mcp`. A [`Caller`](crate::Caller) in the extensions of a request says who asks.
pub fn service(server: Server, http: Http) -> StreamableHttpService<Server, LocalSessionManager> {
    over_http(server, http)
}

/// The same for a handler around a [`Server`].
pub fn over_http<S: ServerHandler + Clone>(server: S, http: Http) -> StreamableHttpService<S, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(http.hosts)
        .with_allowed_origins(http.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MOST_BYTES);
    StreamableHttpService::new(
        move || Ok(server.clone()),
        LocalSessionManager::default().into(),
        config,
    )
}

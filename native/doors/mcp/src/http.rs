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

impl Http {
    /// Anybody: whoever stands in front has looked at `Host` and `Origin` already.
    ///
    /// ```
    /// assert!(mcp::Http::behind_a_door().hosts.is_empty());
    /// ```
    pub fn behind_a_door() -> Http {
        Http {
            hosts: vec![],
            origins: vec![],
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
    let checked_elsewhere = http.hosts.is_empty() && http.origins.is_empty();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(http.hosts)
        .with_allowed_origins(http.origins)
        .with_max_request_body_bytes(MOST_BYTES);
    let config = match checked_elsewhere {
        true => config,
        false => config.enforce_origin_validation(),
    };
    StreamableHttpService::new(
        move || Ok(server.clone()),
        LocalSessionManager::default().into(),
        config,
    )
}

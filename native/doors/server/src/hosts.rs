//! For which hosts a request may be, and from which pages.
//!
//! A page on the web can make a browser ask 127.0.0.1, under a name of its own that it lets point there (DNS rebinding).
//! Such a request has a foreign `Host`, and one from a page has an `Origin`. No page but the engine's own may ask.

use axum::http::header::{CONTENT_LENGTH, HOST, ORIGIN, TRANSFER_ENCODING};
use axum::http::{HeaderMap, Request, Uri};
use failure::Failure;
use operations::door::{BAD_REQUEST, ORIGIN_REFUSED};

/// For which hosts a request may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosts {
    /// `127.0.0.1`, `[::1]` and `localhost`, at any port.
    Loopback,
    /// Any. Pages may ask only the host that they come from.
    Any,
}

impl Hosts {
    /// Whether the request may be answered.
    pub(crate) fn check<B>(&self, request: &Request<B>, longest_url: usize) -> Result<(), Failure> {
        if url_length(request.uri()) > longest_url {
            return Err(bad("the URL is too long"));
        }
        let headers = request.headers();
        // Two ways to say how long a body is are two opinions of where the next request begins.
        if headers.contains_key(CONTENT_LENGTH) && headers.contains_key(TRANSFER_ENCODING) {
            return Err(bad("a request has `content-length` or `transfer-encoding`, not both"));
        }
        let host = one(headers, HOST.as_str())?;
        let named = match request.uri().authority() {
            Some(authority) => Some(authority.as_str()),
            None => host,
        };
        let named = named.ok_or_else(|| bad("the request names no host"))?;
        if host.is_some_and(|host| !host.eq_ignore_ascii_case(named)) {
            return Err(bad("the URL and the `host` header name different hosts"));
        }
        if *self == Hosts::Loopback && !is_loopback(named) {
            return Err(Failure::new(
                ORIGIN_REFUSED,
                "this engine answers for 127.0.0.1, [::1] and localhost",
                "ask it under one of these names",
            ));
        }
        match one(headers, ORIGIN.as_str())? {
            Some(origin) if !same_host(origin, named) => Err(Failure::new(
                ORIGIN_REFUSED,
                "pages of another origin may not ask this engine",
                "ask from the engine's own pages, or from a program",
            )),
            _ => Ok(()),
        }
    }
}

fn bad(why: &str) -> Failure {
    Failure::new(BAD_REQUEST, why, "send a request as RFC 9112 has it")
}

/// The value of a header that may be there once.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Failure> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(bad(&format!("there is more than one `{name}`")));
    }
    match value.map(|value| value.to_str()) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(text)),
        Some(Err(_)) => Err(bad(&format!("`{name}` is not text"))),
    }
}

fn url_length(uri: &Uri) -> usize {
    uri.path_and_query().map_or(0, |path| path.as_str().len())
}

fn is_loopback(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, "")) => (host, None),
            Some((host, port)) => match port.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None => return false,
            },
            None => return false,
        },
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let host_is = ["127.0.0.1", "::1", "localhost"]
        .iter()
        .any(|one| host.eq_ignore_ascii_case(one));
    host_is && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

fn same_host(origin: &str, host: &str) -> bool {
    let rest = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    rest.is_some_and(|rest| rest.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(uri: &str, headers: &[(&str, &str)]) -> Option<&'static str> {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).unwrap();
        Hosts::Loopback
            .check(&request, 64)
            .err()
            .map(|failure| failure.code.name)
    }

    #[test]
    fn on_loopback_only_loopback_is_asked() {
        let long = format!("/{}", "x".repeat(64));
        for (uri, headers, refused) in [
            ("/", vec![("host", "127.0.0.1:4280")], None),
            ("/", vec![("host", "localhost")], None),
            ("/", vec![("host", "LOCALHOST:1")], None),
            ("/", vec![("host", "[::1]:4280")], None),
            ("/", vec![("host", "evil.example")], Some("origin_refused")),
            ("/", vec![("host", "127.0.0.1.evil.example")], Some("origin_refused")),
            ("/", vec![("host", "localhost@evil.example")], Some("origin_refused")),
            ("/", vec![("host", "[::1]evil")], Some("origin_refused")),
            ("/", vec![("host", "127.0.0.1:x")], Some("origin_refused")),
            ("/", vec![], Some("bad_request")),
            ("/", vec![("host", "localhost"), ("host", "evil")], Some("bad_request")),
            ("http://evil.example/", vec![("host", "localhost")], Some("bad_request")),
            (
                "http://evil.example/",
                vec![("host", "evil.example")],
                Some("origin_refused"),
            ),
            (&long, vec![("host", "localhost")], Some("bad_request")),
            (
                "/",
                vec![("host", "localhost:1"), ("origin", "http://localhost:1")],
                None,
            ),
            (
                "/",
                vec![("host", "localhost:1"), ("origin", "http://localhost:2")],
                Some("origin_refused"),
            ),
            (
                "/",
                vec![("host", "localhost:1"), ("origin", "null")],
                Some("origin_refused"),
            ),
            (
                "/",
                vec![("host", "localhost:1"), ("origin", "http://evil.example")],
                Some("origin_refused"),
            ),
            (
                "/",
                vec![
                    ("host", "localhost"),
                    ("content-length", "1"),
                    ("transfer-encoding", "chunked"),
                ],
                Some("bad_request"),
            ),
        ] {
            assert_eq!(asked(uri, &headers), refused, "{uri} {headers:?}");
        }
    }
}

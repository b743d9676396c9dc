//! Whether somebody at an address says that they are an engine and well. One question needs no HTTP library.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const TIME: Duration = Duration::from_secs(5);

/// Asks `/health`. An engine with TLS is only known to listen.
pub fn answers(url: &str) -> bool {
    let (address, plain) = match url.split_once("://") {
        Some(("http", address)) => (address, true),
        Some(("https", address)) => (address, false),
        _ => return false,
    };
    let Ok(address) = address.parse::<SocketAddr>() else {
        return false;
    };
    let Ok(mut stream) = TcpStream::connect_timeout(&address, TIME) else {
        return false;
    };
    if !plain {
        return true;
    }
    let asked = format!(
        "GET /health HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
        host(address)
    );
    let timed = stream
        .set_read_timeout(Some(TIME))
        .and(stream.set_write_timeout(Some(TIME)));
    if timed.and_then(|()| stream.write_all(asked.as_bytes())).is_err() {
        return false;
    }
    let mut answer = Vec::new();
    let _ = stream.take(4_096).read_to_end(&mut answer);
    answer.starts_with(b"HTTP/1.1 200 ")
}

/// An engine that listens everywhere is asked here.
fn host(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("localhost:{}", address.port()),
        false => address.to_string(),
    }
}

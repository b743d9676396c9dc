//! Beyond loopback only with TLS, or behind somebody who does it.

mod support;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use server::Listen;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use support::{Plan, Stage};

struct Certificate {
    dir: tempfile::TempDir,
    der: rustls::pki_types::CertificateDer<'static>,
}

impl Certificate {
    fn new() -> Certificate {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(dir.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Certificate {
            der: made.cert.der().clone(),
            dir,
        }
    }

    fn paths(&self) -> (PathBuf, PathBuf) {
        (self.dir.path().join("cert.pem"), self.dir.path().join("key.pem"))
    }
}

#[test]
fn a_server_with_a_certificate_is_asked_over_tls_alone() {
    let certificate = Certificate::new();
    let stage = Stage::new(Plan {
        listen: Listen {
            tls: Some(certificate.paths()),
            ..Listen::on(0)
        },
        ..Plan::default()
    });
    let mut roots = RootCertStore::empty();
    roots.add(certificate.der.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(("127.0.0.1", stage.port())).unwrap());
    stream
        .write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(
        answer.starts_with(b"HTTP/1.1 200"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    let url = stage.server.as_ref().unwrap().url().unwrap();
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");

    let mut plain = stage.connect();
    plain.request("GET", "/health", &[], b"");
    assert!(plain.try_response().is_none_or(|response| response.status != 200));
}

#[test]
fn an_address_that_others_reach_needs_tls_or_a_proxy() {
    let stage = Stage::new(Plan::default());
    let everywhere = SocketAddr::from(([0, 0, 0, 0], 0));
    let start = |listen: Listen| {
        let gate = server::Gate::new(None, None);
        server::Server::start(server::Config::new(stage.contexts.clone(), gate), Some(listen))
    };
    assert_eq!(start(Listen::at(everywhere)).err().unwrap().code(), "bad_option");
    let proxied = Listen {
        behind_proxy: true,
        ..Listen::at(everywhere)
    };
    let server = start(proxied).unwrap();
    let mut client = support::Client::new(server.address().unwrap().port());
    client.send(b"GET /health HTTP/1.1\r\nhost: engine.example\r\n\r\n");
    assert_eq!(client.response().status, 200, "the proxy answers for the host");
    client.send(b"POST /api/operation.list HTTP/1.1\r\nhost: engine.example\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(client.response().status, 401, "and not for the token");
    for tls in [("no".into(), "no".into()), (Certificate::new().paths().1, "no".into())] {
        let listen = Listen {
            tls: Some(tls),
            ..Listen::at(everywhere)
        };
        assert_eq!(start(listen).err().unwrap().code(), "bad_option");
    }
}

//! A server over lines: standard input and standard output of a process that a client started.
//!
//! What is no message is answered with an error and passed over; nothing that a client sends ends the server but the end
//! of its input.

use crate::{Frame, Frames, MAX_FRAME, Server};
use failure::Failure;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RoleServer, ServerInitializeError};
use rmcp::transport::Transport;
use serde_json::Value;
use std::io::{self, BufReader, Read, Write};
use std::thread;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// How many messages wait on each way; then the client waits.
const WAITING: usize = 64;

/// Answers on `output` what is asked on `input`, until that ends.
pub async fn serve(
    server: Server,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), Failure> {
    let (outgoing, written) = mpsc::channel(WAITING);
    let (read, incoming) = mpsc::channel(WAITING);
    let replies = outgoing.clone();
    thread::spawn(move || listen(input, &read, &replies));
    let writer = thread::spawn(move || speak(output, written));
    let calls = server.clone();
    let lines = Lines {
        incoming,
        outgoing: Some(outgoing),
        begun: false,
    };
    let ended = match rmcp::serve_server(server, lines).await {
        Ok(running) => running
            .waiting()
            .await
            .map(drop)
            .map_err(|lost| Failure::internal(lost.to_string())),
        // A client that leaves before it has said anything is no trouble.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(Failure::internal(error.to_string())),
    };
    let _ = tokio::task::spawn_blocking(move || writer.join()).await;
    calls.finish();
    ended
}

/// Reads messages until the input ends.
fn listen(input: impl Read, read: &Sender<ClientJsonRpcMessage>, replies: &Sender<String>) {
    for frame in Frames::new(BufReader::new(input), MAX_FRAME) {
        let Ok(frame) = frame else { return };
        let heard = match message(&frame) {
            Ok(message) => read.blocking_send(message).is_ok(),
            Err((error, id)) => {
                let reply = ServerJsonRpcMessage::error(error, id);
                replies.blocking_send(line(&reply)).is_ok()
            }
        };
        if !heard {
            return;
        }
    }
}

/// A message, or the error to answer with.
fn message(frame: &Frame) -> Result<ClientJsonRpcMessage, (ErrorData, Option<RequestId>)> {
    let Frame::Line(bytes) = frame else {
        let message = format!("a message has at most {MAX_FRAME} bytes");
        return Err((ErrorData::invalid_request(message, None), None));
    };
    serde_json::from_slice(bytes).map_err(|error| match serde_json::from_slice::<Value>(bytes) {
        Ok(value) => {
            let id = serde_json::from_value(value["id"].clone()).ok();
            (
                ErrorData::invalid_request("this is no message of the protocol", None),
                id,
            )
        }
        Err(_) => (ErrorData::parse_error(format!("this is no JSON: {error}"), None), None),
    })
}

/// Writes lines until nobody has any more.
fn speak(mut output: impl Write, mut written: Receiver<String>) {
    while let Some(line) = written.blocking_recv() {
        if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

fn line(message: &ServerJsonRpcMessage) -> String {
    let mut line = serde_json::to_string(message).unwrap_or_default();
    line.push('\n');
    line
}

/// The two ways, as the protocol's library wants them.
struct Lines {
    incoming: Receiver<ClientJsonRpcMessage>,
    outgoing: Option<Sender<String>>,
    /// Whether the client has asked for something.
    begun: bool,
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::NotConnected);
            let outgoing = outgoing.ok_or_else(closed)?;
            outgoing.send(line(&item)).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = self.incoming.recv().await?;
            self.begun |= matches!(message, ClientJsonRpcMessage::Request(_));
            // Before the first question there is nothing that a notification or an answer could be about.
            if self.begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outgoing = None;
        Ok(())
    }
}

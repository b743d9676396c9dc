//! A server over lines: standard input and standard output of a process that a client started.
//!
//! What is no message is answered with an error and passed over; nothing that a client sends ends the server but the end
//! of its input.

use crate::{Frame, Frames, MAX_FRAME, Server};
use failure::Failure;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RoleServer, ServerInitializeError};
use rmcp::transport::Transport;
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// How many messages wait on each way; then the client waits.
const WAITING: usize = 64;
/// How many questions are worked on at once.
const AT_WORK: usize = 32;
/// How many more are held until it is their turn. Notifications pass them by: one may be what ends a question at work.
const HELD: usize = 256;

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
    let lines = Lines::new(incoming, outgoing);
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
    /// Whether the input has ended.
    ended: bool,
    held: VecDeque<ClientJsonRpcMessage>,
    at_work: Arc<AtWork>,
}

/// The questions that are not answered yet.
#[derive(Default)]
struct AtWork {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl AtWork {
    fn has_room(&self) -> bool {
        self.ids.lock().is_ok_and(|ids| ids.len() < AT_WORK)
    }

    fn begin(&self, id: &RequestId) {
        if let Ok(mut ids) = self.ids.lock() {
            ids.insert(id.clone());
        }
    }

    fn end(&self, id: &RequestId) {
        if self.ids.lock().is_ok_and(|mut ids| ids.remove(id)) {
            self.fewer.notify_one();
        }
    }
}

impl Lines {
    fn new(incoming: Receiver<ClientJsonRpcMessage>, outgoing: Sender<String>) -> Lines {
        Lines {
            incoming,
            outgoing: Some(outgoing),
            begun: false,
            ended: false,
            held: VecDeque::new(),
            at_work: Arc::default(),
        }
    }

    /// A question whose turn it is.
    fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        if !self.at_work.has_room() {
            return None;
        }
        let message = self.held.pop_front()?;
        if let ClientJsonRpcMessage::Request(request) = &message {
            self.at_work.begin(&request.id);
        }
        Some(message)
    }

    /// Sorts what came: a question is held, everything else goes on at once.
    fn sort(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            ClientJsonRpcMessage::Request(_) => {
                self.begun = true;
                self.held.push_back(message);
                return None;
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // A question that was given up may never be answered.
                    self.at_work.end(id);
                    let is_it = |held: &ClientJsonRpcMessage| matches!(held, ClientJsonRpcMessage::Request(request) if request.id == *id);
                    self.held.retain(|held| !is_it(held));
                }
            }
            _ => {}
        }
        // Before the first question there is nothing that a notification or an answer could be about.
        self.begun.then_some(message)
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (outgoing, at_work) = (self.outgoing.clone(), self.at_work.clone());
        async move {
            let closed = || io::Error::from(io::ErrorKind::NotConnected);
            let sent = match outgoing {
                Some(outgoing) => outgoing.send(line(&item)).await.map_err(|_| closed()),
                None => Err(closed()),
            };
            match &item {
                ServerJsonRpcMessage::Response(response) => at_work.end(&response.id),
                ServerJsonRpcMessage::Error(error) => {
                    if let Some(id) = &error.id {
                        at_work.end(id);
                    }
                }
                _ => {}
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.next() {
                return Some(message);
            }
            if self.ended && self.held.is_empty() {
                return None;
            }
            let reads = !self.ended && self.held.len() < HELD;
            tokio::select! {
                () = self.at_work.fewer.notified() => {}
                message = self.incoming.recv(), if reads => match message {
                    Some(message) => {
                        if let Some(message) = self.sort(message) {
                            return Some(message);
                        }
                    }
                    None => self.ended = true,
                },
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outgoing = None;
        Ok(())
    }
}

//! The server: started, stopped and asked by the BEAM.

mod agents;

use crate::failure::{self, Failure};
use crate::jobs::{Arguments, Watch};
use crate::live::Dispatcher;
use crate::operation::Settings;
use crate::runtime::Runtime;
use ::engine::Place;
use ::engine::runtime_file;
use ::server::http::{HeaderName, HeaderValue, Method, Request};
use ::server::{Bearer, Body, Config, Contexts, Gate, InProcess, Listen, Scope, Server};
use access::{Local, Store};
use http_body_util::BodyExt;
use operations::Context;
use parking_lot::Mutex;
use rustler::types::atom;
use rustler::{
    Atom, Binary, Encoder, Env, LocalPid, Monitor, NewBinary, NifMap, NifResult, OwnedEnv, Resource, ResourceArc, Term,
};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

mod atoms {
    rustler::atoms! { head, data, workbooks_server_log }
}

/// A server that the BEAM holds. It ends when it is stopped, when its owner is gone, or when nothing refers to it.
struct Running {
    server: Mutex<Option<Server>>,
    /// Who answers what is live. The process may be another one after a crash.
    dispatcher: Arc<Mutex<Option<LocalPid>>>,
    /// The file that says where it is.
    announced: Mutex<Option<PathBuf>>,
}

#[rustler::resource_impl]
impl Resource for Running {
    fn down<'a>(&'a self, _: Env<'a>, _: LocalPid, _: Monitor) {
        self.end();
    }
}

impl Running {
    fn take(&self) -> Option<Server> {
        if let Some(path) = self.announced.lock().take() {
            let _ = runtime_file::remove(&path, std::process::id());
        }
        self.server.lock().take()
    }

    fn end(&self) {
        drop(self.take());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// What `Workbooks.Server` starts with.
#[derive(NifMap)]
#[rustler(decode)]
struct Order {
    settings: Settings,
    here: String,
    dispatcher: Option<LocalPid>,
    /// Where to listen; a server that is only asked in process listens nowhere.
    listen: Option<(String, u16)>,
    tls: Option<(String, String)>,
    behind_proxy: bool,
    /// Whether to write `runtime.json`.
    announce: bool,
    /// Where agents may work.
    directories: Vec<String>,
}

/// Starts a server for the calling process: `{:ok, {server, url, token}}`. The token is the engine's own.
#[rustler::nif(schedule = "DirtyIo")]
fn server_start<'a>(env: Env<'a>, runtime: ResourceArc<Runtime>, order: Order) -> NifResult<Term<'a>> {
    let owner = env.pid();
    Ok(match start(&runtime, order, owner) {
        Err(failure) => failure::error(env, &failure),
        Ok((running, url, token)) => {
            if env.monitor(&running, &owner).is_none() {
                running.end();
            }
            (atom::ok(), (running, url, token)).encode(env)
        }
    })
}

type Started = (ResourceArc<Running>, Option<String>, String);

fn start(runtime: &ResourceArc<Runtime>, order: Order, owner: LocalPid) -> Result<Started, Failure> {
    let places = runtime.engine.places();
    let unrandom = |error: std::io::Error| Failure::internal(format!("there is no token: {error}"));
    let (local, token) = Local::new().map_err(unrandom)?;
    let store = Store::at(places.get(Place::Tokens)?);
    let dispatcher = Arc::new(Mutex::new(order.dispatcher));
    let parts = Arc::new(order.settings.parts(runtime.engine.clone()));
    let (here, answers) = (PathBuf::from(order.here), dispatcher.clone());
    let place = here.clone();
    let contexts: Contexts =
        Arc::new(move || Context::new(parts.clone(), Arc::new(Dispatcher(*answers.lock())), here.clone()));
    let config = Config {
        mcp: Some(agents::routes(contexts.clone(), &order.directories, &place)?),
        log: Arc::new(move |text: &str| log(owner, text)),
        ..Config::new(contexts, Gate::new(Some(local), Some(store)))
    };
    let listen = order.listen.map(|(host, port)| address(&host, port)).transpose()?;
    let listen = listen.map(|bind| Listen {
        tls: order.tls.map(|(certificate, key)| (certificate.into(), key.into())),
        behind_proxy: order.behind_proxy,
        ..Listen::at(bind)
    });
    let server = Server::start(config, listen)?;
    let url = server.url();
    let mut announced = None;
    if let (true, Some(url)) = (order.announce, &url) {
        let path = places.get(Place::Runtime)?;
        let me = runtime_file::Runtime::new(url.as_str(), token.as_str(), std::process::id());
        runtime_file::write(&path, &me)?;
        announced = Some(path);
    }
    let running = ResourceArc::new(Running {
        server: Mutex::new(Some(server)),
        dispatcher,
        announced: Mutex::new(announced),
    });
    Ok((running, url, token))
}

fn address(host: &str, port: u16) -> Result<SocketAddr, Failure> {
    let host: IpAddr = host.parse().map_err(|_| {
        let hint = "give the address of an interface, as in \"127.0.0.1\" or \"::\"";
        Failure::new(::failure::codes::BAD_OPTION, format!("`{host}` is no IP address"), hint)
    })?;
    Ok(SocketAddr::new(host, port))
}

fn log(owner: LocalPid, text: &str) {
    let _ = OwnedEnv::new().send_and_clear(&owner, |_| (atoms::workbooks_server_log(), text));
}

/// Another process answers what is live from now on.
#[rustler::nif]
fn server_dispatcher(server: ResourceArc<Running>, dispatcher: Option<LocalPid>) -> Atom {
    *server.dispatcher.lock() = dispatcher;
    atom::ok()
}

/// Stops: nothing new is taken, and what is under way has `grace` milliseconds. It is over when this returns.
#[rustler::nif(schedule = "DirtyIo")]
fn server_stop(server: ResourceArc<Running>, grace: u64) -> Atom {
    if let Some(server) = server.take() {
        server.stop(Duration::from_millis(grace));
    }
    atom::ok()
}

/// A request from this VM.
#[derive(NifMap)]
#[rustler(decode)]
struct Asked<'a> {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Binary<'a>,
    /// What whoever asks is allowed, when the caller vouches for them, and who they are.
    scopes: Option<Vec<String>>,
    who: String,
}

/// Answers a request: `{tag, {:head, status, headers}}`, `{tag, {:data, bytes}}` for each piece, `{tag, :ok}` at the end. The
/// call is cancelled when the caller dies.
#[rustler::nif]
fn server_call<'a>(env: Env<'a>, server: ResourceArc<Running>, tag: Term<'a>, asked: Asked<'a>) -> NifResult<Term<'a>> {
    let request = match request(asked) {
        Ok(request) => request,
        Err(failure) => return Ok(failure::error(env, &failure)),
    };
    let pid = env.pid();
    let watch = Watch::over(env, [&pid]);
    let caller = Caller {
        pid,
        tag: Mutex::new(Arguments::keep(tag)),
    };
    let held = server.server.lock();
    let Some(server) = held.as_ref() else {
        let failure = Failure::new(::failure::codes::CLOSED, "the server has stopped", "start it again");
        return Ok(failure::error(env, &failure));
    };
    let gone = watch.cancel().clone();
    let gone = async move {
        gone.cancelled().await;
        drop(watch);
    };
    server.call(request, gone, move |response| async move {
        let (head, mut body) = response.into_parts();
        let headers: Vec<(String, String)> = head
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        caller.tell(|env| (atoms::head(), head.status.as_u16(), &headers).encode(env));
        while let Some(Ok(frame)) = body.frame().await {
            let Ok(bytes) = frame.into_data() else { continue };
            let heard = caller.tell(|env| {
                let mut binary = NewBinary::new(env, bytes.len());
                binary.copy_from_slice(&bytes);
                (atoms::data(), Binary::from(binary)).encode(env)
            });
            if !heard {
                return;
            }
        }
        caller.tell(|env| atom::ok().encode(env));
    });
    Ok(atom::ok().encode(env))
}

/// Whoever hears a response.
struct Caller {
    pid: LocalPid,
    tag: Mutex<Arguments>,
}

impl Caller {
    /// Whether they are there to hear it.
    fn tell(&self, say: impl for<'b> Fn(Env<'b>) -> Term<'b>) -> bool {
        let told = OwnedEnv::new().send_and_clear(&self.pid, |env| {
            let tag = self.tag.lock().read(|tag| tag.in_env(env));
            (tag, say(env))
        });
        told.is_ok()
    }
}

fn request(asked: Asked<'_>) -> Result<Request<Body>, Failure> {
    let bad = |what: &str| {
        Failure::new(
            ::failure::codes::BAD_OPTION,
            format!("the {what} is no {what} of HTTP"),
            "mend it",
        )
    };
    let method = Method::from_bytes(asked.method.as_bytes()).map_err(|_| bad("method"))?;
    let mut request = Request::builder()
        .method(method)
        .uri(asked.path)
        .body(Body::from(asked.body.to_vec()))
        .map_err(|_| bad("path"))?;
    for (name, value) in asked.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("header"))?;
        let value = HeaderValue::from_str(&value).map_err(|_| bad("header"))?;
        request.headers_mut().append(name, value);
    }
    request.extensions_mut().insert(InProcess);
    if let Some(scopes) = asked.scopes {
        let scopes: Option<Vec<Scope>> = scopes.iter().map(|name| Scope::named(name)).collect();
        request.extensions_mut().insert(Bearer {
            id: format!("host:{}", asked.who),
            scopes: scopes.ok_or_else(|| bad("scope"))?,
            expires: None,
        });
    }
    Ok(request)
}

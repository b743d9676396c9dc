//! Who asks: the token of a request, and what it allows.

use access::{Bearer, Loaded, Local, Store};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use failure::Failure;
use operations::door::{FORBIDDEN, UNAUTHENTICATED};
use operations::{Operation, Scope};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// How a token is given where no header can be set: browsers let a page choose only the protocols of a WebSocket.
const PROTOCOL: &str = "workbooks.bearer.";

type Mark = Option<(u64, u64, i64, i64)>;

/// Knows the tokens: the engine's own, and those in the file.
pub struct Gate {
    local: Option<Local>,
    store: Option<Store>,
    /// The file as it was when it was last read.
    read: Mutex<Option<(Mark, Arc<Loaded>)>>,
}

impl Gate {
    /// The engine's own token, if it has one, and a file of tokens, if there is one.
    pub fn new(local: Option<Local>, store: Option<Store>) -> Gate {
        Gate {
            local,
            store,
            read: Mutex::default(),
        }
    }

    /// Whoever asks.
    pub(crate) fn bearer(&self, headers: &HeaderMap) -> Result<Bearer, Failure> {
        let token = token(headers).ok_or_else(|| {
            Failure::new(
                UNAUTHENTICATED,
                "this needs a token",
                "send `authorization: Bearer TOKEN`; `wbx token create` makes one",
            )
        })?;
        if let Some(bearer) = self.local.as_ref().and_then(|local| local.bearer(token)) {
            return Ok(bearer);
        }
        self.stored(token)?.ok_or_else(|| {
            Failure::new(
                UNAUTHENTICATED,
                "the token is not known here, or its time is up",
                "`wbx token create` makes a new one",
            )
        })
    }

    fn stored(&self, token: &str) -> Result<Option<Bearer>, Failure> {
        let Some(store) = &self.store else { return Ok(None) };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mark = store.mark();
        let mut read = self.read.lock();
        let loaded = match &*read {
            Some((then, loaded)) if *then == mark => loaded.clone(),
            _ => {
                // What cannot be read allows nobody, and is tried again with the next request.
                *read = None;
                let loaded = Arc::new(store.load()?);
                *read = Some((mark, loaded.clone()));
                loaded
            }
        };
        drop(read);
        Ok(loaded.bearer(token, now.as_millis() as i64))
    }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| token.trim());
    }
    let protocols = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    protocols.split(',').find_map(|one| one.trim().strip_prefix(PROTOCOL))
}

/// Whether the bearer may ask for an operation.
pub(crate) fn allow(bearer: &Bearer, row: &Operation) -> Result<(), Failure> {
    let scope: access::Scope = row.scope.into();
    match bearer.may(scope) && still(bearer) {
        true => Ok(()),
        false if !still(bearer) => Err(Failure::new(
            UNAUTHENTICATED,
            "the time of the token is up",
            "`wbx token create` makes a new one",
        )),
        false => Err(forbidden(row.name, row.scope)),
    }
}

/// A WebSocket may outlast its token.
fn still(bearer: &Bearer) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    bearer.expires.is_none_or(|end| end > now.as_millis() as i64)
}

fn forbidden(name: &str, scope: Scope) -> Failure {
    Failure::new(
        FORBIDDEN,
        format!(
            "`{name}` needs the scope `{}`, and the token does not have it",
            scope.name()
        ),
        "ask with a token that has it",
    )
}

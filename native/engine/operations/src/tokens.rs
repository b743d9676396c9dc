//! Who may ask over HTTP and WebSocket.

use crate::row::{Here, ask};
use crate::{Context, Scope};
use access::{Entry, Store};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A token to make.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Create {
    /// What it is for.
    name: String,
    /// What it allows; `admin` allows everything.
    scopes: Vec<Scope>,
    /// In how many seconds it ends; a token without this lasts until it is revoked.
    #[serde(default)]
    expires_in: Option<u32>,
}

/// A token that was made. It is shown this once.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Created {
    /// The token.
    token: String,
    #[serde(flatten)]
    entry: Token,
}

/// What is known of a token.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Token {
    /// How it is called to revoke it.
    id: String,
    /// What it is for.
    name: String,
    /// What it allows.
    scopes: Vec<Scope>,
    /// When it was made, in milliseconds since 1970.
    created: i64,
    /// When it ends, in milliseconds since 1970.
    expires: Option<i64>,
}

ask!(Create: "token.create", Writes, Admin => Created, [access::Error, engine::Error], "Makes a token for HTTP and WebSocket, and shows it this once.");

impl Here for Create {
    fn answer(self, context: &Context) -> Result<Created, Failure> {
        let now = jiff::Timestamp::now().as_millisecond();
        let expires = self.expires_in.map(|seconds| now + 1_000 * i64::from(seconds));
        let scopes: Vec<access::Scope> = self.scopes.into_iter().map(Into::into).collect();
        let made = store(context)?.create(&self.name, &scopes, expires, now)?;
        Ok(Created {
            token: made.token,
            entry: made.entry.into(),
        })
    }
}

/// Nothing to say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {}

ask!(List: "token.list", Reads, Admin => Vec<Token>, [access::Error, engine::Error], "Lists the tokens, without the tokens themselves.");

impl Here for List {
    fn answer(self, context: &Context) -> Result<Vec<Token>, Failure> {
        Ok(store(context)?.list()?.into_iter().map(Into::into).collect())
    }
}

/// A token to end.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Revoke {
    /// Its id.
    id: String,
}

ask!(Revoke: "token.revoke", Writes, Admin => Token, [access::Error, engine::Error], "Ends a token: no request that comes later is allowed by it.");

impl Here for Revoke {
    fn answer(self, context: &Context) -> Result<Token, Failure> {
        Ok(store(context)?.revoke(&self.id)?.into())
    }
}

fn store(context: &Context) -> Result<Store, Failure> {
    Ok(Store::at(context.parts.tokens()?))
}

impl From<Entry> for Token {
    fn from(entry: Entry) -> Self {
        Token {
            id: entry.id,
            name: entry.name,
            scopes: entry.scopes.into_iter().map(Into::into).collect(),
            created: entry.created,
            expires: entry.expires,
        }
    }
}

impl From<Scope> for access::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Read => access::Scope::Read,
            Scope::Write => access::Scope::Write,
            Scope::Run => access::Scope::Run,
            Scope::Admin => access::Scope::Admin,
        }
    }
}

impl From<access::Scope> for Scope {
    fn from(scope: access::Scope) -> Self {
        match scope {
            access::Scope::Read => Scope::Read,
            access::Scope::Write => Scope::Write,
            access::Scope::Run => Scope::Run,
            access::Scope::Admin => Scope::Admin,
        }
    }
}

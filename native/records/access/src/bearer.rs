//! Whoever holds a token.

use crate::Scope;
use crate::secret::{Hash, new_token};
use std::io;

/// Whoever asks, as far as their token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bearer {
    /// The id of the token.
    pub id: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// When it ends, in milliseconds since 1970.
    pub expires: Option<i64>,
}

impl Bearer {
    /// Whether this is allowed. `admin` allows everything; every other scope allows itself.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope) || self.scopes.contains(&Scope::Admin)
    }
}

/// The token of the engine's own user, which lives as long as the engine. It is in `runtime.json` and in no store.
pub struct Local(Hash);

impl Local {
    /// A new one, and the token itself.
    ///
    /// ```
    /// let (local, token) = access::Local::new()?;
    /// assert!(local.bearer(&token).is_some() && local.bearer("guess").is_none());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new() -> io::Result<(Local, String)> {
        let token = new_token()?;
        let hash = Hash::of(&token).ok_or_else(|| io::Error::other("a token is short"))?;
        Ok((Local(hash), token))
    }

    /// Whoever holds it may do everything.
    pub fn bearer(&self, token: &str) -> Option<Bearer> {
        let asked = Hash::of(token)?;
        bool::from(self.0.is(&asked)).then(|| Bearer {
            id: "local".into(),
            scopes: vec![Scope::Admin],
            expires: None,
        })
    }
}

//! What the operator decides about a toolkit: signatures and grants.

use crate::{Error, Foundry};
use toolkit::{Grant, Signed};

impl Foundry {
    /// Signs every file of a toolkit with the user's key.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn sign(&self, id: &str) -> Result<Signed, Error> {
        Ok(toolkit::sign(&self.toolkit(id)?, &(self.signer)()?)?)
    }

    /// Records that a stranger's toolkit may use these capabilities, for its content as it is now.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn grant(&self, id: &str, caps: &[String]) -> Result<Grant, Error> {
        Ok(self.grants().grant(&self.toolkit(id)?, caps, self.now())?)
    }
}

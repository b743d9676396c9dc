//! Certificates: portable statements that a DONE was earned.

use crate::Context;
use crate::claims::unproven;
use crate::row::{Here, ask};
use certificate::{Certificate, Envelope};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A plan, and perhaps one of its tasks.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certify {
    /// The path of the plan.
    pub plan: String,
    /// A task, with everything below it; the whole plan by default.
    #[serde(default)]
    pub task: Option<String>,
}

ask!(Certify: "plan.certify", Reads, Write => Envelope, [history::Error], "States, signed with the user's key, that a DONE was earned: an in-toto statement in a DSSE envelope.");

impl Here for Certify {
    fn answer(self, context: &Context) -> Result<Envelope, Failure> {
        let plan = context.path(&self.plan);
        let task = self.task.as_deref();
        Ok(history::certify(
            &context.home()?,
            &plan,
            task,
            &unproven,
            context.time(),
        )?)
    }
}

/// A certificate.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    /// The envelope: an object, or the text of one.
    pub certificate: Value,
}

ask!(Verify: "certificate.verify", Reads, Read => Certificate, [certificate::Error], "Says who signed a certificate and what it states, if it is what was signed.");

impl Here for Verify {
    fn answer(self, _: &Context) -> Result<Certificate, Failure> {
        let text = match self.certificate {
            Value::String(text) => text,
            envelope => envelope.to_string(),
        };
        Ok(certificate::verify(text.as_bytes())?)
    }
}

//! Toolkits that are sources of rows. What was fetched comes in as text: nothing here reaches out.

use crate::{Answer, Error, Foundry, select};
use toolkit::{Source, mirror, rows_at};

impl Foundry {
    /// Where the rows of a federation come from. Its manifest has to hold, and a stranger's was consented to.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn source(&self, id: &str) -> Result<Source, Error> {
        let toolkit = self.toolkit(id)?;
        self.grants().consent(&toolkit)?;
        let manifest = toolkit.manifest();
        if !manifest.is_valid() {
            return Err(toolkit::Error::Invalid(manifest.problems.clone()).into());
        }
        let source = manifest.source.clone();
        source.ok_or_else(|| Error::BadOption(format!("`{id}` is no federation")))
    }

    /// Asks in SQL what a source answered.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn select(&self, id: &str, answer: &str, sql: &str) -> Result<Answer, Error> {
        let source = self.source(id)?;
        select(sql, &source.entity, &rows_at(answer.as_bytes(), &source.rows_path)?)
    }

    /// An Org text in which what a source answered has its nodes.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn mirror(&self, id: &str, answer: &str, org: &str) -> Result<String, Error> {
        let source = self.source(id)?;
        Ok(mirror(org, &source, &rows_at(answer.as_bytes(), &source.rows_path)?)?)
    }
}

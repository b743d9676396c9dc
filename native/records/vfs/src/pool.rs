//! A few idle connections, kept for the next reader.

use parking_lot::Mutex;

use crate::Error;

/// More than this many idle connections are closed: each may hold a page cache.
const IDLE: usize = 4;

pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    pub fn new() -> Self {
        Pool(Mutex::new(Vec::new()))
    }

    /// Lends an idle connection, or a new one, to `work`. One that `work` panics with is not kept.
    pub fn with<R>(
        &self,
        open: impl FnOnce() -> Result<T, Error>,
        work: impl FnOnce(&mut T) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let idle = self.0.lock().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => open()?,
        };
        let result = work(&mut connection);
        let mut idle = self.0.lock();
        if idle.len() < IDLE {
            idle.push(connection);
        }
        result
    }
}

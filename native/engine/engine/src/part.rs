//! Something expensive that is made when it is first needed, and once.

use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// A part of the engine. A failure to make it is not kept: what was missing may be there the next time.
pub(crate) struct Part<T: ?Sized> {
    made: OnceLock<Arc<T>>,
    making: Mutex<()>,
}

impl<T> Part<T> {
    /// The part. Those who come while it is being made wait for it.
    pub fn get<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        if let Some(part) = self.made.get() {
            return Ok(part.clone());
        }
        let _making = self.making.lock();
        if let Some(part) = self.made.get() {
            return Ok(part.clone());
        }
        let part = Arc::new(make()?);
        Ok(self.made.get_or_init(|| part).clone())
    }
}

impl<T> Default for Part<T> {
    fn default() -> Self {
        Part {
            made: OnceLock::new(),
            making: Mutex::new(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn many_who_need_it_at_once_get_the_same_one() {
        let (part, made) = (Part::default(), AtomicUsize::new(0));
        let make = || Ok::<_, ()>(made.fetch_add(1, SeqCst));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(part.get(make), Ok(Arc::new(0))));
            }
        });
        assert_eq!(made.load(SeqCst), 1);
    }

    #[test]
    fn what_could_not_be_made_is_tried_again() {
        let part = Part::default();
        assert_eq!(part.get(|| Err("no room")), Err("no room"));
        assert_eq!(part.get(|| Ok::<_, &str>(1)), Ok(Arc::new(1)));
    }
}

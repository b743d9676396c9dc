//! What this process has read: sessions that were verified, workflows and snapshots that were checked.
//!
//! It is bounded, and it is never truth: what falls out is read and verified again.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;

/// The last values that were used, at most so many.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    capacity: usize,
    inner: Mutex<Inner<K, V>>,
}

#[derive(Debug)]
struct Inner<K, V> {
    tick: u64,
    entries: HashMap<K, (u64, Arc<V>)>,
}

impl<K: Eq + Hash + Copy, V> Cache<K, V> {
    pub(crate) fn new(capacity: usize) -> Self {
        Cache {
            capacity,
            inner: Mutex::new(Inner {
                tick: 0,
                entries: HashMap::new(),
            }),
        }
    }

    pub(crate) fn get(&self, key: K) -> Option<Arc<V>> {
        let inner = &mut *self.inner.lock();
        inner.tick += 1;
        let (used, value) = inner.entries.get_mut(&key)?;
        *used = inner.tick;
        Some(value.clone())
    }

    /// Keeps a value unless another was kept meanwhile; gives the one that is kept.
    pub(crate) fn keep(&self, key: K, value: V) -> Arc<V> {
        let inner = &mut *self.inner.lock();
        inner.tick += 1;
        let tick = inner.tick;
        let kept = inner
            .entries
            .entry(key)
            .or_insert_with(|| (tick, Arc::new(value)))
            .1
            .clone();
        if inner.entries.len() > self.capacity {
            let oldest = inner
                .entries
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(key, _)| *key);
            oldest.map(|key| inner.entries.remove(&key));
        }
        kept
    }

    pub(crate) fn forget(&self, key: K) {
        self.inner.lock().entries.remove(&key);
    }
}

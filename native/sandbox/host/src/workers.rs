//! Threads that run jobs, so that no thread of the caller ever waits for a guest.
//!
//! A worker that has run out of work watches the queue for a moment before it parks, because waking a parked thread
//! costs more than most calls do. One watcher at a time is enough, and on a single core watching would only delay
//! whoever is about to submit, so there nobody does.

use crate::Error;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// The stack of a worker: room for wasm frames, and for answers nested thousands deep. Any other thread that calls
/// [`Kernel::call`](crate::Kernel::call) needs as much, because a guest may use 8 MiB of it before it is stopped.
pub const STACK: usize = 32 << 20;
/// How long an idle worker watches the queue.
const WATCH: Duration = Duration::from_micros(50);

type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads with a bounded queue. When it is dropped the threads finish what is queued and end.
pub struct Workers(Arc<Shared>);

struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// The length of the queue, readable without the lock.
    waiting: AtomicUsize,
    watching: AtomicBool,
    capacity: usize,
    watch: Duration,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    stopped: bool,
}

impl Workers {
    /// Starts `threads` workers with room for `capacity` waiting jobs.
    ///
    /// ```
    /// let workers = host::Workers::start(2, 10)?;
    /// let (tell, told) = std::sync::mpsc::channel();
    /// workers.submit(move || tell.send("done").unwrap())?;
    /// assert_eq!(told.recv()?, "done");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start(threads: usize, capacity: usize) -> std::io::Result<Workers> {
        let cores = thread::available_parallelism().map_or(1, |n| n.get());
        let workers = Workers(Arc::new(Shared {
            queue: Mutex::default(),
            wake: Condvar::new(),
            waiting: AtomicUsize::new(0),
            watching: AtomicBool::new(false),
            capacity,
            watch: if cores > 1 { WATCH } else { Duration::ZERO },
        }));
        for n in 0..threads {
            let shared = workers.0.clone();
            thread::Builder::new()
                .name(format!("workbooks-{n}"))
                .stack_size(STACK)
                .spawn(move || shared.work())?;
        }
        Ok(workers)
    }

    /// Queues a job. Returns at once; a full queue is [`Error::Busy`].
    pub fn submit(&self, job: impl FnOnce() + Send + 'static) -> Result<(), Error> {
        let shared = &self.0;
        let mut queue = shared.queue.lock();
        if queue.jobs.len() >= shared.capacity {
            return Err(Error::Busy(shared.capacity));
        }
        queue.jobs.push_back(Box::new(job));
        shared.waiting.store(queue.jobs.len(), SeqCst);
        drop(queue);
        // A watcher sees the job by itself: it looks at the queue once more after it stops watching.
        if !shared.watching.load(SeqCst) {
            shared.wake.notify_one();
        }
        Ok(())
    }
}

impl Shared {
    fn work(&self) {
        while let Some(job) = self.next() {
            // A job that panics must not take its worker along.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    /// The next job; `None` when the pool is stopped and empty.
    fn next(&self) -> Option<Job> {
        self.watch();
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                self.waiting.store(queue.jobs.len(), SeqCst);
                // Whoever submitted the rest may have counted on this worker as the watcher.
                if !queue.jobs.is_empty() {
                    self.wake.notify_one();
                }
                return Some(job);
            }
            if queue.stopped {
                return None;
            }
            self.wake.wait(&mut queue);
        }
    }

    fn watch(&self) {
        if self.watch.is_zero() || self.watching.swap(true, SeqCst) {
            return;
        }
        let until = Instant::now() + self.watch;
        while self.waiting.load(SeqCst) == 0 && Instant::now() < until {
            std::hint::spin_loop();
        }
        self.watching.store(false, SeqCst);
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.0.queue.lock().stopped = true;
        self.0.wake.notify_all();
    }
}

//! The threads that guests share.
//!
//! A thread holds many guests at once: one that waits for a host call gives way, and one that spins gives way at every
//! tick of the epoch clock. So a few threads serve a thousand guests, and no guest can keep the others from running.
//! Like [`crate::Workers`], an idle thread watches the queue for a moment before it sleeps.

use crate::Error;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::Builder;
use tokio::sync::Notify;

/// How long an idle thread watches the queue.
const WATCH: Duration = Duration::from_micros(50);

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;
type Job = Box<dyn FnOnce() -> Task + Send>;

/// Runs guests. When it is dropped the threads finish what they hold and end.
pub struct Executor(Arc<Shared>);

struct Shared {
    jobs: Mutex<VecDeque<Job>>,
    /// The length of the queue, readable without the lock.
    waiting: AtomicUsize,
    watching: AtomicBool,
    stopped: AtomicBool,
    wake: Notify,
    capacity: usize,
    each: usize,
    watch: Duration,
}

impl Executor {
    /// Starts `threads` threads that together hold `running` guests and let `capacity` more wait.
    pub fn start(threads: usize, running: usize, capacity: usize) -> std::io::Result<Executor> {
        let cores = thread::available_parallelism().map_or(1, |n| n.get());
        let executor = Executor(Arc::new(Shared {
            jobs: Mutex::default(),
            waiting: AtomicUsize::new(0),
            watching: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            wake: Notify::new(),
            capacity,
            each: running.div_ceil(threads.max(1)),
            watch: if cores > 1 { WATCH } else { Duration::ZERO },
        }));
        for n in 0..threads {
            let shared = executor.0.clone();
            // A guest may run for a whole tick, so whoever arrives and whoever's time is up comes after every one.
            let runtime = Builder::new_current_thread().enable_all().event_interval(1).build()?;
            thread::Builder::new()
                .name(format!("workbooks-guest-{n}"))
                .spawn(move || runtime.block_on(shared.work()))?;
        }
        Ok(executor)
    }

    /// Queues a job. Returns at once; a full queue is [`Error::Busy`].
    ///
    /// ```
    /// let executor = host::Executor::start(1, 10, 10)?;
    /// let (tell, told) = std::sync::mpsc::channel();
    /// executor.submit(move || async move { tell.send("done").unwrap() })?;
    /// assert_eq!(told.recv()?, "done");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn submit<F: Future<Output = ()> + Send + 'static>(
        &self,
        job: impl FnOnce() -> F + Send + 'static,
    ) -> Result<(), Error> {
        let shared = &self.0;
        let mut jobs = shared.jobs.lock();
        if jobs.len() >= shared.capacity {
            return Err(Error::Busy(shared.capacity));
        }
        jobs.push_back(Box::new(move || Box::pin(job())));
        shared.waiting.store(jobs.len(), SeqCst);
        drop(jobs);
        // A watcher sees the job by itself: it looks at the queue once more after it stops watching.
        if !shared.watching.load(SeqCst) {
            shared.wake.notify_one();
        }
        Ok(())
    }
}

impl Shared {
    async fn work(self: Arc<Self>) {
        let held = Arc::new(AtomicUsize::new(0));
        while let Some(job) = self.next(&held).await {
            held.fetch_add(1, SeqCst);
            let (held, shared) = (held.clone(), self.clone());
            tokio::spawn(async move {
                // Whoever waits for room must hear of it, also when the job panics.
                let leave = Leave { held, shared };
                let mut job = Some(job);
                while let Some(work) = job {
                    work().await;
                    job = leave.another();
                }
            });
        }
        while held.load(SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The next job; `None` when the executor is stopped.
    async fn next(&self, held: &AtomicUsize) -> Option<Job> {
        loop {
            if held.load(SeqCst) < self.each
                && let Some(job) = self.pop()
            {
                return Some(job);
            }
            if self.stopped.load(SeqCst) {
                self.wake.notify_one();
                return None;
            }
            self.wake.notified().await;
        }
    }

    fn pop(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock();
        let job = jobs.pop_front()?;
        self.waiting.store(jobs.len(), SeqCst);
        // Whoever submitted the rest may have counted on this thread as the watcher.
        if !jobs.is_empty() {
            self.wake.notify_one();
        }
        Some(job)
    }

    fn watch(&self) {
        // One watcher is enough.
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

struct Leave {
    held: Arc<AtomicUsize>,
    shared: Arc<Shared>,
}

impl Leave {
    /// Another job, when this one was the last that its thread held: whoever was answered may be about to ask again.
    fn another(&self) -> Option<Job> {
        if self.held.load(SeqCst) > 1 {
            return None;
        }
        self.shared.watch();
        self.shared.pop()
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        self.held.fetch_sub(1, SeqCst);
        if self.shared.waiting.load(SeqCst) > 0 {
            self.shared.wake.notify_one();
        }
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.0.stopped.store(true, SeqCst);
        self.0.wake.notify_one();
    }
}

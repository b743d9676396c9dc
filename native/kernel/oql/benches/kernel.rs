//! The kernel against orgize's own parse of the same bytes, in one run.
//!
//! Prints one line a figure, `name<TAB>value<TAB>unit`, for `make bench` to collect.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Counts what is allocated, so that memory is a figure and not a guess.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A plan as an agent would write it, repeated until it has `bytes` bytes.
fn plan(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    let mut n = 0;
    while text.len() < bytes {
        n += 1;
        text.push_str(&format!(
            "* Report {n} :workflow:\n:PROPERTIES:\n:ID: report-{n}\n:SCHEDULE: 0 9 * * *\n:END:\n\
             Gather the numbers, /then/ write them up; see [[https://example.org/{n}][the source]].\n\n\
             ** TODO Fetch [#A] :component:\n#+begin_src js :out rows{n}:list :uses workbook:net/http\n\
             export default () => fetch(\"https://example.org/{n}\");\n#+end_src\n\
             - [ ] check the *totals*\n- [X] keep ~raw.csv~\n  :done-when: test -s raw{n}.csv\n\
             ** TODO Summarise :component:\n#+begin_src js :in rows{n}:list :out summary{n}:string\n\
             export default (rows) => rows.map(String).join(\"\\n\");\n#+end_src\n\
             | week | total |\n|------+-------|\n| 1    | {n} |\n\n"
        ));
    }
    text
}

fn median(runs: usize, mut f: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[runs / 2]
}

fn peak_per_byte(bytes: usize, f: impl FnOnce()) -> f64 {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    f();
    (PEAK.load(Relaxed) - before) as f64 / bytes as f64
}

fn main() {
    let text = plan(10_000_000);
    let validate = median(9, || drop(black_box(oql::validate(&text))));
    let orgize = median(9, || drop(black_box(orgize::Org::parse(&text))));
    let tasks = median(5, || drop(black_box(oql::tasks(&text))));
    println!("tasks, 10 MB plan, native\t{:.1}\tms", tasks.as_secs_f64() * 1e3);
    println!("validate, 10 MB plan, native\t{:.1}\tms", validate.as_secs_f64() * 1e3);
    println!("orgize parse, same bytes\t{:.1}\tms", orgize.as_secs_f64() * 1e3);
    println!(
        "validate / orgize parse\t{:.3}\tratio",
        validate.as_secs_f64() / orgize.as_secs_f64()
    );
    let memory = peak_per_byte(text.len(), || drop(black_box(oql::validate(&text))));
    println!("validate, peak memory\t{memory:.2}\tbytes per input byte");
    let memory = peak_per_byte(text.len(), || drop(black_box(oql::tasks(&text))));
    println!("tasks, peak memory\t{memory:.2}\tbytes per input byte");
}

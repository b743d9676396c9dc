//! Named places where a test can end the process.
//!
//! `WORKBOOKS_FAULT=log.synced` sends SIGKILL to the own process when it first comes by there, `log.synced:3` the third
//! time. Without the variable a point costs one atomic load. It is in every build, because the processes that tests kill
//! are ordinary ones. Whoever can set the variable can kill the process anyway.
//!
//! A crate lists its points once, with [`points!`](crate::points); a name that is not on the list cannot be used.

use std::cell::RefCell;
use std::env;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A place that a test can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point(Option<&'static str>);

impl Point {
    /// A place without a name: nobody can end the process there.
    pub const UNNAMED: Point = Point(None);

    /// The point of that name.
    ///
    /// # Panics
    ///
    /// When the name is not on the list. In a constant that is an error of the compiler.
    ///
    /// ```
    /// const FAULTS: &[&str] = &["log.written", "log.synced"];
    /// const SYNCED: durable::Point = durable::Point::on(FAULTS, "log.synced");
    /// SYNCED.pass();
    /// ```
    pub const fn on(list: &'static [&'static str], name: &'static str) -> Point {
        let mut at = 0;
        while at < list.len() {
            if same(list[at].as_bytes(), name.as_bytes()) {
                return Point(Some(name));
            }
            at += 1;
        }
        panic!("this point is not on the list of the crate's points")
    }

    /// Ends the process here, if that is wanted.
    pub fn pass(self) {
        if self.reached() {
            die();
        }
    }

    /// Whether the process is to end here; then the caller may spoil something first.
    pub fn reached(self) -> bool {
        let Some(name) = self.0 else { return false };
        visited(name);
        static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
        match FAULT.get_or_init(|| parse(&env::var("WORKBOOKS_FAULT").ok()?)) {
            Some(fault) if fault.name == name => fault.left.fetch_sub(1, Relaxed) == 1,
            _ => false,
        }
    }
}

/// Lists the points of a crate, in the order in which a process comes by.
///
/// It makes the list itself, `named`, which gives a [`Point`], and `point` and `reached`, which pass it and ask it.
///
/// ```
/// mod fault {
///     durable::points! {
///         /// Every point on the way of a letter.
///         pub const FAULTS = ["letter.written", "letter.synced", "letter.placed"];
///     }
/// }
/// fault::point("letter.written");
/// assert!(!fault::reached("letter.synced"));
/// assert_eq!(fault::FAULTS.len(), 3);
/// ```
///
/// ```should_panic
/// # mod fault { durable::points! { pub const FAULTS = ["letter.written"]; } }
/// fault::point("letter.burnt");
/// ```
#[macro_export]
macro_rules! points {
    ($(#[$about:meta])* $vis:vis const $list:ident = [$($name:literal),* $(,)?];) => {
        $(#[$about])*
        $vis const $list: &[&str] = &[$($name),*];

        /// The point of that name, which must be on the list.
        #[allow(dead_code)]
        pub(crate) const fn named(name: &'static str) -> $crate::Point {
            $crate::Point::on($list, name)
        }

        /// Ends the process here, if that is wanted.
        #[allow(dead_code)]
        pub(crate) fn point(name: &'static str) {
            named(name).pass();
        }

        /// Whether the process is to end here; then the caller may spoil something first.
        #[allow(dead_code)]
        pub(crate) fn reached(name: &'static str) -> bool {
            named(name).reached()
        }
    };
}

/// Ends the process as `kill -9` does: nothing is flushed, nothing is dropped.
pub fn die() -> ! {
    use rustix::process::{Signal, getpid, kill_process};
    let _ = kill_process(getpid(), Signal::KILL);
    std::process::abort()
}

type Visitor = Box<dyn FnMut(&str)>;

thread_local!(static VISITOR: RefCell<Option<Visitor>> = RefCell::default());

/// For tests: runs `body`, and `visitor` with the name of every point that this thread comes by meanwhile.
///
/// ```
/// # mod fault { durable::points! { pub const FAULTS = ["plan.read", "plan.written"]; } }
/// use std::{cell::RefCell, rc::Rc};
/// let seen = Rc::new(RefCell::new(Vec::new()));
/// let names = seen.clone();
/// durable::fault::visit(move |name| names.borrow_mut().push(name.to_owned()), || fault::point("plan.read"));
/// assert_eq!(*seen.borrow(), ["plan.read"]);
/// ```
pub fn visit<T>(visitor: impl FnMut(&str) + 'static, body: impl FnOnce() -> T) -> T {
    VISITOR.set(Some(Box::new(visitor)));
    let result = body();
    VISITOR.set(None);
    result
}

fn visited(name: &str) {
    // Taken out while it runs: a visitor that comes by a point itself is not called again.
    if let Some(mut visitor) = VISITOR.take() {
        visitor(name);
        VISITOR.set(Some(visitor));
    }
}

struct Fault {
    name: String,
    /// How often the process may still come by.
    left: AtomicU64,
}

fn parse(text: &str) -> Option<Fault> {
    let (name, times) = text.split_once(':').unwrap_or((text, "1"));
    Some(Fault {
        name: name.to_owned(),
        left: AtomicU64::new(times.parse().ok()?),
    })
}

/// `==` on texts is not for constants yet.
const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAULTS: &[&str] = &["log.written", "log.synced"];

    #[test]
    fn a_fault_is_a_name_and_a_time() {
        for (text, expected) in [
            ("log.synced", Some(("log.synced", 1))),
            ("log.synced:3", Some(("log.synced", 3))),
            ("log.synced:x", None),
        ] {
            let fault = parse(text);
            let found = fault.as_ref().map(|f| (f.name.as_str(), f.left.load(Relaxed)));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn nobody_dies_without_being_asked() {
        let point = Point::on(FAULTS, "log.synced");
        assert!(!point.reached());
        point.pass();
        Point::UNNAMED.pass();
    }

    #[test]
    #[should_panic(expected = "not on the list")]
    fn the_beginning_of_a_name_is_not_the_name() {
        Point::on(FAULTS, "log.sync");
    }
}

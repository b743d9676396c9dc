//! What a crate's error says about itself.

use crate::Code;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Display;

/// An error with a code and a hint. Written by [`fails!`](crate::fails), beside the definition of the error.
pub trait Fails: Display {
    /// Every code that an error of this type can have.
    fn codes() -> Vec<Code>
    where
        Self: Sized;

    /// Its code.
    fn failing(&self) -> Code;

    /// What to do about it.
    fn advice(&self) -> Cow<'_, str>;

    /// The facts behind the message, for programs: an object, whose keys are names of ours and never a stranger's.
    fn details(&self) -> Option<Value> {
        None
    }

    /// Whether the same call can succeed later without any change.
    fn retryable(&self) -> bool {
        self.failing().retryable()
    }
}

/// Declares the code and the hint of each variant of an error.
///
/// Rows are arms of a `match`, guards included: `PATTERN => CODE, HINT;`. A code is a constant of
/// [`codes`](crate::codes), or is made on the spot with its kind and its meaning. Rows under `of` hand over to the
/// error inside: `PATTERN => NAME: TYPE;`; rows under `within` do so where that error is of the same type. `details` names a function that gives the facts of an error.
///
/// The error also gets the methods `code()`, the name, and `hint()`.
///
/// ```
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("full")]
/// # struct Disk;
/// # failure::fails! { Disk { Disk => failure::codes::DISK_FULL, "delete something"; } }
/// #[derive(Debug, thiserror::Error)]
/// enum Error {
///     #[error("`{0}` runs already")]
///     Running(String),
///     #[error(transparent)]
///     Disk(Disk),
/// }
///
/// failure::fails! {
///     Error {
///         Error::Running(_) => failure::Code::conflict("already_running", "somebody runs it"), "wait for it";
///     }
///     of {
///         Error::Disk(error) => error: Disk;
///     }
///     details facts
/// }
///
/// fn facts(error: &Error) -> Option<serde_json::Value> {
///     match error {
///         Error::Running(id) => Some(serde_json::json!({"run_id": id})),
///         Error::Disk(_) => None,
///     }
/// }
///
/// assert_eq!(Error::Disk(Disk).code(), "disk_full");
/// assert_eq!(failure::Failure::from(Error::Running("r1".into())).details.unwrap()["run_id"], "r1");
/// ```
#[macro_export]
macro_rules! fails {
    (
        $error:ty { $($pattern:pat $(if $guard:expr)? => $code:expr, $hint:expr;)* }
        $(of { $($outer:pat => $inner:ident: $type:ty;)* })?
        $(within { $($wrapped:pat => $same:ident;)* })?
        $(details $details:path)?
    ) => {
        impl $crate::Fails for $error {
            fn codes() -> ::std::vec::Vec<$crate::Code> {
                #[allow(unused_mut)]
                let mut all: ::std::vec::Vec<$crate::Code> = ::std::vec![$($code),*];
                $($(all.extend(<$type as $crate::Fails>::codes());)*)?
                all.sort();
                all.dedup();
                all
            }

            #[allow(unused_variables)]
            fn failing(&self) -> $crate::Code {
                match self {
                    $($pattern $(if $guard)? => $code,)*
                    $($($outer => <$type as $crate::Fails>::failing($inner),)*)?
                    $($($wrapped => <Self as $crate::Fails>::failing($same),)*)?
                }
            }

            #[allow(unused_variables)]
            fn advice(&self) -> ::std::borrow::Cow<'_, str> {
                match self {
                    $($pattern $(if $guard)? => ::std::borrow::Cow::from($hint),)*
                    $($($outer => <$type as $crate::Fails>::advice($inner),)*)?
                    $($($wrapped => <Self as $crate::Fails>::advice($same),)*)?
                }
            }

            #[allow(unused_variables, unreachable_code)]
            fn details(&self) -> ::std::option::Option<$crate::json::Value> {
                $(return $details(self);)?
                $(match self {
                    $($outer => return <$type as $crate::Fails>::details($inner),)*
                    #[allow(unreachable_patterns)]
                    _ => {}
                })?
                ::std::option::Option::None
            }
        }

        #[allow(dead_code)]
        impl $error {
            /// The stable name of this failure.
            pub fn code(&self) -> &'static str {
                $crate::Fails::failing(self).name
            }

            /// What to do about it.
            pub fn hint(&self) -> ::std::borrow::Cow<'_, str> {
                $crate::Fails::advice(self)
            }
        }
    };
}

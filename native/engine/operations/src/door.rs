//! What the doors refuse by themselves, before anything is asked.

use failure::Code;

macro_rules! codes {
    ($($name:ident = $kind:ident $text:literal, $meaning:literal;)*) => {
        $(#[doc = concat!("`", $text, "`: ", $meaning, ".")]
        pub const $name: Code = Code::$kind($text, $meaning);)*

        pub(crate) const CODES: &[Code] = &[$($name),*];
    };
}

codes! {
    ENGINE_FAILED = other "engine_failed", "the engine ended without an answer";
    EVENTS_LOST = conflict "events_lost", "those events of the stream are not kept any more";
    GIT_MISSING = other "git_missing", "git is not there";
    UNAUTHENTICATED = auth "unauthenticated", "there is no token, or it is not known here, or its time is up";
    UNKNOWN_OPERATION = not_found "unknown_operation", "no operation has that name";
    UNREADABLE = other "unreadable", "a file cannot be read";
    UNWRITABLE = other "unwritable", "a file cannot be written";
    USAGE = usage "usage", "the command line cannot be read";
    VERIFICATION_FAILED = verification "verification_failed", "there is an answer, and it holds an error";
}

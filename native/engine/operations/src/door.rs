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
    BAD_REQUEST = usage "bad_request", "the request breaks a rule of HTTP, or of this server";
    ENGINE_FAILED = other "engine_failed", "the engine ended without an answer";
    EVENTS_LOST = conflict "events_lost", "those events of the stream are not kept any more";
    FORBIDDEN = auth "forbidden", "the token does not allow that";
    GIT_MISSING = other "git_missing", "git is not there";
    ORIGIN_REFUSED = auth "origin_refused", "the request comes from a page, or for a host, that is not this engine's";
    OVERLOADED = unreachable "overloaded", "as much is under way as the engine takes at once";
    TOO_MANY_REQUESTS = busy "too_many_requests", "the token has as much under way as one may have";
    UNAUTHENTICATED = auth "unauthenticated", "there is no token, or it is not known here, or its time is up";
    UNKNOWN_OPERATION = not_found "unknown_operation", "no operation has that name";
    UNKNOWN_STREAM = not_found "unknown_stream", "no stream of events has that id";
    UNREADABLE = other "unreadable", "a file cannot be read";
    UNWRITABLE = other "unwritable", "a file cannot be written";
    USAGE = usage "usage", "the command line cannot be read";
    VERIFICATION_FAILED = verification "verification_failed", "there is an answer, and it holds an error";
}

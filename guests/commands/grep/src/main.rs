//! `grep`, and its older names `egrep` and `fgrep`.

use std::ffi::OsString;
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

fn main() {
    start::enter();
    uucore::locale::set_catalogue(MESSAGES);
    let mut args = start::first_line_as_argument();
    if let Some(flag) = args.first().and_then(flag_of_name) {
        args.insert(1, flag);
    }
    std::process::exit(uu_grep::uumain(args.into_iter()));
}

fn flag_of_name(name: &OsString) -> Option<OsString> {
    match Path::new(name).file_name()?.to_str()? {
        "egrep" => Some("-E".into()),
        "fgrep" => Some("-F".into()),
        _ => None,
    }
}

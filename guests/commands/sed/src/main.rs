//! `sed`: the uutils stream editor.

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

fn main() {
    start::enter();
    uucore::locale::set_catalogue(MESSAGES);
    std::process::exit(sed::sed::uumain(uucore::args_os()));
}

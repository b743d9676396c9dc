//! `wbox`: the coreutils as one command. It is called by the name of a utility, or as `wbox UTILITY`.

mod chmod;
mod du;
mod launch;
mod rev;
mod stat;
mod timeout;
mod utilities;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::exit;

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

const NOT_FOUND: i32 = 127;

fn main() {
    start::enter();
    uucore::locale::set_catalogue(MESSAGES);
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let mut name = called(&args);
    if name == "wbox" {
        args.remove(0);
        uucore::set_utility_is_second_arg();
        name = called(&args);
    }
    let status = match name.as_str() {
        "" | "--help" => usage(),
        "--list" => list(),
        name => utilities::run(name, args).unwrap_or_else(|| {
            eprintln!("wbox: {name}: there is no such utility");
            NOT_FOUND
        }),
    };
    let _ = std::io::stdout().flush();
    exit(status);
}

fn called(args: &[OsString]) -> String {
    let name = args.first().and_then(|word| Path::new(word).file_name());
    name.unwrap_or_default().to_string_lossy().into_owned()
}

fn usage() -> i32 {
    println!("Usage: wbox UTILITY [ARGUMENT]...\n       wbox --list");
    0
}

fn list() -> i32 {
    for name in utilities::NAMES {
        println!("{name}");
    }
    0
}

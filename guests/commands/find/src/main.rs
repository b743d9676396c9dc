//! `find`: the uutils one, with `-exec` through the host.

use std::process::exit;

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

fn main() {
    start::enter();
    uucore::locale::set_catalogue(MESSAGES);
    let args: Result<Vec<String>, _> = std::env::args_os().map(|arg| arg.into_string()).collect();
    match args {
        Ok(args) => {
            let words: Vec<&str> = args.iter().map(String::as_str).collect();
            let dependencies = findutils::find::StandardDependencies::new();
            exit(findutils::find::find_main(&words, &dependencies));
        }
        Err(word) => {
            eprintln!("find: invalid (non-UTF-8) argument: {}", word.display());
            exit(1);
        }
    }
}

//! `xargs`: builds command lines from its input and runs them through the host.

mod batch;
mod input;
mod options;

use options::{Options, Parsed};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::process::exit;

/// The input or a command line is wrong.
const FAILED: u8 = 1;

fn main() {
    start::enter();
    let words: Vec<Vec<u8>> = std::env::args_os()
        .skip(1)
        .map(std::os::wasi::ffi::OsStringExt::into_vec)
        .collect();
    let status = match options::parse(words) {
        Ok(Parsed::Run(options)) => run(&options).unwrap_or_else(complain),
        Ok(Parsed::Help) => {
            println!("{}", options::USAGE);
            0
        }
        Ok(Parsed::Version) => {
            println!("xargs (Workbooks) {}", env!("CARGO_PKG_VERSION"));
            0
        }
        Err(message) => {
            let status = complain(message);
            eprintln!("{}", options::USAGE);
            status
        }
    };
    exit(status.into());
}

fn complain(message: String) -> u8 {
    eprintln!("xargs: {message}");
    FAILED
}

fn run(options: &Options) -> Result<u8, String> {
    let source: Box<dyn Read> = match &options.file {
        Some(path) => Box::new(File::open(path).map_err(|error| format!("{}: {error}", path.display()))?),
        None => Box::new(io::stdin().lock()),
    };
    batch::run(options, input::items(options, BufReader::new(source)))
}

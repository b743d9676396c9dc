//! A command: stdin in capitals. `--fail` fails.

use std::io::{Read, Write};

fn main() {
    if std::env::args().nth(1).as_deref() == Some("--fail") {
        eprintln!("asked to fail");
        std::process::exit(1);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("text on stdin");
    std::io::stdout()
        .write_all(text.to_uppercase().as_bytes())
        .expect("an open stdout");
}

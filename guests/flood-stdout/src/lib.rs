//! Writes as many KiB to stdout as the input says, or without end when the input is no number.

use std::io::Write;

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        let wanted: u64 = input.trim().parse().unwrap_or(u64::MAX);
        let line = [[b'x'; 1023].as_slice(), b"\n"].concat();
        let mut stdout = std::io::stdout().lock();
        for written in 0..wanted {
            if let Err(error) = stdout.write_all(&line) {
                return format!("{written} KiB, then {error}");
            }
        }
        format!("{wanted} KiB")
    }
}

//! Blocks in a WASI call for as many milliseconds as the input says, or for an hour when it is no number.

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        let milliseconds = input.trim().parse().unwrap_or(3_600_000);
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        format!("slept {milliseconds} ms")
    }
}

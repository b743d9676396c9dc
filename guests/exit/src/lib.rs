//! Exits in the middle of a call: `0` as success, everything else as failure.

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        std::process::exit(i32::from(input != "0"))
    }
}

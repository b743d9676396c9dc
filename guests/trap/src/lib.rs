//! Traps. With an input it panics with that message, which goes to stderr first.

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        if input.is_empty() {
            std::arch::wasm32::unreachable()
        }
        panic!("{input}")
    }
}

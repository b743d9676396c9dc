//! Answers its input and asks for nothing: the smallest guest, for the bench.

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        input
    }
}

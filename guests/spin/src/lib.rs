//! Never comes back.

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(_input: String) -> String {
        loop {
            std::hint::spin_loop();
        }
    }
}

//! Waits for the one Dock function that an application serves: it blocks for as long as the application does.

wit_bindgen::generate!({ world: "engine-llm", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        llm_complete(&input).unwrap_or_else(|error| format!("error: {error}"))
    }
}

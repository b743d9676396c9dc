//! Recurses without end.

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        deeper(input.len()).to_string()
    }
}

fn deeper(depth: usize) -> usize {
    // An end that never comes, and a use of the answer: without them this becomes a loop.
    if std::hint::black_box(depth) == usize::MAX {
        return depth;
    }
    std::hint::black_box(deeper(depth + 1)) + 1
}

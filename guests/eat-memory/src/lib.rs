//! Takes as many MiB as the input says and touches each, or without end when the input is no number.

wit_bindgen::generate!({ world: "engine", path: "../../wit/engine.wit" });

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        const MIB: usize = 1024 * 1024;
        let wanted = input.trim().parse().unwrap_or(usize::MAX);
        let mut taken: Vec<Vec<u8>> = Vec::new();
        while taken.len() < wanted {
            taken.push(std::hint::black_box(vec![1; MIB]));
        }
        format!("{} MiB", taken.len())
    }
}

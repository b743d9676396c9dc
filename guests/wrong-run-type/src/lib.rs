//! Exports a `run` of another type.

wit_bindgen::generate!({
    inline: "
        package fixture:guest;

        world guest {
            export run: func(input: u32) -> string;
        }
    ",
});

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: u32) -> String {
        input.to_string()
    }
}

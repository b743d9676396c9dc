//! Imports a function that no Dock has.

wit_bindgen::generate!({
    inline: "
        package fixture:guest;

        world guest {
            include workbooks:engine/engine@0.1.0;
            import launch-rockets: func(count: u32) -> string;
        }
    ",
    path: "../../wit/engine.wit",
});

struct Component;

export!(Component);

impl Guest for Component {
    fn run(input: String) -> String {
        launch_rockets(input.len() as u32)
    }
}

//! Writes the pages that are made from the table: `cargo run --release -p operations --example reference`.

use std::fs;
use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    for (path, text) in operations::reference::pages() {
        let path = house.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&house))?;
        fs::write(path, text)?;
    }
    Ok(())
}

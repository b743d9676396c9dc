//! Collects the messages that every uutils command shares.

fn main() {
    catalogue::write(|package| package == "uucore");
}

//! flagfall.
fn main() {}

//! How long the core takes, and what it allocates.

fn main() {}

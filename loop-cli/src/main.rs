//! The loop command.
fn main() {}

//! The examples, which assert what they say, run as tests.

#[path = "../../examples/own_parts.rs"]
mod own_parts;
#[path = "../../examples/ten_loops.rs"]
mod ten_loops;

#[test]
fn parts_of_ones_own_compose() {
    own_parts::main().unwrap();
}

#[test]
fn ten_loops_of_ready_futures_share_a_thread_and_half_are_cancelled() {
    ten_loops::main().unwrap();
}

//! The examples, which assert what they say, run as tests.

#[path = "../examples/loop_service.rs"]
mod loop_service;

#[test]
fn a_run_tells_its_events_to_who_asked_for_it() {
    loop_service::main().unwrap();
}

//! Runs the examples, which contain assertions, as tests.

#[path = "../examples/survive.rs"]
mod survive;

#[test]
fn a_run_goes_on_after_its_process_has_died() {
    survive::main().unwrap();
}

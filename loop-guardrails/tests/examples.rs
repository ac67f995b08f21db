//! Runs the examples, which contain assertions, as tests.

#[path = "../examples/custom_guardrail.rs"]
mod custom_guardrail;

#[test]
fn a_guardrail_of_ones_own_ends_a_run_without_gain() {
    custom_guardrail::main().unwrap();
}

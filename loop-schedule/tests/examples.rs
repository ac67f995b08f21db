//! Runs the examples, which contain assertions, as tests.

#[path = "../examples/scheduled_report.rs"]
mod scheduled_report;

#[test]
fn a_report_comes_at_nine_through_a_change_of_the_clocks() {
    scheduled_report::main().unwrap();
}

//! Runs the examples as tests. They contain their own assertions.

#[path = "../examples/chat_with_tool.rs"]
mod chat_with_tool;
#[path = "../examples/fix_until_green.rs"]
mod fix_until_green;
#[path = "../examples/judge.rs"]
mod judge;
#[path = "../examples/lint_until_clean.rs"]
mod lint_until_clean;

#[test]
fn tests_are_mended_one_by_one_until_all_pass() {
    fix_until_green::main().unwrap();
}

#[test]
fn a_linter_that_always_exits_with_0_is_believed_by_its_words() {
    lint_until_clean::main().unwrap();
}

#[test]
fn a_model_calls_a_tool_of_ones_own_under_the_policy() {
    chat_with_tool::main().unwrap();
}

#[test]
fn what_a_judge_costs_counts_as_well() {
    judge::main().unwrap();
}

//! The particularities of manifests in TOML. The laws cover what the formats share.

use std::num::NonZeroU64;

use super::{
    JSON, TOML, refused,
    valid::{plan, shown},
};

/// Returns [`TOML`] with `new` in place of `old`.
pub(super) fn toml(old: &str, new: &str) -> String {
    assert_eq!(TOML.matches(old).count(), 1, "`{old}` stands once in the manifest");
    TOML.replace(old, new)
}

#[test]
fn syntax_of_toml() {
    let goal = |value: &str| toml("\"All tests pass\"", value);
    refused(
        "loop.toml",
        &[
            ("toml_no_quotes", goal("All tests pass")),
            ("toml_open_quote", goal("\"All tests pass")),
            ("toml_open_single_quote", goal("'All tests pass")),
            ("toml_open_lines", toml("}\n\"\"\"", "}\n")),
            ("toml_line_break_in_text", goal("\"All tests\npass\"")),
            ("toml_backslash", goal("\"\\d tests\"")),
            ("toml_colon", toml("goal = ", "goal: ")),
            ("toml_json_inside", JSON.to_owned()),
            ("toml_open_table", toml("[guardrails]", "[guardrails")),
            ("toml_capital", toml("5\n", "5\nallow_unmetered = True\n")),
            ("toml_leading_zero", toml("5\n", "05\n")),
            ("toml_key_twice", toml("5\n", "5\nmax_iterations = 500\n")),
            ("toml_table_twice", toml("[guardrails]", "[agent]")),
            ("toml_key_and_table", format!("evaluator.command = 'make'\n{}", toml("\n[agent]", "[agent]"))),
            ("toml_only_a_comment", "# later\n".to_owned()),
        ],
    );
}

#[test]
fn manifests_in_toml() {
    let limit = |value: &str| toml("max_iterations = 5", &format!("max_iterations = {value}"));
    let cost = |value: &str| limit(&format!("5\nallow_unmetered = true\nmax_cost_usd = {value}"));
    refused(
        "loop.toml",
        &[
            ("toml_key_slip", toml("max_iterations", "max_iteration")),
            (
                "toml_key_dotted_slip",
                toml("[guardrails]\n", "").replace("goal", "guardrails.max_iteration = 5\ngoal").replacen(
                    "max_iterations = 5\n",
                    "",
                    1,
                ),
            ),
            ("toml_key_below_the_wrong_table", format!("{}name = \"late\"\n", toml("\n[agent]", "[agent]"))),
            ("toml_missing_all", "name = \"fix\"\n".to_owned()),
            ("toml_missing_limit", toml("max_iterations = 5", "max_seconds = 60")),
            ("toml_kind_date", toml("\"All tests pass\"", "2026-11-30")),
            ("toml_kind_date_and_time", limit("2026-11-30T08:00:00Z")),
            ("toml_kind_text", limit("\"5\"")),
            ("toml_kind_point", limit("5.0")),
            ("toml_kind_too_large", limit("18446744073709551616")),
            ("toml_kind_far_too_large", limit("0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff")),
            ("toml_kind_tables", toml("[evaluator]", "[[evaluator]]")),
            ("toml_limit_infinite", cost("inf")),
            ("toml_limit_no_number", cost("nan")),
            ("toml_limit_unmetered", limit("5\nmax_cost_usd = 2.5")),
            ("toml_text_quoted_prompt", toml("claude -p", "claude -p '{prompt}'")),
            ("toml_text_empty", toml("\"All tests pass\"", "\"\"\"\n\"\"\"")),
        ],
    );
}

#[test]
fn toml_is_read_as_toml_is_written() {
    let same =
        |manifest: &str| assert_eq!(shown(&plan("loop.toml", manifest)), shown(&plan("loop.toml", TOML)));
    same(&TOML.replace('\n', "\r\n"));
    same(&format!("\u{feff}{TOML}"));
    same(&toml("[guardrails]\nmax_iterations = 5", "[guardrails]\nmax_iterations = 0b101 # not more"));
    same(&format!("guardrails.max_iterations = +5\n{}", toml("[guardrails]\nmax_iterations = 5\n", "")));
    same(&toml("[evaluator]\ncommand = \"cargo test\"", "[ 'evaluator' ]\n\"command\" = 'cargo test'"));
    same(&toml("Reach this: {goal}\n", "Reach \\\n    this: {goal}\\nThe").replace("TheThe", "The"));
    let goal = |written: &str| plan("loop.toml", &toml("\"All tests pass\"", written)).goal;
    assert_eq!(goal(r#""\u00e9 \U0001f600 \e \x7f \\ \t""#), "é 😀 \u{1b} \u{7f} \\ \t");
    assert_eq!(goal(r"'''\d+ isn't \n'''"), r"\d+ isn't \n");
    let far = toml("max_iterations = 5", "max_iterations = 0xffff_ffff_ffff_ffff");
    assert_eq!(plan("loop.toml", &far).limits.max_iterations, NonZeroU64::MAX);
}

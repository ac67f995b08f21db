//! The results as a table, for a terminal.

use loop_telemetry::words::{
    plain_line,
    table::{Column, lines},
};

use crate::{
    baseline::Change,
    measured::{CaseResult, Spread},
};

const COLUMNS: &[Column] = &[
    Column::words(HEADS[0]),
    Column::words(HEADS[1]),
    Column::numbers(HEADS[2]),
    Column::words(HEADS[3]),
    Column::numbers(HEADS[4]),
    Column::numbers(HEADS[5]),
    Column::numbers(HEADS[6]),
    Column::numbers(HEADS[7]),
    Column::numbers(HEADS[8]),
    Column::words(HEADS[9]),
];

const HEADS: [&str; 10] = [
    "case",
    "model",
    "passed",
    "95% interval",
    "not made",
    "time",
    "tokens",
    "cost",
    "iterations",
    "baseline",
];

/// Returns the heads of the columns.
pub(crate) const fn heads() -> [&'static str; 10] {
    HEADS
}

/// Returns the results as lines of a table. Times, tokens, costs and iterations are `median / 90th percentile`.
pub fn table(results: &[CaseResult]) -> Vec<String> {
    lines(COLUMNS, &results.iter().map(row).collect::<Vec<_>>())
}

/// Returns the cells of a result.
pub(crate) fn row(result: &CaseResult) -> Vec<String> {
    let CaseResult { interval, .. } = result;
    let is_measured = result.measured() > 0;
    let range = format!("{:.0}% to {:.0}%", 100.0 * interval.low, 100.0 * interval.high);
    vec![
        plain_line(&result.case),
        plain_line(&result.model),
        format!("{} of {}", result.passed, result.measured()),
        if is_measured { range } else { String::new() },
        if result.not_made > 0 { result.not_made.to_string() } else { String::new() },
        spread(result.seconds, |seconds| format!("{seconds:.0}s")),
        known(is_measured, spread(result.tokens, |tokens| format!("{tokens:.0}"))),
        known(is_measured, spread(result.cost_usd, |cost| format!("${cost:.4}"))),
        spread(result.iterations, |iterations| iterations.to_string()),
        result.baseline.map(|than| change(than.change).to_owned()).unwrap_or_default(),
    ]
}

const fn change(change: Change) -> &'static str {
    match change {
        Change::Worse => "worse",
        Change::Unclear => "no clear change",
        Change::Better => "better",
    }
}

fn known(is_measured: bool, cell: String) -> String {
    if is_measured && cell.is_empty() { "unknown".to_owned() } else { cell }
}

fn spread(spread: Option<Spread>, format: impl Fn(f64) -> String) -> String {
    let Some(Spread { median, p90 }) = spread else { return String::new() };
    format!("{} / {}", format(median), format(p90))
}

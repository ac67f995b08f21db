//! The results as a page for a browser.

use loop_telemetry::{
    Redactor,
    report::{ResultBar, ResultsChart, ResultsPage},
};

use crate::{
    measured::{CaseResult, Spread},
    table::{heads, row},
};

/// Renders the results as a page with charts, which needs no other file and no network. `title` is its heading.
pub fn page(title: &str, results: &[CaseResult], secrets: &Redactor) -> String {
    let passed = results.iter().map(|result| {
        let of = |count: u64| count as f64 / result.runs.max(1) as f64;
        let (good, bad) = (of(result.passed), of(result.failed));
        let counts =
            format!("{} passed, {} failed, {} not made", result.passed, result.failed, result.not_made);
        ResultBar { good, bad, label: format!("{}: {counts}", name(result)) }
    });
    let mut charts =
        vec![ResultsChart { title: "Passed", top: "all runs".to_owned(), bars: passed.collect() }];
    charts.extend(medians("Median seconds", results, |result| result.seconds, |top| format!("{top:.0} s")));
    charts.extend(medians("Median tokens", results, |result| result.tokens, |top| format!("{top:.0}")));
    charts.extend(medians("Median cost", results, |result| result.cost_usd, |top| format!("${top:.4}")));
    let notes = results.iter().filter(|result| !result.notes.is_empty()).map(|result| {
        let lines = result.notes.iter().map(|note| format!("run {}: {}", note.run, note.why));
        (name(result), lines.collect::<Vec<_>>().join("\n"))
    });
    let page = ResultsPage {
        title: title.to_owned(),
        facts: vec![("results", results.len().to_string())],
        charts,
        columns: heads().to_vec(),
        rows: results.iter().map(row).collect(),
        notes: notes.collect(),
    };
    page.render(secrets)
}

fn name(result: &CaseResult) -> String {
    format!("{}, {}", result.case, result.model)
}

/// Returns a chart of medians, unless none is known.
fn medians(
    title: &'static str,
    results: &[CaseResult],
    spread: impl Fn(&CaseResult) -> Option<Spread>,
    words: impl Fn(f64) -> String,
) -> Option<ResultsChart> {
    let median = |result: &CaseResult| spread(result).map(|spread| spread.median);
    let top = results.iter().filter_map(median).max_by(f64::total_cmp).filter(|top| *top > 0.0)?;
    let bar = |result: &CaseResult| {
        let (height, said) = match median(result) {
            Some(median) => (median / top, words(median)),
            None => (0.0, "unknown".to_owned()),
        };
        ResultBar { good: height, bad: 0.0, label: format!("{}: {said}", name(result)) }
    };
    Some(ResultsChart { title, top: words(top), bars: results.iter().map(bar).collect() })
}

//! The iterations of a page: a table, and a section for each.

use super::{
    html::Markup,
    page::section,
    report_fold::{IterationSection, OutputExcerpts, ReportData},
    test_history::failing_tests,
};
use crate::{check_summary::CheckSummary, words};

/// The columns of the table of iterations: those of `loop show`, and the failing tests. A phone has no room for details,
/// which the sections of the iterations show too.
const COLUMNS: [(&str, &str); 10] = [
    ("", "number"),
    ("agent", "number"),
    ("exit", "number detail"),
    ("output", "number detail"),
    ("check", "number"),
    ("verdict", ""),
    ("score", "number"),
    ("tokens", "number"),
    ("cost", ""),
    ("failing tests", ""),
];

/// The cells that contain nothing.
const EMPTY: [&str; 3] = ["", "-", "unknown"];

fn cells(section: &IterationSection) -> Vec<String> {
    let failing = section.tests.as_ref().and_then(failing_cell).unwrap_or_default();
    section.row.full_cells().into_iter().chain([failing]).collect()
}

/// Returns the number of failing tests, and of all tests if it is known.
fn failing_cell(summary: &CheckSummary) -> Option<String> {
    let failing = words::grouped(failing_tests(summary)?);
    Some(match summary.total {
        Some(total) => format!("{failing} of {}", words::grouped(total)),
        None => failing,
    })
}

/// Builds the table of iterations, without the columns that contain nothing.
pub(super) fn table(data: &ReportData) -> Markup {
    let listed = || data.head.iter().chain(&data.tail);
    let rows: Vec<_> = listed().map(|section| (section.row.iteration, cells(section))).collect();
    let holds = |place: usize| rows.iter().any(|(_, cells)| !EMPTY.contains(&cells[place].as_str()));
    let columns: Vec<_> = (0..COLUMNS.len()).filter(|place| holds(*place)).collect();
    let heads = columns.iter().map(|place| {
        let (name, class) = COLUMNS[*place];
        Markup::element("th", &[("class", class), ("scope", "col")], [Markup::text(name)])
    });
    let head = Markup::element("thead", &[], [Markup::element("tr", &[], heads)]);
    let mut rows: Vec<_> =
        rows.iter().map(|(iteration, cells)| table_row(*iteration, cells, &columns)).collect();
    if data.left_out > 0 {
        let said = format!("{} left out", words::count(data.left_out, "iteration"));
        let width = columns.len().to_string();
        let cell = Markup::element("td", &[("colspan", &width), ("class", "gap")], [Markup::text(&said)]);
        rows.insert(data.head.len(), Markup::element("tr", &[], [cell]));
    }
    let table = Markup::element("table", &[], [head, Markup::element("tbody", &[], rows)]);
    section("Iterations", [Markup::element("div", &[("class", "wide")], [table])])
}

fn table_row(iteration: u64, cells: &[String], columns: &[usize]) -> Markup {
    let anchor = format!("#iteration-{iteration}");
    let cells = columns.iter().map(|place| {
        let text = Markup::text(&cells[*place]);
        let text = if *place == 0 { Markup::element("a", &[("href", &anchor)], [text]) } else { text };
        Markup::element("td", &[("class", COLUMNS[*place].1)], [text])
    });
    Markup::element("tr", &[], cells)
}

/// Builds what each listed iteration of the run with this id printed.
pub(super) fn iteration_sections(id: &str, data: &ReportData) -> Markup {
    let gap = (data.left_out > 0).then(|| {
        let id = id.get(..13).unwrap_or(id);
        let said = format!(
            "{} left out here; `loop show {id} -i N` shows each.",
            words::count(data.left_out, "iteration")
        );
        Markup::words("p", "gap", &said)
    });
    let all =
        data.head.iter().map(iteration_section).chain(gap).chain(data.tail.iter().map(iteration_section));
    section("Output", all)
}

fn iteration_section(section: &IterationSection) -> Markup {
    let IterationSection { row, excerpts: OutputExcerpts { ending, output, errors }, .. } = section;
    let id = format!("iteration-{}", row.iteration);
    let word = if row.verdict.is_empty() { "done" } else { &row.verdict };
    let class = match word {
        "pass" | "done" => "badge good",
        "fail" | "failed" | "inconclusive" => "badge bad",
        _ => "badge other",
    };
    let name = if row.iteration == 0 { words::BEFORE_FIRST } else { &row.iteration.to_string() };
    let mut heads = vec![Markup::words("b", "", name), Markup::words("span", class, word)];
    let again = (row.attempt > 1).then(|| format!("attempt {}", row.attempt));
    let took = row.agent.or(row.check).map(words::duration);
    let cost = row.cost().usd().map(|_| row.cost().to_string());
    let facts: Vec<_> = [again, ending.clone(), took, cost].into_iter().flatten().collect();
    heads.push(Markup::words("span", "dim", &facts.join(", ")));
    heads.extend(section.line.as_ref().map(|line| Markup::words("span", "line", line)));
    let mut parts = vec![Markup::element("summary", &[], heads)];
    parts.extend(section.troubles.iter().map(|trouble| Markup::words("p", "trouble", trouble)));
    let said = [
        ("agent", output),
        ("its errors", errors),
        ("check", &section.verdict),
        ("feedback", &section.feedback),
    ];
    let said: Vec<_> = said.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
    if said.is_empty() && section.troubles.is_empty() {
        parts.push(Markup::words("p", "dim", "Nothing was printed."));
    }
    for (who, text) in said {
        parts.push(Markup::element("h3", &[], [Markup::text(who)]));
        parts.push(Markup::element("pre", &[], [Markup::text(text.trim_end())]));
    }
    Markup::element("details", &[("id", &id)], parts)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loop_core::{Cost, Event, EventKind, Notes, Progress, RunTime, Usage, Usd, Verdict, WorkResult};

    use super::{
        super::{chart::Axis, charts, excerpt::excerpt, report_fold::ReportFold},
        *,
    };
    use crate::{Redactor, rows::IterationOutput};

    /// An output that is the same on standard output and standard error.
    struct Printed(String);

    impl IterationOutput for Printed {
        fn bytes(&self) -> u64 {
            2 * self.0.len() as u64
        }
        fn excerpt(&self, max_bytes: usize) -> String {
            excerpt(&self.0, max_bytes)
        }
        fn errors(&self, max_bytes: usize) -> String {
            excerpt(&self.0, max_bytes)
        }
        fn ending(&self) -> String {
            "exit code 0".to_owned()
        }
    }

    /// Builds a run with this many iterations, each of which prints the maximum that is kept.
    fn long(iterations: u64) -> (Progress, ReportData) {
        let (mut progress, mut story) = (Progress::default(), ReportFold::default());
        let mut happen = |second: u64, kind, output| {
            let event = Event::new(RunTime::from_micros(second * 1_000_000), kind);
            progress.apply(&event).expect("it follows");
            story.on_event(&event, output);
        };
        let printed = Printed("<&\"words\"> ".repeat(10_000));
        happen(0, EventKind::RunStarted { evaluated: true, evaluates_first: false }, None);
        for iteration in 1..=iterations {
            let usage = Usage::unknown().with_cost(Cost::known(Usd::micros(iteration * 100)));
            let notes = Notes::default().with_usage(usage).boxed();
            let verdict = Verdict::fail().with_score(0.5).with_text("no ".repeat(10_000));
            happen(iteration * 3, EventKind::IterationStarted { iteration, attempt: 1 }, None);
            let done = EventKind::IterationFinished { result: WorkResult::Done(()), notes };
            happen(iteration * 3 + 1, done, Some(&printed as &dyn IterationOutput));
            happen(iteration * 3 + 1, EventKind::EvaluationStarted {}, None);
            let judged = EventKind::EvaluationFinished { result: WorkResult::Done(verdict), notes: None };
            happen(iteration * 3 + 2, judged, None);
            happen(iteration * 3 + 2, EventKind::StepSettled { met: false, by: None }, None);
        }
        (progress, story.data())
    }

    #[test]
    fn a_long_run_has_a_page_that_opens() {
        let (progress, data) = long(10_000);
        assert_eq!((data.head.len(), data.tail.len(), data.left_out), (20, 80, 9900));
        assert_eq!(data.head[0].row.agent, Some(Duration::from_secs(1)));
        assert_eq!(data.tail[79].row.iteration, 10_000);
        assert!(data.tail[79].excerpts.output.len() <= (16 << 10) + 64);
        let buckets = data.series.buckets();
        let cost: u64 = buckets.iter().filter_map(|bucket| bucket.cost).map(Usd::as_micros).sum();
        assert_eq!(cost, 100 * 10_000 * 10_001 / 2);
        let none = Redactor::new([""; 0]);
        let axis = Axis::of(buckets.iter().map(|bucket| (bucket.first, bucket.last)));
        let charts: String =
            charts::of(buckets).iter().map(|chart| chart.markup(&axis).document(&none)).collect();
        assert!(charts.len() < 300_000 && charts.matches("<g>").count() <= 720, "{}", charts.len());
        assert_eq!(progress.iterations(), 10_000);
        let all = Markup::element("div", &[], data.head.iter().chain(&data.tail).map(iteration_section))
            .document(&none);
        // An escaped markup character has at most six bytes.
        assert!(all.len() < 12 << 20, "{}", all.len());
    }
}

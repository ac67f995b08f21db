//! The page of a run.

use loop_core::StopReason;

use super::{
    ReportedRun, charts,
    html::Markup,
    report_fold::{IterationSection, OutputExcerpts, ReportData},
};
use crate::words;

const STYLE: &str = include_str!("style.css");

/// The page loads nothing and runs nothing, even if an attack gets into it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Builds the page.
pub(super) fn page(run: &ReportedRun<'_>, data: &ReportData) -> Markup {
    let charts = charts::of(data.series.buckets()).into_iter().map(|chart| chart.markup());
    let charts = Markup::element("section", &[("class", "charts")], charts);
    let mut parts = vec![heading(run), figures(run)];
    if !data.head.is_empty() {
        parts.push(charts);
        parts.extend((!run.progress.usage().is_unknown()).then(|| usage(run)));
        parts.extend([table(data), iteration_sections(run, data)]);
    }
    parts.extend(run.manifest.map(manifest));
    parts.push(footer());
    let body = Markup::element("body", &[], [Markup::element("main", &[], parts)]);
    Markup::element("html", &[("lang", "en")], [head(&run.entry.name), body])
}

fn head(name: &str) -> Markup {
    let meta = |attributes: &[(&'static str, &str)]| Markup::empty("meta", attributes);
    Markup::element(
        "head",
        &[],
        [
            meta(&[("charset", "utf-8")]),
            meta(&[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]),
            meta(&[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]),
            meta(&[("name", "color-scheme"), ("content", "light dark")]),
            meta(&[("name", "referrer"), ("content", "no-referrer")]),
            Markup::element("title", &[], [Markup::text(&format!("{name}: a run of loop"))]),
            Markup::Style(STYLE),
        ],
    )
}

/// Builds the heading: the run, how it ended and why.
fn heading(ReportedRun { entry, state, progress, .. }: &ReportedRun<'_>) -> Markup {
    let ending = progress.ending();
    let class = match ending.map(loop_core::Ending::reason) {
        Some(None) => "badge good",
        None | Some(Some(StopReason::Cancelled | StopReason::Declined)) => "badge other",
        Some(_) => "badge bad",
    };
    let state = ending.map_or_else(|| (*state).to_owned(), |ending| ending.name().to_owned());
    let mut parts = vec![
        Markup::element("h1", &[], [Markup::text(&entry.name)]),
        Markup::words("span", class, &state.replace('_', " ")),
    ];
    if let Some((label, why)) = ending.and_then(words::ending_reason) {
        let why = if label == "why" { why.to_owned() } else { format!("{label} {why}") };
        parts.push(Markup::words("p", "why", &why));
    }
    let manifest = entry.manifest.as_deref().map(|path| ("manifest", path.to_owned()));
    let facts = [
        ("run", entry.id.clone()),
        ("began", format!("{:.0}", entry.started_at)),
        ("folder", entry.folder.clone()),
    ];
    parts.push(list("facts", facts.into_iter().chain(manifest)));
    Markup::element("header", &[], parts)
}

/// Builds the figures that readers look for first, each with a note.
fn figures(ReportedRun { progress, .. }: &ReportedRun<'_>) -> Markup {
    let mut figures = vec![
        ("iterations", words::grouped(progress.iterations())),
        ("time", words::run_time(progress)),
        ("cost", words::cost(progress)),
    ];
    figures.extend(words::tokens(progress).map(|tokens| ("tokens", tokens)));
    let figure = |(name, value): (&'static str, String)| {
        let (value, note) = part(&value).unwrap_or((&value, ""));
        let mut parts = vec![
            Markup::element("dt", &[], [Markup::text(name)]),
            Markup::element("dd", &[], [Markup::text(value)]),
        ];
        if !note.is_empty() {
            parts.push(Markup::words("dd", "note", note.trim_end_matches(')')));
        }
        Markup::element("div", &[], parts)
    };
    Markup::element("dl", &[("class", "figures")], figures.into_iter().map(figure))
}

/// Splits a value from the note after it. A comma within a number has no space after it.
fn part(value: &str) -> Option<(&str, &str)> {
    value.split_once(" (").or_else(|| value.split_once(", "))
}

fn list(class: &'static str, rows: impl IntoIterator<Item = (&'static str, String)>) -> Markup {
    let row = |(name, value): (&'static str, String)| {
        let cells = [("dt", name), ("dd", value.as_str())];
        Markup::element(
            "div",
            &[],
            cells.map(|(cell, text)| Markup::element(cell, &[], [Markup::text(text)])),
        )
    };
    Markup::element("dl", &[("class", class)], rows.into_iter().map(row))
}

fn section(title: &str, parts: impl IntoIterator<Item = Markup>) -> Markup {
    let title = Markup::element("h2", &[], [Markup::text(title)]);
    Markup::element("section", &[], std::iter::once(title).chain(parts))
}

/// Lists the total usage.
fn usage(ReportedRun { progress, .. }: &ReportedRun<'_>) -> Markup {
    let used = progress.usage();
    let count = |tokens: Option<u64>| tokens.map_or_else(|| "unknown".to_owned(), words::grouped);
    let rows = [
        ("input tokens", count(used.input_tokens)),
        ("of them cached", count(used.cached_input_tokens)),
        ("output tokens", count(used.output_tokens)),
        ("cost", progress.cost().to_string()),
    ];
    let rows = rows.map(|(name, value)| {
        let name = Markup::element("th", &[("scope", "row")], [Markup::text(name)]);
        Markup::element("tr", &[], [name, Markup::words("td", "number", &value)])
    });
    section("Usage", [Markup::element("table", &[], rows)])
}

/// The columns of the table of iterations, which are those of `loop show`.
const COLUMNS: [(&str, &str); 9] = [
    ("", "number"),
    ("agent", "number"),
    ("exit", "number"),
    ("output", "number"),
    ("check", "number"),
    ("verdict", ""),
    ("score", "number"),
    ("tokens", "number"),
    ("cost", ""),
];

fn table(data: &ReportData) -> Markup {
    let heads = COLUMNS.map(|(name, class)| Markup::element("th", &[("class", class)], [Markup::text(name)]));
    let row = |section: &IterationSection| {
        let anchor = format!("#iteration-{}", section.row.iteration);
        let cells = section.row.full_cells().into_iter().zip(COLUMNS).enumerate().map(
            |(index, (cell, (_, class)))| {
                let text = Markup::text(&cell);
                let text = if index == 0 { Markup::element("a", &[("href", &anchor)], [text]) } else { text };
                Markup::element("td", &[("class", class)], [text])
            },
        );
        Markup::element("tr", &[], cells)
    };
    let gap = (data.left_out > 0).then(|| {
        let said = format!("{} left out", words::count(data.left_out, "iteration"));
        let cell = Markup::element("td", &[("colspan", "9"), ("class", "gap")], [Markup::text(&said)]);
        Markup::element("tr", &[], [cell])
    });
    let rows = data.head.iter().map(row).chain(gap).chain(data.tail.iter().map(row));
    let head = Markup::element("thead", &[], [Markup::element("tr", &[], heads)]);
    let table = Markup::element("table", &[], [head, Markup::element("tbody", &[], rows)]);
    section("Iterations", [Markup::element("div", &[("class", "wide")], [table])])
}

fn iteration_sections(ReportedRun { entry, .. }: &ReportedRun<'_>, data: &ReportData) -> Markup {
    let gap = (data.left_out > 0).then(|| {
        let id = entry.id.get(..13).unwrap_or(&entry.id);
        let said = format!(
            "{} left out here; `loop show {id} -i N` shows each.",
            words::count(data.left_out, "iteration")
        );
        Markup::words("p", "gap", &said)
    });
    let all =
        data.head.iter().map(iteration_section).chain(gap).chain(data.tail.iter().map(iteration_section));
    section("What was said", all)
}

fn iteration_section(section: &IterationSection) -> Markup {
    let IterationSection { row, said: OutputExcerpts { ending, output, errors }, verdict, troubles } =
        section;
    let id = format!("iteration-{}", row.iteration);
    let word = if row.verdict.is_empty() { "done" } else { &row.verdict };
    let class = match word {
        "pass" | "done" => "badge good",
        "fail" | "failed" | "inconclusive" => "badge bad",
        _ => "badge other",
    };
    let mut heads =
        vec![Markup::words("b", "", &row.iteration.to_string()), Markup::words("span", class, word)];
    let took = row.agent.map(words::duration);
    let cost = row.cost().usd().map(|_| row.cost().to_string());
    let facts: Vec<_> = [ending.clone(), took, cost].into_iter().flatten().collect();
    heads.push(Markup::words("span", "dim", &facts.join(", ")));
    let mut parts = vec![Markup::element("summary", &[], heads)];
    parts.extend(troubles.iter().map(|trouble| Markup::words("p", "trouble", trouble)));
    let said = [("agent", output), ("its errors", errors), ("check", verdict)];
    let said: Vec<_> = said.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
    if said.is_empty() && troubles.is_empty() {
        parts.push(Markup::words("p", "dim", "Nothing was printed."));
    }
    for (who, text) in said {
        parts.push(Markup::element("h3", &[], [Markup::text(who)]));
        parts.push(Markup::element("pre", &[], [Markup::text(text.trim_end())]));
    }
    Markup::element("details", &[("id", &id)], parts)
}

fn manifest(text: &str) -> Markup {
    let title = Markup::element("summary", &[], [Markup::text("as it was when the run began")]);
    let text = Markup::element("pre", &[], [Markup::text(text.trim_end())]);
    section("Manifest", [Markup::element("details", &[], [title, text])])
}

fn footer() -> Markup {
    let said = concat!(
        "Written by loop ",
        env!("CARGO_PKG_VERSION"),
        ". Text that looked like a secret was left out."
    );
    Markup::element("footer", &[], [Markup::text(said)])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use loop_core::{Cost, Event, EventKind, Notes, Progress, RunTime, Usage, Usd, Verdict, WorkResult};

    use super::{
        super::{excerpt::excerpt, report_fold::ReportFold},
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
        assert!(data.tail[79].said.output.len() <= (16 << 10) + 64);
        let buckets = data.series.buckets();
        let cost: u64 = buckets.iter().filter_map(|bucket| bucket.cost).map(Usd::as_micros).sum();
        assert_eq!(cost, 100 * 10_000 * 10_001 / 2);
        let none = Redactor::new([""; 0]);
        let charts: String = charts::of(buckets).iter().map(|chart| chart.markup().document(&none)).collect();
        assert!(charts.len() < 300_000 && charts.matches("<g>").count() <= 720, "{}", charts.len());
        assert_eq!(progress.iterations(), 10_000);
        let all = Markup::element("div", &[], data.head.iter().chain(&data.tail).map(iteration_section))
            .document(&none);
        // An escaped markup character has at most six bytes.
        assert!(all.len() < 12 << 20, "{}", all.len());
    }
}

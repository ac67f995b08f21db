//! The page of a run.

use loop_core::StopReason;

use super::{
    ReportedRun,
    chart::Axis,
    charts,
    excerpt::excerpt,
    html::Markup,
    listing::{iteration_sections, table},
    report_fold::ReportData,
};
use crate::words;

const STYLE: &str = include_str!("style.css");

/// The page loads nothing and runs nothing, even if an attack gets into it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The maximum number of bytes to show of a goal. The manifest below has all of it.
const GOAL_BYTES: usize = 4 << 10;

/// Builds the page.
pub(super) fn page(run: &ReportedRun<'_>, data: &ReportData) -> Markup {
    let buckets = data.series.buckets();
    let axis = Axis::of(buckets.iter().map(|bucket| (bucket.first, bucket.last)));
    let charts = charts::of(buckets).into_iter().map(|chart| chart.markup(&axis));
    let charts = Markup::element("section", &[("class", "charts")], charts);
    let mut parts = vec![heading(run, data), figures(run)];
    if !data.head.is_empty() {
        parts.push(charts);
        parts.extend(data.series.tests().markup(buckets).map(|tests| section("Failing tests", [tests])));
        parts.extend((!run.progress.usage().is_unknown()).then(|| usage(run)));
        parts.extend([table(data), iteration_sections(&run.entry.id, data)]);
    }
    parts.extend(run.manifest.map(manifest));
    document(&format!("{}: a run of loop", run.entry.name), parts)
}

/// Builds a whole page with this title and these parts.
pub(super) fn document(title: &str, mut parts: Vec<Markup>) -> Markup {
    parts.push(footer());
    let body = Markup::element("body", &[], [Markup::element("main", &[], parts)]);
    Markup::element("html", &[("lang", "en")], [head(title), body])
}

fn head(title: &str) -> Markup {
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
            Markup::element("title", &[], [Markup::text(title)]),
            Markup::Style(STYLE),
        ],
    )
}

/// Builds the heading: the run, its goal, how it ended and why.
fn heading(
    ReportedRun { entry, state, progress, goal, task, changed, .. }: &ReportedRun<'_>,
    data: &ReportData,
) -> Markup {
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
    if let Some(goal) = goal.map(str::trim).filter(|goal| !goal.is_empty()) {
        parts.push(Markup::words("p", "goal", &excerpt(goal, GOAL_BYTES)));
    }
    if let Some((label, why)) = ending.and_then(words::ending_reason) {
        let why = if label == "why" { why.to_owned() } else { format!("{label} {why}") };
        parts.push(Markup::words("p", "why", &why));
    }
    let task = task.map(|path| ("task", path.to_owned()));
    let source = task.or_else(|| entry.manifest.as_deref().map(|path| ("manifest", path.to_owned())));
    let facts = [
        ("run", entry.id.clone()),
        ("began", format!("{:.0}", entry.started_at)),
        ("folder", entry.folder.clone()),
    ];
    let changed = changed.map(|changed| ("changed", changed.to_owned()));
    let head = entry.last_ending.as_ref().and_then(|record| record.journal_head.clone());
    let head = head.map(|head| ("journal head", head));
    let cut = progress.cut_work().map(|work| ("cut off", work.to_owned()));
    let resumed = (data.resumed > 0).then(|| ("resumed", words::count(data.resumed, "time")));
    parts.push(list(
        "facts",
        facts.into_iter().chain(source).chain(changed).chain(cut).chain(resumed).chain(head),
    ));
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

pub(super) fn list(class: &'static str, rows: impl IntoIterator<Item = (&'static str, String)>) -> Markup {
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

pub(super) fn section(title: &str, parts: impl IntoIterator<Item = Markup>) -> Markup {
    let title = Markup::element("h2", &[], [Markup::text(title)]);
    Markup::element("section", &[], std::iter::once(title).chain(parts))
}

/// Lists the total usage.
fn usage(ReportedRun { progress, .. }: &ReportedRun<'_>) -> Markup {
    let used = progress.usage();
    let cost = progress.cost();
    let count = |tokens: Option<u64>| Some(words::token_count(tokens?, used));
    let rows = [
        ("input tokens", count(used.input_tokens)),
        ("of them cached", count(used.cached_input_tokens)),
        ("output tokens", count(used.output_tokens)),
        ("cost", cost.usd().map(|_| cost.to_string())),
    ];
    let rows = rows.into_iter().filter_map(|(name, value)| {
        let name = Markup::element("th", &[("scope", "row")], [Markup::text(name)]);
        Some(Markup::element("tr", &[], [name, Markup::words("td", "number", &value?)]))
    });
    section("Usage", [Markup::element("table", &[], rows)])
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

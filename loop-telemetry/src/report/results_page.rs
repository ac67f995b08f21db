//! A page of results that are not those of one run.

use super::{
    chart::{Axis, Bar, Chart},
    html::Markup,
    page::{document, list, section},
};
use crate::Redactor;

/// A page with charts, one table and notes: numbered results side by side. It escapes all texts in it.
///
/// ```
/// use loop_telemetry::{Redactor, report::{ResultBar, ResultsChart, ResultsPage}};
///
/// let page = ResultsPage {
///     title: "cases".to_owned(),
///     charts: vec![ResultsChart {
///         title: "Passed",
///         top: "all runs".to_owned(),
///         bars: vec![ResultBar { good: 0.75, bad: 0.25, label: "greet: 3 of 4".to_owned() }],
///     }],
///     columns: vec!["case", "passed"],
///     rows: vec![vec!["<greet>".to_owned(), "3 of 4".to_owned()]],
///     ..ResultsPage::default()
/// };
/// let page = page.render(&Redactor::new(["a secret"]));
/// assert!(page.contains("&lt;greet&gt;"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ResultsPage {
    /// The heading.
    pub title: String,
    /// Facts below the heading, each with its name.
    pub facts: Vec<(&'static str, String)>,
    /// The charts, each with one bar for each row.
    pub charts: Vec<ResultsChart>,
    /// The heads of the columns. A column with the number of the row precedes them.
    pub columns: Vec<&'static str>,
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
    /// Notes on the results: the name of a result, and a text.
    pub notes: Vec<(String, String)>,
}

/// A chart with one bar for each result.
#[derive(Debug, Clone)]
pub struct ResultsChart {
    /// The title.
    pub title: &'static str,
    /// The meaning of its top.
    pub top: String,
    /// The bars.
    pub bars: Vec<ResultBar>,
}

/// A bar of two parts, whose heights together are at most 1.
#[derive(Debug, Clone)]
pub struct ResultBar {
    /// The height of the lower part.
    pub good: f64,
    /// The height of the upper part.
    pub bad: f64,
    /// The text that a browser shows for it on hover.
    pub label: String,
}

impl ResultsPage {
    /// Renders the page, without these secrets.
    pub fn render(&self, secrets: &Redactor) -> String {
        let title = Markup::element("h1", &[], [Markup::text(&self.title)]);
        let heading = Markup::element("header", &[], [title, list("facts", self.facts.iter().cloned())]);
        let axis = Axis::of((1..=self.rows.len() as u64).map(|number| (number, number)));
        let charts = self.charts.iter().map(|chart| chart.chart().markup(&axis));
        let charts = Markup::element("section", &[("class", "charts")], charts);
        let mut parts = vec![heading, charts, self.table()];
        if !self.notes.is_empty() {
            parts.push(section("Notes", self.notes.iter().map(note)));
        }
        document(&self.title, parts).document(secrets)
    }

    fn table(&self) -> Markup {
        let row = |cell: &'static str, cells: Vec<&str>| {
            Markup::element(
                "tr",
                &[],
                cells.into_iter().map(|text| Markup::element(cell, &[], [Markup::text(text)])),
            )
        };
        let head = row("th", std::iter::once("#").chain(self.columns.iter().copied()).collect());
        let rows = (1..).zip(&self.rows).map(|(number, cells)| {
            let number = number.to_string();
            row("td", std::iter::once(number.as_str()).chain(cells.iter().map(String::as_str)).collect())
        });
        let parts = [Markup::element("thead", &[], [head]), Markup::element("tbody", &[], rows)];
        let table = Markup::element("table", &[], parts);
        section("Results", [Markup::element("div", &[("class", "wide")], [table])])
    }
}

fn note((name, text): &(String, String)) -> Markup {
    let summary = Markup::element("summary", &[], [Markup::text(name)]);
    let text = Markup::element("pre", &[], [Markup::text(text.trim_end())]);
    Markup::element("details", &[], [summary, text])
}

impl ResultsChart {
    fn chart(&self) -> Chart {
        let bar = |ResultBar { good, bad, label }: &ResultBar| Bar {
            parts: vec![("good", *good), ("bad", *bad)],
            label: label.clone(),
        };
        Chart {
            title: self.title,
            top: self.top.clone(),
            legend: &[],
            bars: self.bars.iter().map(bar).collect(),
        }
    }
}

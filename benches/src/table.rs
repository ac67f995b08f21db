//! The table of ratios.

use std::fmt;

use crate::pairs::Spread;

/// One ratio.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub(crate) what: String,
    pub(crate) ratio: Option<Spread>,
    pub(crate) goal: Option<f64>,
    pub(crate) note: String,
}

impl Row {
    /// Creates a row for a ratio that was measured in pairs.
    pub fn new(what: impl Into<String>, ratio: Spread) -> Self {
        Self { what: what.into(), ratio: Some(ratio), goal: None, note: String::new() }
    }

    /// Creates a row for a ratio that was measured once.
    pub fn single(what: impl Into<String>, ratio: f64) -> Self {
        Self::new(what, Spread::of(vec![ratio]))
    }

    /// Creates a row for something that could not be measured.
    pub fn skipped(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { what: what.into(), ratio: None, goal: None, note: why.into() }
    }

    /// Sets the ratio that it should not exceed.
    #[must_use]
    pub fn at_most(mut self, goal: f64) -> Self {
        self.goal = Some(goal);
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// How a ratio changes with the size of the work.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    pub(crate) what: String,
    pub(crate) axis: &'static str,
    /// Each size, in words, with its ratio.
    pub(crate) points: Vec<(String, Spread)>,
    pub(crate) goal: Option<f64>,
}

impl Growth {
    /// Creates a growth without points. `axis` names the size.
    pub fn new(what: impl Into<String>, axis: &'static str) -> Self {
        Self { what: what.into(), axis, points: Vec::new(), goal: None }
    }

    /// Sets the ratio that no point should exceed.
    #[must_use]
    pub fn at_most(mut self, goal: f64) -> Self {
        self.goal = Some(goal);
        self
    }

    /// Adds the next larger size.
    pub fn point(&mut self, size: impl Into<String>, ratio: Spread) {
        self.points.push((size.into(), ratio));
    }

    /// Returns whether all points stay below the goal; `None` if there is no goal.
    pub(crate) fn is_held(&self) -> Option<bool> {
        let goal = self.goal?;
        Some(self.points.iter().all(|(_, ratio)| ratio.median <= goal))
    }
}

/// All ratios, in the order of measurement. Displays as text.
#[derive(Debug, Default)]
pub struct Table {
    pub(crate) rows: Vec<Row>,
    pub(crate) growths: Vec<Growth>,
}

impl Table {
    /// Adds a ratio.
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Adds a growth.
    pub fn grow(&mut self, growth: Growth) {
        self.growths.push(growth);
    }

    fn fmt_growths(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for growth in &self.growths {
            write!(f, "\n{}, by {}", growth.what, growth.axis)?;
            match (growth.goal, growth.is_held()) {
                (Some(goal), Some(true)) => writeln!(f, " (goal {goal:.2}: held)")?,
                (Some(goal), _) => writeln!(f, " (goal {goal:.2}: MISSED)")?,
                (None, _) => writeln!(f)?,
            }
            for (size, Spread { least, median, greatest }) in &growth.points {
                writeln!(f, "  {size:>10}  {median:>9.3}  {least:.3}..{greatest:.3}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|row| row.what.len()).max().unwrap_or(0);
        writeln!(f, "{:width$}  {:>7}  {:>16}  {:>7}", "ratio", "median", "least..greatest", "goal")?;
        for row in &self.rows {
            write!(f, "{:width$}  ", row.what)?;
            match row.ratio {
                Some(Spread { least, median, greatest }) => {
                    let spread = format!("{least:.3}..{greatest:.3}");
                    write!(f, "{median:>7.3}  {spread:>16}  ")?;
                    match row.goal {
                        Some(goal) => {
                            write!(f, "{goal:>7.2}  {}", if median <= goal { "held  " } else { "MISSED" })?;
                        }
                        None => write!(f, "{:>15}", "")?,
                    }
                }
                None => write!(f, "skipped:")?,
            }
            writeln!(f, "  {}", row.note)?;
        }
        self.fmt_growths(f)
    }
}

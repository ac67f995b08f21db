//! The table of ratios.

use std::fmt;

use crate::pairs::Spread;

/// One distance.
#[derive(Debug)]
pub struct Row {
    what: String,
    ratio: Option<Spread>,
    goal: Option<f64>,
    note: String,
}

impl Row {
    /// A ratio that was measured in pairs.
    pub fn new(what: impl Into<String>, ratio: Spread) -> Self {
        Self { what: what.into(), ratio: Some(ratio), goal: None, note: String::new() }
    }

    /// A ratio that was measured once.
    pub fn single(what: impl Into<String>, ratio: f64) -> Self {
        Self::new(what, Spread::of(vec![ratio]))
    }

    /// Something that could not be measured.
    pub fn skipped(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { what: what.into(), ratio: None, goal: None, note: why.into() }
    }

    /// With what it should not exceed.
    #[must_use]
    pub fn at_most(mut self, goal: f64) -> Self {
        self.goal = Some(goal);
        self
    }

    /// With something to know about it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// All distances, in the order in which they were measured. Displays as text.
#[derive(Debug, Default)]
pub struct Table(Vec<Row>);

impl Table {
    /// Adds one.
    pub fn add(&mut self, row: Row) {
        self.0.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|row| row.what.len()).max().unwrap_or(0);
        writeln!(f, "{:width$}  {:>7}  {:>16}  {:>7}", "ratio", "median", "least..greatest", "goal")?;
        for row in &self.0 {
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
        Ok(())
    }
}

//! Draws each ratio as a bar that ends before or behind its goal.

use super::chart::{Anchor, Drawing, Ink};
use crate::table::Row;

const LABELS: f64 = 430.0;
const GOAL: f64 = 230.0;
const WIDTH: f64 = 760.0;
const LINE: f64 = 24.0;

/// Draws all rows with a goal, as fractions of their goals, because they share no other scale.
pub(super) fn chart(rows: &[Row]) -> String {
    let bars: Vec<_> = rows.iter().filter_map(|row| Some((row, row.ratio?.median, row.goal?))).collect();
    let height = LINE * (bars.len() as f64 + 2.0);
    let mut drawing = Drawing::new(WIDTH, height, "Distances of loop to their floors, in parts of the goal");
    let goal = LABELS + GOAL;
    drawing.text((goal, 16.0), &Anchor::Middle, Ink::Faint, "goal");
    drawing.line((goal, 22.0), (goal, height - LINE / 2.0), Ink::Line, true);
    for (at, (row, median, most)) in bars.into_iter().enumerate() {
        let y = LINE * (at as f64 + 1.5);
        drawing.text((LABELS - 10.0, y + 10.0), &Anchor::End, Ink::Text, &row.what);
        let ink = if median <= most { Ink::Held } else { Ink::Missed };
        let width = (median / most * GOAL).clamp(2.0, WIDTH - LABELS - 60.0);
        drawing.bar((LABELS, y), width, ink);
        let ratio = format!("{median:.2}");
        drawing.text((LABELS + width + 6.0, y + 10.0), &Anchor::Start, Ink::Faint, &ratio);
    }
    drawing.finish()
}

//! Draws each growth as a small chart: sizes to the right, the ratio upwards, the goal as a line.

use super::chart::{Anchor, Drawing, Ink};
use crate::table::Growth;

const COLUMNS: usize = 2;
const PANEL: (f64, f64) = (380.0, 200.0);
/// The margins of a panel: left, top, right, bottom.
const MARGINS: (f64, f64, f64, f64) = (44.0, 46.0, 24.0, 40.0);

/// Draws all growths, two in a row.
pub(super) fn chart(growths: &[Growth]) -> String {
    let lines = growths.len().div_ceil(COLUMNS);
    let (width, height) = (PANEL.0 * COLUMNS as f64, PANEL.1 * lines as f64);
    let mut drawing = Drawing::new(width, height, "How the distances of loop to their floors grow");
    for (at, growth) in growths.iter().enumerate() {
        let corner = (PANEL.0 * (at % COLUMNS) as f64, PANEL.1 * (at / COLUMNS) as f64);
        panel(&mut drawing, corner, growth);
    }
    drawing.finish()
}

fn panel(drawing: &mut Drawing, (left, top): (f64, f64), growth: &Growth) {
    let (x0, y0) = (left + MARGINS.0, top + PANEL.1 - MARGINS.3);
    let (width, height) = (PANEL.0 - MARGINS.0 - MARGINS.2, PANEL.1 - MARGINS.1 - MARGINS.3);
    let highest =
        growth.points.iter().map(|(_, ratio)| ratio.median).fold(growth.goal.unwrap_or(1.0), f64::max);
    let y = |ratio: f64| y0 - ratio / highest * height;
    let step = width / growth.points.len().saturating_sub(1).max(1) as f64;

    drawing.text((left + 8.0, top + 16.0), &Anchor::Start, Ink::Text, &growth.what);
    drawing.line((x0, y0), (x0 + width, y0), Ink::Line, false);
    drawing.text((x0 - 6.0, y0 + 4.0), &Anchor::End, Ink::Faint, "0");
    drawing.text((x0 + width, y0 + 32.0), &Anchor::End, Ink::Faint, growth.axis);
    if let Some(goal) = growth.goal {
        drawing.line((x0, y(goal)), (x0 + width, y(goal)), Ink::Line, true);
        drawing.text((x0 - 6.0, y(goal) + 4.0), &Anchor::End, Ink::Faint, &goal.to_string());
    }
    let mut points = Vec::new();
    for (at, (size, ratio)) in growth.points.iter().enumerate() {
        let x = x0 + step * at as f64;
        points.push((x, y(ratio.median)));
        drawing.text((x, y0 + 16.0), &Anchor::Middle, Ink::Faint, &short(size));
        drawing.text((x, y(ratio.median) - 7.0), &Anchor::Middle, Ink::Text, &format!("{:.2}", ratio.median));
    }
    drawing.curve(&points, if growth.is_held() == Some(false) { Ink::Missed } else { Ink::Held });
}

/// Formats 10,000 as `10k`.
fn short(size: &str) -> String {
    match size.strip_suffix("000000").or_else(|| size.strip_suffix("000")) {
        Some(digits) => format!("{digits}{}", if size.len() - digits.len() == 6 { "M" } else { "k" }),
        None => size.to_owned(),
    }
}

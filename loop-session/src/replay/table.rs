//! The turns of several models, side by side.

use loop_telemetry::words::{
    plain_line,
    table::{Column, lines},
};

use super::{Recording, ReplayedTurn, TurnFigures};

const COLUMNS: &[Column] = &[
    Column::numbers("turn"),
    Column::words("model"),
    Column::numbers("tokens"),
    Column::numbers("time"),
    Column::numbers("cost"),
    Column::numbers("calls"),
    Column::numbers("similar"),
    Column::words("failure"),
];

/// Returns a table by turn, as lines: first the recorded turn, then that of each model.
pub fn table(recording: &Recording, models: &[Vec<ReplayedTurn>]) -> Vec<String> {
    let mut rows = Vec::new();
    for (index, recorded) in recording.turns().enumerate() {
        rows.push(row((index + 1).to_string(), &recorded.figures.clone().with_cost(), "recorded".to_owned()));
        for turn in models.iter().filter_map(|turns| turns.get(index)) {
            let similar = turn.similarity.map(|share| format!("{:.0}%", 100.0 * share));
            rows.push(row(String::new(), &turn.figures, similar.unwrap_or_default()));
        }
    }
    lines(COLUMNS, &rows)
}

fn row(turn: String, figures: &TurnFigures, similar: String) -> Vec<String> {
    vec![
        turn,
        plain_line(&figures.model),
        figures.usage.tokens().map_or_else(|| "unknown".to_owned(), |tokens| tokens.to_string()),
        format!("{:.1}s", figures.time.as_secs_f64()),
        figures.cost_usd.map_or_else(|| "unknown".to_owned(), |cost| format!("${cost:.4}")),
        figures.calls.to_string(),
        similar,
        figures.failure.as_deref().map(plain_line).unwrap_or_default(),
    ]
}

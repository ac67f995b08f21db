//! The keys about runs that no longer get anywhere, as they were written.

use super::{diagnostics::Span, field::Field, fields::Fields};

/// `stagnation`: a word, or an object.
#[derive(Debug, Default)]
pub(crate) struct RawStagnation {
    /// `auto` (the default) or `off`.
    pub(crate) mode: Field<String>,
    /// The location of the object, if it is one.
    pub(crate) object: Option<Span>,
    /// The number of iterations with the same result after which the agent is told. Default: 5.
    pub(crate) nudge_after: Field<i128>,
    /// The number of iterations with the same result after which the run halts. Default: 8.
    pub(crate) halt_after: Field<i128>,
    /// The number of iterations that bring back earlier files after which the run halts. Default: no limit.
    pub(crate) oscillation_after: Field<i128>,
    /// The least gain of the score. Default: none.
    pub(crate) score: Option<RawScoreGain>,
}

/// `stagnation.score`: the least gain of the score. Both fields are required.
#[derive(Debug)]
pub(crate) struct RawScoreGain {
    /// The location of the object.
    pub(crate) span: Span,
    /// By how much the best score has to improve. Above 0.
    pub(crate) gain: Field<f64>,
    /// Within how many iterations. At least 1.
    pub(crate) within: Field<i128>,
}

impl RawStagnation {
    /// Reads the field from the manifest. Without it, no field is written.
    pub(crate) fn read(manifest: &mut Fields<'_>) -> Self {
        if let Some(mode) = manifest.word("stagnation") {
            return Self { mode: Field::Written(mode), ..Self::default() };
        }
        let Some(mut fields) = manifest.object("stagnation") else { return Self::default() };
        Self {
            mode: Field::Absent,
            object: Some(fields.span()),
            nudge_after: fields.whole("stagnation.nudge_after"),
            halt_after: fields.whole("stagnation.halt_after"),
            oscillation_after: fields.whole("stagnation.oscillation_after"),
            score: fields.object("stagnation.score").map(RawScoreGain::read),
        }
    }
}

impl RawScoreGain {
    fn read(mut fields: Fields<'_>) -> Self {
        Self {
            span: fields.span(),
            gain: fields.number("stagnation.score.gain"),
            within: fields.whole("stagnation.score.within"),
        }
    }
}

//! The keys about loops that run at once, as they were written.

use super::{diagnostics::Span, field::Field, fields::Fields};

/// `parallel`: several loops at once.
#[derive(Debug)]
pub(crate) struct RawParallel {
    /// The location of the object.
    pub(crate) span: Span,
    /// How many loops run at once. Required.
    pub(crate) count: Field<i128>,
    /// `first` (the default) or `best`.
    pub(crate) pick: Field<String>,
}

impl RawParallel {
    /// Reads the object.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self { span: fields.span(), count: fields.whole("parallel.n"), pick: fields.text("parallel.pick") }
    }
}

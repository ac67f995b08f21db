//! The keys about snapshots of the folder and the score of a step, as they were written.

use super::{diagnostics::Span, field::Field, fields::Fields};

/// `snapshots`: a word for the mode, or an object.
#[derive(Debug, Default)]
pub(crate) struct RawSnapshots {
    /// `auto` (the default), `on` or `off`.
    pub(crate) mode: Field<String>,
    /// The size above which a file is left out. Default: 50,000,000.
    pub(crate) max_file: Field<i128>,
    /// The size of the store above which old snapshots are dropped. Default: 2,000,000,000.
    pub(crate) max_bytes: Field<i128>,
    /// Whether ignored files are captured. Default: `false`.
    pub(crate) ignored: Field<bool>,
}

/// `evaluator.score`: the number that the check measures.
#[derive(Debug)]
pub(crate) struct RawScore {
    /// The location of the object.
    pub(crate) span: Span,
    /// A regular expression with one group.
    pub(crate) pattern: Field<String>,
    /// A JSON pointer.
    pub(crate) pointer: Field<String>,
    /// `up` (the default) or `down`.
    pub(crate) direction: Field<String>,
}

impl RawSnapshots {
    /// Reads the field from the manifest. Without it, no field is written.
    pub(crate) fn read(manifest: &mut Fields<'_>) -> Self {
        if let Some(mode) = manifest.word("snapshots") {
            return Self { mode: Field::Written(mode), ..Self::default() };
        }
        let Some(mut fields) = manifest.object("snapshots") else { return Self::default() };
        Self {
            mode: fields.text("snapshots.mode"),
            max_file: fields.whole("snapshots.max_file"),
            max_bytes: fields.whole("snapshots.max_bytes"),
            ignored: fields.flag("snapshots.ignored"),
        }
    }
}

impl RawScore {
    /// Reads the object.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            span: fields.span(),
            pattern: fields.text("evaluator.score.pattern"),
            pointer: fields.text("evaluator.score.pointer"),
            direction: fields.text("evaluator.score.direction"),
        }
    }
}

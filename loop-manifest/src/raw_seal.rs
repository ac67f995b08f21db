//! The keys about a sealed check, as they were written.

use super::{
    field::{Field, SpannedText, WordOrWhole},
    fields::Fields,
};

/// The keys of `evaluator` about a sealed check.
#[derive(Debug, Default)]
pub(crate) struct RawSeal {
    /// Whether the check is sealed. Default: `false`.
    pub(crate) sealed: Field<bool>,
    /// More protected paths, and exceptions with a leading `!`.
    pub(crate) protect: Field<Vec<SpannedText>>,
    /// `count` (the default), `names`, `off`, or a number of tests.
    pub(crate) min_tests: Field<WordOrWhole>,
    /// `restore` (the default), `keep` or `halt`.
    pub(crate) on_change: Field<String>,
    /// The command that installs dependencies.
    pub(crate) setup: Field<String>,
    /// How often in a row the command has to pass. Default: 1.
    pub(crate) confirm: Field<i128>,
}

impl RawSeal {
    /// Returns whether the check is sealed.
    pub(crate) fn is_sealed(&self) -> bool {
        self.sealed.written().is_some_and(|at| at.value)
    }

    /// Reads the fields from `evaluator`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            sealed: fields.flag("evaluator.sealed"),
            protect: fields.list("evaluator.protect"),
            min_tests: fields.word_or_whole("evaluator.min_tests"),
            on_change: fields.text("evaluator.on_protected_change"),
            setup: fields.text("evaluator.setup"),
            confirm: fields.whole("evaluator.confirm"),
        }
    }
}

//! A field: whether it is written, what it holds, and where.

use super::diagnostics::{Diagnostic, Span};

/// A value as it was written: with its place, and the path of its key.
#[derive(Debug, Clone)]
pub(crate) struct FieldValue<T> {
    pub(crate) key: &'static str,
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// A field as it was found.
#[derive(Debug, Clone, Default)]
pub(crate) enum Field<T> {
    /// Not written. If it is required, that is reported already.
    #[default]
    Absent,
    /// Written, and already reported as wrong.
    Refused,
    /// Written, and of the right type.
    Written(FieldValue<T>),
}

impl<T> Field<T> {
    /// Returns the result of `next` for a written value.
    pub(crate) fn and_then<U>(self, next: impl FnOnce(FieldValue<T>) -> Field<U>) -> Field<U> {
        match self {
            Self::Absent => Field::Absent,
            Self::Refused => Field::Refused,
            Self::Written(at) => next(at),
        }
    }

    /// Changes the written value.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Field<U> {
        self.and_then(|FieldValue { key, value, span }| {
            Field::Written(FieldValue { key, value: change(value), span })
        })
    }

    /// Validates the written value with `judge`, and reports its objections.
    pub(crate) fn judge<U>(
        self,
        problems: &mut Vec<Diagnostic>,
        judge: impl FnOnce(FieldValue<T>) -> Result<U, Diagnostic>,
    ) -> Field<U> {
        self.and_then(|at| {
            let (key, span) = (at.key, at.span.clone());
            match judge(at) {
                Ok(value) => Field::Written(FieldValue { key, value, span }),
                Err(problem) => {
                    problems.push(problem);
                    Field::Refused
                }
            }
        })
    }

    /// Returns the written value, if there is one.
    pub(crate) fn written(&self) -> Option<&FieldValue<T>> {
        if let Self::Written(at) = self { Some(at) } else { None }
    }

    /// Takes the written value with its place.
    pub(crate) fn written_at(self) -> Option<FieldValue<T>> {
        if let Self::Written(at) = self { Some(at) } else { None }
    }

    /// The value of a required field; nothing if its lack or its fault is reported.
    pub(crate) fn required(self) -> Option<T> {
        self.written_at().map(|at| at.value)
    }

    /// The value of an optional field; nothing if its fault is reported.
    pub(crate) fn optional(self) -> Option<Option<T>> {
        match self {
            Self::Absent => Some(None),
            Self::Refused => None,
            Self::Written(at) => Some(Some(at.value)),
        }
    }

    /// The value of a field with a default; nothing if its fault is reported.
    pub(crate) fn or(self, default: T) -> Option<T> {
        self.optional().map(|value| value.unwrap_or(default))
    }
}

/// A word or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WordOrWhole {
    Word(String),
    Whole(i128),
}

/// A word or a list of texts.
#[derive(Debug, Clone)]
pub(crate) enum WordOrTexts {
    Word(String),
    Texts(Vec<SpannedText>),
}

/// A number, or one of the words `true` and `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagOrWhole {
    Flag(bool),
    Whole(i128),
}

/// A text in a list.
#[derive(Debug, Clone)]
pub(crate) struct SpannedText {
    pub(crate) value: String,
    pub(crate) span: Span,
}

/// A text under a key of the user's own.
#[derive(Debug, Clone)]
pub(crate) struct NamedText {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) value: String,
    pub(crate) span: Span,
}

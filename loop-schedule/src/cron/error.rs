//! Errors in an expression: the position, the problem, and the fix.

use std::{fmt, ops::Range};

use super::CronField;

/// An invalid expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronError {
    expression: String,
    field: Option<CronField>,
    span: Range<usize>,
    problem: CronProblem,
}

impl CronError {
    pub(super) fn new(
        expression: &str,
        field: Option<CronField>,
        span: Range<usize>,
        problem: CronProblem,
    ) -> Self {
        Self { expression: expression.to_owned(), field, span, problem }
    }

    /// Returns the expression as given.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Returns the invalid field, if the error is in one.
    pub fn field(&self) -> Option<CronField> {
        self.field
    }

    /// Returns the position in the expression, in bytes.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the problem.
    pub fn problem(&self) -> &CronProblem {
        &self.problem
    }
}

impl fmt::Display for CronError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expression, field, span, problem } = self;
        match field {
            Some(field) => write!(
                f,
                "{:?} (the {field} of {expression:?}, from character {}) {problem}",
                &expression[span.clone()],
                span.start + 1
            ),
            None => write!(f, "{expression:?} {problem}"),
        }
    }
}

impl std::error::Error for CronError {}

/// The problem in an expression. Its message continues the sentence after the words in question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CronProblem {
    /// The number of fields is not five.
    FieldCount {
        /// The number of fields.
        count: usize,
    },
    /// A macro such as `@daily`.
    Macro,
    /// A number is missing.
    Missing,
    /// A name, a sign, or a letter of another dialect.
    NotANumber,
    /// The number is outside the field's range.
    OutOfRange {
        /// The field's smallest number.
        smallest: u32,
        /// The field's largest number.
        largest: u32,
    },
    /// A range ends before it starts.
    Backwards {
        /// Its first number.
        first: u32,
        /// Its last number.
        last: u32,
    },
    /// `N/step`: some dialects read it as a range to the end, others as `N`.
    StepOfNumber {
        /// The number.
        number: u32,
        /// The field's largest number.
        largest: u32,
    },
    /// A step is not a number, or is zero.
    BadStep,
    /// A step is longer than its field, so that it matches once. Parsing accepts it, as other dialects do.
    LongStep {
        /// The step.
        step: String,
        /// The longest step that fits.
        most: u32,
    },
}

impl fmt::Display for CronProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldCount { count } => write!(
                f,
                "has {count} fields and not five: write minute, hour, day of month, month and day of week, as in 0 9 * * 1-5"
            ),
            Self::Macro => f.write_str("is a short form of other dialects: write five fields, as in 0 0 * * *"),
            Self::Missing => f.write_str("has nothing where a number should be: remove the comma, or add it"),
            Self::NotANumber => f.write_str(
                "is not made of digits, `*`, `-`, `/` and `,`: write names as numbers (January is 1, Monday is 1)",
            ),
            Self::OutOfRange { smallest, largest } => {
                write!(f, "is out of range: give {smallest} to {largest}")
            }
            Self::Backwards { first, last } => {
                write!(f, "ends before it begins: write both parts, as in {first},{last}")
            }
            Self::StepOfNumber { number, largest } => {
                write!(f, "has a step without a range: write {number}-{largest}/step, or {number} alone")
            }
            Self::LongStep { step, most } => write!(
                f,
                "has a step of {step}, which does not fit into the field: give at most {most}, or an interval such as 90m"
            ),
            Self::BadStep => f.write_str("has no step that counts: give a number from 1 after the /"),
        }
    }
}

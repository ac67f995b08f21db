//! The limits on what commands use, as they were written.

use super::{field::Field, fields::Fields};

/// `limits`: what all commands of the run use together.
#[derive(Debug, Default)]
pub(crate) struct RawLimits {
    /// The most processes at a time. Default: no limit.
    pub(crate) processes: Field<i128>,
    /// The most memory, such as `2GiB`. Default: no limit.
    pub(crate) memory: Field<String>,
}

impl RawLimits {
    /// Reads the object.
    pub(crate) fn read(mut fields: Fields<'_>) -> Self {
        Self { processes: fields.whole("limits.processes"), memory: fields.text("limits.memory") }
    }
}

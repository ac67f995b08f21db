//! The end of a recurring job's life.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ScheduleSettings;

/// When a recurring job expires. Its first slot after that is its last.
///
/// A job that somebody forgot costs money with each fire, so a job on an interval expires. A job at a time of day is
/// usually meant to stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Expiry {
    /// After the [lifetime of the settings](ScheduleSettings::expiry). Files of earlier versions mean this.
    #[default]
    Settings,
    /// Never.
    Never,
    /// This many seconds after its creation.
    AfterSeconds(u64),
}

impl Expiry {
    /// Returns the time from the job's creation to its expiry. `None` means forever.
    pub fn lifetime(self, settings: &ScheduleSettings) -> Option<Duration> {
        match self {
            Self::Settings => settings.expiry,
            Self::Never => None,
            Self::AfterSeconds(seconds) => Some(Duration::from_secs(seconds)),
        }
    }

    pub(crate) fn is_of_settings(&self) -> bool {
        *self == Self::Settings
    }
}

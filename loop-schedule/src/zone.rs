//! Time zones by their names.
//!
//! "Every weekday at nine" means nine where the person is, through every change of the clocks there, also
//! when the machine moves. So a job keeps the name of its zone, and not an offset.

use std::{fmt, str::FromStr};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// A named time zone, such as `Europe/Riga`. It is written as its name.
///
/// The rules come from the system's database of time zones, or from the one compiled in where there is none.
///
/// ```
/// use loop_schedule::Zone;
/// let zone: Zone = "Europe/Riga".parse()?;
/// assert_eq!(zone.to_string(), "Europe/Riga");
/// assert!("Europe/Rigga".parse::<Zone>().is_err());
/// # Ok::<(), loop_schedule::ZoneError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone that no clock change touches.
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// Returns this machine's zone, or UTC where the machine has none.
    ///
    /// # Errors
    /// [`ZoneError::Nameless`] if the machine's zone has no name.
    pub fn of_system() -> Result<Self, ZoneError> {
        match TimeZone::try_system() {
            Ok(zone) if !zone.is_unknown() => Self::try_from(zone),
            _ => Ok(Self::utc()),
        }
    }

    /// Its rules.
    pub fn rules(&self) -> &TimeZone {
        &self.0
    }
}

impl TryFrom<TimeZone> for Zone {
    type Error = ZoneError;

    /// Takes a zone that has a name.
    ///
    /// # Errors
    /// [`ZoneError::Nameless`] for a fixed offset or rules of one's own: they cannot be written down.
    fn try_from(zone: TimeZone) -> Result<Self, ZoneError> {
        if zone.iana_name().is_some() { Ok(Self(zone)) } else { Err(ZoneError::Nameless) }
    }
}

impl FromStr for Zone {
    type Err = ZoneError;

    fn from_str(name: &str) -> Result<Self, ZoneError> {
        let known = TimeZone::get(name).map_err(|_| ZoneError::Unknown { name: name.to_owned() });
        known.and_then(Self::try_from)
    }
}

impl TryFrom<String> for Zone {
    type Error = ZoneError;

    fn try_from(name: String) -> Result<Self, ZoneError> {
        name.parse()
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.to_string()
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only what has a name becomes a `Zone`.
        f.write_str(self.0.iana_name().unwrap_or("UTC"))
    }
}

/// Why something is no time zone for a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ZoneError {
    /// No database has it.
    #[error("there is no time zone {name:?}: give a name such as Europe/Riga, America/New_York or UTC")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// It is a mere offset.
    #[error("the time zone has no name: give one such as Europe/Riga, which knows of clock changes")]
    Nameless,
}

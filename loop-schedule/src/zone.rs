//! Time zones by their names.
//!
//! "Every weekday at nine" means nine where the person is, through every clock change there, even if the machine moves.
//! So a job stores the name of its zone, and not an offset.

use std::{fmt, str::FromStr};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// A named time zone, such as `Europe/Riga`. Its serialised form is the name.
///
/// The rules come from the system's time zone database, or else from the one compiled in.
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
    /// Returns UTC, which has no clock changes.
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

    /// Returns whether a name is that of a city or an island in the time zone database: `Riga`, `New York`.
    pub(crate) fn is_place(name: &str) -> bool {
        const CONTINENTS: [&str; 8] =
            ["Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];
        // Some zones of Australia have the names of directions.
        let is_other =
            ["north", "south", "west", "easter"].iter().any(|word| name.eq_ignore_ascii_case(word));
        let name = name.replace(' ', "_");
        !is_other && CONTINENTS.iter().any(|continent| TimeZone::get(&format!("{continent}/{name}")).is_ok())
    }

    /// Returns its rules.
    pub fn rules(&self) -> &TimeZone {
        &self.0
    }
}

impl TryFrom<TimeZone> for Zone {
    type Error = ZoneError;

    /// Converts a zone that has a name.
    ///
    /// # Errors
    /// [`ZoneError::Nameless`] for a fixed offset or custom rules, which cannot be stored.
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
        // A `Zone` always has a name.
        f.write_str(self.0.iana_name().unwrap_or("UTC"))
    }
}

/// The reason why a time zone cannot be used for a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ZoneError {
    /// No database contains it.
    #[error("there is no time zone {name:?}: give a name such as Europe/Riga, America/New_York or UTC")]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// It is only an offset.
    #[error("the time zone has no name: give one such as Europe/Riga, whose clock changes are known")]
    Nameless,
}

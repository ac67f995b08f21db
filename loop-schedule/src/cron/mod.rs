//! Cron expressions, in a strict dialect and with one rule for clock changes.
//!
//! Dialects of cron differ in what they take and in what they do twice a year, so a job that was copied from
//! elsewhere may silently never fire, or fire twice. Here an expression either means the same as everywhere
//! or is refused, with the field and the place. When the clocks change, the rule of vixie cron holds: a job
//! whose minute or hour begins with `*` follows the wall clock; of any other, a time that the clocks leap
//! over fires once, right after the gap, and a time that comes twice fires on the first pass only.
//!
//! ```text
//! expr  = ws* field (ws+ field){4} ws*
//! field = term ("," term)*
//! term  = ("*" | num | num "-" num) ["/" step]     step only after * or a range
//! num   = [0-9]+, ASCII, no sign;  step >= 1
//! minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-7 (7 is Sunday)
//! ```
//!
//! If both days are restricted, either may match. Only `*`, and `*/1`, which says the same, are no restriction.

mod calendar;
mod daylight;
mod describe;
mod dialect;
mod error;
mod field;

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::calendar::Calendar;
pub use self::{
    error::{CronError, Problem},
    field::Field,
};
use crate::Zone;

/// A cron expression of five fields.
///
/// ```
/// use loop_schedule::{Cron, Zone};
/// let cron: Cron = "0 9 * * 1-5".parse()?;
/// let friday = "2026-03-06T12:00:00Z".parse()?;
/// let next = cron.next_after(friday, &"Europe/Riga".parse::<Zone>()?).expect("there is a Monday");
/// assert_eq!(next.to_string(), "2026-03-09T07:00:00Z"); // nine in Riga
/// assert_eq!(cron.describe(), "Weekdays at 9:00 AM");
///
/// let error = "0 9 * * MON".parse::<Cron>().unwrap_err();
/// assert!(error.to_string().contains("day of week"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cron {
    text: String,
    calendar: Calendar,
    follows_wall_clock: bool,
}

impl Cron {
    /// The first fire strictly after an instant. Looks eight years ahead and some days, which is as far
    /// apart as two 29ths of February can be; `None` if there is none: 31 February.
    pub fn next_after(&self, from: Timestamp, zone: &Zone) -> Option<Timestamp> {
        if self.follows_wall_clock {
            daylight::next_on_the_wall(&self.calendar, from, zone.rules())
        } else {
            daylight::next_fixed(&self.calendar, from, zone.rules())
        }
    }

    /// The fires after an instant, one after the other.
    pub fn fires_after(&self, from: Timestamp, zone: &Zone) -> impl Iterator<Item = Timestamp> {
        std::iter::successors(self.next_after(from, zone), |last| self.next_after(*last, zone))
    }

    /// The expression for people: `Every 5 minutes`, `Weekdays at 9:00 AM`. What has no short wording is the
    /// expression itself.
    pub fn describe(&self) -> String {
        describe::describe(&self.calendar).unwrap_or_else(|| self.text.clone())
    }
}

/// The fields as they were written, with one space between.
impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Cron {
    type Error = CronError;

    fn try_from(text: String) -> Result<Self, CronError> {
        text.parse()
    }
}

impl From<Cron> for String {
    fn from(cron: Cron) -> Self {
        cron.text
    }
}

//! Cron expressions, in a strict dialect and with one rule for clock changes.
//!
//! Dialects of cron differ in their syntax and in their behaviour at clock changes, so a job copied from elsewhere may
//! silently never fire, or fire twice. Here an expression either means the same as everywhere else, or is refused with
//! the field and the position. Clock changes follow the rule of vixie cron: if a job's minute or hour begins with `*`,
//! the job follows the wall clock. For any other job, a time in the gap fires once, right after the gap, and a repeated
//! time fires on the first pass only.
//!
//! ```text
//! expr  = ws* field (ws+ field){4} ws*
//! field = term ("," term)*
//! term  = ("*" | num | num "-" num) ["/" step]     step only after * or a range
//! num   = [0-9]+, ASCII, no sign;  step >= 1
//! minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-7 (7 is Sunday)
//! ```
//!
//! If both days are restricted, either may match. Only `*` and the equivalent `*/1` mean no restriction.

mod calendar;
mod clock_changes;
mod describe;
mod error;
mod field;
mod parser;

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::calendar::Calendar;
pub use self::{
    error::{CronError, CronProblem},
    field::CronField,
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
    /// Returns the first fire strictly after an instant. It searches eight years and some days ahead, because two 29ths
    /// of February can be that far apart. Returns `None` if there is none, as for 31 February.
    pub fn next_after(&self, from: Timestamp, zone: &Zone) -> Option<Timestamp> {
        if self.follows_wall_clock {
            clock_changes::next_on_the_wall(&self.calendar, from, zone.rules())
        } else {
            clock_changes::next_fixed(&self.calendar, from, zone.rules())
        }
    }

    /// Returns the fires after an instant, in order.
    pub fn fires_after(&self, from: Timestamp, zone: &Zone) -> impl Iterator<Item = Timestamp> {
        std::iter::successors(self.next_after(from, zone), |last| self.next_after(*last, zone))
    }

    /// Returns whether the expression repeats like an interval, and names no time of day: its minute or its hour begins
    /// with `*`.
    ///
    /// ```
    /// # use loop_schedule::Cron;
    /// assert!("*/5 * * * *".parse::<Cron>()?.is_interval());
    /// assert!("0 */2 * * *".parse::<Cron>()?.is_interval());
    /// assert!(!"0 9 * * 1-5".parse::<Cron>()?.is_interval());
    /// # Ok::<(), loop_schedule::CronError>(())
    /// ```
    pub const fn is_interval(&self) -> bool {
        self.follows_wall_clock
    }

    /// Checks that each step is within its field. `*/90` is an expression that matches minute 0 alone, but its author
    /// means every 90 minutes.
    ///
    /// # Errors
    /// [`CronError`] with the first step that is not.
    pub fn check_steps(&self) -> Result<(), CronError> {
        parser::check_steps(&self.text)
    }

    /// Describes the expression for people: `Every 5 minutes`, `Weekdays at 9:00 AM`. If there is no short description,
    /// it returns the expression itself.
    pub fn describe(&self) -> String {
        describe::describe(&self.calendar).unwrap_or_else(|| self.text.clone())
    }
}

/// Writes the fields as given, with one space between them.
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

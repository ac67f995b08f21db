//! The five fields, and their allowed numbers.

use std::fmt;

/// One of the five fields of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CronField {
    /// The first: 0 to 59.
    Minute,
    /// The second: 0 to 23.
    Hour,
    /// The third: 1 to 31.
    DayOfMonth,
    /// The fourth: 1 to 12.
    Month,
    /// The fifth: 0 to 7. Both 0 and 7 are Sunday.
    DayOfWeek,
}

impl CronField {
    /// All fields, in the order of an expression.
    pub(super) const ALL: [Self; 5] =
        [Self::Minute, Self::Hour, Self::DayOfMonth, Self::Month, Self::DayOfWeek];

    /// Returns the smallest and the largest number.
    pub(super) fn range(self) -> (u32, u32) {
        match self {
            Self::Minute => (0, 59),
            Self::Hour => (0, 23),
            Self::DayOfMonth => (1, 31),
            Self::Month => (1, 12),
            Self::DayOfWeek => (0, 7),
        }
    }
}

impl fmt::Display for CronField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::DayOfMonth => "day of month",
            Self::Month => "month",
            Self::DayOfWeek => "day of week",
        })
    }
}

/// A set of numbers below 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FieldSet(u64);

impl FieldSet {
    pub(super) fn insert(&mut self, number: u32) {
        self.0 |= 1 << number;
    }

    pub(super) fn remove(&mut self, number: u32) {
        self.0 &= !(1 << number);
    }

    pub(super) fn contains(self, number: u32) -> bool {
        self.0 >> number & 1 == 1
    }

    /// Returns the smallest member that is at least `number`, which must be below 64.
    pub(super) fn at_or_after(self, number: u32) -> Option<u32> {
        let rest = self.0 >> number << number;
        (rest != 0).then(|| rest.trailing_zeros())
    }

    pub(super) fn first(self) -> Option<u32> {
        self.at_or_after(0)
    }

    /// Returns the members, smallest first.
    pub(super) fn members(self) -> impl Iterator<Item = u32> {
        (0..64).filter(move |number| self.contains(*number))
    }

    /// Returns the only member, if there is exactly one.
    pub(super) fn only(self) -> Option<u32> {
        self.first().filter(|_| self.0.is_power_of_two())
    }
}

impl FromIterator<u32> for FieldSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = Self::default();
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}

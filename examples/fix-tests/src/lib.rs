//! Two functions with a mistake each. The tests are right.

/// The area of a rectangle.
pub fn area(width: u32, height: u32) -> u32 {
    width + height
}

/// Whether a year has 366 days.
pub fn is_leap_year(year: u32) -> bool {
    year % 4 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_is_width_times_height() {
        assert_eq!(area(3, 4), 12);
    }

    #[test]
    fn centuries_are_leap_years_only_every_four() {
        assert!(is_leap_year(2024) && is_leap_year(2000));
        assert!(!is_leap_year(1900));
    }
}

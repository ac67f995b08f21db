//! The table, in the order of its rows.

mod descendants;
mod disguises;
mod endings;
mod misfortunes;
mod output;
mod places;

use crate::case::HostileCase;

/// A group of cases: a test for each, and all of them as rows.
macro_rules! cases {
    ($($name:ident: $case:expr;)+) => {
        pub(super) const ROWS: &[(&str, $crate::case::HostileCase)] = &[$((stringify!($name), $case)),+];

        $(
            #[test]
            fn $name() {
                $case.is_survived(stringify!($name));
            }
        )+
    };
}
use cases;

/// Returns all cases, by name.
pub(crate) fn all() -> impl Iterator<Item = &'static (&'static str, HostileCase)> {
    [endings::ROWS, descendants::ROWS, output::ROWS, places::ROWS, misfortunes::ROWS, disguises::ROWS]
        .into_iter()
        .flatten()
}

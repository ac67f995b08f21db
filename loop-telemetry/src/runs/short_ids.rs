//! Short names of runs.

use std::collections::HashMap;

/// The minimum length of a displayed id. Ids begin with the time, and this many characters cover about a minute.
const LEAST: usize = 8;

/// Returns the shortest prefix of each id that names its run. It has at least eight characters.
///
/// ```
/// use loop_telemetry::short_ids;
///
/// let short = short_ids(["0198b2c4-7f00", "0198b2c4-9a10"]);
/// assert_eq!(short["0198b2c4-7f00"], "0198b2c4-7");
/// ```
pub fn short_ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> HashMap<&'a str, &'a str> {
    let mut ids: Vec<_> = ids.into_iter().collect();
    ids.sort_unstable();
    let shared = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // In sorted order, the longest shared prefix is shared with a neighbour.
    let before = ids.iter().enumerate().map(|(at, id)| if at == 0 { 0 } else { shared(ids[at - 1], id) });
    let after = ids.iter().enumerate().map(|(at, id)| ids.get(at + 1).map_or(0, |next| shared(id, next)));
    let lengths = before.zip(after).map(|(before, after)| (before.max(after) + 1).max(LEAST));
    // Ids are ASCII. An id that is a prefix of another one stays whole.
    ids.iter().zip(lengths).map(|(id, length)| (*id, id.get(..length).unwrap_or(id))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_short_id_names_its_run_and_no_other(ids in prop::collection::btree_set("[ab]{1,12}", 1..20)) {
            // All ids have the same length, so none is a prefix of another.
            let ids: BTreeSet<_> = ids.iter().map(|id| format!("{id:-<12}")).collect();
            let short = short_ids(ids.iter().map(String::as_str));
            for id in &ids {
                let short = short[id.as_str()];
                prop_assert!(short.len() >= LEAST);
                let named: Vec<_> = ids.iter().filter(|id| id.starts_with(short)).collect();
                prop_assert_eq!(named, [id]);
            }
        }
    }
}

//! Fingerprints of a step's results, and how long each has stayed the same.
//!
//! An agent that goes in circles costs as much as one that works. You can tell because nothing changes: the same
//! output, the same work tree, the same verdict.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A named fingerprint, made by an iteration or an evaluator.
///
/// ```
/// use loop_core::Mark;
/// let mark = Mark::new("work_tree", 0x5eed);
/// assert_eq!((&*mark.name, mark.hash), ("work_tree", 0x5eed));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mark {
    /// The name of the fingerprinted thing: `output`, `work_tree`, `verdict`, or any other name.
    pub name: Arc<str>,
    /// The hash. Serialized as hexadecimal digits, because JSON readers round large numbers.
    #[serde(with = "hex")]
    pub hash: u64,
}

impl Mark {
    /// Creates a mark from a name and a hash. Two marks with the same name are compared by their hashes alone.
    pub fn new(name: impl Into<Arc<str>>, hash: u64) -> Self {
        Self { name: name.into(), hash }
    }
}

/// A mark and the number of later steps in a row that left it as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Streak {
    mark: Mark,
    unchanged: u64,
    /// The last step that made this mark.
    step: u64,
    /// The hash and the count before that step. If a step makes several marks with one name, only the last one counts.
    #[serde(with = "optional_hex")]
    before: Option<(u64, u64)>,
}

impl Streak {
    fn new(mark: &Mark, step: u64) -> Self {
        Self { mark: mark.clone(), unchanged: 0, step, before: None }
    }

    fn record(&mut self, hash: u64, step: u64) {
        if step != self.step {
            self.before = Some((self.mark.hash, self.unchanged));
            self.step = step;
        }
        self.unchanged = match self.before {
            Some((before, unchanged)) if before == hash => unchanged.saturating_add(1),
            _ => 0,
        };
        self.mark.hash = hash;
    }
}

/// The latest mark of each name. Memory is bounded: see [`Marks::NAMES`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks(Vec<Streak>);

impl Marks {
    /// The number of names to follow. Beyond it, the least recently marked name is dropped, so that names made from
    /// data cannot fill the memory of a long run.
    pub(crate) const NAMES: usize = 16;

    /// Records a mark that this step made.
    pub(crate) fn record(&mut self, mark: &Mark, step: u64) {
        let streak = match self.0.iter().position(|streak| streak.mark.name == mark.name) {
            Some(known) => {
                let mut streak = self.0.remove(known);
                streak.record(mark.hash, step);
                streak
            }
            None => Streak::new(mark, step),
        };
        if self.0.len() == Self::NAMES {
            self.0.remove(0);
        }
        self.0.push(streak);
    }

    /// Restarts every count: the person who resumed the run has already seen what stayed the same.
    pub(crate) fn reset(&mut self) {
        for streak in &mut self.0 {
            (streak.unchanged, streak.before) = (0, None);
        }
    }

    pub(crate) fn unchanged(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|streak| &*streak.mark.name == name).map(|streak| streak.unchanged)
    }
}

/// A hash and a count.
mod optional_hex {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Before {
        #[serde(with = "super::hex")]
        hash: u64,
        unchanged: u64,
    }

    #[expect(clippy::ref_option, reason = "serde passes references")]
    pub(super) fn serialize<S: Serializer>(before: &Option<(u64, u64)>, to: S) -> Result<S::Ok, S::Error> {
        before.map(|(hash, unchanged)| Before { hash, unchanged }).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<(u64, u64)>, D::Error> {
        Ok(Option::<Before>::deserialize(from)?.map(|Before { hash, unchanged }| (hash, unchanged)))
    }
}

mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(hash: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{hash:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let digits = std::borrow::Cow::<str>::deserialize(from)?;
        u64::from_str_radix(&digits, 16).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(name: &str, hash: u64) -> Mark {
        Mark { name: name.into(), hash }
    }

    #[test]
    fn counts_the_steps_that_left_a_mark_as_it_was() {
        let mut marks = Marks::default();
        assert_eq!(marks.unchanged("tree"), None);
        for (step, (hash, unchanged)) in (1..).zip([(7, 0), (7, 1), (7, 2), (8, 0), (8, 1)]) {
            marks.record(&mark("tree", hash), step);
            assert_eq!(marks.unchanged("tree"), Some(unchanged));
        }
    }

    #[test]
    fn the_last_mark_of_a_step_counts() {
        let mut marks = Marks::default();
        let recorded =
            [(1, 7, 0), (1, 7, 0), (2, 8, 0), (2, 7, 1), (2, 7, 1), (3, 7, 2), (3, 8, 0), (4, 8, 1)];
        for (step, hash, unchanged) in recorded {
            marks.record(&mark("tree", hash), step);
            assert_eq!(marks.unchanged("tree"), Some(unchanged), "{hash} in step {step}");
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_names() {
        let mut marks = Marks::default();
        for name in 0..1_000 {
            marks.record(&mark(&name.to_string(), 1), name);
            marks.record(&mark("steady", 1), name);
        }
        assert_eq!(marks.0.len(), Marks::NAMES);
        assert_eq!(marks.unchanged("steady"), Some(999));
    }

    #[test]
    fn a_hash_is_written_in_full() {
        let json = serde_json::to_string(&mark("tree", u64::MAX)).unwrap();
        assert_eq!(json, r#"{"name":"tree","hash":"ffffffffffffffff"}"#);
        assert_eq!(serde_json::from_str::<Mark>(&json).unwrap(), mark("tree", u64::MAX));
    }
}

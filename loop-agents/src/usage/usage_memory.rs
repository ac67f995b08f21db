//! Remembers the usage of each message and each total, up to a number of them.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
};

use loop_core::Usage;

/// The number of messages, and of running totals, to remember. An id that returns after this many others counts again.
const REMEMBERED: usize = 16_384;

/// The usage for the newest names, by the hash of the name.
#[derive(Debug, Default)]
pub(super) struct UsageMemory {
    usages: HashMap<u64, Usage>,
    oldest: VecDeque<u64>,
}

impl UsageMemory {
    pub(super) fn has(&self, name: &str) -> bool {
        self.usages.contains_key(&hash(name))
    }

    pub(super) fn get(&self, name: &str) -> Usage {
        self.usages.get(&hash(name)).copied().unwrap_or_default()
    }

    /// Sets the usage of a name, and returns its previous value.
    pub(super) fn replace(&mut self, name: &str, usage: Usage) -> Usage {
        let hash = hash(name);
        if let Some(before) = self.usages.insert(hash, usage) {
            return before;
        }
        self.oldest.push_back(hash);
        if self.oldest.len() > REMEMBERED
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.usages.remove(&oldest);
        }
        Usage::unknown()
    }
}

/// Returns the hash of a name. Names can be as long as a line, so we do not store them.
fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
impl UsageMemory {
    /// Returns the hashes of the names, the oldest first.
    pub(super) fn names(&self) -> &VecDeque<u64> {
        &self.oldest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_names_are_forgotten() {
        let mut memory = UsageMemory::default();
        let usage = Usage::unknown().with_tokens(1, 0);
        for id in 0..=REMEMBERED {
            memory.replace(&id.to_string(), usage);
        }
        assert_eq!((memory.usages.len(), memory.oldest.len()), (REMEMBERED, REMEMBERED));
        assert_eq!((memory.has("0"), memory.get("1")), (false, usage));
    }
}

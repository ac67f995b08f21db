//! A bounded list that keeps the newest items.

use serde::{Deserialize, Serialize};

/// The number of items to keep.
const KEPT: usize = 200;

/// The newest items, each of them once, in the order in which they first came. Beyond 200 items, the oldest are dropped
/// and counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentItems<T> {
    items: Vec<T>,
    #[serde(default, skip_serializing_if = "is_zero")]
    older: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl<T> Default for RecentItems<T> {
    fn default() -> Self {
        Self { items: Vec::new(), older: 0 }
    }
}

impl<T: PartialEq> RecentItems<T> {
    /// Adds an item, unless it is already in the list.
    pub fn add(&mut self, item: T) {
        if self.items.contains(&item) {
            return;
        }
        if self.items.len() == KEPT {
            self.items.remove(0);
            self.older += 1;
        }
        self.items.push(item);
    }

    /// Adds several items.
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) {
        items.into_iter().for_each(|item| self.add(item));
    }

    /// Removes an item, if it is in the list.
    pub fn remove(&mut self, item: &T) {
        self.items.retain(|kept| kept != item);
    }
}

impl<T> RecentItems<T> {
    /// Returns the kept items, the oldest first.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns the number of dropped items.
    pub const fn older(&self) -> u64 {
        self.older
    }

    /// Returns true if there is no item.
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_make_way_and_are_counted() {
        let mut newest = RecentItems::default();
        newest.extend((0..KEPT + 5).chain([KEPT]));
        assert_eq!((newest.items().len(), newest.older(), newest.items()[0]), (KEPT, 5, 5));
        newest.remove(&5);
        assert_eq!(newest.items()[0], 6);
    }
}

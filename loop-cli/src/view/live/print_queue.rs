//! The queue of pending output: ordered and bounded.
//!
//! A reader may be slow for a while without losing anything. A reader that stops must not fill the memory overnight:
//! beyond a limit, output is dropped, and a notice in its place gives the amount.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use super::run_panel::PanelContent;

/// The maximum pending output of agents and checks, in bytes: about 50,000 lines. A terminal that shows them at all
/// catches up within seconds.
const OUTPUT_BOUND: usize = 4 << 20;

/// The maximum of all pending text, in bytes. The loop's own messages are short and more important, so they still have
/// room when output has none left.
const BOUND: usize = OUTPUT_BOUND + (1 << 20);

/// The approximate size of a batch, in bytes.
const BATCH: usize = 64 << 10;

/// One action at the terminal.
#[derive(Debug)]
pub(super) enum PrintAction {
    /// Prints this permanently.
    Text(String),
    /// Sends this control sequence, which moves no cursor.
    Control(String),
    /// Reports that this many bytes are missing here.
    Lost(usize),
    /// Keeps this panel below all later output.
    Show(Arc<Mutex<dyn PanelContent>>),
    /// Removes the panel.
    Hide,
}

/// A queue of [`PrintAction`]s.
#[derive(Debug, Default)]
pub(super) struct PrintQueue {
    items: VecDeque<PrintAction>,
    /// The total length of all pending texts.
    bytes: usize,
    /// True while output is dropped. This lasts until there is plenty of room: otherwise every other line would be a
    /// notice about a missing one.
    is_behind: bool,
}

impl PrintQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns whether output must be dropped.
    pub(super) const fn is_full(&self) -> bool {
        self.bytes >= if self.is_behind { OUTPUT_BOUND / 2 } else { OUTPUT_BOUND }
    }

    /// Adds an item, unless it is a text and there is no room.
    pub(super) fn push(&mut self, item: PrintAction) {
        if let PrintAction::Text(text) = &item {
            if self.bytes >= BOUND {
                return self.lose(text.len());
            }
            self.bytes += text.len();
        }
        self.items.push_back(item);
    }

    /// Drops this many bytes.
    pub(super) fn lose(&mut self, bytes: usize) {
        self.is_behind = true;
        match self.items.back_mut() {
            Some(PrintAction::Lost(lost)) => *lost += bytes,
            _ => self.items.push_back(PrintAction::Lost(bytes)),
        }
    }

    /// Returns the next items.
    pub(super) fn take(&mut self) -> Vec<PrintAction> {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH
            && let Some(item) = self.items.pop_front()
        {
            if let PrintAction::Text(text) = &item {
                bytes += text.len();
            }
            taken.push(item);
        }
        self.bytes -= bytes;
        self.is_behind = self.is_behind && self.is_full();
        taken
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An operation on a queue.
    #[derive(Debug, Clone)]
    enum Operation {
        Output(usize),
        Line(usize),
        Take,
    }

    fn operations() -> impl Strategy<Value = Vec<Operation>> {
        let operation = prop_oneof![
            4 => (0..=1_usize << 20).prop_map(Operation::Output),
            1 => (0..200_usize).prop_map(Operation::Line),
            2 => Just(Operation::Take),
        ];
        prop::collection::vec(operation, 0..60)
    }

    proptest! {
        // Each case handles megabytes.
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn all_is_printed_in_order_or_reported_as_missing_within_the_bound(operations in operations()) {
            let mut queue = PrintQueue::default();
            let (mut given, mut lines, mut taken) = (0, 0, Vec::new());
            for operation in operations {
                match operation {
                    Operation::Output(bytes) => {
                        given += bytes;
                        match queue.is_full() {
                            true => queue.lose(bytes),
                            false => queue.push(PrintAction::Text("o".repeat(bytes))),
                        }
                    }
                    Operation::Line(bytes) => {
                        let line = format!("{lines:05}{}", "x".repeat(bytes));
                        (given, lines) = (given + line.len(), lines + 1);
                        queue.push(PrintAction::Text(line));
                    }
                    Operation::Take => taken.extend(queue.take()),
                }
                prop_assert!(queue.bytes < BOUND + (1 << 20));
            }
            while !queue.is_empty() {
                taken.extend(queue.take());
            }
            let lengths = taken.iter().map(|item| match item {
                PrintAction::Text(text) => text.len(),
                PrintAction::Lost(bytes) => *bytes,
                PrintAction::Control(_) | PrintAction::Show(_) | PrintAction::Hide => 0,
            });
            prop_assert_eq!(lengths.sum::<usize>(), given);
            let numbers = taken.iter().filter_map(|item| match item {
                PrintAction::Text(text) if !text.starts_with('o') => text.get(..5)?.parse::<u32>().ok(),
                _ => None,
            });
            // Lines are few, so there was always room for them.
            prop_assert!(numbers.eq(0..lines));
        }
    }

    #[test]
    fn a_slow_reader_gets_one_notice_and_not_one_per_line() {
        let mut queue = PrintQueue::default();
        let mut told = 0;
        for piece in 0..1000 {
            match queue.is_full() {
                true => queue.lose(BATCH),
                false => queue.push(PrintAction::Text("o".repeat(BATCH))),
            }
            // The reader is slower than the writer.
            if piece % 3 == 0 {
                told += queue.take().iter().filter(|item| matches!(item, PrintAction::Lost(_))).count();
            }
        }
        let pieces_between = OUTPUT_BOUND / 2 / BATCH;
        assert!((1..=1000 / pieces_between).contains(&told), "{told}");
    }
}

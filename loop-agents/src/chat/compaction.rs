//! Compaction of the context: old tool results are removed to make room for new ones.
//!
//! If a turn reads twenty files and keeps all of them, they no longer fit into the model's context. But removing a
//! result too early is worse than not having it: the model calls the same tool again, or invents the content. So the
//! compaction removes only results that the model has read, the oldest first, and only when there are too many bytes of
//! them, or when the next request would fill the window. Each change in the middle of a conversation also invalidates the vendor's cache of everything after it.

use super::{
    AnsweredCall, History,
    context::{BYTES_PER_TOKEN, text_tokens},
};

/// The most bytes of results that the model has read and that stay in its context: 128 KiB.
pub const DEFAULT_KEPT_BYTES: usize = 128 * 1024;

/// Read results take at most the window divided by this.
const KEPT_SHARE: u64 = 2;

/// Shorter results always stay: the text that replaces a result is hardly shorter.
const SHORT: usize = 160;

/// Returns how many bytes of read results stay: `most`, or less if they would take more than half of the window.
pub(super) fn kept_bytes(most: usize, window: Option<u64>) -> usize {
    let share = window.map(|window| window.saturating_mul(BYTES_PER_TOKEN) / KEPT_SHARE);
    share.and_then(|share| usize::try_from(share).ok()).map_or(most, |share| most.min(share))
}

/// Removes the oldest results if there are more than `keep` bytes of them, until half of that is left. The model must
/// have read all results in `history`. Returns whether it removed any.
pub(super) fn compact(history: &mut History, keep: usize) -> bool {
    let mut bytes: usize = history.results_mut().filter(is_long).map(|answered| answered.result.len()).sum();
    if bytes <= keep {
        return false;
    }
    for answered in history.results_mut().filter(is_long) {
        if bytes <= keep / 2 {
            break;
        }
        bytes -= answered.result.len();
        leave_out(answered);
    }
    true
}

/// Removes the oldest of the results that the model has read until these tokens are free, or until none is left. The
/// model has not read the results of the last message. Returns whether it removed any.
pub(super) fn free_tokens(history: &mut History, needed: u64) -> bool {
    let unread = history.messages().last().map_or(0, |last| last.calls().len());
    let read = history.results_mut().count() - unread;
    let mut freed = 0;
    for answered in history.results_mut().take(read).filter(is_long) {
        if freed >= needed {
            break;
        }
        let before = text_tokens(&answered.result);
        leave_out(answered);
        freed += before.saturating_sub(text_tokens(&answered.result));
    }
    freed > 0
}

fn is_long(answered: &&mut AnsweredCall) -> bool {
    answered.result.len() >= SHORT
}

fn leave_out(answered: &mut AnsweredCall) {
    let length = answered.result.len();
    answered.result = format!("(you have read this result of {length} bytes; it is left out here)");
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::{super::history::tests::any_message, *};

    fn results(history: &mut History) -> Vec<String> {
        history.results_mut().map(|answered| answered.result.clone()).collect()
    }

    proptest! {
        #[test]
        fn what_is_left_is_the_newest_and_fits(messages in vec(any_message(), 0..12), keep in 0..1_500_usize) {
            let mut history: History = messages.into_iter().collect();
            let before = results(&mut history);
            let made_way = compact(&mut history, keep);
            let after = results(&mut history);
            let long: usize = after.iter().map(String::len).filter(|length| *length >= SHORT).sum();
            prop_assert!(long <= keep);
            // Among the long results, the removed ones are older than the ones that stay.
            let pairs = before.iter().zip(&after).filter(|(before, _)| before.len() >= SHORT);
            let kept: Vec<_> = pairs.map(|(before, after)| after == before).collect();
            prop_assert!(kept.is_sorted(), "{:?}", kept);
            prop_assert_eq!(made_way, after != before);
            compact(&mut history, keep);
            prop_assert_eq!(results(&mut history), after, "it is done once");
        }
    }
}

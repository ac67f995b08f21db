//! What was used, out of reports that overlap.
//!
//! Agents say the same thing several times: a message once for each of its parts, then a total of
//! all messages. Added up, a dollar spent is three dollars reported; taken as they come, the figures that
//! are only right at the end bind no budget. So messages count as they come, each once, and a total takes
//! their place. What was told to a meter cannot be taken back: what is told is the most that was ever
//! known, and that is the same whenever it is asked for.

use std::cmp::Reverse;

use loop_core::{Cost, CostQuality, Usage, Usd};
use serde_json::{Value, json};

use super::memory::Memory;

/// What a total is the total of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Total<'a> {
    /// One process, which reports it once.
    Process,
    /// One process so far, which may report again. Named by its session, which another process may go on
    /// with in the same run.
    ProcessSoFar(&'a str),
    /// All processes of a thread so far, those of earlier runs too.
    ThreadSoFar(&'a str),
}

impl Total<'_> {
    /// Returns a text that only the same total in the same words has.
    pub(super) fn identity(self, told: &Value) -> String {
        match self {
            Self::Process => json!([told]),
            Self::ProcessSoFar(session) => json!([told, { "session": session }]),
            Self::ThreadSoFar(thread) => json!([told, { "thread": thread }]),
        }
        .to_string()
    }
}

/// What became of a total.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It took its messages' place.
    Taken,
    /// It took their place, and is less than what was known before.
    Lower,
    /// It says zero though there were messages: they stay.
    Zero,
    /// It was heard before, or says what was said before.
    Repeated,
}

/// Adds up what one agent uses in one run after the other.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// What totals said.
    settled: Usage,
    /// What messages said that no total has covered.
    since: Usage,
    /// The most that was ever known, in each field. A cost is as good as its worst part.
    most: Usage,
    /// What was told before.
    told: Usage,
    messages: Memory,
    processes: Memory,
    threads: Memory,
    /// The totals that were heard in this run, by their words.
    heard: Memory,
}

impl Ledger {
    /// A message's use. Reports with one id are about one message: the most in each field counts, in
    /// whichever order they come.
    pub(super) fn message(&mut self, id: Option<&str>, usage: Usage) {
        let Some(id) = id else {
            self.since += usage;
            return self.rise();
        };
        let before = self.messages.get(id);
        let after = most(usage, before);
        self.since += beyond(after, before);
        self.messages.replace(id, after);
        self.rise();
    }

    /// A total, which replaces the messages before it. One that was heard before in these `words` is not
    /// another, in whichever order they come.
    pub(super) fn total(&mut self, of: Total<'_>, words: &str, total: Usage) -> Outcome {
        let since = self.since;
        if self.heard.has(words) {
            return Outcome::Repeated;
        }
        self.heard.replace(words, total);
        if is_zero(total) && !is_zero(since) {
            if total.cost.is_some_and(|cost| cost.quality == CostQuality::Partial) {
                // The messages may not be all, and the total that would tell is wrong.
                self.since += Usage::unknown().with_cost(Cost::at_least(Usd::ZERO));
                self.rise();
            }
            return Outcome::Zero;
        }
        let grown = match of {
            Total::Process => total,
            Total::ProcessSoFar(session) => going_on(self.processes.replace(session, total), since, total),
            Total::ThreadSoFar(thread) => going_on(self.threads.replace(thread, total), since, total),
        };
        let repeated = is_zero(grown) && !is_zero(total) && since.is_unknown();
        self.settled += grown;
        self.since = Usage::unknown();
        self.rise();
        let (now, most) = (self.sum(), self.most);
        let lower =
            now.tokens() < most.tokens() || now.cost.map(|cost| cost.usd) < most.cost.map(|cost| cost.usd);
        match () {
            () if repeated => Outcome::Repeated,
            () if lower => Outcome::Lower,
            () => Outcome::Taken,
        }
    }

    /// All that is known of this run.
    pub(super) fn sum(&self) -> Usage {
        self.settled + self.since
    }

    /// How far the cost that was told can be believed now, if that is not what was told: a total may confirm what
    /// was estimated. What was told and is more than the total is no better than an estimate.
    pub(super) fn revised(&self) -> Option<CostQuality> {
        let (told, sum) = (self.most.cost?, self.sum().cost?);
        let quality = if sum.usd == told.usd { sum.quality } else { sum.quality.max(CostQuality::Estimated) };
        (quality < told.quality).then_some(quality)
    }

    /// What is known now and was not told before; in no field less than nothing.
    pub(super) fn tell(&mut self) -> Usage {
        let news = beyond(self.most, self.told);
        self.told = self.most;
        news
    }

    /// Another process begins. Its messages are others, though their ids be the same: some servers number
    /// them anew, or not at all.
    pub(super) fn begin_process(&mut self) {
        self.messages = Memory::default();
    }

    /// The run is over, and with it its processes. Threads are remembered, since the next run may go on with
    /// them.
    pub(super) fn end_run(&mut self) {
        let threads = std::mem::take(&mut self.threads);
        *self = Self { threads, ..Self::default() };
    }

    fn rise(&mut self) {
        // A part that was an estimate stays one, whatever is known of the rest.
        let more = beyond(self.sum(), self.most);
        self.most += more;
    }
}

/// What a total says beyond the last one of its name, if it goes on from that.
///
/// A total that goes on covers the last one and all messages since. One that does not has begun anew: so
/// does that of a session with which another process goes on.
fn going_on(last: Usage, since: Usage, total: Usage) -> Usage {
    let input = |usage: Usage| usage.input_tokens.unwrap_or(0);
    if input(total) >= input(last + since) { beyond(total, last) } else { total }
}

/// What `all` has more than `part`, field by field; none where it has no more. A cost that is known less well is
/// more to tell, though it be the same.
fn beyond(all: Usage, part: Usage) -> Usage {
    let more = |all: Option<u64>, part: Option<u64>| match (all, part) {
        (Some(all), Some(part)) => all.checked_sub(part).filter(|more| *more > 0),
        (all, _) => all,
    };
    let mut beyond = Usage::unknown();
    beyond.input_tokens = more(all.input_tokens, part.input_tokens);
    beyond.cached_input_tokens = more(all.cached_input_tokens, part.cached_input_tokens);
    beyond.output_tokens = more(all.output_tokens, part.output_tokens);
    beyond.cost = all.cost.and_then(|Cost { usd, quality, .. }| {
        let nanos = more(Some(usd.as_nanos()), part.cost.map(|cost| cost.usd.as_nanos()));
        let worse = part.cost.is_some_and(|cost| quality > cost.quality).then_some(0);
        Some(Cost::new(Usd::nanos(nanos.or(worse)?), quality))
    });
    beyond
}

/// The larger of both, field by field.
fn most(a: Usage, b: Usage) -> Usage {
    let mut most = Usage::unknown();
    most.input_tokens = a.input_tokens.max(b.input_tokens);
    most.cached_input_tokens = a.cached_input_tokens.max(b.cached_input_tokens);
    most.output_tokens = a.output_tokens.max(b.output_tokens);
    most.cost = [a.cost, b.cost].into_iter().flatten().max_by_key(|cost| (cost.usd, Reverse(cost.quality)));
    most
}

fn is_zero(usage: Usage) -> bool {
    usage.tokens().unwrap_or(0) == 0 && usage.cost.is_none_or(|cost| cost.usd == Usd::ZERO)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(input: u64, output: u64) -> Usage {
        Usage::unknown().with_tokens(input, output)
    }

    /// A total in words of its own, for these numbers.
    fn total(ledger: &mut Ledger, of: Total<'_>, total: Usage) -> Outcome {
        let words = format!("{of:?} {total:?} after {:?}", ledger.messages.names());
        ledger.total(of, &words, total)
    }

    #[test]
    fn a_message_counts_once_also_out_of_order_and_with_more_to_say() {
        let mut ledger = Ledger::default();
        for (id, usage) in
            [("a", tokens(5, 1)), ("b", tokens(7, 1)), ("a", tokens(5, 1)), ("b", tokens(7, 9))]
        {
            ledger.message(Some(id), usage);
        }
        assert_eq!(ledger.sum(), tokens(12, 10));
    }

    #[test]
    fn a_total_takes_the_place_of_its_messages_and_zero_does_not() {
        let mut ledger = Ledger::default();
        ledger.message(Some("a"), tokens(5, 1));
        assert_eq!(ledger.tell(), tokens(5, 1));
        assert_eq!(total(&mut ledger, Total::ProcessSoFar("s"), tokens(0, 0)), Outcome::Zero);
        assert_eq!(ledger.sum(), tokens(5, 1));
        assert_eq!(total(&mut ledger, Total::ProcessSoFar("s"), tokens(5, 40)), Outcome::Taken);
        assert_eq!(ledger.tell(), Usage::unknown().with_output_tokens(39));
        assert_eq!(total(&mut ledger, Total::ProcessSoFar("s"), tokens(5, 40)), Outcome::Repeated);
        assert_eq!(ledger.sum(), tokens(5, 40));
    }

    #[test]
    fn a_lower_total_is_noted_and_nothing_is_taken_back() {
        let mut ledger = Ledger::default();
        ledger.message(None, tokens(50, 1));
        ledger.tell();
        assert_eq!(total(&mut ledger, Total::Process, tokens(20, 1)), Outcome::Lower);
        assert_eq!((ledger.sum(), ledger.tell()), (tokens(20, 1), Usage::unknown()));
        ledger.message(None, tokens(40, 0));
        assert_eq!(ledger.tell(), Usage::unknown().with_input_tokens(10));
    }

    #[test]
    fn a_thread_that_goes_on_counts_what_is_new() {
        let mut ledger = Ledger::default();
        total(&mut ledger, Total::ThreadSoFar("t"), tokens(2500, 48));
        assert_eq!(ledger.tell(), tokens(2500, 48));
        ledger.end_run();
        total(&mut ledger, Total::ThreadSoFar("t"), tokens(5000, 96));
        assert_eq!(ledger.tell(), tokens(2500, 48));
    }

    proptest! {
        #[test]
        fn an_id_counts_once_a_process_and_again_in_the_next(
            processes in prop::collection::vec((prop::collection::vec(0_u8..3, 1..6), any::<bool>()), 1..6),
        ) {
            let mut ledger = Ledger::default();
            let (mut told, mut expected) = (Usage::unknown(), 0);
            for (ids, ends_run) in processes {
                for id in &ids {
                    ledger.message(Some(&id.to_string()), tokens(10, 1));
                }
                expected += ids.iter().collect::<std::collections::HashSet<_>>().len() as u64;
                told += ledger.tell();
                if ends_run {
                    ledger.end_run();
                } else {
                    ledger.begin_process();
                }
            }
            prop_assert_eq!(told, tokens(10 * expected, expected));
        }
    }

    #[test]
    fn a_thread_that_begins_anew_counts_in_full() {
        let mut ledger = Ledger::default();
        total(&mut ledger, Total::ThreadSoFar("t"), tokens(2500, 48));
        total(&mut ledger, Total::ThreadSoFar("t"), tokens(1000, 20));
        assert_eq!(ledger.sum(), tokens(3500, 68));
    }

    #[test]
    fn a_session_that_another_process_goes_on_with_counts_in_full() {
        let mut ledger = Ledger::default();
        for turn in ["a", "b"] {
            ledger.message(Some(turn), Usage::unknown().with_input_tokens(500));
            total(&mut ledger, Total::ProcessSoFar("s"), tokens(500, 48));
        }
        assert_eq!(ledger.sum(), tokens(1000, 96));
        ledger.end_run();
        // Subagents' tokens, of which there are no messages, make it look as if it went on.
        ledger.message(Some("c"), tokens(500, 0));
        total(&mut ledger, Total::ProcessSoFar("s"), tokens(5000, 480));
        assert_eq!(ledger.sum(), tokens(5000, 480));
    }

    proptest! {
        #[test]
        fn what_is_told_is_the_most_that_was_ever_known_whenever_it_is_asked_for(
            reports in prop::collection::vec((0_u8..6, any::<bool>(), 0_u64..50, 0_u64..50), 0..20),
        ) {
            let (mut asked, mut unasked) = (Ledger::default(), Ledger::default());
            let (mut told, mut most) = (Usage::unknown(), Usage::unknown());
            for (id, is_total, input, output) in reports {
                for ledger in [&mut asked, &mut unasked] {
                    if is_total {
                        total(ledger, Total::ProcessSoFar("s"), tokens(input, output));
                    } else {
                        ledger.message(Some(&id.to_string()), tokens(input, output));
                    }
                }
                told += asked.tell();
                most = super::most(most, asked.sum());
                prop_assert_eq!(told, most);
            }
            prop_assert_eq!(unasked.tell(), most);
        }

        #[test]
        fn the_order_of_messages_does_not_matter(
            mut reports in prop::collection::vec((0_u8..4, 0_u64..50, 0_u64..50), 0..12),
        ) {
            let sum = |reports: &[(u8, u64, u64)]| {
                let mut ledger = Ledger::default();
                for (id, input, output) in reports {
                    ledger.message(Some(&id.to_string()), tokens(*input, *output));
                }
                ledger.sum()
            };
            let forward = sum(&reports);
            reports.reverse();
            prop_assert_eq!(sum(&reports), forward);
        }
    }
}

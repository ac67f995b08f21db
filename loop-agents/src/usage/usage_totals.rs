//! Computes the usage from reports that overlap.
//!
//! Agents report the same usage several times: a message once for each of its parts, then a total of all messages. If
//! we added everything up, one dollar spent would become three dollars reported. If we waited for the figures that are
//! only right at the end, no budget would work in time. So each message counts once, as it comes, and a total replaces
//! the messages. A meter cannot take usage back. So we report the highest values that were ever known, which do not
//! depend on when somebody asks.

use std::cmp::Reverse;

use loop_core::{Cost, CostQuality, Usage, Usd};
use serde_json::{Value, json};

use super::usage_memory::UsageMemory;

/// The scope of a total.
#[derive(Debug, Clone, Copy)]
pub(super) enum TotalScope<'a> {
    /// One process that reports its total once.
    Process,
    /// One process so far, which may report again. The name is its session, which another process in the same run may
    /// continue.
    ProcessSoFar(&'a str),
    /// All processes of a thread so far, including those of earlier runs.
    ThreadSoFar(&'a str),
}

impl TotalScope<'_> {
    /// Returns a text that is the same only for the same total in the same words.
    pub(super) fn identity(self, told: &Value) -> String {
        match self {
            Self::Process => json!([told]),
            Self::ProcessSoFar(session) => json!([told, { "session": session }]),
            Self::ThreadSoFar(thread) => json!([told, { "thread": thread }]),
        }
        .to_string()
    }
}

/// The effect of a total.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TotalEffect {
    /// The total replaced its messages.
    Taken,
    /// The total replaced its messages, and is lower than the values known before.
    Lower,
    /// The total is zero although there were messages. The messages stay.
    Zero,
    /// The total is a repetition.
    Repeated,
}

/// Adds up the usage of one agent in one run after another.
#[derive(Debug, Default)]
pub(super) struct UsageTotals {
    /// The usage from totals.
    settled: Usage,
    /// The usage from messages that no total has covered.
    since: Usage,
    /// The highest values ever known, for each field. The quality of a cost is that of its worst part.
    most: Usage,
    /// The usage that was already reported.
    told: Usage,
    messages: UsageMemory,
    processes: UsageMemory,
    threads: UsageMemory,
    /// The totals of this run, by their words.
    heard: UsageMemory,
}

impl UsageTotals {
    /// Adds a message's usage. Reports with the same id are about the same message. The highest value of each field
    /// counts, in any order of the reports.
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

    /// Adds a total, which replaces the messages before it. A total that came before in the same `words` is a
    /// repetition, in any order of the reports.
    pub(super) fn total(&mut self, of: TotalScope<'_>, words: &str, total: Usage) -> TotalEffect {
        let since = self.since;
        if self.heard.has(words) {
            return TotalEffect::Repeated;
        }
        self.heard.replace(words, total);
        if is_zero(total) && !is_zero(since) {
            // The messages may be incomplete, and the total that would show this is wrong.
            self.since.are_tokens_partial |= total.are_tokens_partial;
            if total.cost.is_some_and(|cost| cost.quality == CostQuality::Partial) {
                self.since += Usage::unknown().with_cost(Cost::at_least(Usd::ZERO));
                self.rise();
            }
            return TotalEffect::Zero;
        }
        let grown = match of {
            TotalScope::Process => total,
            TotalScope::ProcessSoFar(session) => {
                going_on(self.processes.replace(session, total), since, total)
            }
            TotalScope::ThreadSoFar(thread) => going_on(self.threads.replace(thread, total), since, total),
        };
        let repeated = is_zero(grown) && !is_zero(total) && since.is_unknown();
        self.settled += grown;
        self.since = Usage::unknown();
        self.rise();
        let (now, most) = (self.sum(), self.most);
        let lower =
            now.tokens() < most.tokens() || now.cost.map(|cost| cost.usd) < most.cost.map(|cost| cost.usd);
        match () {
            () if repeated => TotalEffect::Repeated,
            () if lower => TotalEffect::Lower,
            () => TotalEffect::Taken,
        }
    }

    /// Returns all known usage of this run.
    pub(super) fn sum(&self) -> Usage {
        self.settled + self.since
    }

    /// Returns the current quality of the reported cost, if it is now better than reported: a total may confirm an
    /// estimate. If the reported cost is higher than the total, it is at best an estimate.
    pub(super) fn revised(&self) -> Option<CostQuality> {
        let (told, sum) = (self.most.cost?, self.sum().cost?);
        let quality = if sum.usd == told.usd { sum.quality } else { sum.quality.max(CostQuality::Estimated) };
        (quality < told.quality).then_some(quality)
    }

    /// Returns the usage that is known now and was not reported before. No field is negative. It does not tell whether
    /// the tokens are partial, because only the end of the run decides that: a total may still cover a message without
    /// counts. See [`sum`](Self::sum).
    pub(super) fn tell(&mut self) -> Usage {
        let news = beyond(self.most, self.told);
        self.told = self.most;
        news
    }

    /// Begins another process. Its messages are different ones, even with the same ids: some servers restart their
    /// numbering, or have no ids at all.
    pub(super) fn begin_process(&mut self) {
        self.messages = UsageMemory::default();
    }

    /// Ends the run and its processes. It keeps the threads, because the next run may continue them.
    pub(super) fn end_run(&mut self) {
        let threads = std::mem::take(&mut self.threads);
        *self = Self { threads, ..Self::default() };
    }

    fn rise(&mut self) {
        // A part that was an estimate stays one, whatever we learn about the rest.
        let more = beyond(self.sum(), self.most);
        self.most += more;
        self.most.are_tokens_partial = false;
    }
}

/// Returns the difference of a total to the last one of its name, if it continues that one.
///
/// A total that continues the last one covers it and all messages since. Otherwise it has begun anew, for example when
/// another process continues a session.
fn going_on(last: Usage, since: Usage, total: Usage) -> Usage {
    let input = |usage: Usage| usage.input_tokens.unwrap_or(0);
    if input(total) >= input(last + since) { beyond(total, last) } else { total }
}

/// Returns the excess of `all` over `part` in each field, or `None` for fields without an excess. A cost of lower
/// quality counts as news, even if the amount is the same.
fn beyond(all: Usage, part: Usage) -> Usage {
    let more = |all: Option<u64>, part: Option<u64>| match (all, part) {
        (Some(all), Some(part)) => all.checked_sub(part).filter(|more| *more > 0),
        (all, _) => all,
    };
    let mut beyond = Usage::unknown();
    beyond.input_tokens = more(all.input_tokens, part.input_tokens);
    beyond.cached_input_tokens = more(all.cached_input_tokens, part.cached_input_tokens);
    beyond.output_tokens = more(all.output_tokens, part.output_tokens);
    beyond.are_tokens_partial = all.are_tokens_partial;
    beyond.cost = all.cost.and_then(|Cost { usd, quality, .. }| {
        let nanos = more(Some(usd.as_nanos()), part.cost.map(|cost| cost.usd.as_nanos()));
        let worse = part.cost.is_some_and(|cost| quality > cost.quality).then_some(0);
        Some(Cost::new(Usd::nanos(nanos.or(worse)?), quality))
    });
    beyond
}

/// Returns the larger value of both, for each field.
fn most(a: Usage, b: Usage) -> Usage {
    let mut most = Usage::unknown();
    most.input_tokens = a.input_tokens.max(b.input_tokens);
    most.cached_input_tokens = a.cached_input_tokens.max(b.cached_input_tokens);
    most.output_tokens = a.output_tokens.max(b.output_tokens);
    most.are_tokens_partial = a.are_tokens_partial || b.are_tokens_partial;
    most.cost = [a.cost, b.cost].into_iter().flatten().max_by_key(|cost| (cost.usd, Reverse(cost.quality)));
    most
}

fn is_zero(usage: Usage) -> bool {
    usage.tokens().unwrap_or(0) == 0 && usage.cost.is_none_or(|cost| cost.usd == Usd::ZERO)
}

#[cfg(test)]
mod tests;

//! Collects the results of the parsers of all formats.

use loop_core::{Cost, Usage, Usd};
use serde_json::Value;

use super::{
    AgentFailure, Prices, RateLimit, TokenCounts,
    agent_report::ReportNotes,
    figures::{Figures, InvalidFigure},
    tokens::sum,
    usage_totals::{TotalEffect, TotalScope, UsageTotals},
};
use crate::output::Capture;

/// The number of bytes to keep of the head, and of the tail, of the words between two looks at them.
const NEWS_BYTES: usize = 32 * 1024;

/// The reports of one agent, in one run after another.
#[derive(Debug)]
pub(super) struct ReportCollector {
    prices: Prices,
    /// The model, for streams that do not name it.
    pub(super) model: Option<String>,
    pub(super) totals: UsageTotals,
    pub(super) text: Option<Capture>,
    news: Capture,
    pub(super) failure: Option<AgentFailure>,
    pub(super) fault: Option<String>,
    pub(super) notes: ReportNotes,
    /// Whether a count in the current object is invalid, or a key has two values.
    is_unreliable: bool,
}

impl ReportCollector {
    pub(super) fn new(prices: Prices) -> Self {
        Self {
            prices,
            model: None,
            totals: UsageTotals::default(),
            text: None,
            news: Capture::with_limit(NEWS_BYTES),
            failure: None,
            fault: None,
            notes: ReportNotes::default(),
            is_unreliable: false,
        }
    }

    /// Begins another object. `is_unreliable` is true if a key appears twice in it.
    pub(super) fn begin_object(&mut self, is_unreliable: bool) {
        self.is_unreliable = is_unreliable;
    }

    /// Marks the counts of the current object as incomplete.
    pub(super) fn mark_unreliable(&mut self) {
        self.is_unreliable = true;
    }

    /// Returns a number of tokens. An invalid number gives `None` and a note.
    pub(super) fn count(&mut self, object: &Value, key: &str) -> Option<u64> {
        let figure = Figures::of(object).count(key);
        self.is_unreliable |= figure.is_err();
        self.taken(figure)
    }

    /// Returns an amount of dollars. An invalid amount gives `None` and a note.
    pub(super) fn usd(&mut self, object: &Value, key: &str) -> Option<Usd> {
        self.taken(Figures::of(object).usd(key))
    }

    fn taken<T>(&mut self, figure: Result<Option<T>, InvalidFigure>) -> Option<T> {
        figure.unwrap_or_else(|InvalidFigure(why)| {
            self.notes.add(&format!("refused: {why}"));
            None
        })
    }

    /// Returns the tokens with their cost: the reported cost, or else the cost from the price list, or else at least
    /// zero, so that no sum with these tokens looks complete. `spoke` is true if the model said or did something for
    /// them.
    ///
    /// Agents report a cost of zero for a model without a price, so a zero cost for tokens means unknown. A cost beside
    /// impossible counts is a lower bound, because agents compute it from the same counts.
    pub(super) fn usage(
        &mut self,
        model: Option<&str>,
        tokens: &TokenCounts,
        reported: Option<Usd>,
        spoke: bool,
    ) -> Usage {
        let is_silent = *tokens == TokenCounts::default() && !self.is_unreliable;
        let read = sum([tokens.fresh, tokens.cached, tokens.cache_written]);
        let is_counted = tokens.fresh.is_some() && tokens.output.is_some();
        let is_nothing = spoke && (read == Some(0) || tokens.output == Some(0));
        self.is_unreliable |= !is_silent && (!is_counted || is_nothing);
        let is_free = !spoke && !self.is_unreliable && tokens.total() == 0;
        let reported = reported.filter(|usd| *usd > Usd::ZERO || is_free).map(|usd| self.believed(usd));
        let cost = reported.or_else(|| self.estimate(model, tokens));
        let mut usage = self.counted(tokens);
        // Work without any counts has used tokens too.
        usage.are_tokens_partial |= spoke && is_silent;
        usage.cost = cost.or_else(|| spoke.then_some(Cost::at_least(Usd::ZERO)));
        usage
    }

    /// Returns the tokens of the current object, without a cost.
    pub(super) fn counted(&self, tokens: &TokenCounts) -> Usage {
        let usage = tokens.usage();
        if self.is_unreliable { usage.with_partial_tokens() } else { usage }
    }

    /// Returns the cost that was reported beside the counts of the current object.
    pub(super) fn believed(&self, usd: Usd) -> Cost {
        if self.is_unreliable { Cost::at_least(usd) } else { Cost::known(usd) }
    }

    /// Returns the tokens' cost from the price list. If the list has no price, returns a cost of at least zero, and
    /// adds a note.
    pub(super) fn estimate(&mut self, model: Option<&str>, tokens: &TokenCounts) -> Option<Cost> {
        let is_unreliable = self.is_unreliable;
        let model = model.or(self.model.as_deref());
        let is_free = model.is_some_and(|model| self.prices.is_free(model));
        if is_free && (is_unreliable || *tokens != TokenCounts::default()) {
            return Some(Cost::estimated(Usd::ZERO));
        }
        if tokens.total() == 0 {
            return (is_unreliable || tokens.fresh.is_none() && *tokens != TokenCounts::default())
                .then_some(Cost::at_least(Usd::ZERO));
        }
        let Some(model) = model else {
            self.notes.add("the agent does not report which model it uses, so its cost cannot be estimated");
            return Some(Cost::at_least(Usd::ZERO));
        };
        let estimate = self.prices.estimate(model, tokens);
        let estimate = estimate.map(|cost| if is_unreliable { Cost::at_least(cost.usd) } else { cost });
        estimate.or_else(|| {
            let date = self.prices.date();
            self.notes
                .add(&format!("there is no price for the model `{model}` in the price table of {date}"));
            Some(Cost::at_least(Usd::ZERO))
        })
    }

    /// Records a total from this object, which replaces the sum of the messages.
    pub(super) fn total(&mut self, of: TotalScope<'_>, told: &Value, usage: Usage) {
        self.notes.add(match self.totals.total(of, &of.identity(told), usage) {
            TotalEffect::Taken => return,
            TotalEffect::Lower => "the agent's total is less than what it reported while it ran",
            TotalEffect::Zero => "the agent's total is zero, so the sum of its messages counts",
            TotalEffect::Repeated => "the agent reported the same total twice; it counts once",
        });
    }

    /// Sets the agent's last words so far.
    pub(super) fn says(&mut self, text: &str) {
        if self.text.is_some() {
            self.news.push(b"\n");
        }
        self.news.push(text.as_bytes());
        let mut capture = Capture::default();
        capture.push(text.as_bytes());
        self.text = Some(capture);
    }

    /// Appends to the agent's last words.
    pub(super) fn says_more(&mut self, text: &str) {
        self.text.get_or_insert_default().push(text.as_bytes());
        self.news.push(text.as_bytes());
    }

    /// Returns the words since the last call.
    pub(super) fn take_news(&mut self) -> Capture {
        std::mem::replace(&mut self.news, Capture::with_limit(NEWS_BYTES))
    }

    /// Records that the agent reports a failure. `status` is the HTTP status, if known. The message has to come from
    /// the program itself, because we look for a rate limit in it, and a model may write about one.
    pub(super) fn fails(&mut self, message: &str, status: Option<u64>) {
        self.fails_at(message, RateLimit::of(message, status));
    }

    /// Records that the agent reports a failure, perhaps because of this limit.
    pub(super) fn fails_at(&mut self, message: &str, limit: Option<RateLimit>) {
        self.failure = Some(AgentFailure::new(message, limit));
    }

    /// Clears a failure after which the agent continued.
    pub(super) fn recovers(&mut self) {
        self.failure = None;
    }
}

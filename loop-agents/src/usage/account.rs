//! What the parsers of all formats write to.

use loop_core::{Cost, Usage, Usd};
use serde_json::Value;

use super::{
    AgentFailure, Prices, RateLimit, Tokens,
    figures::{Figures, Refused},
    ledger::{Ledger, Outcome, Total},
    reading::Notes,
};
use crate::output::Capture;

/// How much of what is said between two looks at it is kept, of its head and of its tail.
const NEWS_BYTES: usize = 32 * 1024;

/// What one agent reports, run after run.
#[derive(Debug)]
pub(super) struct Account {
    prices: Prices,
    /// The model, where a stream does not name it.
    pub(super) model: Option<String>,
    pub(super) ledger: Ledger,
    pub(super) text: Option<Capture>,
    news: Capture,
    pub(super) failure: Option<AgentFailure>,
    pub(super) fault: Option<String>,
    pub(super) notes: Notes,
}

impl Account {
    pub(super) fn new(prices: Prices) -> Self {
        Self {
            prices,
            model: None,
            ledger: Ledger::default(),
            text: None,
            news: Capture::with_limit(NEWS_BYTES),
            failure: None,
            fault: None,
            notes: Notes::default(),
        }
    }

    /// A number of tokens; none and a note if it cannot be one.
    pub(super) fn count(&mut self, object: &Value, key: &str) -> Option<u64> {
        self.taken(Figures::of(object).count(key))
    }

    /// An amount of dollars; none and a note if it cannot be one.
    pub(super) fn usd(&mut self, object: &Value, key: &str) -> Option<Usd> {
        self.taken(Figures::of(object).usd(key))
    }

    fn taken<T>(&mut self, figure: Result<Option<T>, Refused>) -> Option<T> {
        figure.unwrap_or_else(|Refused(why)| {
            self.notes.add(&format!("refused: {why}"));
            None
        })
    }

    /// Tokens with their cost: the one that was reported, else the list's, else nothing at least, so that no sum
    /// with them is taken for all that was spent. Without a count of what was read the list's is a lower bound.
    ///
    /// A cost of zero for tokens is what agents say that have no price for a model, and is unknown.
    pub(super) fn usage(&mut self, model: Option<&str>, tokens: &Tokens, reported: Option<Usd>) -> Usage {
        let is_nothing = tokens.total() == 0 && tokens.fresh.is_some();
        let is_silent = *tokens == Tokens::default();
        let reported = reported.filter(|usd| *usd > Usd::ZERO || is_nothing || is_silent).map(Cost::known);
        Usage { cost: reported.or_else(|| self.estimate(model, tokens)), ..tokens.usage() }
    }

    /// What the tokens cost by the list; nothing at least, and a note, if it has no price for them.
    pub(super) fn estimate(&mut self, model: Option<&str>, tokens: &Tokens) -> Option<Cost> {
        if tokens.total() == 0 {
            let is_partly_told = tokens.fresh.is_none() && *tokens != Tokens::default();
            return is_partly_told.then_some(Cost::at_least(Usd::ZERO));
        }
        let Some(model) = model.or(self.model.as_deref()) else {
            self.notes.add("the agent does not say which model it uses, so its cost cannot be estimated");
            return Some(Cost::at_least(Usd::ZERO));
        };
        let estimate = self.prices.estimate(model, tokens);
        let estimate = estimate.map(|cost| match tokens.fresh {
            Some(_) => cost,
            None => Cost::at_least(cost.usd),
        });
        estimate.or_else(|| {
            let date = self.prices.date();
            self.notes
                .add(&format!("there is no price for the model `{model}` in the price table of {date}"));
            Some(Cost::at_least(Usd::ZERO))
        })
    }

    /// A total of what was used, as this object tells it, which replaces the sum of the messages.
    pub(super) fn total(&mut self, of: Total<'_>, told: &Value, usage: Usage) {
        self.notes.add(match self.ledger.total(of, &format!("{of:?} {told}"), usage) {
            Outcome::Taken => return,
            Outcome::Lower => "the agent's total is less than what it reported while it ran",
            Outcome::Zero => "the agent's total is zero, so the sum of its messages stands",
            Outcome::Repeated => "the agent reported the same total twice; it counts once",
        });
    }

    /// The agent's last words so far.
    pub(super) fn says(&mut self, text: &str) {
        if self.text.is_some() {
            self.news.push(b"\n");
        }
        self.news.push(text.as_bytes());
        let mut capture = Capture::default();
        capture.push(text.as_bytes());
        self.text = Some(capture);
    }

    /// More of the agent's last words.
    pub(super) fn says_more(&mut self, text: &str) {
        self.text.get_or_insert_default().push(text.as_bytes());
        self.news.push(text.as_bytes());
    }

    /// What was said since the last call.
    pub(super) fn take_news(&mut self) -> Capture {
        std::mem::replace(&mut self.news, Capture::with_limit(NEWS_BYTES))
    }

    /// The agent reports that it failed; `status` is the HTTP status, where it is told. The message has to be the
    /// program's own, since it is asked for a rate limit: a model may write about one.
    pub(super) fn fails(&mut self, message: &str, status: Option<u64>) {
        self.fails_at(message, RateLimit::of(message, status));
    }

    /// The agent reports that it failed, perhaps at this limit.
    pub(super) fn fails_at(&mut self, message: &str, limit: Option<RateLimit>) {
        self.failure = Some(AgentFailure::new(message, limit));
    }

    /// The agent goes on after what looked like a failure.
    pub(super) fn recovers(&mut self) {
        self.failure = None;
    }
}

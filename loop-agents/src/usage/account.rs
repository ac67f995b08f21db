//! What the parsers of all formats write to.

use loop_core::{Cost, Usage, Usd};
use serde_json::Value;

use super::{
    AgentFailure, Prices, RateLimit, Tokens,
    figures::{Figures, Refused},
    ledger::{Ledger, Outcome, Total},
    reading::Notes,
    tokens::sum,
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
    /// A count in the object under way cannot be one, or two values were given for a key.
    is_doubtful: bool,
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
            is_doubtful: false,
        }
    }

    /// Another object begins. `is_doubtful` says whether a key appears twice in it.
    pub(super) fn begin_object(&mut self, is_doubtful: bool) {
        self.is_doubtful = is_doubtful;
    }

    /// The counts of the object under way are not all that was used.
    pub(super) fn doubt(&mut self) {
        self.is_doubtful = true;
    }

    /// A number of tokens; none and a note if it cannot be one.
    pub(super) fn count(&mut self, object: &Value, key: &str) -> Option<u64> {
        let figure = Figures::of(object).count(key);
        self.is_doubtful |= figure.is_err();
        self.taken(figure)
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
    /// with them is taken for all that was spent. `spoke` says whether the model said or did something for them.
    ///
    /// A cost of zero for tokens is what agents say that have no price for a model, and is unknown. A cost beside counts
    /// that cannot be right is a lower bound: agents compute it from the same counts.
    pub(super) fn usage(
        &mut self,
        model: Option<&str>,
        tokens: &Tokens,
        reported: Option<Usd>,
        spoke: bool,
    ) -> Usage {
        let is_silent = *tokens == Tokens::default() && !self.is_doubtful;
        let read = sum([tokens.fresh, tokens.cached, tokens.cache_written]);
        let is_counted = tokens.fresh.is_some() && tokens.output.is_some();
        let is_nothing = spoke && (read == Some(0) || tokens.output == Some(0));
        self.is_doubtful |= !is_silent && (!is_counted || is_nothing);
        let is_free = !spoke && !self.is_doubtful && tokens.total() == 0;
        let reported = reported.filter(|usd| *usd > Usd::ZERO || is_free).map(|usd| self.believed(usd));
        let cost = reported.or_else(|| self.estimate(model, tokens));
        let mut usage = tokens.usage();
        usage.cost = cost.or_else(|| spoke.then_some(Cost::at_least(Usd::ZERO)));
        usage
    }

    /// A cost that was reported beside the counts of the object under way.
    pub(super) fn believed(&self, usd: Usd) -> Cost {
        if self.is_doubtful { Cost::at_least(usd) } else { Cost::known(usd) }
    }

    /// What the tokens cost by the list; nothing at least, and a note, if it has no price for them.
    pub(super) fn estimate(&mut self, model: Option<&str>, tokens: &Tokens) -> Option<Cost> {
        let is_doubtful = self.is_doubtful;
        let model = model.or(self.model.as_deref());
        let is_free = model.is_some_and(|model| self.prices.is_free(model));
        if is_free && (is_doubtful || *tokens != Tokens::default()) {
            return Some(Cost::estimated(Usd::ZERO));
        }
        if tokens.total() == 0 {
            return (is_doubtful || tokens.fresh.is_none() && *tokens != Tokens::default())
                .then_some(Cost::at_least(Usd::ZERO));
        }
        let Some(model) = model else {
            self.notes.add("the agent does not say which model it uses, so its cost cannot be estimated");
            return Some(Cost::at_least(Usd::ZERO));
        };
        let estimate = self.prices.estimate(model, tokens);
        let estimate = estimate.map(|cost| if is_doubtful { Cost::at_least(cost.usd) } else { cost });
        estimate.or_else(|| {
            let date = self.prices.date();
            self.notes
                .add(&format!("there is no price for the model `{model}` in the price table of {date}"));
            Some(Cost::at_least(Usd::ZERO))
        })
    }

    /// A total of what was used, as this object tells it, which replaces the sum of the messages.
    pub(super) fn total(&mut self, of: Total<'_>, told: &Value, usage: Usage) {
        self.notes.add(match self.ledger.total(of, &of.identity(told), usage) {
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

//! Usage out of what an agent prints.

use loop_core::Usage;

use super::{
    Format, Prices, Reading,
    account::Account,
    dialect::{self, Dialect},
    objects::Objects,
};
use crate::output::Capture;

/// Reads what an agent of some [`Format`] prints, while it prints it.
///
/// It is fed the output in pieces, torn anywhere, and tells after each what is newly known to be used:
/// add that to the [`Meter`](loop_core::Meter), and a budget binds while the agent runs. What each agent tells and when
/// stands on the [front page](crate).
///
/// One reader serves one agent in all its runs: call [`finish`](Self::finish) at the end of each. An agent
/// that resumes its session may report what it used in earlier runs again, and the reader knows what they
/// were.
///
/// Nothing that an agent prints is an error. What cannot be read is text, and what cannot be true
/// is refused and [noted](Reading::notes). Memory is bounded: a line or document of more than 8 MiB is passed over and
/// noted, and so is the message that comes back after 16,384 others.
///
/// ```
/// use loop_agents::usage::{Format, Prices, UsageReader};
///
/// let mut reader = UsageReader::new(Format::PiJson, Prices::bundled());
/// let line = r#"{"type":"message_end","message":{"role":"assistant","responseId":"r1","model":"m",
///     "content":[{"type":"text","text":"Done."}],
///     "usage":{"input":200,"cacheRead":1000,"output":40,"cost":{"total":0.0015}}}}"#
///     .replace('\n', "");
///
/// let (first, rest) = line.split_at(50);
/// assert!(reader.feed(first.as_bytes()).is_unknown());
/// let usage = reader.feed(format!("{rest}\n").as_bytes());
/// assert_eq!(usage.tokens(), Some(1240));
///
/// let reading = reader.finish();
/// assert!(reading.last.is_unknown());
/// assert_eq!(reading.total, usage);
/// assert_eq!(reading.text.map(|text| text.to_bytes()), Some(b"Done.".to_vec()));
/// ```
#[derive(Debug)]
pub struct UsageReader {
    format: Format,
    dialect: Option<Box<dyn Dialect>>,
    account: Account,
    stdout: Objects,
    stderr: Objects,
}

impl UsageReader {
    /// A reader for one agent. `prices` estimate what the agent does not say.
    pub fn new(format: Format, prices: Prices) -> Self {
        Self {
            format,
            dialect: dialect::of(format),
            account: Account::new(prices),
            stdout: Objects::default(),
            stderr: Objects::default(),
        }
    }

    /// The model to take for one that is not named: codex and opencode name none.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.account.model = Some(model.into());
        self
    }

    /// The format that it reads.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Takes the next bytes of standard output. Gives what is known to be used and was not told before.
    pub fn feed(&mut self, bytes: &[u8]) -> Usage {
        if let Some(dialect) = &mut self.dialect {
            self.stdout.feed(bytes, dialect.as_mut(), &mut self.account);
        }
        self.account.ledger.tell()
    }

    /// Takes the next bytes of standard error. There Gemini says why it failed; the others' is not looked
    /// at.
    pub fn feed_stderr(&mut self, bytes: &[u8]) -> Usage {
        if let Some(dialect) = self.dialect.as_mut().filter(|dialect| dialect.has_documents()) {
            self.stderr.feed(bytes, dialect.as_mut(), &mut self.account);
        }
        self.account.ledger.tell()
    }

    /// What the agent has said since the last call, for a live view: text for a person in the place of what
    /// it prints. None where what it prints is that already. Of much, the head and the tail.
    pub fn news(&mut self) -> Option<Capture> {
        self.dialect.is_some().then(|| self.account.take_news())
    }

    /// What was refused or is odd and was not told before: for who wants to know it while the agent runs. What is
    /// taken here is not in the [`Reading`].
    pub fn take_notes(&mut self) -> Vec<String> {
        self.account.notes.take()
    }

    /// Takes the standard output of an earlier run, whose use was counted when it was read: where the agent goes
    /// on with a thread of that run and reports it again, only what is new counts.
    ///
    /// ```
    /// use loop_agents::usage::{Format, Prices, UsageReader};
    ///
    /// let thread = |tokens: u64| {
    ///     let usage = format!(r#"{{"input_tokens":{tokens},"output_tokens":0}}"#);
    ///     format!("{{\"type\":\"thread.started\",\"thread_id\":\"t\"}}\n{{\"type\":\"turn.completed\",\"usage\":{usage}}}\n")
    /// };
    /// let mut reader = UsageReader::new(Format::CodexJson, Prices::bundled());
    /// reader.recall(thread(1000).as_bytes());
    /// assert_eq!(reader.feed(thread(1200).as_bytes()).tokens(), Some(200));
    /// ```
    pub fn recall(&mut self, stdout: &[u8]) {
        self.feed(stdout);
        self.finish();
    }

    /// The run is over, by itself or not: what stands there without a newline is read too. The next
    /// bytes are of the next run.
    pub fn finish(&mut self) -> Reading {
        let Self { format, dialect, account, stdout, stderr } = self;
        if let Some(dialect) = dialect {
            stdout.finish(dialect.as_mut(), account);
            stderr.finish(dialect.as_mut(), account);
        }
        let is_unsaid =
            account.ledger.sum().is_unknown() && account.failure.is_none() && account.fault.is_none();
        let is_foreign = is_unsaid && stdout.are_foreign() && account.text.is_none();
        if is_foreign {
            let flags = format.flags().unwrap_or_default();
            account
                .notes
                .add(&format!("nothing that the agent printed is {format}; is it run with `{flags}`?"));
        }
        // Who prints no stream at all has no end in it either: its exit code tells.
        let is_stream = !stdout.are_foreign();
        let unfinished = dialect.as_ref().filter(|_| is_stream).and_then(|dialect| dialect.unfinished());
        let (last, total) = (account.ledger.tell(), account.ledger.sum());
        let cost_quality = account.ledger.revised();
        account.ledger.end_run();
        (*stdout, *stderr) = Default::default();
        *dialect = dialect::of(*format);
        Reading {
            last,
            total,
            text: account.text.take(),
            failure: account.failure.take(),
            fault: account.fault.take(),
            unfinished,
            cost_quality,
            is_silent: is_unsaid && !is_foreign && format.flags().is_some(),
            notes: account.notes.take(),
        }
    }
}

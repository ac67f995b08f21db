//! Reads usage from an agent's output.

use loop_core::Usage;

use super::{
    AgentReport, Format, Prices,
    dialect::{self, Dialect},
    object_stream::ObjectStream,
    report_collector::ReportCollector,
};
use crate::output::Capture;

/// Reads the output of an agent in a [`Format`], while the agent prints it.
///
/// Feed it the output in pieces, which may end anywhere. It returns the newly known usage after each piece. Add that to
/// the [`Meter`](loop_core::Meter), so that a budget works while the agent runs. The [front page](crate) describes what
/// each agent reports, and when.
///
/// One reader serves one agent in all its runs: call [`finish`](Self::finish) at the end of each. An agent that resumes
/// its session may report its usage in earlier runs again, and the reader remembers that usage.
///
/// No output of an agent is an error. Unreadable output is text, and impossible numbers are rejected and
/// [noted](AgentReport::notes). Memory is bounded. A line or document of more than 8 MiB is skipped and noted. The
/// reader remembers 16,384 messages, so an older message that returns counts again.
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
    collector: ReportCollector,
    stdout: ObjectStream,
    stderr: ObjectStream,
}

impl UsageReader {
    /// Creates a reader for one agent. `prices` estimate the costs that the agent does not report.
    pub fn new(format: Format, prices: Prices) -> Self {
        Self {
            format,
            dialect: dialect::of(format),
            collector: ReportCollector::new(prices),
            stdout: ObjectStream::default(),
            stderr: ObjectStream::default(),
        }
    }

    /// Sets the model to assume if the agent names none. Codex and opencode name none.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.collector.model = Some(model.into());
        self
    }

    /// Returns the reader's format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Reads the next bytes of standard output. Returns the newly known usage.
    pub fn feed(&mut self, bytes: &[u8]) -> Usage {
        if let Some(dialect) = &mut self.dialect {
            self.stdout.feed(bytes, dialect.as_mut(), &mut self.collector);
        }
        self.collector.totals.tell()
    }

    /// Reads the next bytes of standard error. Gemini reports its failures there. For other agents, this method ignores
    /// the bytes.
    pub fn feed_stderr(&mut self, bytes: &[u8]) -> Usage {
        if let Some(dialect) = self.dialect.as_mut().filter(|dialect| dialect.has_documents()) {
            self.stderr.feed(bytes, dialect.as_mut(), &mut self.collector);
        }
        self.collector.totals.tell()
    }

    /// Returns the agent's words since the last call, for a live view: text for a person instead of the raw output.
    /// Returns `None` if the raw output is such text already. A long text keeps only its head and tail.
    pub fn news(&mut self) -> Option<Capture> {
        self.dialect.is_some().then(|| self.collector.take_news())
    }

    /// Returns new notes about rejected or strange reports, for a user who wants them while the agent runs. The
    /// [`AgentReport`] does not repeat them.
    pub fn take_notes(&mut self) -> Vec<String> {
        self.collector.notes.take()
    }

    /// Reads the standard output of an earlier run, whose usage was already counted. If the agent continues a thread of
    /// that run and reports its usage again, only the new part counts.
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

    /// Ends the run, whether it ended by itself or not. A last line without a newline is read too. Bytes after this
    /// call belong to the next run.
    pub fn finish(&mut self) -> AgentReport {
        let Self { format, dialect, collector, stdout, stderr } = self;
        if let Some(dialect) = dialect {
            stdout.finish(dialect.as_mut(), collector);
            stderr.finish(dialect.as_mut(), collector);
        }
        let is_unsaid =
            collector.totals.sum().is_unknown() && collector.failure.is_none() && collector.fault.is_none();
        let is_foreign = is_unsaid && stdout.are_foreign() && collector.text.is_none();
        if is_foreign {
            let flags = format.flags().unwrap_or_default();
            collector.notes.add(&format!(
                "the agent printed nothing in the format {format}; does it run with `{flags}`?"
            ));
        }
        // An agent that prints no stream has no end marker either. Its exit code decides.
        let is_stream = !stdout.are_foreign();
        let unfinished = dialect.as_ref().filter(|_| is_stream).and_then(|dialect| dialect.unfinished());
        let (mut last, total) = (collector.totals.tell(), collector.totals.sum());
        last.are_tokens_partial = total.are_tokens_partial;
        let cost_quality = collector.totals.revised();
        collector.totals.end_run();
        (*stdout, *stderr) = Default::default();
        *dialect = dialect::of(*format);
        AgentReport {
            last,
            total,
            text: collector.text.take(),
            failure: collector.failure.take(),
            fault: collector.fault.take(),
            unfinished,
            cost_quality,
            is_silent: is_unsaid && !is_foreign && format.flags().is_some(),
            notes: collector.notes.take(),
        }
    }
}

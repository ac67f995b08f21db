//! The services that the surrounding program provides to a session.

use std::{collections::BTreeMap, ffi::OsString, fmt, path::Path, sync::Arc, time::Duration};

use jiff::Timestamp;
use loop_agents::chat::TurnEvent;
use loop_knowledge::{BoxError, memory::mining::MinedText};
use loop_manifest::secrets_in;
use loop_telemetry::{
    Redactor, clamped,
    words::{self, harmless},
};

use crate::knowledge::{MiningChoice, MiningRecord};

/// Shows a session's output to a person.
///
/// Texts contain no secrets that the [host](SessionHost) knows. They contain no control characters except line feeds,
/// tabs and [styles](loop_telemetry::words::style), which [`plain`](loop_telemetry::words::plain) removes.
pub trait SessionOutput: Send + Sync {
    /// Shows an answer or a notice.
    fn say(&self, text: &str);

    /// Shows a warning. The text has no prefix that marks it as one.
    fn warn(&self, text: &str);

    /// Shows a reply of the model after the turn, even if the turn failed halfway. Default: shows nothing, for front
    /// ends whose [view](Self::show) shows the reply as it arrives.
    fn reply(&self, text: &str) {
        let _ = text;
    }

    /// Shows the result of a command, such as the output of a script. Default: as [`say`](Self::say).
    fn result(&self, text: &str) {
        self.say(text);
    }

    /// Shows the end of a session that is resumed: the last prompt and its reply, and the commands around them. Default:
    /// shows nothing.
    fn last_exchange(&self, parts: &[ExchangePart]) {
        let _ = parts;
    }

    /// Calls back a person who may look at something else: a tool has a question, or a long turn has ended. Default: does
    /// nothing.
    fn call_back(&self, text: &str) {
        let _ = text;
    }

    /// Returns the number of columns that fit on a line, for texts that must not wrap by themselves. Default: 80.
    fn columns(&self) -> usize {
        80
    }

    /// Sets whether tool calls appear as JSON with their whole results, or only returns it. Default: the front end has no
    /// such choice.
    fn verbose(&self, on: Option<bool>) -> Option<bool> {
        let _ = on;
        None
    }

    /// Begins to show a model's turn or a tool call. The session drops the view when the work ends. Default: shows
    /// nothing.
    fn show(&self, work: Activity) -> Box<dyn ActivityView> {
        let _ = work;
        Box::new(SilentView)
    }
}

/// A part of the end of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExchangePart {
    /// A line that the person typed.
    Typed(String),
    /// The output of a command.
    Output(String),
    /// The reply of a model.
    Reply(String),
}

/// Shows one turn while it runs.
pub trait ActivityView: Send {
    /// Shows an event of the turn. Unlike the texts of [`SessionOutput`], events are raw model output: they may contain
    /// secrets and control characters, which [`SessionHost::printable`] removes.
    fn on_event(&mut self, event: TurnEvent<'_>);
}

/// A view that shows nothing.
struct SilentView;

impl ActivityView for SilentView {
    fn on_event(&mut self, _: TurnEvent<'_>) {}
}

/// The work that begins: a model's turn or a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// The model of the turn; empty for a tool call.
    pub model: String,
    /// The current activity, in words: `waiting for qwen3`.
    pub doing: String,
    /// The mean duration of recent turns, if there were any.
    pub mean_duration: Option<Duration>,
    /// The fill level of the model's context, in words, if its size is known.
    pub context: Option<String>,
}

/// The program around a session: its output, its clock and the secrets that it knows.
///
/// # Default
/// The system clock, and the secrets among the variables of the [`ExecutionContext`](loop_manifest::ExecutionContext).
/// Texts shaped like a key always count as secrets.
#[derive(Clone)]
pub struct SessionHost {
    output: Arc<dyn SessionOutput>,
    clock: fn() -> Timestamp,
    secrets: Option<Arc<dyn Fn() -> Redactor + Send + Sync>>,
    records: Option<Arc<Records>>,
}

type Records = dyn Fn(&Path, &MiningChoice, &BTreeMap<String, MinedText>) -> Result<Vec<MiningRecord>, BoxError>
    + Send
    + Sync;

impl SessionHost {
    /// Creates a host that shows everything with `output`.
    pub fn new(output: impl SessionOutput + 'static) -> Self {
        let clock = || clamped(std::time::SystemTime::now());
        Self { output: Arc::new(output), clock, secrets: None, records: None }
    }

    /// Sets the wall clock.
    #[must_use]
    pub fn with_clock(self, clock: fn() -> Timestamp) -> Self {
        Self { clock, ..self }
    }

    /// Sets the source of secrets, which the host asks on each call. Nothing that it shows or stores contains them.
    #[must_use]
    pub fn with_secrets(self, secrets: impl Fn() -> Redactor + Send + Sync + 'static) -> Self {
        Self { secrets: Some(Arc::new(secrets)), ..self }
    }

    /// Sets the source of records that `/memory mine` reads: the runs and sessions of a folder, the newest first. Those
    /// that were mined since they changed are left out. Default: none.
    #[must_use]
    pub fn with_records(
        self,
        records: impl Fn(
            &Path,
            &MiningChoice,
            &BTreeMap<String, MinedText>,
        ) -> Result<Vec<MiningRecord>, BoxError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { records: Some(Arc::new(records)), ..self }
    }

    /// Returns the records of a folder to mine.
    pub(crate) fn records(
        &self,
        folder: &Path,
        choice: &MiningChoice,
        mined: &BTreeMap<String, MinedText>,
    ) -> Result<Vec<MiningRecord>, BoxError> {
        self.records.as_ref().map_or_else(|| Ok(Vec::new()), |records| records(folder, choice, mined))
    }

    /// Takes the secrets from these variables, unless the host already has a source of secrets.
    pub(crate) fn with_secrets_in(self, variables: &[(OsString, OsString)]) -> Self {
        if self.secrets.is_some() {
            return self;
        }
        let secrets = secrets_in(variables.iter().map(|(name, value)| (&**name, &**value)));
        let known = Redactor::new(secrets).shapes();
        self.with_secrets(move || known.clone())
    }

    /// Shows an answer or a notice.
    pub fn say(&self, text: &str) {
        self.output.say(&self.redact(text));
    }

    /// Shows a warning.
    pub fn warn(&self, text: &str) {
        self.output.warn(&self.redact(text));
    }

    /// Makes foreign text safe to show, without escape sequences, control characters and secrets.
    pub fn printable(&self, text: &str) -> String {
        words::printable(text, &self.secrets())
    }

    /// Makes foreign text [printable](Self::printable) and fits it onto one line.
    pub fn one_line(&self, text: &str) -> String {
        words::one_line(text, &self.secrets())
    }

    pub(crate) fn verbose(&self, on: Option<bool>) -> Option<bool> {
        self.output.verbose(on)
    }

    pub(crate) fn call_back(&self, text: &str) {
        self.output.call_back(&self.one_line(text));
    }

    pub(crate) fn columns(&self) -> usize {
        self.output.columns()
    }

    pub(crate) fn last_line(&self, text: &str, width: usize) -> Option<String> {
        words::last_line(text, width, &self.secrets())
    }

    pub(crate) fn result(&self, text: &str) {
        self.output.result(text);
    }

    pub(crate) fn reply(&self, text: &str) {
        let text = self.printable(text.trim_end());
        if !text.is_empty() {
            self.output.reply(&text);
        }
    }

    pub(crate) fn last_exchange(&self, parts: Vec<ExchangePart>) {
        let clean = |text: String| self.printable(text.trim());
        let parts = parts.into_iter().map(|part| match part {
            ExchangePart::Typed(text) => ExchangePart::Typed(clean(text)),
            ExchangePart::Output(text) => ExchangePart::Output(clean(text)),
            ExchangePart::Reply(text) => ExchangePart::Reply(clean(text)),
        });
        self.output.last_exchange(&parts.collect::<Vec<_>>());
    }

    pub(crate) fn show(&self, work: Activity) -> Box<dyn ActivityView> {
        self.output.show(work)
    }

    /// Returns the wall-clock time.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn clock(&self) -> fn() -> Timestamp {
        self.clock
    }

    pub(crate) fn secrets(&self) -> Redactor {
        match &self.secrets {
            Some(secrets) => secrets(),
            None => Redactor::new([] as [Vec<u8>; 0]).shapes(),
        }
    }

    /// Removes control characters before secrets, because a control character could split a secret.
    fn redact(&self, text: &str) -> String {
        self.secrets().redact(&harmless(text)).into_owned()
    }
}

impl fmt::Debug for SessionHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionHost")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    struct Silent;

    impl SessionOutput for Silent {
        fn say(&self, _: &str) {}

        fn warn(&self, _: &str) {}
    }

    /// A host that shows nothing.
    pub(crate) fn silent() -> SessionHost {
        SessionHost::new(Silent)
    }
}

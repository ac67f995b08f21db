//! The background work that an agent declares in its output stream.
//!
//! A headless agent ends its turn while work that it started still runs. Then its program exits with code 0, and the
//! work is ended with the rest of its processes. Nobody learns that the tests never finished. So we read which work the
//! stream declares, and which of it has ended. There is one file per agent. The folder `tests/background` has a stream
//! in each format.

mod claude;
mod codex;
mod opencode;
mod pi;
mod tasks;

use std::{
    borrow::Cow,
    fmt,
    str::FromStr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use loop_core::{IterationContext, WorkError};
use serde::Deserialize;
use serde_json::Value;

use self::tasks::{Tasks, quoted};
use super::ShellOutput;
use crate::{
    process::{Leftovers, OutputStream, ProcessOutput, STRAGGLER_TIME},
    usage::{Format, LineSplitter, StreamLine, lenient_json},
};

/// The longest time that [`BackgroundPolicy::Wait`] adds to an iteration: 60 seconds.
pub const MAX_BACKGROUND_WAIT: Duration = Duration::from_secs(60);

/// The longest line to read: 8 MiB, as for usage.
const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// The number of tasks to name.
const MAX_NAMED: usize = 5;

/// The number of processes to record.
const MAX_RECORDED: usize = 20;

/// The treatment of background work that an agent has declared and that has not ended when the agent ends.
///
/// ```
/// use loop_agents::shell::BackgroundPolicy;
///
/// assert_eq!("wait".parse(), Ok(BackgroundPolicy::Wait));
/// assert_eq!(BackgroundPolicy::default().to_string(), "note");
/// assert!("kill".parse::<BackgroundPolicy>().is_err());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackgroundPolicy {
    /// It is ended. The next prompt and the step name it. The default.
    #[default]
    Note,
    /// It may go on for [`MAX_BACKGROUND_WAIT`], within the limits of the iteration. Work that is not done by then is
    /// treated as with [`Note`](Self::Note).
    Wait,
    /// It is ended, and the iteration fails.
    Fail,
}

impl BackgroundPolicy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Note, Self::Wait, Self::Fail];

    /// Returns the name in a manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Wait => "wait",
            Self::Fail => "fail",
        }
    }
}

impl fmt::Display for BackgroundPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a name that does not belong to a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no policy `{name}` for background work; the policies are note, wait, fail")]
pub struct UnknownBackgroundPolicy {
    name: String,
}

impl FromStr for BackgroundPolicy {
    type Err = UnknownBackgroundPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownBackgroundPolicy> {
        let known = Self::ALL.into_iter().find(|policy| policy.name() == name);
        known.ok_or_else(|| UnknownBackgroundPolicy { name: name.to_owned() })
    }
}

/// The error for an iteration whose agent left declared work unfinished, under [`BackgroundPolicy::Fail`].
#[derive(Debug, thiserror::Error)]
#[error("the agent ended before its background work was done, so that was ended: {0}")]
struct UnfinishedWork(String);

/// How one agent declares its background work.
#[derive(Debug, Clone, Copy)]
struct Dialect {
    /// The lines to read, by their `type`. Others are not even parsed.
    kinds: &'static [&'static str],
    read: fn(&str, &Value, &mut Tasks),
}

/// The only part of a line to read before we know whether it is of interest.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

/// Reads the background work of one run of an agent.
#[derive(Debug)]
struct BackgroundReader {
    lines: LineSplitter,
    dialect: Option<Dialect>,
    tasks: Tasks,
}

impl BackgroundReader {
    fn of(format: Format) -> Self {
        let dialect = match format {
            Format::ClaudeStreamJson => Some(claude::DIALECT),
            Format::CodexJson => Some(codex::DIALECT),
            Format::OpencodeJson => Some(opencode::DIALECT),
            Format::PiJson => Some(pi::DIALECT),
            _ => None,
        };
        Self { lines: LineSplitter::with_max(MAX_LINE_BYTES), dialect, tasks: Tasks::default() }
    }

    /// Reads the next bytes of standard output, split anywhere.
    fn feed(&mut self, bytes: &[u8]) {
        let Self { lines, dialect: Some(dialect), tasks } = self else { return };
        lines.feed(bytes, |line| dialect.take(line, tasks));
    }

    /// Reads a last line without a newline.
    fn finish(&mut self) {
        let Self { lines, dialect: Some(dialect), tasks } = self else { return };
        lines.finish(|line| dialect.take(line, tasks));
    }
}

impl Dialect {
    fn take(self, line: StreamLine<'_>, tasks: &mut Tasks) {
        // A line that is too long, or no JSON, declares nothing that we could name.
        let StreamLine::Whole(line) = line else { return };
        let text = String::from_utf8_lossy(line);
        let Ok(Head { kind: Some(kind) }) = serde_json::from_str(&text) else { return };
        if !self.kinds.contains(&&*kind) {
            return;
        }
        if let Ok(parsed) = lenient_json::parse(&text) {
            (self.read)(&kind, &parsed.value, tasks);
        }
    }
}

/// The background work of one run of an agent, shared by the reader of its output and the code that ends its processes.
#[derive(Debug, Clone)]
pub(super) struct BackgroundWork {
    reader: Arc<Mutex<BackgroundReader>>,
    policy: BackgroundPolicy,
}

impl BackgroundWork {
    pub(super) fn of(format: Format, policy: BackgroundPolicy) -> Self {
        Self { reader: Arc::new(Mutex::new(BackgroundReader::of(format))), policy }
    }

    /// Reads the next bytes of output.
    pub(super) fn feed(&self, stream: OutputStream, bytes: &[u8]) {
        if stream != OutputStream::Stderr {
            self.reader().feed(bytes);
        }
    }

    /// Returns how long these processes, which the agent left behind, may go on. A short time is for those that are
    /// about to end by themselves.
    pub(super) fn linger(&self, processes: &[String]) -> Duration {
        match self.policy {
            BackgroundPolicy::Wait if !self.declared(processes).is_empty() => MAX_BACKGROUND_WAIT,
            _ => STRAGGLER_TIME,
        }
    }

    /// Notes the work that was ended before it was done.
    ///
    /// # Errors
    /// There is such work, and the policy is to fail.
    pub(super) fn judge(
        &self,
        finished: &ProcessOutput,
        cx: &IterationContext<ShellOutput>,
    ) -> Result<(), WorkError> {
        // If we made the agent end, its work was not left unfinished by the agent.
        let cut = if finished.cut.is_none() { self.cut(&finished.leftovers) } else { None };
        let Some(cut) = cut else { return Ok(()) };
        cx.cut_work(cut.as_str());
        match self.policy {
            BackgroundPolicy::Fail => Err(WorkError::failed(UnfinishedWork(cut))),
            _ => Ok(()),
        }
    }

    /// Names the declared work that was ended before it was done, if there was any.
    fn cut(&self, leftovers: &Leftovers) -> Option<String> {
        self.reader().finish();
        if leftovers.outlasted && self.policy == BackgroundPolicy::Wait {
            return None;
        }
        let declared = self.declared(&leftovers.ended);
        let forgotten = self.reader().tasks.forgotten();
        (!declared.is_empty()).then(|| list(&declared, forgotten))
    }

    /// Returns the work that the stream declares and that has not ended.
    fn declared(&self, processes: &[String]) -> Vec<String> {
        self.reader().tasks.declared(processes)
    }

    fn reader(&self) -> MutexGuard<'_, BackgroundReader> {
        // A panic under this lock cannot leave the tasks half changed.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the note for the next prompt about work that was ended, or an empty text.
pub(super) fn notice(cut_work: Option<&str>, output: Option<&ShellOutput>) -> String {
    match (cut_work, output) {
        (Some(work), _) => format!(
            "Your last turn ended before this background work was done, so the work was ended: {work}. Wait until \
             such work is done before you end your turn."
        ),
        (None, Some(output)) if !output.left_behind.is_empty() => format!(
            "These processes were still running when your last turn had ended, so they were ended: {}.",
            list(&output.left_behind, 0)
        ),
        _ => String::new(),
    }
}

/// Returns the command lines of the processes that were ended, each within a bound.
pub(super) fn bounded_lines(leftovers: &Leftovers) -> Vec<String> {
    leftovers.ended.iter().take(MAX_RECORDED).map(|line| quoted(line)).collect()
}

/// Joins names, of which the first few are enough. There are more without names.
fn list(names: &[String], nameless: usize) -> String {
    let mut text = names.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(MAX_NAMED) + nameless;
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// Returns a text in a JSON object.
fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests;

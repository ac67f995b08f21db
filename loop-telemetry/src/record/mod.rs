//! The telemetry record: how one run ended.
//!
//! A person who left a loop alone overnight asks in the morning how it ended, after how many iterations and at what
//! cost. A person who runs a hundred loops asks it about all of them at once. One flat line for each ending, with the
//! same keys in the same order, answers both with `grep` and `jq`. Values that were not measured are `null`, because a
//! cost of 0 that only means "not reported" misleads people.

pub(crate) mod format;

use std::{path::Path, time::Duration};

use jiff::Timestamp;
use loop_core::{Ending, Progress, RunCost, StopReason, Usage, Usd};
use serde::{Deserialize, Serialize};

pub use self::format::clamped;
use crate::{LineDigest, Redactor, always_json};

/// How one run ended. As JSON it has exactly these keys, in this order. The last three are present only if they apply.
///
/// Counts and times cover the whole run, including the time before a resume. Reading ignores unknown keys, so that it
/// accepts records of later versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// The loop's name. As JSON: `loop`.
    #[serde(rename = "loop")]
    pub name: String,
    /// The number of finished, failed or cut iterations.
    pub iterations: u64,
    /// The reason why the run stopped before its goal was met. As JSON `goal_met` if it was.
    #[serde(with = "format::stop_reason")]
    pub stop_reason: Option<StopReason>,
    /// Whether a person must look before the loop runs again.
    pub blockable: bool,
    /// Whether the goal was met.
    pub success: bool,
    /// The reported cost. As JSON: dollars, or `null` if no cost was reported. `cost_state` says how reliable it is.
    #[serde(with = "format::dollars")]
    pub estimated_cost_usd: Option<Usd>,
    /// Run time, waits included, in whole microseconds. As JSON: seconds.
    #[serde(rename = "elapsed_seconds", with = "format::seconds")]
    pub elapsed: Duration,
    /// When the run ended, in whole milliseconds. As JSON: RFC 3339 in UTC, `2026-01-31T09:30:00.000Z`.
    #[serde(with = "format::millis")]
    pub ended_at: Timestamp,
    /// The run's id, if it has one.
    pub run_id: Option<String>,
    /// How reliable the cost is.
    pub cost_state: CostState,
    /// The reported tokens.
    pub usage: TokenTotals,
    /// The part of the run time spent on work, in whole microseconds. As JSON: seconds.
    #[serde(rename = "working_seconds", with = "format::seconds")]
    pub working: Duration,
    /// When the run began. As JSON: in the format of `ended_at`.
    #[serde(with = "format::millis")]
    pub started_at: Timestamp,
    /// The path of the file that describes the loop, if there is one. Bytes that are not UTF-8 are replaced.
    pub manifest: Option<String>,
    /// Whether the cost is a lower bound, because a part of the run did not report it. As JSON it is left out if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cost_is_lower_bound: bool,
    /// The POSIX number of the signal that cancelled the run. As JSON it is left out if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<u8>,
    /// The digest of the last line of the run's journal when the run ended: see
    /// [`RunStore::check_chain`](crate::RunStore::check_chain). As JSON it is left out if the run has no journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_head: Option<String>,
    /// The background work that the agent had declared in the last iteration, and that was ended before it was done. As
    /// JSON it is left out if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_work: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Record {
    /// Begins the record of a run that ended this way. [`RecordDraft::between`] completes it.
    pub fn of(name: impl Into<String>, ending: &Ending, progress: &Progress) -> RecordDraft {
        let (usage, cost) = (progress.usage(), progress.cost());
        RecordDraft(Self {
            name: name.into(),
            iterations: progress.iterations(),
            stop_reason: ending.reason().cloned(),
            blockable: ending.is_blockable(),
            success: ending.is_success(),
            estimated_cost_usd: cost.usd(),
            elapsed: progress.elapsed(),
            ended_at: Timestamp::UNIX_EPOCH,
            run_id: None,
            cost_state: CostState::from(cost),
            usage: TokenTotals::from(usage),
            working: progress.working(),
            started_at: Timestamp::UNIX_EPOCH,
            manifest: None,
            cost_is_lower_bound: matches!(cost, RunCost::AtLeast(_)),
            signal: None,
            journal_head: None,
            cut_work: progress.cut_work().map(str::to_owned),
        })
    }

    /// Returns the record without these secrets in its texts: the loop's name, the path of its manifest, and the cut
    /// work.
    #[must_use]
    pub fn redacted(mut self, redactor: &Redactor) -> Self {
        self.name = redactor.redact(&self.name).into_owned();
        let redacted = |text: Option<String>| text.map(|text| redactor.redact(&text).into_owned());
        (self.manifest, self.cut_work) = (redacted(self.manifest), redacted(self.cut_work));
        self
    }

    /// Returns the name of the run's ending, as in [`Ending::name`].
    pub fn ending_name(&self) -> &str {
        self.stop_reason.as_ref().map_or(Ending::GOAL_MET, StopReason::as_str)
    }

    /// Returns the record as one line of JSON, without a line feed.
    pub fn to_line(&self) -> String {
        always_json(serde_json::to_string(self))
    }
}

/// A record without the wall-clock times. This crate reads no clock, so the caller adds them.
#[derive(Debug, Clone)]
#[must_use = "a draft becomes a record with `between`"]
pub struct RecordDraft(Record);

impl RecordDraft {
    /// Sets the run's id.
    pub fn run_id(mut self, id: impl Into<String>) -> Self {
        self.0.run_id = Some(id.into());
        self
    }

    /// Sets the file that describes the loop.
    pub fn manifest(mut self, path: impl AsRef<Path>) -> Self {
        self.0.manifest = Some(path.as_ref().to_string_lossy().into_owned());
        self
    }

    /// Sets the number of the signal that cancelled the run.
    pub fn signal(mut self, number: u8) -> Self {
        self.0.signal = Some(number);
        self
    }

    /// Sets the digest of the last line of the run's journal.
    pub fn journal_head(mut self, head: Option<LineDigest>) -> Self {
        self.0.journal_head = head.map(|head| head.to_string());
        self
    }

    /// Returns the record of a run that began and ended at these times. They are truncated to whole milliseconds.
    pub fn between(self, started: Timestamp, ended: Timestamp) -> Record {
        Record { started_at: format::to_millis(started), ended_at: format::to_millis(ended), ..self.0 }
    }
}

/// How reliable a run's cost is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostState {
    /// The provider reported the cost of every iteration.
    Known,
    /// A part of the cost was computed or not reported. In the second case the sum is a lower bound: see
    /// [`Record::cost_is_lower_bound`].
    Estimated,
    /// No cost was reported.
    Unknown,
}

impl From<RunCost> for CostState {
    fn from(cost: RunCost) -> Self {
        match cost {
            RunCost::Unknown => Self::Unknown,
            RunCost::AtLeast(_) | RunCost::About(_) => Self::Estimated,
            RunCost::Exactly(_) => Self::Known,
        }
    }
}

/// The tokens that a run reported. `None`, which is `null` in JSON, means unknown, and not zero.
///
/// The cost has keys of its own: see [`Record::estimated_cost_usd`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenTotals {
    /// Tokens read by the model, those from its cache included.
    pub input_tokens: Option<u64>,
    /// The part of `input_tokens` that came from the provider's cache.
    pub cached_input_tokens: Option<u64>,
    /// Tokens written by the model, its reasoning included.
    pub output_tokens: Option<u64>,
    /// Whether a part of the tokens is unknown, so that these are lower bounds. Omitted if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub are_lower_bounds: bool,
}

impl From<&Usage> for TokenTotals {
    fn from(usage: &Usage) -> Self {
        let Usage { input_tokens, cached_input_tokens, output_tokens, are_tokens_partial, .. } = *usage;
        Self { input_tokens, cached_input_tokens, output_tokens, are_lower_bounds: are_tokens_partial }
    }
}

#[cfg(test)]
mod tests;

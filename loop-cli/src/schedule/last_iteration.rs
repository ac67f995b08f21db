//! Details from the journal of a finished run, in addition to its record.

use loop_core::Progress;
use loop_telemetry::RunStore;

use loop_manifest::StoredAgentOutput;

/// The maximum length of the reported final text, in bytes.
const SAID: usize = 4 << 10;

/// The result of a run's last iteration.
#[derive(Debug)]
pub(super) struct LastIteration {
    /// An error in the iteration although its check passed. A prompt without a check meets its goal when the agent
    /// exits, whatever the exit code.
    pub(super) fault: Option<String>,
    /// The end of the agent's text.
    pub(super) said: String,
}

impl LastIteration {
    /// Reads the result of a run. Returns `None` without a journal: these details are optional.
    pub(super) fn of(runs: &RunStore, run: &str) -> Option<Self> {
        let mut journal = runs.journal(run).ok()?;
        let (mut progress, mut said) = (Progress::default(), String::new());
        while let Ok(Some(entry)) = journal.next_entry() {
            progress.apply(&entry.event).ok()?;
            let output =
                entry.output.as_ref().and_then(|output| StoredAgentOutput::of(&output.json().ok()?).ok());
            said = output.map_or(said, |output| match output {
                StoredAgentOutput::Shell(output) => output.said().last_text(SAID),
                other => other.words().unwrap_or_default().to_owned(),
            });
        }
        let fault = progress.last_step().and_then(|step| step.fault()).map(str::to_owned);
        Some(Self { fault, said })
    }
}

//! What is known of a run from its journal when it is over, beside its record.

use loop_core::Progress;
use loop_telemetry::RunStore;

use crate::view::Left;

/// So much of the end of what was said is told, in bytes.
const SAID: usize = 4 << 10;

/// How the last iteration of a run was.
#[derive(Debug)]
pub(super) struct Outcome {
    /// What went wrong in it, though its check passed. A prompt without a check has met its goal when the agent has
    /// ended, however it did.
    pub(super) fault: Option<String>,
    /// The end of what the agent said.
    pub(super) said: String,
}

impl Outcome {
    /// That of a run. `None` if there is no journal: what is told of it is not needed to go on.
    pub(super) fn of(runs: &RunStore, run: &str) -> Option<Self> {
        let mut journal = runs.journal(run).ok()?;
        let (mut progress, mut said) = (Progress::default(), String::new());
        while let Ok(Some(entry)) = journal.next_entry() {
            progress.apply(&entry.event).ok()?;
            let output = entry.output.as_ref().and_then(|output| Left::of(&output.json().ok()?).ok());
            said = output.map_or(said, |output| match output {
                Left::Shell(output) => output.said().last_text(SAID),
                Left::Turn(turn) => turn.text,
                Left::Worked(worked) => worked.words,
            });
        }
        let fault = progress.last_step().and_then(|step| step.fault()).map(str::to_owned);
        Some(Self { fault, said })
    }
}

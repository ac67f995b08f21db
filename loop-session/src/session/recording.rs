//! Switches the record of the session off and on, and ends it.

use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::{
    Retention,
    transcript::TranscriptEntry,
    words::{
        count,
        style::{DIM, paint},
    },
};

use super::state::Session;
use crate::InputError;

/// The variable with the number of sessions to keep.
const KEEP_SESSIONS: &str = "LOOP_KEEP_SESSIONS";

impl Session {
    /// Ends the transcript, says how many jobs end with the session, and removes [old sessions](Retention): `LOOP_KEEP_SESSIONS` and `LOOP_KEEP_DAYS` decide. A
    /// front end calls this after the person has left.
    pub fn end(&mut self) {
        if let jobs @ 1.. = self.jobs.count() {
            let jobs = count(jobs as u64, "job");
            self.say(&paint(
                DIM,
                format!("ended with this session: {jobs}. `loop schedule add` adds jobs that stay."),
            ));
        }
        self.log.end();
        let execution = &self.context.execution;
        let retention = Retention::from_env_with(KEEP_SESSIONS, |name| execution.variable(name));
        let removed = match retention {
            Ok(retention) => self.log.store().retain(retention, self.host().now()),
            Err(error) => return self.warn(&error.to_string()),
        };
        if let Err(error) = removed {
            self.warn(&format!("cannot remove old sessions: {}", with_causes(&error)));
        }
    }

    /// Sets whether the session is recorded when it begins. Default: it is.
    #[must_use]
    pub fn recording(mut self, is_on: bool) -> Self {
        self.log = self.log.recording(is_on);
        self
    }

    /// Returns whether the session is recorded. If not, a front end should not store what the person types either.
    pub const fn is_recording(&self) -> bool {
        self.log.is_recording()
    }

    /// Stops to record, and removes what this session has stored. Returns whether entries of an earlier process stay.
    ///
    /// # Errors
    /// The entries so far cannot be removed.
    pub(crate) fn stop_recording(&mut self) -> Result<bool, InputError> {
        Ok(self.log.stop_recording()?)
    }

    /// Records again, with the conversation so far.
    ///
    /// # Errors
    /// The file of a resumed session cannot be opened.
    pub(crate) fn start_recording(&mut self) -> Result<(), InputError> {
        let model = self.dialogue.model.as_ref().map_or("", Model::asked);
        let chat = &self.dialogue.chat;
        self.log.start_recording(model, chat.history().messages(), chat.pinned())?;
        self.log.write(TranscriptEntry::ToolsChanged { on: self.tools.are_on });
        for attachment in self.dialogue.attachments.clone() {
            self.record_attachment(attachment);
        }
        Ok(())
    }
}

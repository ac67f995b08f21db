//! What is written down of a session: all that is said and done, as it happens.

use std::fmt;

use loop_agents::chat::{Message, ToolCall};
use loop_agents::tools::{ToolOutcome, ToolReport};
use loop_core::with_causes;
use loop_telemetry::transcript::{
    CalledTool, Conversation, Entry, SessionError, SessionInfo, SessionStore, Transcript,
};

use crate::{faults, view};

/// The transcript, which has no file before something is said: a session in which nothing was is none.
pub(crate) struct Log {
    store: SessionStore,
    info: SessionInfo,
    file: Option<Transcript<Message>>,
    /// The last entry could not be written. That is said once.
    is_failing: bool,
    /// A call whose result is still to come.
    call: Option<ToolCall>,
    /// The session begins without tools, which is written down when it does.
    is_toolless: bool,
}

impl Log {
    /// Of a session that begins.
    pub(super) fn new(store: SessionStore, info: SessionInfo) -> Self {
        Self { store, info, file: None, is_failing: false, call: None, is_toolless: false }
    }

    /// Of a session that begins without tools.
    #[must_use]
    pub(super) fn toolless(self, is_toolless: bool) -> Self {
        Self { is_toolless, ..self }
    }

    /// Goes on with another session's; gives what that has come to.
    ///
    /// # Errors
    /// There is none of this id, a process holds it, or it cannot be read.
    pub(super) fn resume(&mut self, info: SessionInfo) -> Result<Conversation<Message>, SessionError> {
        let (file, conversation) = self.store.resume(&info.id, faults::now)?;
        *self = Self::new(self.store.clone(), info);
        self.file = Some(file.redacting(view::secrets()));
        Ok(conversation)
    }

    /// Where all sessions are.
    pub(super) const fn store(&self) -> &SessionStore {
        &self.store
    }

    /// The session's id.
    pub(super) fn id(&self) -> &str {
        &self.info.id
    }

    /// Whether something was written.
    pub(super) const fn has_begun(&self) -> bool {
        self.file.is_some()
    }

    /// Writes down what happened. That it cannot be written is said, and the session goes on.
    pub(super) fn write(&mut self, entry: &Entry<Message>) {
        let written = self.try_write(entry);
        let was_failing = std::mem::replace(&mut self.is_failing, written.is_err());
        if let Err(error) = written
            && !was_failing
        {
            view::warning(&format!("what is said is not kept any more: {}", with_causes(&error)));
        }
    }

    fn try_write(&mut self, entry: &Entry<Message>) -> Result<(), SessionError> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut file = self.store.begin(&self.info, faults::now)?.redacting(view::secrets());
                if self.is_toolless {
                    file.append(&Entry::ToolsChanged { on: false })?;
                }
                self.file.insert(file)
            }
        };
        file.append(entry)
    }

    /// A tool is going to be called.
    pub(super) fn calling(&mut self, call: &ToolCall) {
        self.call = Some(call.clone());
    }

    /// It was called.
    pub(super) fn called(&mut self, report: &ToolReport) {
        let Some(call) = self.call.take() else { return };
        self.write(&Entry::Called(CalledTool {
            tool: call.name,
            arguments: call.arguments,
            result: report.text.clone(),
            done: report.outcome == ToolOutcome::Done,
        }));
    }

    /// Where it is, in words.
    pub(super) fn describe(&self) -> String {
        match &self.file {
            Some(file) => file.path().display().to_string(),
            None => "nothing was said yet".to_owned(),
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("info", &self.info).finish_non_exhaustive()
    }
}

//! The transcript of a session, written as things happen.

mod attachments;
mod recording;

use std::{collections::VecDeque, fmt};

use loop_agents::chat::{Message, ToolCall};
use loop_agents::tools::{ToolOutcome, ToolReport};
use loop_core::with_causes;
use loop_telemetry::{
    JournalError,
    transcript::{
        Conversation, MissingEnd, SessionError, SessionInfo, SessionStore, ToolCallRecord, Transcript,
        TranscriptEntry,
    },
};

use self::attachments::StoredAttachments;
use crate::{host::SessionHost, stored_sessions::end_warning};

/// Writes the transcript of a session. The file appears with the first message: an empty session leaves no file.
///
/// If writing an entry fails, the log keeps the entry and writes it later. It never writes past a gap, because that
/// would be a different conversation. The log warns the [host](SessionHost) once, and the session continues.
pub struct TranscriptWriter {
    host: SessionHost,
    store: SessionStore,
    info: SessionInfo,
    file: Option<Transcript<Message>>,
    /// The files in the transcript.
    attachments: StoredAttachments,
    /// Entries that are not written yet. Nothing is written past a gap: that would be a different conversation.
    due: VecDeque<TranscriptEntry<Message>>,
    /// True after a failed write, about which the person was warned.
    is_behind: bool,
    /// True once the file no longer belongs to us. Nothing more is written.
    is_given_up: bool,
    /// True if nothing is recorded, because the person wants it so.
    is_off: bool,
    /// True if an earlier process began the session.
    is_resumed: bool,
    /// A tool call whose result is pending.
    call: Option<ToolCall>,
}

impl TranscriptWriter {
    /// Creates the log of a new session.
    pub fn new(store: SessionStore, info: SessionInfo, host: SessionHost) -> Self {
        Self {
            host,
            store,
            info,
            file: None,
            attachments: StoredAttachments::default(),
            due: VecDeque::new(),
            is_behind: false,
            is_given_up: false,
            is_off: false,
            is_resumed: false,
            call: None,
        }
    }

    /// Sets whether the transcript records that the session begins without tools.
    #[must_use]
    pub fn toolless(self, is_toolless: bool) -> Self {
        let due = is_toolless.then_some(TranscriptEntry::ToolsChanged { on: false }).into_iter().collect();
        Self { due, ..self }
    }

    /// Continues the log of another session, and returns its conversation.
    ///
    /// # Errors
    /// There is no session with this id, another process holds it, or it cannot be read.
    pub fn resume(&mut self, info: SessionInfo) -> Result<Conversation<Message>, SessionError> {
        let (file, mut conversation) = self.store.resume(&info.id, self.host.clock())?;
        let torn = file.torn_bytes().map(MissingEnd::Torn);
        if let Some(missing) = torn.or(file.lacks_end().then_some(MissingEnd::Ended)) {
            self.host.warn(&end_warning(missing, "removed"));
        }
        self.end();
        let is_off = self.is_off;
        *self = Self { is_off, is_resumed: true, ..Self::new(self.store.clone(), info, self.host.clone()) };
        self.attachments = StoredAttachments::resolve(&mut conversation);
        self.file = (!is_off).then(|| file.redacting(self.host.secrets()));
        Ok(conversation)
    }

    /// Returns the store of all sessions.
    pub const fn store(&self) -> &SessionStore {
        &self.store
    }

    /// Returns the id of the session.
    pub fn id(&self) -> &str {
        &self.info.id
    }

    /// Returns whether the log has written anything.
    pub const fn has_begun(&self) -> bool {
        self.file.is_some()
    }

    /// Writes an entry. If that fails, keeps the entry for later and warns once.
    pub fn write(&mut self, entry: TranscriptEntry<Message>) {
        if self.is_given_up || self.is_off {
            return;
        }
        self.due.extend(self.attachments.entries(entry));
        let written = self.catch_up();
        let was_behind = std::mem::replace(&mut self.is_behind, written.is_err());
        match written {
            Ok(()) if was_behind => {
                self.host.say("the session is stored again, including what was missing");
            }
            Ok(()) => {}
            Err(error) if is_lasting(&error) => {
                (self.is_given_up, self.is_behind) = (true, false);
                self.due.clear();
                self.host.warn(&format!("the session is not stored any more: {}", with_causes(&error)));
            }
            Err(_) if was_behind => {}
            Err(error) => {
                let why = with_causes(&error);
                self.host.warn(&format!("the session is not stored until it can be written: {why}"));
            }
        }
    }

    /// Ends the log: tries once more to write the pending entries, and writes the end of the session. Warns if they are
    /// lost.
    pub fn end(&mut self) {
        if self.is_given_up || self.file.is_none() && !self.is_behind {
            return;
        }
        self.due.push_back(TranscriptEntry::Ended);
        if let Err(error) = self.catch_up() {
            let why = with_causes(&error);
            self.host.warn(&format!("cannot write the end of this session, which is lost: {why}"));
        }
    }

    /// Writes the pending entries in order.
    fn catch_up(&mut self) -> Result<(), SessionError> {
        while let Some(entry) = self.due.front() {
            let file = match &mut self.file {
                Some(file) => file,
                None => {
                    let file =
                        self.store.begin(&self.info, self.host.clock())?.redacting(self.host.secrets());
                    self.file.insert(file)
                }
            };
            match file.append(entry) {
                // The entry is written; only session lists lack the name.
                Err(error @ SessionError::Folder { .. }) => self.host.warn(&with_causes(&error)),
                written => written?,
            }
            self.due.pop_front();
        }
        Ok(())
    }

    /// Records a tool call that is about to begin.
    pub fn calling(&mut self, call: &ToolCall) {
        self.call = Some(call.clone());
    }

    /// Writes the pending call with its report.
    pub fn called(&mut self, report: &ToolReport) {
        let Some(call) = self.call.take() else { return };
        self.write(TranscriptEntry::Called(ToolCallRecord {
            tool: call.name,
            arguments: call.arguments,
            result: report.text.clone(),
            done: report.outcome == ToolOutcome::Done,
        }));
    }

    /// Returns the path of the file, or words for its absence.
    pub fn describe(&self) -> String {
        match &self.file {
            _ if self.is_off => "off: nothing is recorded (/record on)".to_owned(),
            Some(file) => file.path().display().to_string(),
            None => "nothing has been said yet".to_owned(),
        }
    }
}

/// Returns whether a retry is pointless.
const fn is_lasting(error: &SessionError) -> bool {
    use JournalError::{Damaged, InUse, Tampered};
    match error {
        SessionError::File(error) => matches!(error, Damaged { .. } | InUse { .. } | Tampered { .. }),
        _ => true,
    }
}

impl fmt::Debug for TranscriptWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TranscriptWriter").field("info", &self.info).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, path::Path, process::Command};

    use loop_core::Usage;
    use loop_telemetry::transcript::ConversationChange;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use jiff::Timestamp;

    use super::*;
    use crate::SessionOutput;

    const FOLDER: &str = "LOG_TEST_FOLDER";

    /// Prints a session's output.
    struct Printed;

    #[expect(clippy::print_stderr, reason = "the parent of a test process reads it")]
    impl SessionOutput for Printed {
        fn say(&self, text: &str) {
            eprintln!("{text}");
        }

        fn warn(&self, text: &str) {
            eprintln!("warning: {text}");
        }
    }

    fn now() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn log(folder: &Path) -> TranscriptWriter {
        let info = SessionInfo::new("s", "/ws", "qwen3", now());
        let host = SessionHost::new(Printed).with_clock(now);
        TranscriptWriter::new(SessionStore::at(folder.join("sessions")), info, host)
    }

    /// A conversation that grows with each turn, and its log.
    struct Talk {
        log: TranscriptWriter,
        said: Vec<Message>,
    }

    impl Talk {
        fn turn(&mut self, prompt: &str) {
            let before = self.said.clone();
            self.said.push(Message::user(prompt));
            let (prompt, model) = (Message::user(prompt), "qwen3".to_owned());
            self.log.write(TranscriptEntry::Asked { prompt, model: model.clone() });
            let change = ConversationChange::between(&before, &self.said);
            self.log.write(TranscriptEntry::Answered { change, usage: Usage::unknown(), model });
        }
    }

    /// Returns the conversation as another process reads it.
    fn found(folder: &Path) -> Conversation<Message> {
        let found = SessionStore::at(folder.join("sessions")).resume("s", now);
        found.expect("it can be gone on with").1
    }

    #[test]
    fn a_full_disk_leaves_no_gap() {
        let folder = tempfile::tempdir().unwrap();
        // The file-size signal would kill the process; with the signal ignored, the write fails instead.
        let child = Command::new("sh")
            .args(["-c", r#"trap '' XFSZ; ulimit -S -f 4; exec "$0" --ignored --exact --nocapture "$1""#])
            .arg(env::current_exe().unwrap())
            .arg("transcript_writer::tests::a_process_with_a_full_disk")
            .env(FOLDER, folder.path())
            .output()
            .unwrap();
        let said = [child.stdout, child.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(child.status.success(), "{said}");
        for (part, times) in [("is not stored until", 1), ("File too large", 1), ("is stored again", 1)] {
            assert_eq!(said.matches(part).count(), times, "{part}: {said}");
        }
        let found = found(folder.path());
        let prompts: Vec<_> = found.messages.iter().map(|message| message.text().len()).collect();
        assert_eq!((prompts, found.turns), (vec![5, 9000, 7, 6, 6], 5));
    }

    #[test]
    #[ignore = "the body of the process in a_full_disk_leaves_no_gap"]
    fn a_process_with_a_full_disk() {
        let Some(folder) = env::var_os(FOLDER) else { return };
        let folder = Path::new(&folder);
        let mut talk = Talk { log: log(folder), said: Vec::new() };
        talk.turn("first");
        talk.turn(&"a long one".repeat(900));
        talk.turn("a short");
        // A process killed now would leave the file as it was before the disk was full.
        let lines = fs::read_to_string(folder.join("sessions/s.jsonl")).unwrap();
        assert!(lines.ends_with('\n') && lines.lines().count() == 3, "{lines}");
        talk.turn("fourth");
        let room = Rlimit { current: getrlimit(Resource::Fsize).maximum, ..getrlimit(Resource::Fsize) };
        setrlimit(Resource::Fsize, room).unwrap();
        talk.turn("fifth.");
    }

    #[test]
    fn a_session_that_cannot_begin_does_when_it_can() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = folder.path().join("sessions");
        fs::write(&sessions, "in the way").unwrap();
        let mut talk = Talk { log: log(folder.path()).toolless(true), said: Vec::new() };
        talk.turn("first");
        assert!(talk.log.is_behind && !talk.log.has_begun());
        fs::remove_file(&sessions).unwrap();
        talk.log.end();
        drop(talk);
        let found = found(folder.path());
        assert_eq!((found.turns, found.tools), (1, Some(false)));
    }

    #[test]
    fn a_file_of_somebody_else_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut talk = Talk { log: log(folder.path()), said: Vec::new() };
        talk.turn("first");
        let path = folder.path().join("sessions/s.jsonl");
        fs::remove_file(&path).unwrap();
        talk.turn("second");
        assert!(talk.log.is_given_up && talk.log.due.is_empty() && !path.exists());
    }
}

//! Resuming an earlier session.

use loop_agents::chat::{History, Message};
use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::{
    transcript::{Conversation, RecentLine, SessionEntry, TranscriptEntry},
    words::{
        self,
        style::{DIM, paint},
    },
};

use super::state::Session;
use crate::{ExchangePart, InputError};

/// The notice that the current session's own rules no longer apply.
const RULES_ANEW: &str =
    "the permissions are those of the settings again: /safemode and /permissions hold for one session";

impl Session {
    /// Resumes the session with this id, id prefix or name; an empty text means the last session of this folder. The
    /// model of that session answers, unless `--model` named one here or that model is not usable. Tools that were off
    /// there stay off.
    ///
    /// # Errors
    /// There is no such session, another process holds it, or it cannot be read. The current session then continues.
    /// Returns the last lines of the person, to [show](Self::show_last_exchange).
    pub(crate) fn resume(&mut self, wanted: &str) -> Result<Vec<RecentLine<Message>>, InputError> {
        let entry = self.find_session(wanted)?;
        if entry.info.id == self.log.id() {
            return Err(InputError::refused("this is that session"));
        }
        let rules = self.policy_of_settings()?;
        self.tools.approvals.forget();
        let Conversation {
            messages,
            pinned,
            model,
            tools,
            turns,
            name,
            usage,
            attached,
            waiting,
            unanswered,
            failed,
            open_loop,
            recent,
            ..
        } = self.log.resume(entry.info.clone())?;
        self.dialogue.chat.set_history(History::from(messages));
        self.dialogue.chat.unpin();
        for text in pinned {
            self.dialogue.chat.pin(text);
        }
        self.dialogue.usage = usage;
        self.dialogue.turns = turns;
        self.drop_attachments();
        let answers =
            if self.adopt_model(&model) { format!(", {} answers", self.model_name()) } else { String::new() };
        let model = self.dialogue.model.as_ref().map_or(model, |model| model.asked().to_owned());
        self.log.write(TranscriptEntry::Resumed { model });
        self.adopt_tools(tools.unwrap_or(true));
        let called = name.unwrap_or(entry.info.id);
        let said = words::count(self.dialogue.chat.history().messages().len() as u64, "message");
        let without = if self.tools.are_on { "" } else { ", without tools" };
        self.say(&paint(
            DIM,
            format_args!("continuing {}: {said}{without}{answers}", self.host().one_line(&called)),
        ));
        if let Some(rules) = rules {
            self.apply_policy(rules);
            self.say(RULES_ANEW);
        }
        self.restore_attachments(&attached[attached.len() - waiting..]);
        if let Some((prompt, why)) = failed {
            let why = self.host().printable(&why);
            self.warn(&format!("its last prompt got no reply ({why}): {}", self.shortened(&prompt)));
        }
        self.warn_of_interruption(unanswered.as_ref(), open_loop);
        Ok(recent)
    }

    /// Switches to that session's model, unless this session's model was named. Returns whether the model changed.
    fn adopt_model(&mut self, theirs: &str) -> bool {
        let ours = self.dialogue.model.as_ref().map(Model::asked);
        if theirs.is_empty() || ours == Some(theirs) || ours.is_some() && self.dialogue.is_model_named {
            return false;
        }
        let was_answered = ours.is_some();
        let Err(why) = self.set_model_unrecorded(theirs) else { return was_answered };
        let theirs = self.host().one_line(theirs);
        let instead = self.dialogue.model.as_ref().map_or("nobody", Model::id);
        self.warn(&format!(
            "{theirs} answered there, but cannot answer here: {}; {instead} answers instead",
            with_causes(&why)
        ));
        false
    }

    /// Shows the last reply of the conversation with its prompt, if there are any, and the commands around it as the
    /// person typed them.
    pub(crate) fn show_last_exchange(&self, recent: Vec<RecentLine<Message>>) {
        let messages = self.dialogue.chat.history().messages();
        let reply = messages.iter().rev().find_map(|message| match message {
            Message::Assistant { text, .. } => Some(text).filter(|text| !text.trim().is_empty()),
            Message::User { .. } => None,
        });
        let part = |line: RecentLine<Message>| match line {
            RecentLine::Prompt(prompt) => {
                let prompt = ExchangePart::Typed(prompt.text().to_owned());
                [Some(prompt), reply.cloned().map(ExchangePart::Reply)]
            }
            RecentLine::Command { line, output } => {
                // The first line only tells the model what this is.
                let output = output.split_once('\n').map_or("", |(_, output)| output).to_owned();
                [Some(ExchangePart::Typed(line)), Some(ExchangePart::Output(output))]
            }
            _ => [None, None],
        };
        let parts: Vec<_> = recent.into_iter().flat_map(part).flatten().collect();
        self.host().last_exchange(parts);
    }

    /// Finds the session.
    ///
    /// # Errors
    /// No session matches, or more than one does.
    pub(crate) fn find_session(&self, wanted: &str) -> Result<SessionEntry, InputError> {
        let store = self.log.store();
        if !wanted.is_empty() {
            return Ok(store.find(wanted)?);
        }
        let (sessions, unreadable) = store.list_from(self.context.execution.folder())?;
        let mut own = sessions.into_iter().filter(|entry| {
            entry.info.works_in(self.context.execution.folder()) && entry.info.id != self.log.id()
        });
        let last = own.next();
        for other in unreadable {
            // The session may belong to any folder: it may still be the right one.
            if last.as_ref().is_none_or(|last| last.last_used < other.last_used) {
                let why = self.host().printable(&with_causes(&other.why));
                self.warn(&format!("{}, used later, cannot be read: {why}", self.host().one_line(&other.id)));
            }
        }
        last.ok_or_else(|| {
            InputError::refused("this folder has no session to continue; /session list shows others")
        })
    }

    fn shortened(&self, prompt: &Message) -> String {
        self.host().last_line(prompt.text(), 80).unwrap_or_default()
    }

    fn warn_of_interruption(&self, unanswered: Option<&Message>, open_loop: bool) {
        if let Some(prompt) = unanswered {
            self.warn(&format!("it was cut off in this turn: {}", self.shortened(prompt)));
        }
        if open_loop {
            self.warn("it was cut off in a loop, which does not continue by itself");
        }
    }
}

//! Going on with a session of before.

use loop_agents::chat::{History, Message};
use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::{
    transcript::{Conversation, Entry, SessionEntry},
    words::{
        self,
        style::{DIM, paint},
    },
};

use super::state::Session;
use crate::InputError;

/// What is said where rules were for the session that ends here.
const RULES_ANEW: &str =
    "what may be done is as the settings say: /safemode and /permissions are for one session";

impl Session {
    /// Goes on with the session that is meant: by its id, its beginning, its name, or none for the last one of this
    /// folder. That session's model answers, unless `--model` named one here or it cannot. Tools that were off there
    /// are off.
    ///
    /// # Errors
    /// There is none, a process holds it, or it cannot be read; this session goes on then.
    pub(crate) fn go_on_with(&mut self, wanted: &str) -> Result<(), InputError> {
        let entry = self.meant(wanted)?;
        if entry.info.id == self.log.id() {
            return Err(InputError::refused("this is that session"));
        }
        let rules = self.rules_anew()?;
        let Conversation {
            messages, pinned, model, tools, turns, name, usage, unanswered, open_loop, ..
        } = self.log.resume(entry.info.clone())?;
        self.dialogue.chat.set_history(History::from(messages));
        self.dialogue.chat.unpin();
        for text in pinned {
            self.dialogue.chat.pin(text);
        }
        self.dialogue.usage = usage;
        self.dialogue.turns = turns;
        self.leave_attachments();
        let answers = if self.take_over_model(&model) {
            format!(", {} answers", self.model_name())
        } else {
            String::new()
        };
        let model = self.dialogue.model.as_ref().map_or(model, |model| model.asked().to_owned());
        self.log.write(Entry::Resumed { model });
        self.take_over_tools(tools.unwrap_or(true));
        let called = name.unwrap_or(entry.info.id);
        let said = words::count(self.dialogue.chat.history().messages().len() as u64, "message");
        let without = if self.tools.are_on { "" } else { ", without tools" };
        self.say(&paint(
            DIM,
            format_args!("going on with {}: {said}{without}{answers}", self.host().one_line(&called)),
        ));
        if let Some(rules) = rules {
            self.rule(rules);
            self.say(RULES_ANEW);
        }
        self.tell_of_end(unanswered.as_ref(), open_loop);
        Ok(())
    }

    /// Lets that session's model answer, unless one was named for this one; whether that is another than before.
    fn take_over_model(&mut self, theirs: &str) -> bool {
        let ours = self.dialogue.model.as_ref().map(Model::asked);
        if theirs.is_empty() || ours == Some(theirs) || ours.is_some() && self.dialogue.is_model_named {
            return false;
        }
        let was_answered = ours.is_some();
        let Err(why) = self.take_model(theirs) else { return was_answered };
        let theirs = self.host().one_line(theirs);
        let instead = self.dialogue.model.as_ref().map_or("nobody", Model::id);
        self.warn(&format!(
            "{theirs} answered there, and cannot here: {}; {instead} answers instead",
            with_causes(&why)
        ));
        false
    }

    /// The session that is meant.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub(crate) fn meant(&self, wanted: &str) -> Result<SessionEntry, InputError> {
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
            // Of whichever folder it is: it may be the one that is meant.
            if last.as_ref().is_none_or(|last| last.last_used < other.last_used) {
                let why = self.host().printable(&with_causes(&other.why));
                self.warn(&format!("{}, used later, cannot be read: {why}", self.host().one_line(&other.id)));
            }
        }
        last.ok_or_else(|| {
            InputError::refused(
                "there is no session of this folder to go on with; /session list shows others",
            )
        })
    }

    fn tell_of_end(&self, unanswered: Option<&Message>, open_loop: bool) {
        if let Some(prompt) = unanswered {
            let prompt = self.host().last_line(prompt.text(), 80).unwrap_or_default();
            self.warn(&format!("it was cut off in a turn, which was: {prompt}"));
        }
        if open_loop {
            self.warn("it was cut off in a loop, which does not go on by itself");
        }
    }
}

//! Going on with a session of before.

use anyhow::{Context, anyhow};
use loop_agents::chat::{History, Message};
use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::transcript::{Conversation, Entry, SessionEntry};

use super::Session;
use crate::view::{self, DIM, paint, text};

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
    pub(super) fn go_on_with(&mut self, wanted: &str) -> anyhow::Result<()> {
        let entry = self.meant(wanted)?;
        if entry.info.id == self.log.id() {
            return Err(anyhow!("this is that session"));
        }
        let rules = self.rules_anew()?;
        let Conversation {
            messages, pinned, model, tools, turns, name, usage, unanswered, open_loop, ..
        } = self.log.resume(entry.info.clone())?;
        self.chat.set_history(History::from(messages));
        self.chat.unpin();
        for text in pinned {
            self.chat.pin(text);
        }
        self.usage = usage;
        self.turns = turns;
        self.leave_attachments();
        let answers = if self.take_over_model(&model) {
            format!(", {} answers", self.model_name())
        } else {
            String::new()
        };
        let model = self.model.as_ref().map_or(model, |model| model.asked().to_owned());
        self.log.write(Entry::Resumed { model });
        self.take_over_tools(tools.unwrap_or(true));
        let called = name.unwrap_or(entry.info.id);
        let said = text::count(self.chat.history().messages().len() as u64, "message");
        let without = if self.tools.are_on { "" } else { ", without tools" };
        self.say(&paint(
            DIM,
            format_args!("going on with {}: {said}{without}{answers}", text::one_line(&called)),
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
        let ours = self.model.as_ref().map(Model::asked);
        if theirs.is_empty() || ours == Some(theirs) || ours.is_some() && self.is_model_named {
            return false;
        }
        let was_answered = ours.is_some();
        let Err(why) = self.take_model(theirs) else { return was_answered };
        let theirs = text::one_line(theirs);
        let instead = self.model.as_ref().map_or("nobody", Model::id);
        view::warning(&format!(
            "{theirs} answered there, and cannot here: {why:#}; {instead} answers instead"
        ));
        false
    }

    /// The session that is meant.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub(super) fn meant(&self, wanted: &str) -> anyhow::Result<SessionEntry> {
        let store = self.log.store();
        if !wanted.is_empty() {
            return Ok(store.find(wanted)?);
        }
        let (sessions, unreadable) = store.list_from(self.place.folder())?;
        let mut own = sessions
            .into_iter()
            .filter(|entry| entry.info.works_in(self.place.folder()) && entry.info.id != self.log.id());
        let last = own.next();
        for other in unreadable {
            // Of whichever folder it is: it may be the one that is meant.
            if last.as_ref().is_none_or(|last| last.last_used < other.last_used) {
                let why = text::printable(&with_causes(&other.why));
                view::warning(&format!("{}, used later, cannot be read: {why}", text::one_line(&other.id)));
            }
        }
        last.context("there is no session of this folder to go on with; /session list shows others")
    }

    fn tell_of_end(&self, unanswered: Option<&Message>, open_loop: bool) {
        if let Some(prompt) = unanswered {
            let prompt = text::last_line(prompt.text(), 80).unwrap_or_default();
            view::warning(&format!("it was cut off in a turn, which was: {prompt}"));
        }
        if open_loop {
            view::warning("it was cut off in a loop, which does not go on by itself");
        }
    }
}

//! Skills that a model helps to write: scripts and proposals.

use loop_agents::{
    chat::{Delta, Message, Request},
    skills::{SUGGEST_SYSTEM, Skill, SkillSuggestion},
    tools::{Approval as _, ApprovalAnswer},
};
use loop_core::with_causes;
use loop_manifest::model::Model;
use loop_telemetry::transcript::SessionStore;

use super::state::Session;
use crate::{InputError, replay::Recording};

/// The most bytes of a record that a model with an unknown window receives.
const UNKNOWN_WINDOW_BYTES: usize = 8 << 10;

impl Session {
    /// Asks the model for the script of a skill, and writes it after the person's yes to its text.
    ///
    /// # Errors
    /// Nobody can be asked, the reply has no script, or the person does not agree.
    pub(crate) async fn compile_skill(&mut self, skill: &Skill) -> Result<(), InputError> {
        self.expect_person("only a person can agree to a new script")?;
        let request = skill.script_request()?;
        let doing = format!("writing the script of {}", skill.name());
        let reply = self.ask_aside(&doing, request.system(), &request.prompt).await?;
        let draft = request.draft(&reply)?;
        let (stop, approvals, question) = (self.stop(), self.tools.approvals.clone(), draft.question());
        let answer = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            answer = approvals.ask(&question) => answer,
        };
        if let ApprovalAnswer::No(why) = answer {
            return Err(InputError::refused(self.host().one_line(&format!("nothing was written: {why}"))));
        }
        let said = format!("wrote {}: `/skill run {}` runs it", draft.write()?, skill.name());
        self.say(&self.host().one_line(&said));
        Ok(())
    }

    /// Shows skills that the model proposes after it read a stored session; without a name, this conversation. Writes
    /// nothing.
    ///
    /// # Errors
    /// There is no such session, nothing to read, or no reply.
    pub(crate) async fn suggest_skills(&mut self, stored: &str) -> Result<(), InputError> {
        let record = if stored.is_empty() { self.record_of_conversation() } else { self.record_of(stored)? };
        if record.is_empty() {
            return Err(InputError::refused("there is no conversation to read: name a session"));
        }
        let window = self.dialogue.model.as_ref().and_then(Model::window);
        let most = window.map_or(UNKNOWN_WINDOW_BYTES, |tokens| {
            usize::try_from(tokens.saturating_mul(2)).unwrap_or(usize::MAX)
        });
        let known: String = self.tools.skills.all().map(|skill| format!("{}\n", skill.name())).collect();
        let record = loop_agents::output::excerpt(record.as_bytes(), most);
        let prompt =
            format!("Skills that exist:\n{known}\nThe record, which is not addressed to you:\n\n{record}");
        let prompt = self.host().secrets().redact(&prompt).into_owned();
        let reply = self.ask_aside("reading the conversation", SUGGEST_SYSTEM, &prompt).await?;
        let found = SkillSuggestion::read(&reply);
        let is_new = |found: &&SkillSuggestion| self.tools.skills.find(&found.name).is_none();
        let rows = found.iter().filter(is_new).map(|SkillSuggestion { name, description }| {
            let quoted = shlex::try_quote(description).unwrap_or_default();
            format!("{name}  {description}\n  /skill new {name} --description {quoted}\n")
        });
        let rows: String = rows.collect();
        self.host().result(&self.host().printable(if rows.is_empty() {
            "the model proposes no skill"
        } else {
            &rows
        }));
        Ok(())
    }

    /// Refuses a line that nobody typed.
    ///
    /// # Errors
    /// [`InputError::Refused`] with this reason.
    pub(crate) fn expect_person(&self, why: &str) -> Result<(), InputError> {
        if self.tools.approvals.is_open() { Ok(()) } else { Err(InputError::refused(why)) }
    }

    /// Sends one request to the model, without tools and without the conversation. Its usage counts for the session.
    async fn ask_aside(&mut self, doing: &str, system: &str, prompt: &str) -> Result<String, InputError> {
        let Some(model) = &self.dialogue.model else { return Err(InputError::NoModel) };
        let (stop, asked) = (self.stop(), model.boxed(self.context.execution.seed()));
        let view = self.show(model.id(), doing.to_owned(), None, None);
        let prompt = self.host().secrets().redact(prompt).into_owned();
        let messages = [Message::user(prompt)];
        let request = Request::new(&messages).with_system(Some(system));
        let mut ignored = |_: Delta<'_>| {};
        let reply = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            reply = asked.reply(request, &mut ignored) => reply,
        };
        drop(view);
        let reply = reply.map_err(|error| InputError::refused(with_causes(&error)))?;
        self.dialogue.usage += reply.usage;
        Ok(reply.text)
    }

    fn record_of_conversation(&self) -> String {
        let row = |message: &Message| match message {
            Message::User { text, .. } => format!("user: {text}\n\n"),
            other @ Message::Assistant { .. } => format!("model: {}\n\n", other.text()),
        };
        self.dialogue.chat.history().messages().iter().map(row).collect()
    }

    fn record_of(&self, stored: &str) -> Result<String, InputError> {
        let state = loop_telemetry::StateDir::from_env_with(|name| self.context.execution.variable(name));
        let sessions = state.and_then(|state| state.sessions());
        let store = SessionStore::at(sessions.map_err(|error| InputError::refused(error.to_string()))?);
        let id = store.find(stored)?.info.id;
        let recording = Recording::open(&store, &id)?;
        let row = |turn: &crate::replay::RecordedTurn| {
            format!("user: {}\n\nmodel: {}\n\n", turn.prompt.text(), turn.figures.reply)
        };
        Ok(recording.turns().map(row).collect())
    }
}

//! Skills in a session: their list in the system prompt, their bodies in the conversation, and triggers.
//!
//! A body in the conversation lies between two marks, so it can be removed even after the session was resumed.

use std::sync::Arc;

use loop_agents::{
    chat::{History, Message},
    skills::{SetFit, Skill, SkillError, Skills},
};
use loop_core::with_causes;
use loop_manifest::skills;
use loop_telemetry::transcript::{ConversationChange, TranscriptEntry};

use super::state::Session;
use crate::InputError;

/// How many problems with skills a person reads when the session starts.
const SHOWN_PROBLEMS: usize = 5;

impl Session {
    /// Returns the skills that were found last.
    pub(crate) fn skills(&self) -> Arc<Skills> {
        Arc::clone(&self.tools.skills)
    }

    /// Finds the skills again. If others are there now, the model gets the new list.
    pub(crate) async fn find_skills(&mut self) -> Result<Arc<Skills>, SkillError> {
        let found = skills::find(&self.context.settings, &self.tools.workspace)?;
        let is_new = found.catalogue() != self.tools.skills.catalogue();
        self.tools.skills = found.into();
        if is_new {
            self.rebuild_tools();
            self.rebuild_system_prompt().await;
        }
        Ok(self.skills())
    }

    /// Reports the problems with skills.
    pub(super) fn report_skills(&self) {
        let problems = self.tools.skills.warnings();
        for problem in problems.iter().take(SHOWN_PROBLEMS) {
            self.warn(&self.host().one_line(&problem.to_string()));
        }
        if let Some(more) = problems.len().checked_sub(SHOWN_PROBLEMS).filter(|more| *more > 0) {
            self.warn(&format!("there are {more} more problems with skills: `loop skill check` lists them"));
        }
    }

    /// Returns the list of skills for the system prompt; empty without skills.
    pub(super) fn skill_catalogue(&self) -> String {
        self.host().secrets().redact(&skills::section(&self.tools.skills)).into_owned()
    }

    /// Sends a prompt to the model. If a person typed it, and it calls for a skill, the skill goes with it.
    ///
    /// # Errors
    /// As for [`turn`](Self::turn).
    pub(super) async fn prompt(&mut self, prompt: &str) -> Result<(), InputError> {
        let skills = self.skills();
        let is_typed = self.tools.approvals.is_open() && self.has_model();
        let fired = if is_typed { skills.fired_by(prompt) } else { Vec::new() };
        let Some((skill, others)) = fired.split_first() else { return self.turn(prompt).await };
        let others: Vec<_> = others.iter().map(|other| format!("`{}`", other.name())).collect();
        let others = if others.is_empty() {
            String::new()
        } else {
            format!("; the prompt also matches {}", others.join(", "))
        };
        self.say(&self.host().one_line(&format!("using the skill `{}`{others}", skill.name())));
        match self.turn_with(skill, &[], prompt).await {
            Err(InputError::Skill(error)) => {
                self.warn(&format!("the prompt goes without the skill: {}", with_causes(&error)));
                self.turn(prompt).await
            }
            done => done,
        }
    }

    /// Sends a prompt to the model with a skill. During the turn, the model has only the tools that the skill allows.
    ///
    /// # Errors
    /// As for [`turn`](Self::turn) and [`load_skills`](Self::load_skills).
    pub(crate) async fn turn_with(
        &mut self,
        skill: &Skill,
        values: &[(String, String)],
        prompt: &str,
    ) -> Result<(), InputError> {
        if !self.has_model() {
            return Err(InputError::NoModel);
        }
        self.load_skills(&[skill], values)?;
        self.tools.narrowed_by = Some(skill.clone());
        self.rebuild_tools();
        let done = self.turn(prompt).await;
        self.widen_tools();
        done
    }

    /// Gives the model its tools back after the turn of a skill.
    pub(super) fn widen_tools(&mut self) {
        if self.tools.narrowed_by.take().is_some() {
            self.rebuild_tools();
        }
    }

    /// Puts the bodies of skills into the conversation, unless they are there with the same values. Returns the names
    /// of those that are new.
    ///
    /// # Errors
    /// A body cannot be read, or together they fill the window.
    pub(crate) fn load_skills(
        &mut self,
        skills: &[&Skill],
        values: &[(String, String)],
    ) -> Result<Vec<String>, InputError> {
        let mut new = Vec::new();
        for skill in skills {
            let text = self.host().printable(&skill.instructions(values)?);
            let text = format!("{}\n{}", text.trim_end(), end_of(skill.name()));
            if !self.user_texts().any(|sent| sent.contains(&text)) {
                new.push((skill.name().to_owned(), text));
            }
        }
        let bytes: usize = new.iter().map(|(_, text)| text.len()).sum();
        let tokens = (bytes as u64).div_ceil(4);
        match SetFit::of(tokens, self.context_window()) {
            SetFit::TooLarge => {
                return Err(InputError::refused(format!(
                    "the instructions have about {tokens} tokens, which is more than the window of the model holds"
                )));
            }
            SetFit::Large => self.warn(&format!("the instructions take about {tokens} tokens of the window")),
            SetFit::Fits => {}
        }
        for (name, text) in &new {
            self.remove_skill(name);
            self.add_to_context(&format!("the skill {name}"), text);
        }
        Ok(new.into_iter().map(|(name, _)| name).collect())
    }

    /// Returns the names of the skills whose bodies are in the conversation.
    pub(crate) fn loaded_skills(&self) -> Vec<String> {
        let is_loaded = |skill: &&Skill| self.user_texts().any(|text| without(text, skill.name()).is_some());
        self.tools.skills.all().filter(is_loaded).map(|skill| skill.name().to_owned()).collect()
    }

    /// Removes the body of a skill from the conversation, and returns whether it was there.
    pub(crate) fn unload_skill(&mut self, name: &str) -> bool {
        let before = self.dialogue.chat.history().messages().to_vec();
        let is_removed = self.remove_skill(name);
        if is_removed {
            let change = ConversationChange::between(&before, self.dialogue.chat.history().messages());
            let (command, output) = (self.line().to_owned(), format!("unloaded {name}"));
            self.log.write(TranscriptEntry::Ran { command, output, change });
        }
        is_removed
    }

    fn remove_skill(&mut self, name: &str) -> bool {
        if !self.user_texts().any(|text| without(text, name).is_some()) {
            return false;
        }
        let mut history = History::new();
        for message in self.dialogue.chat.history().messages() {
            history.push(match message {
                Message::User { text, attachments } => {
                    let (text, attachments) =
                        (without(text, name).unwrap_or_else(|| text.clone()), attachments.clone());
                    Message::User { text, attachments }
                }
                other => other.clone(),
            });
        }
        self.dialogue.chat.set_history(history);
        true
    }

    fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.dialogue.chat.history().messages().iter().filter_map(|message| match message {
            Message::User { text, .. } => Some(text.as_str()),
            Message::Assistant { .. } => None,
        })
    }
}

/// The mark behind a body.
fn end_of(name: &str) -> String {
    format!("[end of the skill {name}]")
}

/// Returns the text without the bodies of this skill; `None` if there are none.
fn without(text: &str, name: &str) -> Option<String> {
    let (begin, end) = (format!("[the skill {name}]\n"), end_of(name));
    let mut rest = text.to_owned();
    while let Some(at) = rest.find(&begin) {
        let Some(length) = rest[at..].find(&end) else { break };
        let behind = rest[at + length + end.len()..].trim_start_matches('\n').to_owned();
        rest.truncate(at);
        rest.push_str(&behind);
    }
    (rest != text).then_some(rest)
}

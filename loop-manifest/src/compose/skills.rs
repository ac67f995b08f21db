//! The skills that a manifest names: instructions for a model, a list for a command.

use std::{fmt::Write as _, path::PathBuf};

use loop_agents::{
    chat::Chat,
    shell::Template,
    skills::{SetFit, Skill, Skills},
};

use super::{error::ComposeError, parts::settings};
use crate::{
    context::ExecutionContext,
    model::{Model, workspace},
    nearest::closest,
    plan::{AgentPlan, ModelPlan},
    skills,
};

/// The key that names the skills.
const KEY: &str = "agent.skills";

/// Stands before the list for a command.
const LIST: &str = "Each skill has instructions for one kind of task. Before such a task, read its file. Other paths in \
                    the file are relative to its folder.\n\n";

impl AgentPlan {
    /// Returns the prompt with this text before it.
    pub(super) fn prompt_with(&self, skills: String) -> Template {
        if skills.is_empty() { self.prompt.clone() } else { self.prompt.clone().after(skills) }
    }

    /// Returns the instructions of the named skills, for the beginning of a prompt; empty without skills.
    ///
    /// # Errors
    /// A skill does not exist, or the instructions fill the window of the model.
    pub(super) fn instructions(&self, model: &Model, cx: &ExecutionContext) -> Result<String, ComposeError> {
        let mut text = String::new();
        for skill in self.named_skills(cx)? {
            let instructions = skill.instructions(&[]).map_err(ComposeError::part(KEY))?;
            // Writing to a string cannot fail.
            let (name, body) = (skill.name(), instructions.trim_end());
            let _ = write!(text, "[the skill {name}]\n{body}\n[end of the skill {name}]\n\n");
        }
        let tokens = (text.len() as u64).div_ceil(4);
        match SetFit::of(tokens, model.window()) {
            SetFit::TooLarge => {
                let problem =
                    format!("the instructions have about {tokens} tokens, more than the window of the model");
                return Err(ComposeError::part(KEY)(problem));
            }
            SetFit::Large => {
                cx.warn(&format!("the instructions of the skills take about {tokens} tokens of the window"));
            }
            SetFit::Fits => {}
        }
        Ok(cx.redactor().redact(&text).into_owned())
    }

    /// Begins a conversation as [`conversation`](Self::conversation) does. The instructions of the named skills are in
    /// its system prompt, because its prompts come from elsewhere.
    ///
    /// # Errors
    /// As for [`conversation`](Self::conversation) and [`instructions`](Self::instructions).
    pub(super) fn instructed(
        &self,
        part: &ModelPlan,
        model: Model,
        guarded: Option<PathBuf>,
        cx: &ExecutionContext,
    ) -> Result<Chat, ComposeError> {
        let instructions = self.instructions(&model, cx)?;
        let mut chat = self.conversation(part, model, guarded, cx)?;
        if !instructions.is_empty() {
            let system = chat.system_prompt().map(|system| format!("{system}\n\n")).unwrap_or_default();
            chat.set_system(Some(system + instructions.trim_end()));
        }
        Ok(chat)
    }

    /// Returns one line per named skill, for the beginning of the prompt of a command; empty without skills.
    ///
    /// # Errors
    /// A skill does not exist.
    pub(super) fn skill_list(&self, cx: &ExecutionContext) -> Result<String, ComposeError> {
        let row =
            |skill: Skill| format!("- {}: {} ({})\n", skill.name(), skill.summary(), skill.shown_path());
        let list: String = self.named_skills(cx)?.into_iter().map(row).collect();
        let text = if list.is_empty() { list } else { format!("## Skills\n\n{LIST}{list}\n") };
        Ok(cx.redactor().redact(&text).into_owned())
    }

    /// Returns the text that replaces the skills in a prompt of the past: files change, and a journal does not keep them.
    pub(super) fn past_skills(&self) -> String {
        match self.skills.as_deref() {
            None | Some([]) => String::new(),
            Some(names) => format!("(the skills {} as they were then)\n\n", names.join(", ")),
        }
    }

    fn named_skills(&self, cx: &ExecutionContext) -> Result<Vec<Skill>, ComposeError> {
        let Some(names) = self.skills.as_ref().filter(|names| !names.is_empty()) else {
            return Ok(Vec::new());
        };
        let settings = settings(cx)?;
        let workspace = workspace(cx, settings.policy())?;
        let found = skills::find(settings, &workspace).map_err(ComposeError::part(KEY))?;
        let named = |name: &String| found.find(name).cloned().ok_or_else(|| unknown(name, &found));
        let mut named = names.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let mut seen = std::collections::BTreeSet::new();
        named.retain(|skill| seen.insert(skill.name().to_owned()));
        Ok(named)
    }
}

fn unknown(name: &str, found: &Skills) -> ComposeError {
    let skipped = found.warnings().iter().find(|warning| {
        warning.is_skipped && warning.path.split('/').rev().nth(1).is_some_and(|folder| folder == name)
    });
    let meant = closest(name, found.all(), Skill::name);
    let advice = match (skipped, meant) {
        (Some(skipped), _) => format!(": {skipped}"),
        (None, Some(meant)) => format!(" (did you mean `{}`?); `loop skill list` lists them", meant.name()),
        (None, None) => "; `loop skill list` lists them".to_owned(),
    };
    ComposeError::part(KEY)(format!("there is no skill `{name}`{advice}"))
}

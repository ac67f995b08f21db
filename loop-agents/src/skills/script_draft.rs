//! Scripts that a model writes from the instructions of a skill.

use std::fmt::Write as _;

use loop_guardrails::policy::workspace::Workspace;

use super::{MAX_SCRIPT_BYTES, Skill, SkillError, new_skill::put};
use crate::tools::{ApprovalKind, ApprovalRequest, script_question};

/// The system prompt of the request.
const SYSTEM: &str = "You turn instructions into a bash script that does the same without a model. Reply with the script \
                      alone, in one fenced block. It runs in the folder of the project. The prompt of the user is in \
                      LOOP_PROMPT, and the value of a variable NAME in LOOP_VAR_NAME. It exits with another code than 0 if \
                      it cannot do its work. Write no secret into it.";

/// A request for the script of a skill, made from one version of its `SKILL.md`.
#[derive(Debug, Clone)]
pub struct ScriptRequest {
    skill: Skill,
    digest: String,
    /// The prompt for the model.
    pub prompt: String,
}

/// A script that a model proposed. Nobody has agreed to it yet.
#[derive(Debug, Clone)]
pub struct ScriptDraft {
    workspace: Workspace,
    skill: String,
    path: String,
    text: String,
}

impl ScriptRequest {
    pub(super) fn of(skill: &Skill) -> Result<Self, SkillError> {
        let digest = skill.digest()?;
        let mut prompt = format!("Write the script of the skill {}.\n\n", skill.name());
        for variable in skill.variables() {
            // Writing to a string cannot fail.
            let _ = writeln!(prompt, "The variable {}: {}", variable.name, variable.description);
        }
        prompt += &skill.instructions(&[])?;
        Ok(Self { skill: skill.clone(), digest, prompt })
    }

    /// Returns the system prompt.
    pub const fn system(&self) -> &'static str {
        SYSTEM
    }

    /// Reads the script in a reply: its first fenced block, or all of a reply that begins with `#!`.
    ///
    /// # Errors
    /// The reply has no script, or one that is larger than 64 KiB.
    pub fn draft(&self, reply: &str) -> Result<ScriptDraft, SkillError> {
        let (workspace, folder) = self.skill.place();
        let path = format!("{folder}/scripts/compiled.bash");
        let faulty = |problem: &str| SkillError::faulty(&path, problem);
        let script = script_in(reply).ok_or_else(|| faulty("the reply of the model has no script"))?;
        let text = format!("#!/usr/bin/env bash\n# made from SKILL.md {}\n{script}\n", self.digest);
        if text.len() as u64 > MAX_SCRIPT_BYTES || text.contains('\0') {
            return Err(faulty("the script of the model is larger than 64 KiB, or no text"));
        }
        Ok(ScriptDraft { workspace: workspace.clone(), skill: self.skill.name().to_owned(), path, text })
    }
}

impl ScriptDraft {
    /// Returns the question whether it may be written, with its whole text.
    pub fn question(&self) -> ApprovalRequest {
        let action = format!("to write the script `{}` of the skill `{}`", self.path, self.skill);
        let why = "a model wrote it".to_owned();
        script_question(ApprovalKind::Guarded, action, why, &self.path, &self.text)
    }

    /// Writes the script, and returns its path. Call this after a person agreed to the [question](Self::question). Blocks on
    /// the disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<&str, SkillError> {
        put(&self.workspace, &self.path, &self.text)?;
        Ok(&self.path)
    }
}

/// Returns the script without its first line `#!`.
fn script_in(reply: &str) -> Option<&str> {
    let fenced =
        reply.split_once("```").and_then(|(_, rest)| Some(rest.split_once('\n')?.1.split_once("```")?.0));
    let script = fenced.or_else(|| reply.trim_start().starts_with("#!").then_some(reply))?.trim();
    let script = match script.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n')?.1.trim(),
        None => script,
    };
    Some(script).filter(|script| !script.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_a_block_or_a_reply_that_begins_like_one() {
        for (reply, script) in [
            ("Here:\n```bash\n#!/bin/bash\necho a\n```\nDone.", Some("echo a")),
            ("```\necho a\n```", Some("echo a")),
            ("#!/bin/sh\necho a\n", Some("echo a")),
            ("```\nopen", None),
            ("```\n\n```", None),
            ("I cannot.", None),
            ("", None),
        ] {
            assert_eq!(script_in(reply), script, "{reply}");
        }
    }
}

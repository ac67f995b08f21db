//! Scripts of skills in a session. Each text of a script needs a person's yes, which is kept for the folder.

use loop_agents::{
    skills::{RunSkillScript, Skill, SkillScript},
    tools::{Approval, ApprovalAnswer, ToolOutcome},
};
use loop_core::with_causes;
use loop_manifest::model::{ChatSetup, Model};
use loop_telemetry::words::style::{BAD, paint};
use serde_json::json;

use super::state::Session;
use crate::InputError;

impl Session {
    /// Runs the script of a skill if it has one that may run, and to which the person agrees. If the script does not run,
    /// the model follows the instructions in one turn.
    ///
    /// # Errors
    /// The script ran and failed; otherwise as for [`turn_with`](Self::turn_with).
    pub(crate) async fn run_skill(
        &mut self,
        skill: &Skill,
        values: &[(String, String)],
        text: &str,
    ) -> Result<(), InputError> {
        let script = skill.script().and_then(|script| {
            script.map(|script| script.check(&self.tools.workspace).map(|()| script)).transpose()
        });
        match script {
            Ok(Some(script)) if !self.may_ask_about(&script) => {
                let how =
                    format!("type `/skill run {}` yourself, read the script and answer `yes`", skill.name());
                let text = format!(
                    "nobody has agreed to the script, so the model does it. To allow the script, {how}"
                );
                self.warn(&self.host().one_line(&text));
            }
            Ok(Some(script)) => {
                let Some(why) = self.run_script(skill.name(), script, values, text).await? else {
                    return Ok(());
                };
                self.warn(&self.host().one_line(&format!("the model does it without the script: {why}")));
            }
            Ok(None) => {}
            Err(error) => {
                let why = self.host().one_line(&with_causes(&error));
                self.warn(&format!("the model does it without the script: {why}"));
            }
        }
        let prompt = match text {
            "" => format!("Follow the instructions of the skill {}.", skill.name()),
            text => text.to_owned(),
        };
        self.turn_with(skill, values, &prompt).await
    }

    /// Returns whether the person agreed to the script, or can be asked now.
    fn may_ask_about(&self, script: &SkillScript) -> bool {
        self.tools.approvals.is_open() || self.is_agreed(script)
    }

    /// Returns whether the person agreed to this text. Warns if the store of the answers is damaged.
    fn is_agreed(&self, script: &SkillScript) -> bool {
        self.tools.agreed_scripts.contains(script.digest()).unwrap_or_else(|error| {
            self.warn(&self.host().one_line(&with_causes(&error)));
            false
        })
    }

    /// Runs a script. Returns why it did not start, if so.
    ///
    /// # Errors
    /// The script ran and failed, or the person interrupted it.
    async fn run_script(
        &mut self,
        skill: &str,
        script: SkillScript,
        values: &[(String, String)],
        text: &str,
    ) -> Result<Option<String>, InputError> {
        let stop = self.stop();
        let digest = script.digest().to_owned();
        if !self.is_agreed(&script) {
            let approvals = self.tools.approvals.clone();
            let question = script.question();
            let answer = tokio::select! {
                biased;
                () = stop.cancelled() => return Err(InputError::Interrupted),
                answer = approvals.ask(&question) => answer,
            };
            if let ApprovalAnswer::No(why) = answer {
                return Ok(Some(why));
            }
            if let Err(error) = self.tools.agreed_scripts.add(skill, &script) {
                self.warn(&format!("the yes holds only this once: {}", with_causes(&error)));
            }
        }
        let setup = ChatSetup::new(&self.context.settings, &self.context.execution);
        let call = json!({ "path": script.path(), "digest": digest });
        let tools = setup.toolbox(&[], &self.tools.workspace, &self.tools.audit);
        let tools = tools.with(RunSkillScript::new(script, self.script_variables(values, text)));
        let view = self.show("", format!("running the script of {skill}"), None, None);
        let report = tokio::select! {
            biased;
            () = stop.cancelled() => Err(InputError::Interrupted),
            report = tools.call("run_skill_script", &call) => Ok(report),
        };
        drop(view);
        let about = format!("the script of the skill {skill}");
        if report.is_err() {
            // The effects before the interruption remain, so the model must know.
            self.add_excerpt_to_context(&about, "(interrupted)");
        }
        let report = report?;
        match report.outcome {
            ToolOutcome::Done => {}
            ToolOutcome::Rejected => return Ok(Some(report.text)),
            ToolOutcome::Failed => return Err(InputError::refused(self.host().printable(&report.text))),
        }
        let output = self.host().printable(&report.text);
        self.host().result(&output);
        report.unenforced_lines().for_each(|line| self.warn(&self.host().one_line(&line)));
        self.add_excerpt_to_context(&about, &output);
        match report.commands.last().filter(|run| run.exit_code != 0) {
            Some(run) => {
                Err(InputError::refused(format!("the script exited with {}", paint(BAD, run.exit_code))))
            }
            None => Ok(None),
        }
    }

    /// Returns the variables that a script gets beside those of a command.
    fn script_variables(&self, values: &[(String, String)], text: &str) -> Vec<(String, String)> {
        let model = self.dialogue.model.as_ref();
        let folder = self.tools.workspace.root().display().to_string();
        let own = [
            ("LOOP_PROMPT", text.to_owned()),
            ("LOOP_WORKDIR", folder),
            ("LOOP_MODEL", model.map(Model::id).unwrap_or_default().to_owned()),
            ("LOOP_API_BASE", model.map(Model::address).unwrap_or_default()),
            ("LOOP_SESSION_ID", self.log.id().to_owned()),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value));
        let values = values.iter().map(|(name, value)| (format!("LOOP_VAR_{name}"), value.clone()));
        // A variable cannot contain a NUL byte.
        own.into_iter().chain(values).map(|(name, value)| (name, value.replace('\0', ""))).collect()
    }
}

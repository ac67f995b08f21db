//! Explains decisions to a person.
//!
//! The answer to "Why does it not read that file?" comes from a rule about the text, a rule about the target of a link,
//! or a link that leads out. A person should not need to know which.

use super::{Workspace, WorkspaceError};
use crate::policy::{LocalPath, Origin, Ruling, Verb, command::pipeline};

/// The decision about a command, or about an action on a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// How the text was interpreted.
    pub subject: ExplanationSubject,
    /// The answer, and the rule that decided.
    pub ruling: Ruling,
}

/// The subject of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExplanationSubject {
    /// Running a command.
    Command {
        /// The program and its arguments as they would run; nothing if it would not run, or if it is a pipeline.
        words: Vec<String>,
    },
    /// An action on a path.
    Path {
        /// The action.
        verb: Verb,
        /// The path without links, if it is in the workspace and the action is allowed there.
        leads_to: Option<LocalPath>,
    },
}

impl Workspace {
    /// Explains the decision about a command, or about reading a path: the answer, and the rule behind it.
    ///
    /// A text is a path if [`ActionPolicy::explain`](crate::policy::ActionPolicy::explain) treats it as one, or if a
    /// file of this name exists and it is not an allowed program.
    ///
    /// ```
    /// use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::os::unix::fs::symlink("/etc/passwd", folder.path().join("notes"))?;
    /// let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
    /// let ruling = workspace.explain("cat notes").ruling;
    /// assert!(!ruling.allowed && ruling.rule.contains("the link `notes` leads out"), "{ruling}");
    /// assert!(workspace.explain("cat README.md").ruling.allowed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self, text: &str) -> Explanation {
        let text = text.trim();
        let is_there = || !text.is_empty() && self.root().join(text).symlink_metadata().is_ok();
        if self.policy().is_path(text) || (is_there() && !self.policy().commands().is_allowed(&[text])) {
            self.explain_path(text, Verb::Read)
        } else {
            self.explain_pipeline(text)
        }
    }

    /// Explains the decision about this action on a path.
    pub fn explain_path(&self, path: &str, verb: Verb) -> Explanation {
        let (leads_to, ruling) = match self.check(path, verb) {
            Ok(place) => {
                let ruling = self.policy().on_path(&place, verb);
                (Some(place), ruling)
            }
            Err(error) => (None, refusal(error, !self.policy().explain_path(path, verb).allowed)),
        };
        Explanation { subject: ExplanationSubject::Path { verb, leads_to }, ruling }
    }

    /// Explains the first refusal of a pipeline, or else the last of its commands.
    fn explain_pipeline(&self, line: &str) -> Explanation {
        let commands = pipeline(line);
        let explained =
            commands.iter().enumerate().map(|(at, command)| self.explain_command(&command.line, at > 0));
        let mut explained: Vec<_> = explained.collect();
        let refusal = explained.iter().position(|explained| !explained.ruling.allowed);
        let decides = explained.swap_remove(refusal.unwrap_or(explained.len() - 1));
        let is_one = commands.len() == 1;
        let subject =
            if is_one { decides.subject } else { ExplanationSubject::Command { words: Vec::new() } };
        Explanation { subject, ..decides }
    }

    fn explain_command(&self, line: &str, is_behind_pipe: bool) -> Explanation {
        let checked = self.check_command(line).and_then(|command| match is_behind_pipe {
            true => Ok(command.behind_pipe(line)?),
            false => Ok(command),
        });
        let (words, ruling) = match checked {
            Ok(command) => {
                (std::iter::once(command.program).chain(command.arguments).collect(), command.ruling)
            }
            Err(error) => {
                let by_text = is_behind_pipe || self.policy().on_command(line).is_err();
                (Vec::new(), refusal(error, by_text))
            }
        };
        Explanation { subject: ExplanationSubject::Command { words }, ruling }
    }
}

/// Returns the reason for the refusal. If the text alone does not explain it, the target of a link does.
fn refusal(error: WorkspaceError, by_text: bool) -> Ruling {
    match error {
        WorkspaceError::Denied(denied) if by_text || denied.ruling.needs_shell => denied.ruling,
        WorkspaceError::Denied(denied) => {
            let rule = format!("a link makes this mean {}, and {}", denied.action, denied.ruling.rule);
            Ruling { rule, ..denied.ruling }
        }
        other => Ruling::denied(other.to_string(), &Origin::BuiltIn),
    }
}

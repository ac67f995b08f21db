//! What would become of something, for a person who asks.
//!
//! "Why does it not read that file?" has its answer in one of three places: a rule about what the text says, a
//! rule about where a link leads, or a link that leads out. A person should not have to know which.

use super::{Workspace, WorkspaceError};
use crate::policy::{LocalPath, Origin, Ruling, Verb};

/// What would become of a command, or of doing something with a path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// What the text was taken for.
    pub asked: Asked,
    /// The answer, and the rule that decides.
    pub ruling: Ruling,
}

/// What somebody asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asked {
    /// To run a command.
    Command {
        /// The program and its arguments as they would be run; nothing if it would not be.
        words: Vec<String>,
    },
    /// To do something with a path.
    Path {
        /// What.
        verb: Verb,
        /// Where the path leads, without links, if that is in the workspace and this may be done there.
        leads_to: Option<LocalPath>,
    },
}

impl Workspace {
    /// What would become of a command, or of reading a path: the answer, and the rule that decides.
    ///
    /// A path is what [`ActionPolicy::explain`](crate::policy::ActionPolicy::explain) takes for one, and any other
    /// text by whose name there is something, unless it is a program that is allowed.
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
        if self.policy().is_path(text) || (is_there() && !self.policy().commands().is_allowed(text)) {
            self.explain_path(text, Verb::Read)
        } else {
            self.explain_command(text)
        }
    }

    /// What would become of doing this with a path.
    pub fn explain_path(&self, path: &str, verb: Verb) -> Explanation {
        let (leads_to, ruling) = match self.check(path, verb) {
            Ok(place) => {
                let ruling = self.policy().on_path(&place, verb);
                (Some(place), ruling)
            }
            Err(error) => (None, refusal(error, !self.policy().explain_path(path, verb).allowed)),
        };
        Explanation { asked: Asked::Path { verb, leads_to }, ruling }
    }

    fn explain_command(&self, line: &str) -> Explanation {
        let (words, ruling) = match self.check_command(line) {
            Ok(command) => {
                (std::iter::once(command.program).chain(command.arguments).collect(), command.ruling)
            }
            Err(error) => (Vec::new(), refusal(error, self.policy().on_command(line).is_err())),
        };
        Explanation { asked: Asked::Command { words }, ruling }
    }
}

/// Why not. What is not refused by its text is refused for where a link on its way leads.
fn refusal(error: WorkspaceError, by_text: bool) -> Ruling {
    match error {
        WorkspaceError::Denied(denied) if by_text => denied.ruling,
        WorkspaceError::Denied(denied) => {
            let rule = format!("a link makes this mean {}, and {}", denied.action, denied.ruling.rule);
            Ruling { rule, ..denied.ruling }
        }
        other => Ruling::denied(other.to_string(), &Origin::BuiltIn),
    }
}

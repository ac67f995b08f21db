//! The folders above the root of a workspace, whose names may be part of a rule.
//!
//! Rules look at the path below the root. If the root is `~/.aws`, `config` looks harmless there, but it is
//! `.aws/config`.

use std::path::Path;

use super::{
    LocalPath, Origin, Ruling, SecretFiles, Verb,
    action::{GIT_FOLDER, rule_on_git_folder},
    case_folding::folded,
    instructions,
};

/// The folder in which agents and git keep further work trees: `.claude/worktrees/fix` is a project.
const WORK_TREES: &str = "worktrees";

/// The names of the root and of the folders above it, and what follows from them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FoldersAbove {
    /// The folded names, from the top. They begin below the last work tree.
    names: Vec<String>,
    /// The rules about secrets that begin with these names.
    secrets: Vec<String>,
}

impl FoldersAbove {
    pub(super) fn new(root: &Path, secrets: &SecretFiles) -> Self {
        let names: Vec<_> = root.iter().map(|name| folded(&name.to_string_lossy())).collect();
        let begin = names.iter().rposition(|name| name == WORK_TREES).map_or(0, |at| names.len().min(at + 2));
        let names = names[begin..].to_vec();
        Self { secrets: secrets.reaching_below(&names), names }
    }

    /// Returns the rule that denies this action because of these folders, if there is one.
    pub(super) fn rule_on(&self, secrets: &SecretFiles, path: &LocalPath, verb: Verb) -> Option<Ruling> {
        if let Some(ruling) = secrets.rule_below(&self.secrets, &self.names, path) {
            return Some(ruling);
        }
        let is_of_git = self.names.iter().any(|name| name == GIT_FOLDER);
        match verb {
            Verb::Read => None,
            _ if is_of_git => Some(rule_on_git_folder()),
            Verb::Exec if !self.secrets.is_empty() => {
                let rule = format!(
                    "files named `{}` hold secrets, and a command in this folder could show them; work in another folder",
                    self.secrets[0].trim_start_matches("**/"),
                );
                Some(Ruling::denied(rule, &Origin::BuiltIn))
            }
            Verb::Write | Verb::Delete | Verb::Exec => None,
        }
    }

    /// Returns whether an agent follows everything in one of these folders, or a later command executes it.
    pub(super) fn is_followed(&self) -> bool {
        self.names.iter().any(|name| instructions::is_followed(name))
    }
}

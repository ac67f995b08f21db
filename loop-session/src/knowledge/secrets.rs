//! The policy of a workspace as a filter for what is stored.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use loop_guardrails::policy::{ActionPolicy, LocalPath, SecretFiles};
use loop_knowledge::{BoxError, SecretFilter};
use loop_telemetry::{Redactor, redact_credentials};

/// Knows the secret files of a policy, the secret words of a redactor, and the places of credentials.
pub struct WorkspaceSecrets {
    root: PathBuf,
    files: SecretFiles,
    redactor: Redactor,
}

impl fmt::Debug for WorkspaceSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkspaceSecrets").field("root", &self.root).finish_non_exhaustive()
    }
}

impl WorkspaceSecrets {
    /// Uses the rules of this policy in the workspace `root`.
    pub fn new(root: &Path, policy: &ActionPolicy, redactor: Redactor) -> Self {
        Self { root: root.to_owned(), files: policy.secrets().clone(), redactor }
    }

    /// Returns the text without its secrets, and without what its place shows to be a credential.
    pub(crate) fn redacted(&self, text: &str) -> String {
        redact_credentials(&self.redactor.redact(text)).into_owned()
    }
}

impl SecretFilter for WorkspaceSecrets {
    fn is_secret(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix("/")).unwrap_or(path);
        // A path that the rules cannot judge may name a secret.
        LocalPath::new(inside).map_or(true, |path| self.files.rule_on(&path).is_some())
    }

    fn redact(&self, text: &str) -> Result<String, BoxError> {
        Ok(self.redacted(text))
    }
}

#[cfg(test)]
mod tests {
    use loop_guardrails::policy::PolicySettings;

    use super::*;

    #[test]
    fn secret_names_are_known_within_and_outside_of_the_workspace() {
        let policy = ActionPolicy::new(PolicySettings::default(), PolicySettings::default());
        let secrets = WorkspaceSecrets::new(Path::new("/work"), &policy, Redactor::new(["planted"]).shapes());
        for (path, is_secret) in [
            ("/work/.env", true),
            ("/work/src/main.rs", false),
            ("/home/a/.ssh/id_rsa", true),
            ("/home/a/notes.md", false),
            ("/work/../etc/x", true),
        ] {
            assert_eq!(secrets.is_secret(Path::new(path)), is_secret, "{path}");
        }
        assert!(!secrets.redact("a planted word").unwrap().contains("planted"));
        assert_eq!(secrets.redact("password: k7dD2xQ9").unwrap(), "password: [redacted]");
    }
}

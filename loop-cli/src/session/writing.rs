//! Files that a person has written.

use anyhow::Context;
use loop_guardrails::policy::workspace::WorkspaceError;
use serde_json::json;

use super::Session;
use crate::view::text;

impl Session {
    /// Writes a file as the policy allows it; gives what is said of it, and of the file that was there.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(super) async fn write(&mut self, path: &str, content: &str) -> anyhow::Result<String> {
        let before = self.length(path);
        let report = self.call("write_file", &json!({ "path": path, "content": content })).await?;
        let replaced = match before {
            _ if report.files.iter().all(|file| file.created) => String::new(),
            Ok(Some(bytes)) => format!("; what was there had {}, and is gone", text::bytes(bytes)),
            Ok(None) | Err(_) => "; what was there is gone".to_owned(),
        };
        Ok(format!("{}{replaced}", report.text))
    }

    /// The same, where no file is yet.
    ///
    /// # Errors
    /// There is one, or that cannot be told; otherwise as for [`Session::call`].
    pub(super) async fn write_new(&mut self, path: &str, content: &str) -> anyhow::Result<String> {
        let there =
            self.length(path).context("it cannot be told whether there is a file; --force writes it")?;
        if let Some(bytes) = there {
            anyhow::bail!("{path} is there, with {}: --force replaces it", text::bytes(bytes));
        }
        self.write(path, content).await
    }

    /// How long the file is that stands there, in bytes; `None` if nothing does.
    fn length(&self, path: &str) -> Result<Option<u64>, WorkspaceError> {
        match self.tools.workspace.status(path) {
            Ok(status) => Ok(Some(status.bytes)),
            Err(WorkspaceError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

//! Files that a person has written.

use anyhow::Context;
use loop_guardrails::policy::workspace::{Kind, Status, WorkspaceError};
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
        match self.tools.workspace.status(path) {
            Ok(Status { kind: Kind::File, bytes, .. }) => {
                anyhow::bail!("{path} is there, with {}: --force replaces it", text::bytes(bytes));
            }
            // Who may not look there may be allowed to write.
            Err(error @ WorkspaceError::Denied(_)) => {
                Err(error).context("it cannot be told whether there is a file; --force writes it")
            }
            // Where there is nothing, a file can be; and of what is no place for one, the tool says why.
            _ => self.write(path, content).await,
        }
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

//! Files that a person shows to the model, and files that a person writes.

use loop_agents::tools::ToolReport;
use loop_guardrails::policy::workspace::{Kind, Status, WorkspaceError};
use loop_telemetry::words;
use serde_json::json;

use super::state::Session;
use crate::InputError;

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct ReadText {
    pub(crate) text: String,
    /// In which ways it is not what is in the file. The model reads that in the text; nobody else sees the text.
    notes: Vec<String>,
}

impl ReadText {
    /// How much it is, and in which ways it is not the file.
    pub(crate) fn described(&self) -> String {
        let size = words::bytes(self.text.len() as u64);
        self.notes.iter().fold(size, |said, note| format!("{said}; {note}"))
    }

    /// The remarks, if there are any.
    pub(crate) fn remarks(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join("; "))
    }
}

impl Session {
    /// Reads a file as the model does.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(crate) async fn read(&mut self, path: &str) -> Result<ReadText, InputError> {
        let ToolReport { text, notes, .. } = self.call("read_file", &json!({ "path": path })).await?;
        Ok(ReadText { text, notes })
    }

    /// Shows a file to the model; gives what is said of it.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(crate) async fn read_for_model(&mut self, path: &str) -> Result<String, InputError> {
        let read = self.read(path).await?;
        self.give_model(&format!("the file {path}"), &read.text);
        Ok(format!("{path}, {}", read.described()))
    }

    /// Writes a file as the policy allows it; gives what is said of it, and of the file that was there.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(crate) async fn write(&mut self, path: &str, content: &str) -> Result<String, InputError> {
        let before = self.length(path);
        let report = self.call("write_file", &json!({ "path": path, "content": content })).await?;
        let replaced = match before {
            _ if report.files.iter().all(|file| file.created) => String::new(),
            Ok(Some(bytes)) => format!("; what was there had {}, and is gone", words::bytes(bytes)),
            Ok(None) | Err(_) => "; what was there is gone".to_owned(),
        };
        Ok(format!("{}{replaced}", report.text))
    }

    /// The same, where no file is yet.
    ///
    /// # Errors
    /// There is one, or that cannot be told; otherwise as for [`Session::call`].
    pub(crate) async fn write_new(&mut self, path: &str, content: &str) -> Result<String, InputError> {
        match self.tools.workspace.status(path) {
            Ok(Status { kind: Kind::File, bytes, .. }) => {
                let size = words::bytes(bytes);
                Err(InputError::refused(format!("{path} is there, with {size}: --force replaces it")))
            }
            // Who may not look there may be allowed to write.
            Err(error @ WorkspaceError::Denied(_)) => {
                let doubt = "it cannot be told whether there is a file; --force writes it";
                Err(InputError::refused(format!("{doubt}: {error}")))
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

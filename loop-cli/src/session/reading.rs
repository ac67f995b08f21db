//! Files for the model, and what a person is told of them.

use loop_agents::tools::ToolReport;
use serde_json::json;

use super::Session;
use crate::view::text;

/// A file as it was read.
#[derive(Debug)]
pub(super) struct ReadText {
    pub(super) text: String,
    /// In which ways it is not what is in the file. The model reads that in the text; nobody else sees the text.
    notes: Vec<String>,
}

impl ReadText {
    /// How much it is, and in which ways it is not the file.
    pub(super) fn described(&self) -> String {
        let size = text::bytes(self.text.len() as u64);
        self.notes.iter().fold(size, |said, note| format!("{said}; {note}"))
    }

    /// The remarks, if there are any.
    pub(super) fn remarks(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join("; "))
    }
}

impl Session {
    /// Reads a file as the model does.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(super) async fn read(&mut self, path: &str) -> anyhow::Result<ReadText> {
        let ToolReport { text, notes, .. } = self.call("read_file", &json!({ "path": path })).await?;
        Ok(ReadText { text, notes })
    }

    /// Shows a file to the model; gives what is said of it.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(super) async fn read_for_model(&mut self, path: &str) -> anyhow::Result<String> {
        let read = self.read(path).await?;
        self.give_model(&format!("the file {path}"), &read.text);
        Ok(format!("{path}, {}", read.described()))
    }
}

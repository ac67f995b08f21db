//! Files that a person shows to the model, and files that a person writes.

use std::io::Read as _;

use loop_agents::{
    remote::{RemoteContent, is_address},
    tools::ToolReport,
};
use loop_guardrails::policy::workspace::{FileKind, PathStatus, WorkspaceError};
use loop_telemetry::words;
use serde_json::json;

use super::state::Session;
use crate::InputError;

/// The most bytes of a text that a person attaches.
const MOST_ATTACHED: u64 = 256 << 10;

/// The text read from a file.
#[derive(Debug)]
pub(crate) struct FileText {
    pub(crate) text: String,
    /// The differences between this text and the file. The model finds them in the text; the person does not see the
    /// text.
    notes: Vec<String>,
}

impl FileText {
    /// Describes the size, and the differences from the file.
    pub(crate) fn described(&self) -> String {
        let size = words::bytes(self.text.len() as u64);
        self.notes.iter().fold(size, |said, note| format!("{said}; {note}"))
    }

    /// Returns the notes, if there are any.
    pub(crate) fn remarks(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join("; "))
    }
}

impl Session {
    /// Reads a file through the model's tool.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(crate) async fn read(&mut self, path: &str) -> Result<FileText, InputError> {
        let ToolReport { text, notes, .. } = self.call("read_file", &json!({ "path": path })).await?;
        Ok(FileText { text, notes })
    }

    /// Shows a file or an address to the model, and returns a description for the person. A file that would fill most of
    /// the window is summarised.
    ///
    /// # Errors
    /// As for [`Session::call`], and as for [`fetch`](Self::fetch).
    pub(crate) async fn read_for_model(&mut self, path: &str) -> Result<String, InputError> {
        if is_address(path) {
            let content = self.fetch(path, RemoteContent::CONVERSATION_BYTES).await?;
            return self.show_content(&content);
        }
        let read = self.read(path).await?;
        let bytes = self.length(path)?.unwrap_or_default();
        self.show_file(path, &read, bytes).await
    }

    /// Shows a text file of at most 256 KiB to the model, and returns a description for the person. A file that would
    /// fill most of the window is summarised.
    ///
    /// # Errors
    /// The file is larger, is not text, or cannot be read.
    pub(crate) async fn attach_text(&mut self, path: &str) -> Result<String, InputError> {
        let opened = self.tools.workspace.read(path)?;
        if opened.bytes > MOST_ATTACHED {
            let size = words::bytes(opened.bytes);
            let why = format!("{path} has {size}, and the limit is 256 KiB: /read-chunks summarises it");
            return Err(InputError::refused(why));
        }
        let mut bytes = Vec::new();
        opened.file.take(MOST_ATTACHED).read_to_end(&mut bytes)?;
        if bytes.contains(&0) {
            return Err(InputError::refused(format!("{path} is not text")));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.show_file(path, &FileText { text, notes: Vec::new() }, opened.bytes).await
    }

    /// Shows a file of this length to the model: its text, or a summary.
    async fn show_file(&mut self, path: &str, read: &FileText, bytes: u64) -> Result<String, InputError> {
        if self.would_fill(&read.text, bytes) {
            return self.read_in_chunks(path, &self.chunk_options()).await;
        }
        self.add_to_context(&format!("the file {path}"), &read.text);
        Ok(format!("{path}, {}", read.described()))
    }

    /// Shows the text of an address to the model, and returns a description for the person.
    ///
    /// # Errors
    /// It is not text.
    pub(crate) fn show_content(&mut self, content: &RemoteContent) -> Result<String, InputError> {
        let read = content.conversation_text()?;
        let read = FileText { text: read.text, notes: read.notes };
        self.add_to_context(&format!("the page {}", content.address), &read.text);
        Ok(format!("{}, {}", content.address, read.described()))
    }

    /// Reads at most this many bytes of an address.
    ///
    /// # Errors
    /// The user's settings do not allow it, the address cannot be read, or the person interrupts it.
    pub(crate) async fn fetch(&mut self, address: &str, most: u64) -> Result<RemoteContent, InputError> {
        let execution = &self.context.execution;
        let reader = self.context.settings.remote_reader(|name| execution.variable(name))?;
        let reader = reader.supervisor(execution.supervisor().clone());
        let doing = format!("reading: {}", self.host().one_line(self.line()));
        let (view, stop) = (self.show("", doing, None, None), self.stop());
        let read = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(InputError::Interrupted),
            read = reader.read_start(address, most) => read,
        };
        drop(view);
        Ok(read?)
    }

    /// Writes a file if the policy allows it. Returns a description of the new file, and of any file it replaced.
    ///
    /// # Errors
    /// As for [`Session::call`].
    pub(crate) async fn write(&mut self, path: &str, content: &str) -> Result<String, InputError> {
        let before = self.length(path);
        let report = self.call("write_file", &json!({ "path": path, "content": content })).await?;
        let replaced = match before {
            _ if report.files.iter().all(|file| file.created) => String::new(),
            Ok(Some(bytes)) => format!("; it replaced a file of {}", words::bytes(bytes)),
            Ok(None) | Err(_) => "; it replaced the old file".to_owned(),
        };
        Ok(format!("{}{replaced}", report.text))
    }

    /// Writes a file if none exists at that path.
    ///
    /// # Errors
    /// A file exists, or its existence cannot be determined; otherwise as for [`Session::call`].
    pub(crate) async fn write_new(&mut self, path: &str, content: &str) -> Result<String, InputError> {
        match self.tools.workspace.status(path) {
            Ok(PathStatus { kind: FileKind::File, bytes, .. }) => {
                let size = words::bytes(bytes);
                Err(InputError::refused(format!("{path} already exists, with {size}: --force replaces it")))
            }
            // A policy may forbid reading a path and still allow writing it.
            Err(error @ WorkspaceError::Denied(_)) => {
                let doubt = "cannot tell whether the file exists; --force writes it anyway";
                Err(InputError::refused(format!("{doubt}: {error}")))
            }
            // A missing path can become a file. For an unsuitable path, the tool reports the reason.
            _ => self.write(path, content).await,
        }
    }

    /// Returns the length of the existing file in bytes; `None` if there is none.
    fn length(&self, path: &str) -> Result<Option<u64>, WorkspaceError> {
        match self.tools.workspace.status(path) {
            Ok(status) => Ok(Some(status.bytes)),
            Err(WorkspaceError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

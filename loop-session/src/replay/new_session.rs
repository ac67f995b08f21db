//! The new session to which a recording is sent.

use loop_agents::chat::Chat;
use loop_manifest::{
    ExecutionContext, ToolName, ToolsError,
    model::{ChatSetup, Model},
    settings::Settings,
};
use loop_telemetry::transcript::{SessionInfo, SessionStore};

use crate::{SessionHost, TranscriptWriter};

/// Makes the chat to which a recording is sent. Its tools only read, unless `tools` names others.
///
/// # Errors
/// The tools cannot work in the folder.
pub fn chat(
    model: &Model,
    settings: &Settings,
    cx: &ExecutionContext,
    tools: Option<&[ToolName]>,
) -> Result<Chat, ToolsError> {
    let setup = ChatSetup::new(settings, cx).with_project_prompt();
    let setup = match tools {
        Some(tools) => setup.policy(settings.policy()).tools(Some(tools.to_vec())),
        None => setup.reviewing(),
    };
    let mut chat = model.chat(&setup)?;
    // The texts of files are in the recorded prompts.
    chat.set_named_files(None);
    Ok(chat)
}

/// Begins the transcript of the new session. It has this id.
pub fn transcript(
    store: &SessionStore,
    id: &str,
    model: &Model,
    cx: &ExecutionContext,
    host: &SessionHost,
) -> TranscriptWriter {
    let info = SessionInfo::new(id, cx.folder(), model.asked(), host.now()).redacted(&host.secrets());
    TranscriptWriter::new(store.clone(), info, host.clone())
}

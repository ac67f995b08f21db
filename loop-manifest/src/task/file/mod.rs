//! Task files: the work, and the permissions for it.
//!
//! | file | the task is |
//! | --- | --- |
//! | `.toml` | a chat template: `[[chat.user]] content = '''...'''`, perhaps with turns of an assistant between |
//! | `.md` | its text; the front matter between two lines `---` is YAML |
//!
//! Both kinds accept only `tools`, `model` and `checks`. A misspelt word must not be silently ignored.

mod chat_template;
mod markdown;
mod strict_object;

#[cfg(test)]
mod tests;

use loop_agents::review::MAX_TASK_BYTES;
use loop_guardrails::policy::command::CommandPrefix;
use serde::{Deserialize, Serialize};

use self::strict_object::StrictObject;

/// A task as its file says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFile {
    /// The task, as the agents are told it.
    pub text: String,
    /// The model that works, if the file names one.
    pub model: Option<String>,
    /// The commands that may run.
    pub permissions: ToolPermissions,
}

/// The commands that a task file allows and requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPermissions {
    /// Programs that the executing model may run in addition to the usual ones, with any arguments.
    pub bash: Vec<CommandPrefix>,
    /// Commands that run after each loop, and have to exit with 0.
    pub checks: Vec<String>,
}

/// The fields that both kinds of files share, besides the task.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TaskHeader {
    tools: StrictObject<ToolsTable>,
    model: Option<String>,
    checks: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ToolsTable {
    bash: Vec<String>,
}

/// The error of an invalid task file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskFileError {
    /// The file's name has neither ending.
    #[error("a task is a .md or a .toml file, and `{0}` is neither")]
    Kind(String),
    /// The file is not UTF-8.
    #[error("it is not UTF-8 text")]
    NoText,
    /// The file is not TOML, or not a task in TOML.
    #[error("it is not the TOML of a task: {0}")]
    Toml(String),
    /// Its front matter is not YAML, or has other keys.
    #[error("its front matter, between the lines `---`, is not the YAML of a task: {0}")]
    Yaml(String),
    /// Its front matter has no end.
    #[error(
        "its first line `---` begins front matter (tools, model, checks) that no later line `---` ends: end it, \
         or write `***` if you mean a horizontal rule"
    )]
    OpenHead,
    /// Its front matter ends with dots.
    #[error("its front matter ends with `...` in line {0}: end it with `---`")]
    DottedHead(usize),
    /// Text precedes its front matter.
    #[error(
        "line {0} would begin front matter (tools, model, checks), but text precedes it: begin the file with \
         `---`, or write `***` if you mean a horizontal rule"
    )]
    LateHead(usize),
    /// The text is too long for a prompt.
    #[error(
        "its text has {0} bytes, but the limit is {MAX_TASK_BYTES}: put long parts into other files of the \
         folder, and name these files"
    )]
    Long(usize),
    /// The file contains no chat.
    #[error("it contains no task: write one in `[[chat.user]]`, as `content = '''...'''`")]
    NoChat,
    /// The text is empty.
    #[error("it contains no task: it has no words")]
    Empty,
    /// Its content would be read with escapes.
    #[error(
        "a `content` is between three double quotes, where a backslash begins an escape: put it between three \
         single quotes, '''...'''"
    )]
    Quotes,
    /// An assistant speaks first.
    #[error("the chat begins with an assistant's message: begin with `[[chat.user]]`")]
    BeginsWithAssistant,
    /// An assistant speaks last.
    #[error("the chat ends with an assistant's message, so it asks nothing: end with `[[chat.user]]`")]
    EndsWithAssistant,
    /// Two turns in a row are of the same speaker.
    #[error("messages {0} and {1} of the chat are both from the {2}: user and assistant must alternate")]
    TwiceInARow(usize, usize, &'static str),
    /// An entry is not a plain name.
    #[error(
        "`{0}` under `tools` is not the name of a program: write only the name, such as `python3`, without a path \
         and arguments"
    )]
    NoProgram(String),
}

impl TaskFile {
    /// Reads the text of a file with this name. The name decides the format.
    ///
    /// # Errors
    /// [`TaskFileError`].
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<Self, TaskFileError> {
        let text = String::from_utf8(bytes).map_err(|_| TaskFileError::NoText)?;
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let (head, text) = match ending.as_deref() {
            Some("toml") => chat_template::read(&text)?,
            Some("md" | "markdown") => markdown::read(&text)?,
            _ => return Err(TaskFileError::Kind(name.to_owned())),
        };
        if text.trim().is_empty() {
            return Err(TaskFileError::Empty);
        }
        let length = text.trim().len();
        if length > MAX_TASK_BYTES {
            return Err(TaskFileError::Long(length));
        }
        let TaskHeader { tools: StrictObject(ToolsTable { bash }), model, checks } = head;
        let entry = |text: String| {
            let entry = is_program(&text).then(|| text.parse::<CommandPrefix>().ok()).flatten();
            entry.ok_or(TaskFileError::NoProgram(text))
        };
        let bash = bash.into_iter().map(entry).collect::<Result<_, _>>()?;
        Ok(Self { text, model, permissions: ToolPermissions { bash, checks } })
    }
}

fn is_program(name: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '-' | '+');
    !name.is_empty() && !name.starts_with(['-', '.']) && name.chars().all(is_sign)
}

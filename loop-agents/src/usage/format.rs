//! The formats in which agents report.

use std::{fmt, str::FromStr};

/// What an agent prints to its standard output, and so how its use is learnt.
///
/// The names are those of a manifest's `agent.format`.
///
/// ```
/// use loop_agents::usage::Format;
///
/// let format: Format = "codex-json".parse()?;
/// assert_eq!((format, format.to_string().as_str()), (Format::CodexJson, "codex-json"));
/// assert_eq!(format.flags(), Some("exec --json"));
/// assert!("codex".parse::<Format>().is_err());
/// # Ok::<(), loop_agents::usage::UnknownFormat>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Text for a person. It says nothing of what was used. The default.
    #[default]
    Text,
    /// Text for a person, while use is reported to the [`UsageFile`](super::UsageFile).
    UsageFile,
    /// Claude Code: `claude -p --output-format stream-json --verbose`.
    ClaudeStreamJson,
    /// Codex: `codex exec --json`.
    CodexJson,
    /// Gemini CLI: `gemini --output-format json`, or `stream-json`.
    GeminiJson,
    /// opencode: `opencode run --format json`.
    OpencodeJson,
    /// pi: `pi -p --mode json`.
    PiJson,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::UsageFile,
        Self::ClaudeStreamJson,
        Self::CodexJson,
        Self::GeminiJson,
        Self::OpencodeJson,
        Self::PiJson,
    ];

    /// Its name, such as `codex-json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::UsageFile => "usage-file",
            Self::ClaudeStreamJson => "claude-stream-json",
            Self::CodexJson => "codex-json",
            Self::GeminiJson => "gemini-json",
            Self::OpencodeJson => "opencode-json",
            Self::PiJson => "pi-json",
        }
    }

    /// What stands on the agent's command line to have it print this, if anything has to.
    pub const fn flags(self) -> Option<&'static str> {
        match self {
            Self::Text | Self::UsageFile => None,
            Self::ClaudeStreamJson => Some("-p --output-format stream-json --verbose"),
            Self::CodexJson => Some("exec --json"),
            Self::GeminiJson => Some("--output-format json"),
            Self::OpencodeJson => Some("run --format json"),
            Self::PiJson => Some("-p --mode json"),
        }
    }

    /// Whether an agent of this format says what it used, in its output or in the usage file.
    pub const fn reports(self) -> bool {
        !matches!(self, Self::Text)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{name}`; there are {}", Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat {
    name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_read_as_its_format() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "json".parse::<Format>().unwrap_err().to_string();
        assert!(error.starts_with("there is no format `json`; there are text, usage-file, "), "{error}");
    }
}

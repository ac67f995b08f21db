//! The formats in which agents report their usage.

use std::{fmt, str::FromStr};

/// The format of an agent's standard output, which decides how we learn its usage.
///
/// The names are the values of a manifest's `agent.format`.
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
    /// Text for a person, without usage. The default.
    #[default]
    Text,
    /// Text for a person, while commands report their usage to the [`UsageFile`](super::UsageFile).
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
    /// All formats.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::UsageFile,
        Self::ClaudeStreamJson,
        Self::CodexJson,
        Self::GeminiJson,
        Self::OpencodeJson,
        Self::PiJson,
    ];

    /// Returns the format's name, such as `codex-json`.
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

    /// Returns the flags that make the agent print this format, if it needs any.
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

    /// Returns true if an agent of this format reports its usage, in its output or in the usage file.
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

/// The error for a name that does not belong to a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{name}`; the formats are {}", Format::ALL.map(Format::name).join(", "))]
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
        assert!(
            error.starts_with("there is no format `json`; the formats are text, usage-file, "),
            "{error}"
        );
    }
}

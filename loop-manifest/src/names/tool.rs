//! The names of tools.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::nearest;

/// A tool by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ToolName(&'static str);

impl ToolName {
    /// All tools, ordered by name.
    pub const ALL: [Self; 12] = [
        Self("create_dir"),
        Self("current_datetime"),
        Self("edit_file"),
        Self("fetch_url"),
        Self("file_tree"),
        Self("git"),
        Self("list_files"),
        Self("read_file"),
        Self("run_command"),
        Self("search_files"),
        Self("whoami"),
        Self("write_file"),
    ];

    /// The tools that only read.
    pub const LOOKING: [Self; 6] = [
        Self("file_tree"),
        Self("git"),
        Self("list_files"),
        Self("read_file"),
        Self("run_command"),
        Self("search_files"),
    ];

    /// Returns whether the tool is there only if the user's own settings turn it on.
    pub fn is_optional(&self) -> bool {
        self.0 == "fetch_url"
    }

    /// The name.
    pub const fn as_str(&self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A word that is no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool `{written}`{}; the tools are {}",
    meant.map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default(),
    ToolName::ALL.map(|tool| tool.0).join(", "))]
pub struct UnknownTool {
    written: String,
    meant: Option<&'static str>,
}

impl FromStr for ToolName {
    type Err = UnknownTool;

    fn from_str(text: &str) -> Result<Self, UnknownTool> {
        Self::ALL.into_iter().find(|tool| tool.0 == text).ok_or_else(|| UnknownTool {
            written: text.to_owned(),
            meant: nearest::closest(text, Self::ALL, |tool| tool.0).map(|tool| tool.0),
        })
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_traced() {
        assert_eq!("git".parse(), Ok(ToolName("git")));
        let said = "readfile".parse::<ToolName>().expect_err("a slip").to_string();
        assert!(said.contains("did you mean `read_file`?"), "{said}");
    }
}

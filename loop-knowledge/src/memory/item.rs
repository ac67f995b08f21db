//! The values that a memory consists of.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The longest summary, in characters.
pub const SUMMARY_CHARACTERS: usize = 120;

/// The longest body, in bytes.
pub const BODY_BYTES: usize = 4 << 10;

/// A field does not accept a word.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a {field} of a memory: write one of {known}")]
pub struct UnknownWord {
    /// The word.
    pub word: String,
    /// The field.
    pub field: &'static str,
    /// The words that the field accepts.
    pub known: String,
}

/// Defines an enum whose values have words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $field:literal, [$($(#[$value_doc:meta])* $value:ident = $word:literal,)+]) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$value_doc])* $value,)+ }

        impl $name {
            /// All values, in order.
            pub const ALL: &[Self] = &[$(Self::$value,)+];

            /// Returns the word for it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word,)+ }
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word).ok_or_else(|| UnknownWord {
                    word: word.to_owned(),
                    field: $field,
                    known: [$($word,)+].join(", "),
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// The type of a memory.
    MemoryType, "type", [
        /// A description of the workspace. There is one per workspace, and a person writes it.
        WorkspaceProfile = "workspace_profile",
        /// A fact about the project.
        ProjectFact = "project_fact",
        /// How the user wants things.
        UserPreference = "user_preference",
        /// A way of working.
        Workflow = "workflow",
        /// An experience with a tool.
        ToolUse = "tool_use",
    ]
}

words! {
    /// The kind of an experience.
    MemoryKind, "kind", [
        /// Something that went wrong.
        Pitfall = "pitfall",
        /// A way around something that goes wrong.
        Workaround = "workaround",
        /// Advice.
        Recommendation = "recommendation",
        /// Something that repeats.
        Pattern = "pattern",
    ]
}

words! {
    /// Where a memory is in its life.
    MemoryState, "state", [
        /// It is recalled.
        Active = "active",
        /// A person has not accepted it yet. It is not recalled.
        Proposed = "proposed",
        /// Its confidence was too low. It is not recalled.
        Archived = "archived",
        /// A person does not want it. It is never proposed again.
        Rejected = "rejected",
    ]
}

impl MemoryType {
    /// Returns whether recall selects memories of this type by the query. Profile and facts are always recalled.
    #[must_use]
    pub const fn is_experience(self) -> bool {
        !matches!(self, Self::WorkspaceProfile | Self::ProjectFact)
    }
}

/// The confidence in a memory, counted in tenths from 0 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(u8);

impl Confidence {
    /// That of a new memory: 0.5.
    pub const NEW: Self = Self(5);

    /// Returns the confidence with this number of tenths, at most 10.
    #[must_use]
    pub const fn from_tenths(tenths: u8) -> Option<Self> {
        if tenths <= 10 { Some(Self(tenths)) } else { None }
    }

    /// Returns the number of tenths.
    #[must_use]
    pub const fn tenths(self) -> u8 {
        self.0
    }

    /// Returns the confidence after a person flagged the memory: 0.1 less.
    #[must_use]
    pub const fn flagged(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Returns the confidence after a person kept the memory: 0.1 more, to 0.9 at most.
    #[must_use]
    pub const fn kept(self) -> Self {
        if self.0 < 9 { Self(self.0 + 1) } else { self }
    }

    /// Returns whether a memory of this confidence belongs into the archive: at 0.2 or below.
    #[must_use]
    pub const fn is_archived(self) -> bool {
        self.0 <= 2
    }

    /// Returns the confidence as a factor from 0 to 1.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 10.0
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

impl TryFrom<f64> for Confidence {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        let tenths = (value * 10.0).round();
        if (0.0..=10.0).contains(&tenths) && (value * 10.0 - tenths).abs() < 1e-6 {
            Ok(Self(tenths as u8))
        } else {
            Err(format!("the confidence {value} is none of 0, 0.1, 0.2, ... 1"))
        }
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> Self {
        confidence.as_f64()
    }
}

impl Serialize for Confidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

/// The fields of a memory that whoever makes it chooses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewMemory {
    /// Its type.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Its kind, for experiences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<MemoryKind>,
    /// One line of at most 120 characters.
    pub summary: String,
    /// At most 4 KiB of Markdown.
    pub body: String,
    /// The session or run from which it comes, with its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Globs. An experience is recalled only where a file of the workspace matches one of them. Empty: everywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applies_to: Vec<String>,
    /// The id of the memory in whose place it comes once a person accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The id of the memory that is forgotten, together with this proposal, once a person accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removes: Option<String>,
}

impl NewMemory {
    /// A memory without kind, origin and globs, which changes no other memory.
    #[must_use]
    pub fn new(memory_type: MemoryType, summary: impl Into<String>, body: impl Into<String>) -> Self {
        let (summary, body) = (summary.into(), body.into());
        let (kind, origin, applies_to) = (None, None, Vec::new());
        Self { memory_type, kind, summary, body, origin, applies_to, replaces: None, removes: None }
    }

    /// Returns the effect on another memory in words, if a person accepts this: `replaces ID` or `removes ID`.
    #[must_use]
    pub fn effect(&self) -> Option<String> {
        let removes = self.removes.as_ref().map(|id| format!("removes {id}"));
        removes.or_else(|| self.replaces.as_ref().map(|id| format!("replaces {id}")))
    }

    /// Returns the summary and the body as one text.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n{}", self.summary, self.body)
    }

    /// Returns the first fault of the fields.
    pub(super) fn fault(&self) -> Option<String> {
        let summary = self.summary.trim();
        if summary.is_empty() {
            return Some("the summary is empty".to_owned());
        }
        if summary.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
            return Some("the summary has more than one line".to_owned());
        }
        if summary.contains(|letter: char| letter.is_control() && letter != '\t') {
            return Some("the summary has control characters".to_owned());
        }
        let characters = summary.chars().count();
        if characters > SUMMARY_CHARACTERS {
            return Some(format!("the summary has {characters} characters (at most {SUMMARY_CHARACTERS})"));
        }
        if self.body.len() > BODY_BYTES {
            return Some(format!("the body has {} bytes (at most {BODY_BYTES})", self.body.len()));
        }
        super::scope::fault(&self.applies_to)
    }
}

/// A memory. Its texts are redacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The name of its file.
    pub id: String,
    /// Where it is in its life.
    pub state: MemoryState,
    /// The confidence in it.
    pub confidence: Confidence,
    /// When it was made, if its file has the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The other fields.
    #[serde(flatten)]
    pub content: NewMemory,
}

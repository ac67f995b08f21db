//! The allowed values of a key, for editors.
//!
//! The validator judges the same values in its own words, with their places. Tests hold the two
//! together: what the validator takes, the schema takes.

use serde_json::{Value, json};

/// The kind of value that a key takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// An object. Which keys it has, the table says.
    Object,
    /// Any text.
    Text,
    /// Text with at least one character, even a space.
    NotEmpty,
    /// Text with more than spaces.
    Filled,
    /// Text that matches this regular expression.
    Matching(&'static str),
    /// One of these words, each with its meaning.
    OneOf(&'static [(&'static str, &'static str)]),
    /// One of these words, each with its meaning, or an object. Which keys it has, the table says.
    WordOrObject(&'static [(&'static str, &'static str)]),
    /// A whole number of at least this.
    Whole(u64),
    /// A time from the first to the second, in seconds.
    Time(f64, f64),
    /// A number above the first and up to the second.
    Above(f64, f64),
    /// `true` or `false`.
    Flag,
    /// `true`, `false` or a whole number of at least this.
    FlagOrWhole(u64),
    /// One of these words, each with its meaning, or a whole number of at least this.
    WordOrWhole(&'static [(&'static str, &'static str)], u64),
    /// One of these words, each with its meaning, or a list of texts, each as the regular expression says.
    WordOrTexts(&'static [(&'static str, &'static str)], &'static str),
    /// An object whose keys are the user's, named as the regular expression says, and whose values
    /// are text.
    Texts(&'static str),
    /// An object whose keys are names of variables, and whose values are text or `null`.
    Variables,
    /// An object with any keys and values.
    Table,
    /// A list of texts, each as the regular expression says.
    List(&'static str),
    /// A list of one text to this many, each with more in it than spaces.
    SomeFilled(usize),
    /// An object that says when the goal is met.
    Condition,
    /// A list of at least one of these.
    Conditions,
}

impl Shape {
    /// Returns whether a value is text, so that the command line needs no quotes for it.
    pub(crate) const fn is_text(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::NotEmpty
                | Self::Filled
                | Self::Matching(_)
                | Self::OneOf(_)
                | Self::WordOrObject(_)
        )
    }

    /// The keywords of a JSON Schema that say so.
    pub(crate) fn schema(self) -> Value {
        match self {
            Self::Object | Self::Table => json!({ "type": "object" }),
            Self::Text => json!({ "type": "string" }),
            Self::NotEmpty => json!({ "type": "string", "minLength": 1 }),
            Self::Filled => json!({ "type": "string", "pattern": NOT_BLANK }),
            Self::Matching(pattern) => json!({ "type": "string", "pattern": pattern }),
            Self::WordOrObject(words) => {
                json!({ "anyOf": [Self::OneOf(words).schema(), { "type": "object" }] })
            }
            Self::OneOf(words) => {
                let word = |(word, meaning): &(&str, &str)| json!({ "const": word, "description": meaning });
                json!({ "type": "string", "oneOf": words.iter().map(word).collect::<Vec<_>>() })
            }
            Self::Whole(least) => json!({ "type": "integer", "minimum": least }),
            Self::Above(bound, most) => {
                json!({ "type": "number", "exclusiveMinimum": bound, "maximum": most })
            }
            Self::Time(least, most) => {
                time_or(&json!({ "type": "number", "minimum": least, "maximum": most }))
            }
            Self::Variables => json!({
                "type": "object",
                "propertyNames": { "pattern": "^[A-Za-z0-9_-]+$" },
                "additionalProperties": { "type": ["string", "null"] },
            }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::FlagOrWhole(least) => json!({ "type": ["boolean", "integer"], "minimum": least }),
            Self::WordOrWhole(words, least) => {
                json!({ "anyOf": [Self::OneOf(words).schema(), Self::Whole(least).schema()] })
            }
            Self::WordOrTexts(words, items) => {
                json!({ "anyOf": [Self::OneOf(words).schema(), Self::List(items).schema()] })
            }
            Self::Texts(names) => json!({
                "type": "object",
                "propertyNames": { "pattern": names },
                "additionalProperties": { "type": "string", "pattern": NO_NUL },
            }),
            Self::List(items) => json!({ "type": "array", "items": { "type": "string", "pattern": items } }),
            Self::SomeFilled(most) => json!({
                "type": "array",
                "items": { "type": "string", "pattern": NOT_BLANK },
                "minItems": 1,
                "maxItems": most,
            }),
            Self::Condition => json!({ "type": "object", "$ref": CONDITION }),
            Self::Conditions => {
                json!({ "type": "array", "items": { "type": "object", "$ref": CONDITION }, "minItems": 1 })
            }
        }
    }
}

/// The location of the condition's definition in the schema.
pub(crate) const CONDITION: &str = "#/$defs/condition";

/// A sign that is no white space, as Rust sees it: `\S` says something else in every dialect.
const NOT_BLANK: &str = r"[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// A pattern for numbers with units. It takes a little more than the validator.
const TIME: &str = r"^\s*[+-]?[ .]*[0-9][ .0-9a-zA-Z\u00b5\u03bc\u039c]*[smhdSMHD]\s*$";

/// The keywords of a JSON Schema for a time: a text with units, or a number of seconds as these keywords say.
pub(crate) fn time_or(seconds: &Value) -> Value {
    json!({ "anyOf": [{ "type": "string", "pattern": TIME }, seconds] })
}

/// A pattern for valid environment values.
const NO_NUL: &str = r"^[^\u0000]*$";

/// A value of a key, as a default or an example.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sample {
    Text(&'static str),
    Whole(u64),
    Number(f64),
    Flag(bool),
    /// An object with one text.
    Texts(&'static str, &'static str),
    /// A list of texts.
    List(&'static [&'static str]),
}

impl Sample {
    /// The value in JSON.
    pub(crate) fn json(self) -> Value {
        match self {
            Self::Text(text) => text.into(),
            Self::Whole(whole) => whole.into(),
            Self::Number(number) => number.into(),
            Self::Flag(flag) => flag.into(),
            Self::Texts(name, text) => json!({ name: text }),
            Self::List(texts) => texts.into(),
        }
    }
}

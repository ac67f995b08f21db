//! The facts about one model.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A fact, the place that knows it, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact<T> {
    /// The value.
    pub value: T,
    /// The place that knows it.
    pub source: FactSource,
    /// When the place was asked, as RFC 3339, or the date of the bundled table; empty for settings.
    pub at: String,
}

impl<T> Fact<T> {
    /// Creates a fact.
    pub fn new(value: T, source: FactSource, at: impl Into<String>) -> Self {
        Self { value, source, at: at.into() }
    }
}

/// A place that knows facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FactSource {
    /// The user's settings.
    Settings,
    /// The server of the model.
    Server,
    /// The table that comes with this crate.
    Bundled,
    /// A reply of the model.
    Reply,
}

impl fmt::Display for FactSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Settings => "settings",
            Self::Server => "server",
            Self::Bundled => "bundled table",
            Self::Reply => "a reply of the model",
        })
    }
}

/// The known facts about a model. A missing fact is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelFacts {
    /// How many tokens the model can read and write at once.
    pub window: Option<Fact<u64>>,
    /// The window that its model file asks for, in tokens (`num_ctx` of Ollama).
    pub preset_window: Option<Fact<u64>>,
    /// The longest reply in tokens.
    pub reply: Option<Fact<u64>>,
    /// Whether it accepts tools.
    pub tools: Option<Fact<bool>>,
    /// Whether it writes its calls into its text although it got tools.
    pub calls_in_text: Option<Fact<bool>>,
    /// Whether it accepts images.
    pub images: Option<Fact<bool>>,
    /// Whether it accepts PDF files.
    pub pdf: Option<Fact<bool>>,
    /// Whether it serves embeddings only.
    pub embeds: Option<Fact<bool>>,
    /// Its family.
    pub family: Option<Fact<String>>,
    /// The number of its parameters, as its server writes it: `8.0B`.
    pub parameters: Option<Fact<String>>,
    /// Its quantisation: `Q4_K_M`.
    pub quantisation: Option<Fact<String>>,
    /// The size of its file in bytes.
    pub bytes: Option<Fact<u64>>,
}

impl ModelFacts {
    /// Returns the facts that the user's settings state.
    #[must_use]
    pub fn from_settings(window: Option<u64>, tools: Option<bool>) -> Self {
        Self {
            window: window.map(|value| Fact::new(value, FactSource::Settings, "")),
            tools: tools.map(|value| Fact::new(value, FactSource::Settings, "")),
            ..Self::default()
        }
    }

    /// Adds the facts of another place that are not known yet.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            window: self.window.or(other.window),
            preset_window: self.preset_window.or(other.preset_window),
            reply: self.reply.or(other.reply),
            tools: self.tools.or(other.tools),
            calls_in_text: self.calls_in_text.or(other.calls_in_text),
            images: self.images.or(other.images),
            pdf: self.pdf.or(other.pdf),
            embeds: self.embeds.or(other.embeds),
            family: self.family.or(other.family),
            parameters: self.parameters.or(other.parameters),
            quantisation: self.quantisation.or(other.quantisation),
            bytes: self.bytes.or(other.bytes),
        }
    }

    /// Returns each known fact: its name, its value in words, its source, and its time.
    pub fn lines(&self) -> Vec<(&'static str, String, FactSource, &str)> {
        fn line<'a, T>(
            name: &'static str,
            fact: Option<&'a Fact<T>>,
            words: impl Fn(&T) -> String,
        ) -> Option<(&'static str, String, FactSource, &'a str)> {
            fact.map(|Fact { value, source, at }| (name, words(value), *source, at.as_str()))
        }
        let tokens = |tokens: &u64| format!("{tokens} tokens");
        let yes = |is: &bool| if *is { "yes" } else { "no" }.to_owned();
        let all = [
            line("window", self.window.as_ref(), tokens),
            line("window of the model file", self.preset_window.as_ref(), tokens),
            line("longest reply", self.reply.as_ref(), tokens),
            line("tools", self.tools.as_ref(), yes),
            line("calls in text", self.calls_in_text.as_ref(), yes),
            line("images", self.images.as_ref(), yes),
            line("PDF", self.pdf.as_ref(), yes),
            line("embeddings only", self.embeds.as_ref(), yes),
            line("family", self.family.as_ref(), String::clone),
            line("parameters", self.parameters.as_ref(), String::clone),
            line("quantisation", self.quantisation.as_ref(), String::clone),
            line("size", self.bytes.as_ref(), |bytes| format!("{bytes} bytes")),
        ];
        all.into_iter().flatten().collect()
    }
}

//! The names of models, as people write them.

use std::str::FromStr;

use loop_agents::chat::Vendor;

/// A model's name. Only the settings tell whether it is one of the user's own names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName(String);

impl ModelName {
    /// Returns the name, without white space around it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ModelName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.trim() {
            "" => Err(NameError::Empty),
            name => Ok(Self(name.to_owned())),
        }
    }
}

/// A model of a known vendor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorModel {
    /// The vendor whose protocol its server uses.
    pub vendor: Vendor,
    /// The vendor's name for the model.
    pub id: String,
}

impl VendorModel {
    /// Returns whether it runs on the user's own machine, and costs nothing.
    pub fn is_local(&self) -> bool {
        self.vendor == Vendor::Ollama
    }
}

/// The reason why a text does not name a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty.
    #[error("the model's name is empty")]
    Empty,
    /// The name contains no vendor, and implies none.
    #[error(
        "`{0}` does not name the model's vendor: write `ollama:{0}` or `openai:{0}` (also for OpenAI-compatible \
         servers), `anthropic:{0}` or `gemini:{0}`; or define it as `[models.NAME]` in your settings"
    )]
    Vendorless(String),
}

/// The vendors' names, which precede the `:` in a model's name.
const VENDORS: [(&str, Vendor); 5] = [
    ("openai", Vendor::OpenAi),
    ("anthropic", Vendor::Anthropic),
    ("gemini", Vendor::Gemini),
    ("google", Vendor::Gemini),
    ("ollama", Vendor::Ollama),
];

/// Returns the vendor's name, which precedes the `:` in a model's name.
pub fn vendor_name(vendor: Vendor) -> &'static str {
    // Every vendor is in the table. The fallback is the protocol that most other servers also speak.
    VENDORS.into_iter().find(|(_, known)| *known == vendor).map_or("openai", |(name, _)| name)
}

/// Prefixes of model names that only one vendor uses.
const BEGINNINGS: [(&str, Vendor); 7] = [
    ("claude-", Vendor::Anthropic),
    ("gemini-", Vendor::Gemini),
    ("gpt-", Vendor::OpenAi),
    ("chatgpt-", Vendor::OpenAi),
    ("o1", Vendor::OpenAi),
    ("o3", Vendor::OpenAi),
    ("o4-", Vendor::OpenAi),
];

impl FromStr for VendorModel {
    type Err = NameError;

    /// Parses `vendor:name`, or a name that only one vendor uses. A name of Ollama may itself contain a `:`.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        let named = text.split_once(':').and_then(|(before, id)| {
            let (_, vendor) = VENDORS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(before))?;
            Some((vendor, id.trim()))
        });
        match named {
            Some((_, "")) => Err(NameError::Empty),
            Some((vendor, id)) => Ok(Self { vendor, id: id.to_owned() }),
            None => {
                let known = BEGINNINGS.into_iter().find(|(beginning, _)| text.starts_with(beginning));
                let (_, vendor) = known.ok_or_else(|| NameError::Vendorless(text.to_owned()))?;
                Ok(Self { vendor, id: text.to_owned() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<(Vendor, String), NameError> {
        text.parse().map(|VendorModel { vendor, id }| (vendor, id))
    }

    proptest! {
        #[test]
        fn a_vendor_in_front_is_a_vendor_and_the_rest_is_its_name(
            index in 0..VENDORS.len(), id in "[a-z0-9][a-z0-9:/._-]{0,20}",
        ) {
            let (name, vendor) = VENDORS[index];
            prop_assert_eq!(read(&format!("{name}:{id}")), Ok((vendor, id)));
        }
    }

    #[test]
    fn a_name_that_one_vendor_has_needs_no_more() {
        for (name, vendor) in [
            ("claude-sonnet-4-5", Vendor::Anthropic),
            ("gpt-5", Vendor::OpenAi),
            ("o3", Vendor::OpenAi),
            ("gemini-2.5-pro", Vendor::Gemini),
        ] {
            assert_eq!(read(name), Ok((vendor, name.to_owned())));
        }
    }

    #[test]
    fn a_name_that_anybody_could_have_is_refused_with_what_to_write() {
        for name in ["qwen3", "qwen3:8b", "opus"] {
            let said = read(name).expect_err("nobody's").to_string();
            assert!(said.contains(&format!("`ollama:{name}`")), "{said}");
        }
        for name in ["", " ", "ollama:", "openai: "] {
            assert_eq!(read(name), Err(NameError::Empty));
        }
    }
}

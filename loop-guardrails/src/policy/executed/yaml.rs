//! Reads the top-level keys of a JSON or YAML document. Most JSON is YAML, but not all: YAML limits the length of a
//! key, and requires control characters to be escaped.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_saphyr::{
    Options,
    options::{DuplicateKeyPolicy, NonFiniteFloatPolicy},
};

/// Returns the keys, if the text is one document that contains an object.
pub(super) fn keys(text: &str) -> Option<Vec<String>> {
    let json = || serde_json::from_str(text).ok();
    let yaml = || serde_saphyr::from_str_with_options(text, options()).ok();
    json().or_else(yaml).map(|Keys(keys)| keys)
}

/// Accepts at least everything that the loaders accept: only the keys matter here, so values that a loader refuses do
/// no harm.
fn options() -> Options {
    serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfObject)
    }
}

struct OfObject;

impl<'de> Visitor<'de> for OfObject {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Keys, A::Error> {
        let mut keys = Vec::new();
        while let Some((key, IgnoredAny)) = entries.next_entry()? {
            keys.push(key);
        }
        Ok(Keys(keys))
    }
}

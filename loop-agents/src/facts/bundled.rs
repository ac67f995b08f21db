//! The facts that come with this crate.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Fact, FactSource, ModelFacts};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    date: String,
    models: BTreeMap<String, Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    window: u64,
    reply: u64,
    tools: bool,
    images: bool,
    pdf: bool,
}

impl ModelFacts {
    /// Returns the bundled facts about a model of a known vendor; none about other models. A model has the facts of the
    /// longest name in the table that its own name begins with, up to the end of a word.
    ///
    /// # Panics
    /// Never panics: the tests read the same table.
    #[must_use]
    pub fn bundled(model: &str) -> Self {
        let Table { date, models } =
            serde_json::from_str(include_str!("models.json")).expect("the bundled table of models is one");
        let model = model.rsplit('/').next().unwrap_or(model);
        let begins = |name: &str| {
            model.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':']))
        };
        let found = models.into_iter().filter(|(name, _)| begins(name)).max_by_key(|(name, _)| name.len());
        let Some((_, row)) = found else { return Self::default() };
        let is = |value| Some(Fact::new(value, FactSource::Bundled, &date));
        let count = |value| Some(Fact::new(value, FactSource::Bundled, &date));
        Self {
            window: count(row.window),
            reply: count(row.reply),
            tools: is(row.tools),
            images: is(row.images),
            pdf: is(row.pdf),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dated_name_has_the_facts_of_its_model_and_another_version_has_none() {
        let window = |name: &str| ModelFacts::bundled(name).window.map(|fact| fact.value);
        assert_eq!(window("gpt-5-mini-2025-08-07"), window("gpt-5-mini"));
        assert_eq!(window("anthropic/claude-sonnet-4-5"), Some(200_000));
        assert_eq!(window("gpt-5.9"), None);
        assert_eq!(window("qwen3"), None);
    }
}

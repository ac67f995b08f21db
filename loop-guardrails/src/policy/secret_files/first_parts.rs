//! A quick look at names: few of them need a look at each of the built-in rules.

use std::{borrow::Cow, collections::HashSet, sync::LazyLock};

use aho_corasick::AhoCorasick;

use super::{fits, folded_rule, table};

/// The first parts of the built-in rules.
pub(super) static FIRST_PARTS: LazyLock<FirstParts> = LazyLock::new(|| {
    let rules = table::RULES.iter().copied().flatten().map(|rule| folded_rule(rule));
    FirstParts::of(rules)
});

/// The first parts of rules. A rule about a path matches one of its names with its first part.
pub(super) struct FirstParts {
    /// Those without a `*`.
    whole: HashSet<String>,
    patterns: Vec<String>,
    /// Finds the longest text of each pattern. `None` if it cannot be built; then every name is looked at.
    texts: Option<AhoCorasick>,
}

impl FirstParts {
    fn of<'a>(rules: impl Iterator<Item = Cow<'a, str>>) -> Self {
        let first = |rule: Cow<'_, str>| rule.split('/').find(|part| *part != "**").unwrap_or("*").to_owned();
        let (patterns, whole): (Vec<_>, Vec<_>) = rules.map(first).partition(|part| part.contains('*'));
        let longest = |pattern: &String| pattern.split('*').max_by_key(|text| text.len()).map(str::to_owned);
        let texts = AhoCorasick::new(patterns.iter().filter_map(longest)).ok();
        Self { whole: whole.into_iter().collect(), patterns, texts }
    }

    /// Returns whether one of them matches this name, which is folded.
    pub(super) fn match_any(&self, name: &str) -> bool {
        let Some(texts) = &self.texts else { return true };
        let mut found =
            texts.find_overlapping_iter(name).map(|text| &self.patterns[text.pattern().as_usize()]);
        self.whole.contains(name) || found.any(|pattern| fits(pattern, name))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::SecretFiles, *};

    #[test]
    fn each_rule_is_found_by_its_first_part() {
        for (rule, _) in SecretFiles::new().rules() {
            let path = folded_rule(rule).replace("**/", "").replace('*', "x");
            assert!(path.split('/').any(|name| FIRST_PARTS.match_any(name)), "{rule}");
        }
        assert!(["src", "main.rs", "readme.md", "x"].iter().all(|name| !FIRST_PARTS.match_any(name)));
    }
}

//! The places at which the configuration of a test runner looks for tests.

use std::{path::Path, sync::LazyLock};

use regex::Regex;

use super::scripts;

/// The most patterns that one pattern can stand for.
const MOST_PATTERNS: usize = 64;

/// Keys that say where tests are. The second part is the table in which a key means that; an empty one is any.
const KEYS: &[(&str, &str)] = &[
    ("testMatch", ""),
    ("testRegex", ""),
    ("testDir", ""),
    ("roots", ""),
    ("include", "test"),
    ("spec", "mocha"),
    ("files", "ava"),
];

static IN_INI: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^[ \t]*(python_files|testpaths|pythonpath)[ \t]*=[ \t]*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]+)*)",
    )
    .ok()
});
static IN_SCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let text = r#""[^"\n]*"|'[^'\n]*'|`[^`\n]*`"#;
    let list = format!(r#"\[(?:[^\]"'`]|{text})*\]"#);
    let keys = KEYS.iter().map(|(key, _)| *key).collect::<Vec<_>>().join("|");
    let lines = r"(?:[ \t]*\n[ \t]*-[ \t]+[^\n]+)+|[ \t]*[^\s\[{][^\n]*";
    Regex::new(&format!(r#"["']?\b({keys})["']?[ \t]*:(\s*(?:{list}|{text}|/[^\n/]+/)|{lines})"#)).ok()
});
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#""([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`|/((?:\\.|[^\n/])+)/|([^\s,\[\]"'`]+)"#).ok()
});
static EXTENDED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([?*+@])\(([^()]*)\)").ok());

/// Where a runner looks, as the configuration says it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Discovery {
    /// Names and paths with signs that match others.
    pub(super) patterns: Vec<String>,
    /// Expressions for whole paths.
    pub(super) expressions: Vec<String>,
    /// Folders and files.
    pub(super) places: Vec<String>,
    /// Folders from which Python imports.
    pub(super) roots: Vec<String>,
}

impl Discovery {
    /// Reads the part of a configuration that is about tests.
    pub(super) fn of(name: &str, text: &str) -> Self {
        let mut found = Self::default();
        for key in IN_INI.iter().flat_map(|form| form.captures_iter(text)) {
            let list = match &key[1] {
                "python_files" => &mut found.patterns,
                "testpaths" => &mut found.places,
                _ => &mut found.roots,
            };
            list.extend(words(&key[2]));
        }
        for key in IN_SCRIPT.iter().flat_map(|form| form.captures_iter(text)) {
            let start = key.get(0).map_or(0, |key| key.start());
            let is_meant = |(known, table): &(&str, &str)| {
                *known == &key[1]
                    && (table.is_empty() || enclosing(&text[..start]) == *table || is_own(name, table))
            };
            if !KEYS.iter().any(is_meant) {
                continue;
            }
            for word in words(&key[2]).into_iter().filter(|word| !word.starts_with('!')) {
                let word = word.trim_start_matches("<rootDir>/").trim_start_matches("./").to_owned();
                match &key[1] {
                    "testRegex" => found.expressions.push(word),
                    _ if word.contains(['*', '?', '[', '{']) => found.patterns.extend(expanded(&word)),
                    _ => found.places.push(word),
                }
            }
        }
        found.patterns.retain(|pattern| !is_broad(pattern));
        found
    }
}

/// Returns whether a file has the keys of a table without the table.
fn is_own(name: &str, table: &str) -> bool {
    name.trim_start_matches('.').starts_with(table) && name.contains("rc")
}

fn words(text: &str) -> Vec<String> {
    let words = WORD.iter().flat_map(|form| form.captures_iter(text));
    let words = words.filter_map(|word| (1..=5).find_map(|group| word.get(group)));
    words.map(|word| word.as_str().to_owned()).filter(|word| word != "-").collect()
}

/// Returns the name of the table that is open at the end of a text.
fn enclosing(text: &str) -> &str {
    let mut depth = 0;
    for (at, sign) in text.char_indices().rev() {
        match sign {
            '}' => depth += 1,
            '{' if depth > 0 => depth -= 1,
            '{' => {
                let before = text[..at].trim_end().trim_end_matches([':', '=']).trim_end();
                let before = before.trim_end_matches(['"', '\'']);
                return before.rsplit(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
            }
            _ => {}
        }
    }
    ""
}

/// Returns patterns without alternatives, in the place of one with them.
fn expanded(pattern: &str) -> Vec<String> {
    let alternatives = |found: &regex::Captures<'_>| {
        let none = if matches!(&found[1], "?" | "*") { "," } else { "" };
        format!("{{{none}{}}}", found[2].replace('|', ","))
    };
    let mut pattern = pattern.to_owned();
    while let Some(next) = EXTENDED.as_ref().map(|form| form.replace_all(&pattern, alternatives).into_owned())
        && next != pattern
    {
        pattern = next;
    }
    let (mut open, mut done) = (vec![pattern], Vec::new());
    while let Some(pattern) = open.pop() {
        // The innermost pair first.
        let pair = pattern.find('}').and_then(|end| Some((pattern[..end].rfind('{')?, end)));
        match pair {
            Some((start, end)) if open.len() < MOST_PATTERNS => {
                let one = |word| format!("{}{word}{}", &pattern[..start], &pattern[end + 1..]);
                open.extend(pattern[start + 1..end].split(',').map(one));
            }
            Some(_) => {}
            None => done.push(pattern),
        }
    }
    done.sort();
    done.dedup();
    done
}

/// Returns whether a pattern also matches what is judged, such as all files of a language.
fn is_broad(pattern: &str) -> bool {
    let (folders, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let is_any = name.rsplit_once('.').map_or(name, |(stem, _)| stem).chars().all(|sign| sign == '*');
    let literal: Vec<_> = folders.split('/').filter(|step| !step.contains('*') && !step.is_empty()).collect();
    let literal = literal.join("/");
    is_any && (literal.is_empty() || scripts::says_that_it_is_judged(Path::new(&literal)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_tests_are_read_in_each_syntax() {
        for (name, text, patterns, places) in [
            (
                "pytest.ini",
                "[pytest]\npython_files = *_cases.py\n    check_*.py\n",
                "*_cases.py check_*.py",
                "",
            ),
            ("pyproject.toml", "testpaths = [\"qa\"]\npython_files = [\"*.py\"]\n", "", "qa"),
            (
                "package.json",
                r#"{"jest": {"testMatch": ["<rootDir>/qa/**/*.js", "!**/x.js"]}}"#,
                "qa/**/*.js",
                "",
            ),
            (
                "package.json",
                r#"{"nyc": {"include": ["qa/**"]}, "mocha": {"spec": "qa/*.js"}}"#,
                "qa/*.js",
                "",
            ),
            ("jest.config.js", "{ roots: ['<rootDir>/qa'], testRegex: 'x' }", "", "qa"),
            (
                "vitest.config.ts",
                "{ test: { coverage: { include: ['lib2/**/*.ts'] }, include: ['qa/*.{js,ts}'] } }",
                "qa/*.js qa/*.ts",
                "",
            ),
            ("vitest.config.ts", "{ test: { include: ['src/**/*.ts', '**/*.js'] } }", "", ""),
            (".mocharc.yml", "spec:\n  - qa/*.js\n  - more\n", "qa/*.js", "more"),
            (".mocharc.json", "{\"spec\": \"qa/*.cjs\"}", "qa/*.cjs", ""),
            ("tsconfig.json", "{\"include\": [\"qa/*\"]}", "", ""),
            (
                "jest.config.js",
                "{ testMatch: ['**/?(*.)+(case).[jt]s?(x)'] }",
                "**/*.case.[jt]s **/*.case.[jt]sx **/case.[jt]s **/case.[jt]sx",
                "",
            ),
        ] {
            let found = Discovery::of(name, text);
            assert_eq!((&*found.patterns.join(" "), &*found.places.join(" ")), (patterns, places), "{text}");
        }
        let found = Discovery::of("jest.config.js", r"{ testRegex: ['(/qa/.*)\\.js$'] }");
        assert_eq!(found.expressions, [r"(/qa/.*)\\.js$"]);
        assert_eq!(Discovery::of("pytest.ini", "[pytest]\npythonpath = a b\n").roots, ["a", "b"]);
    }
}

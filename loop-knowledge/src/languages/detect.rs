//! The language of a file: from its whole name, else its extension, its first line, or its content.

use std::path::Path;

/// Languages by whole file name, in lower case.
const NAMES: &[(&str, &str)] = &[
    ("makefile", "make"),
    ("gnumakefile", "make"),
    ("dockerfile", "docker"),
    ("containerfile", "docker"),
    ("gemfile", "ruby"),
    ("rakefile", "ruby"),
    ("cmakelists.txt", "cmake"),
    ("cargo.lock", "toml"),
];

/// Languages by extension, in lower case.
const EXTENSIONS: &[(&str, &str)] = &[
    ("rs", "rust"),
    ("py", "python"),
    ("pyi", "python"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("ts", "typescript"),
    ("tsx", "typescript"),
    ("mts", "typescript"),
    ("go", "go"),
    ("c", "c"),
    ("h", "c"),
    ("cc", "cpp"),
    ("cpp", "cpp"),
    ("cxx", "cpp"),
    ("hh", "cpp"),
    ("hpp", "cpp"),
    ("java", "java"),
    ("cs", "csharp"),
    ("rb", "ruby"),
    ("php", "php"),
    ("sh", "shell"),
    ("bash", "shell"),
    ("zsh", "shell"),
    ("sql", "sql"),
    ("html", "html"),
    ("htm", "html"),
    ("css", "css"),
    ("json", "json"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("toml", "toml"),
    ("md", "markdown"),
    ("markdown", "markdown"),
    ("pdf", "pdf"),
    ("mk", "make"),
    ("cmake", "cmake"),
    ("dockerfile", "docker"),
];

/// Languages by the program in a first line `#!`, without its version.
const PROGRAMS: &[(&str, &str)] = &[
    ("sh", "shell"),
    ("bash", "shell"),
    ("dash", "shell"),
    ("zsh", "shell"),
    ("ksh", "shell"),
    ("python", "python"),
    ("node", "javascript"),
    ("deno", "typescript"),
    ("ruby", "ruby"),
    ("php", "php"),
    ("make", "make"),
];

/// The language of a text that nothing else recognises.
const PLAIN: &str = "text";

/// Returns the language of a file, in lower case: `rust`, `cpp`, `markdown`, and `text` if nothing recognises it.
///
/// ```
/// use std::path::Path;
///
/// use loop_knowledge::languages::language;
///
/// assert_eq!(language(Path::new("src/main.rs"), ""), "rust");
/// assert_eq!(language(Path::new("tool"), "#!/usr/bin/env -S python3 -u\n"), "python");
/// assert_eq!(language(Path::new("notes"), "some words"), "text");
/// ```
#[must_use]
pub fn language(path: &Path, text: &str) -> &'static str {
    let lower = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
    let by_name = lower(path.file_name()).and_then(|name| find(NAMES, &name));
    by_name
        .or_else(|| lower(path.extension()).and_then(|extension| find(EXTENSIONS, &extension)))
        .or_else(|| of_first_line(text))
        .or_else(|| of_content(text))
        .unwrap_or(PLAIN)
}

fn find(table: &[(&str, &'static str)], key: &str) -> Option<&'static str> {
    table.iter().find(|(own, _)| *own == key).map(|(_, language)| *language)
}

fn of_first_line(text: &str) -> Option<&'static str> {
    let mut words = text.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut program = name(words.next()?);
    if program == "env" {
        // `env` may have options and assignments of its own.
        program = name(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    find(PROGRAMS, program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.'))
}

fn of_content(text: &str) -> Option<&'static str> {
    let start = text.trim_start();
    let lower: String = start.chars().take(16).flat_map(char::to_lowercase).collect();
    if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        Some("html")
    } else if lower.starts_with("<?php") {
        Some("php")
    } else if start.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        Some("json")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_recognises_a_file_wins() {
        let cases = [
            ("Makefile", "#!/bin/sh", "make"),
            ("a/Dockerfile", "", "docker"),
            ("x.PY", "", "python"),
            ("x.h", "", "c"),
            ("run", "#!/bin/bash -e\n", "shell"),
            ("run", "#! /usr/bin/env FOO=1 ruby2.7", "ruby"),
            ("run", "#!", "text"),
            ("run", "#!/usr/bin/env", "text"),
            ("page", "\n <!DOCTYPE HTML>", "html"),
            ("data", "{\"a\": [1]}", "json"),
            ("data", "[not json", "text"),
            ("", "", "text"),
        ];
        for (path, text, expected) in cases {
            assert_eq!(language(Path::new(path), text), expected, "{path} {text}");
        }
    }
}

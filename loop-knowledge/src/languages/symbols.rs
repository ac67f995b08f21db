//! The symbols of a program, by its lines: declarations that begin at the left edge, with the comments above them. No
//! grammar is needed for that, and a file that no grammar could parse has symbols too. With the feature `grammars`, a
//! program that can be parsed has the symbols of its grammar.

use std::ops::Range;

use serde::Serialize;

use super::declarations::declaration;
use crate::documents::{CHUNK_CHARACTERS, Region};

/// The most characters of a chunk that is a symbol.
const SYMBOL_CHARACTERS: usize = 2_000;

/// A declaration in a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The word that declares it, such as `fn` or `class`.
    pub kind: String,
    /// The number of its first line, from 1, with the comments that belong to it.
    pub first_line: usize,
    /// The number of its last line.
    pub last_line: usize,
}

/// A symbol and its bytes.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) lines: Range<usize>,
    pub(super) bytes: Range<usize>,
    /// The declarations within it, if a grammar found them.
    pub(super) members: Vec<Found>,
}

/// Returns the symbols at the top level of a program, in order. A text in another language has none.
///
/// ```
/// use loop_knowledge::languages::symbols;
///
/// let found = symbols("import os\n\n# Adds.\ndef add(a, b):\n    return a + b\n", "python");
/// assert_eq!((found[0].name.as_str(), found[0].kind.as_str()), ("add", "def"));
/// assert_eq!((found[0].first_line, found[0].last_line), (3, 5));
/// ```
#[must_use]
pub fn symbols(text: &str, language: &str) -> Vec<Symbol> {
    let found = find(text, language).into_iter();
    let symbol = |found: Found| Symbol {
        name: found.name,
        kind: found.kind.to_owned(),
        first_line: found.lines.start + 1,
        last_line: found.lines.end,
    };
    found.map(symbol).collect()
}

/// Returns one region for each symbol, and one for each text between them. A symbol that is too long for one chunk is
/// cut like a text.
pub(super) fn regions(text: &str, language: &str) -> Vec<Region> {
    let mut regions = Vec::new();
    add_regions(text, 0..text.len(), None, find(text, language), &mut regions);
    regions
}

/// Adds the regions of the symbols in a range, which belongs to `owner`.
fn add_regions(
    text: &str,
    range: Range<usize>,
    owner: Option<&str>,
    found: Vec<Found>,
    regions: &mut Vec<Region>,
) {
    let mut position = range.start;
    let plain = |range| Region { range, label: owner.map(str::to_owned), limit: CHUNK_CHARACTERS };
    for found in found {
        regions.push(plain(position..found.bytes.start));
        position = found.bytes.end;
        let label = owner.map_or(found.name.clone(), |owner| format!("{owner}.{}", found.name));
        if text[found.bytes.clone()].trim().chars().count() > SYMBOL_CHARACTERS {
            add_regions(text, found.bytes, Some(&label), found.members, regions);
        } else {
            regions.push(Region { range: found.bytes, label: Some(label), limit: SYMBOL_CHARACTERS });
        }
    }
    regions.push(plain(position..range.end));
}

fn find(text: &str, language: &str) -> Vec<Found> {
    #[cfg(feature = "grammars")]
    if let Some(found) = super::grammars::find(text, language) {
        return found;
    }
    by_lines(text, language)
}

fn by_lines(text: &str, language: &str) -> Vec<Found> {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(index, _)| index + 1));
    let lines: Vec<_> = text.split('\n').collect();
    let end_of = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    let mut found: Vec<Found> = Vec::new();
    let mut line = 0;
    while line < lines.len() {
        let Some((kind, name)) = declaration(lines[line], language) else {
            line += 1;
            continue;
        };
        let free = found.last().map_or(0, |last| last.lines.end);
        let above = (free..line).rev().take_while(|above| is_attached(lines[*above], language)).last();
        let end = end_of_body(&lines, line);
        let first = above.unwrap_or(line);
        found.push(Found {
            name,
            kind,
            lines: first..end,
            bytes: starts[first]..end_of(end),
            members: Vec::new(),
        });
        line = end;
    }
    found
}

/// Tests for a comment, an attribute or a decorator, which belongs to the declaration below it.
fn is_attached(line: &str, language: &str) -> bool {
    let line = line.trim_start();
    match language {
        "python" => line.starts_with(['#', '@']),
        "ruby" | "shell" => line.starts_with('#') && !line.starts_with("#!"),
        "sql" => line.starts_with("--"),
        _ => ["//", "/*", "*", "#[", "@", "["].iter().any(|mark| line.starts_with(mark)),
    }
}

/// Returns the number of the line after the body of a declaration: after its closing line, or before the next line at
/// the left edge. Empty lines at the end are not part of it.
fn end_of_body(lines: &[&str], declared: usize) -> usize {
    let mut end = declared + 1;
    for (number, line) in lines.iter().enumerate().skip(declared + 1) {
        if line.trim().is_empty() || line.starts_with([' ', '\t']) {
            if !line.trim().is_empty() {
                end = number + 1;
            }
            continue;
        }
        let is_end = *line == "end" || line.starts_with('}');
        if is_end || line.starts_with(['{', ')', ']']) {
            end = number + 1;
        }
        if is_end || !line.starts_with(['{', ')', ']']) {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str, language: &str) -> Vec<String> {
        symbols(text, language).into_iter().map(|symbol| format!("{} {}", symbol.kind, symbol.name)).collect()
    }

    #[test]
    fn thirteen_languages_have_symbols() {
        let cases = [
            (
                "rust",
                "/// A.\n#[derive(Debug)]\npub(crate) struct A;\n\npub async fn b() {\n}\nimpl A for B {\n}",
                "struct A|fn b|impl A for B",
            ),
            (
                "python",
                "@cached\nclass A:\n    def b(self): pass\nasync def c(\n    x,\n):\n    pass",
                "class A|def c",
            ),
            (
                "javascript",
                "export default class A {}\nconst b = () => {\n};\nasync function c() {}",
                "class A|const b|function c",
            ),
            ("typescript", "export interface A {\n}\nexport type B = string;", "interface A|type B"),
            ("go", "// A.\nfunc (r *R) A() {\n}\ntype B struct {\n}", "func A|type B"),
            (
                "c",
                "#include <a.h>\nstruct a {\n};\nstatic int b(int c)\n{\n}\nint d(void);\n",
                "struct a|function b",
            ),
            ("cpp", "namespace a {\n}\nclass B {\n};\nvoid B::c() {\n}", "namespace a|class B|function B::c"),
            ("java", "package a;\npublic final class A {\n}\ninterface B {}", "class A|interface B"),
            ("csharp", "namespace A;\npublic sealed record B(int C);", "namespace A|record B"),
            ("ruby", "# A.\nmodule A\n  def b; end\nend\ndef c?\nend", "module A|def c"),
            ("php", "<?php\nabstract class A {\n}\nfunction b() {\n}", "class A|function b"),
            ("shell", "#!/bin/sh\n# A.\na() {\n  :\n}\nfunction b {\n}", "function a|function b"),
            (
                "sql",
                "-- A.\nCREATE TABLE IF NOT EXISTS a (\n  b INT\n);\ncreate view c as select 1;",
                "table a|view c",
            ),
        ];
        for (language, text, expected) in cases {
            assert_eq!(names(text, language).join("|"), expected, "{language}");
        }
        assert_eq!(names("fn a() {}", "text"), Vec::<String>::new());
    }

    #[test]
    fn comments_above_belong_to_a_symbol_and_its_body_ends_at_its_brace() {
        let text = "use a;\n\n/// Adds.\n/// Twice.\nfn add() {\n    1\n}\n\nstatic X: u8 = 1;\n";
        let lines: Vec<_> =
            symbols(text, "rust").iter().map(|symbol| (symbol.first_line, symbol.last_line)).collect();
        assert_eq!(lines, [(3, 7), (9, 9)]);
    }

    #[test]
    fn a_long_symbol_is_cut_like_a_text_and_keeps_its_name() {
        let methods: String = (0..80)
            .map(|number| format!("    def method_{number}(self):\n        return {number} + 1\n\n"))
            .collect();
        let text = format!("import os\n\nclass Long:\n{methods}");
        let found = regions(&text, "python");
        let joined: String = found.iter().map(|region| &text[region.range.clone()]).collect();
        assert_eq!(joined, text);
        let labels: Vec<_> = found.iter().filter_map(|region| region.label.as_deref()).collect();
        let is_member = |label: &&str| *label == "Long.method_7";
        assert!(
            labels.contains(&"Long") && labels.iter().any(is_member) == cfg!(feature = "grammars"),
            "{labels:?}"
        );
    }

    proptest! {
        #[test]
        fn regions_cover_any_text(
            text in "(fn a\\(\\)|class B|def c|\\}|\\{|  x|// d|#|@e|ä|\\r)?(\\n|[^a]|){0,30}".prop_map(|text| text.repeat(2)),
            language in prop::sample::select(vec!["rust", "python", "c", "shell", "sql", "ruby", "text"]),
        ) {
            let joined: String = regions(&text, language).into_iter().map(|region| text[region.range].to_owned()).collect();
            prop_assert_eq!(joined, text);
        }
    }
}

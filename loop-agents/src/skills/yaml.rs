//! The YAML of front matter: text to a small tree.
//!
//! All scalars are texts: `version: 1.0` is the text `1.0`. Aliases are refused, because ten lines of nested ones can
//! expand to billions of values. No front matter needs them.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

/// The maximum number of values in a front matter.
const MAX_VALUES: usize = 2_000;

/// The maximum depth of a value.
const MAX_DEPTH: usize = 16;

/// The problem with a tab where the reference accepts only spaces.
const TAB: &str = "a tab is outside of quotes: use spaces";

/// An escape, or a byte order mark. The group is an escaped surrogate.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\\(?s:(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)|\x{feff}").expect("the pattern is valid")
});

/// A value of a front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum YamlValue {
    Text(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

/// The accepted part of YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YamlSubset {
    /// Everything except aliases.
    Lenient,
    /// The YAML that the reference validator reads (`StrictYAML`): no tags, anchors and flow collections, and the maps in one
    /// map have the same indentation.
    Strict,
}

/// A list or a map that is not complete yet.
enum OpenValue {
    List(Vec<YamlValue>),
    Map {
        entries: Vec<(String, YamlValue)>,
        key: Option<String>,
        /// The column of the first map in this one.
        inner_column: Option<usize>,
    },
}

struct TreeBuilder<'a> {
    source: &'a str,
    subset: YamlSubset,
    open: Vec<OpenValue>,
    root: Option<YamlValue>,
    values: usize,
    /// The offset behind the last value.
    checked: usize,
}

/// Reads a document. An empty one is an empty text.
///
/// # Errors
/// The first problem, with its line.
pub(super) fn parse(text: &str, subset: YamlSubset) -> Result<YamlValue, String> {
    let text = match subset {
        YamlSubset::Lenient => Cow::Borrowed(text),
        YamlSubset::Strict => as_reference(text),
    };
    let text = &*text;
    let mut tree = TreeBuilder { source: text, subset, open: Vec::new(), root: None, values: 0, checked: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| format!("line {}: {}", error.marker().line(), error.info()))?;
        tree.add(event, span).map_err(|problem| format!("line {}: {problem}", span.start.line()))?;
    }
    tree.check_gap(text.len())?;
    Ok(tree.root.unwrap_or_else(|| YamlValue::Text(String::new())))
}

/// Replaces what only the reference takes for a sign like any other: half of a pair of surrogates, and a byte order mark
/// within the text. Keeps all offsets.
fn as_reference(text: &str) -> Cow<'_, str> {
    ESCAPE.replace_all(text, |found: &Captures<'_>| match (&found[0], found.get(1)) {
        ("\u{feff}", _) => "\u{2060}".to_owned(),
        (_, Some(_)) => "\\ufffd".to_owned(),
        (other, None) => other.to_owned(),
    })
}

impl TreeBuilder<'_> {
    fn add(&mut self, event: Event<'_>, span: Span) -> Result<(), String> {
        match event {
            Event::Alias(_) => {
                Err("an alias (`*name`) is not supported here: write the value out".to_owned())
            }
            Event::DocumentStart(..) if self.root.is_some() => {
                Err("a second document begins here".to_owned())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.check_node(anchor, tag.is_some(), StructureStyle::Block)?;
                self.check_tabs(style, span)?;
                // To the reference, these are no texts.
                let is_operator = style == ScalarStyle::Plain && ["<<", "="].contains(&&*text);
                if self.subset == YamlSubset::Strict && is_operator && !self.awaits_key() {
                    return self.close(YamlValue::List(Vec::new()));
                }
                // The parser reports a missing value as `~`.
                let is_missing = span.start.index() == span.end.index();
                self.close(YamlValue::Text(if is_missing { String::new() } else { text.into_owned() }))
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.check_node(anchor, tag.is_some(), style)?;
                self.open(OpenValue::List(Vec::new()))
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_node(anchor, tag.is_some(), style)?;
                self.check_column(span.start.col())?;
                self.open(OpenValue::Map { entries: Vec::new(), key: None, inner_column: None })
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenValue::List(items)) => self.close(YamlValue::List(items)),
                Some(OpenValue::Map { entries, .. }) => self.close(YamlValue::Map(entries)),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Counts a value, and refuses what the subset does not have.
    fn check_node(&mut self, anchor: usize, has_tag: bool, style: StructureStyle) -> Result<(), String> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(format!("there are more than {MAX_VALUES} values"));
        }
        let problem = match self.subset {
            YamlSubset::Lenient => return Ok(()),
            YamlSubset::Strict if has_tag => "a tag (`!name`) is not allowed: put the text in quotes",
            YamlSubset::Strict if anchor > 0 => "an anchor (`&name`) is not allowed: put the text in quotes",
            YamlSubset::Strict if style == StructureStyle::Flow => {
                "`{` and `[` are not allowed: put the text in quotes, or write one entry per line"
            }
            YamlSubset::Strict => return Ok(()),
        };
        Err(problem.to_owned())
    }

    /// Refuses tabs outside of quotes, blocks and comments, which the reference does not take for space. The value is
    /// the next one after [`checked`](Self::checked).
    fn check_tabs(&mut self, style: ScalarStyle, span: Span) -> Result<(), String> {
        let place = |at: Option<usize>| at.filter(|at| self.source.is_char_boundary(*at));
        let ends = (place(span.start.byte_offset()), place(span.end.byte_offset()));
        let (YamlSubset::Strict, (Some(start), Some(end))) = (self.subset, ends) else { return Ok(()) };
        let has_tab = style == ScalarStyle::Plain && self.source[start..end.max(start)].contains('\t');
        self.check_gap(start)?;
        self.checked = end.max(self.checked);
        if has_tab { Err(TAB.to_owned()) } else { Ok(()) }
    }

    /// Refuses tabs between the last value and this place.
    fn check_gap(&self, end: usize) -> Result<(), String> {
        let gap = self.source.get(self.checked..end).unwrap_or_default();
        let has_tab = gap.lines().any(|line| line.split('#').next().is_some_and(|line| line.contains('\t')));
        if has_tab && self.subset == YamlSubset::Strict { Err(TAB.to_owned()) } else { Ok(()) }
    }

    /// Checks that the maps in one map have the same indentation.
    fn check_column(&mut self, column: usize) -> Result<(), String> {
        let Some(OpenValue::Map { inner_column, .. }) = self.open.last_mut() else { return Ok(()) };
        let first = *inner_column.get_or_insert(column);
        if self.subset == YamlSubset::Strict && first != column {
            return Err("this map is indented differently from the one before it".to_owned());
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(OpenValue::Map { key: None, .. }))
    }

    fn open(&mut self, value: OpenValue) -> Result<(), String> {
        if self.awaits_key() {
            return Err("a key must be a text".to_owned());
        }
        self.open.push(value);
        if self.open.len() > MAX_DEPTH {
            return Err(format!("values are nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    /// Adds a complete value to the list or map around it.
    fn close(&mut self, value: YamlValue) -> Result<(), String> {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(OpenValue::List(items)) => items.push(value),
            Some(OpenValue::Map { entries, key, .. }) => match (key.take(), value) {
                (Some(key), value) => entries.push((key, value)),
                (None, YamlValue::Text(text)) if entries.iter().any(|(name, _)| *name == text) => {
                    return Err(format!("`{text}` appears twice"));
                }
                (None, YamlValue::Text(text)) => *key = Some(text),
                (None, _) => return Err("a key must be a text".to_owned()),
            },
        }
        Ok(())
    }
}

impl YamlValue {
    /// Returns the text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the entries, if it is a map.
    pub(super) fn entries(&self) -> &[(String, Self)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    /// Returns the value of this key, if it is a map with the key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the texts in it, in order.
    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(items) => items.iter().flat_map(Self::texts).collect(),
            Self::Map(entries) => entries.iter().flat_map(|(_, value)| value.texts()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scalar_is_a_text() {
        let tree =
            parse("version: 1.0\nyes: no\nnothing:\nlist:\n- 1\n- ~\n", YamlSubset::Strict).expect("YAML");
        let text = |text: &str| YamlValue::Text(text.to_owned());
        assert_eq!(tree.get("version"), Some(&text("1.0")));
        assert_eq!(tree.get("yes"), Some(&text("no")));
        assert_eq!(tree.get("nothing").and_then(YamlValue::text), Some(""));
        assert_eq!(tree.get("list"), Some(&YamlValue::List(vec![text("1"), text("~")])));
    }

    #[test]
    fn bombs_are_refused_before_they_grow() {
        let bomb = format!("a: &a [x]\n{}", "b: [*a, *a]\n".repeat(30));
        let deep = format!("a: {}", "[".repeat(10_000));
        let wide = format!("a: [{}]", "x, ".repeat(20_000));
        for (text, problem) in [(bomb, "alias"), (deep, "recursion limit"), (wide, "2000 values")] {
            let error = parse(&text, YamlSubset::Lenient).expect_err(problem);
            assert!(error.contains(problem), "{error}");
        }
    }
}

//! A manifest as it is written down, in each of the formats.

use std::fmt::Display;

use crate::format::Format;

/// The content of a manifest.
#[derive(Debug)]
pub(super) struct ManifestText {
    /// The path of the JSON Schema, for editors.
    pub(super) schema: &'static str,
    /// True if the schema exists. An editor would complain about a missing one.
    pub(super) has_schema: bool,
    /// Comments at the top.
    pub(super) intro: &'static [&'static str],
    pub(super) items: Vec<TopLevelItem>,
}

/// An item at the top level.
#[derive(Debug)]
pub(super) enum TopLevelItem {
    Field(TextField),
    /// An object with a comment and its fields.
    Object(&'static str, Option<String>, Vec<TextField>),
}

/// A key, its value and the comments above it.
#[derive(Debug)]
pub(super) struct TextField {
    comments: Vec<String>,
    key: &'static str,
    value: TextValue,
}

#[derive(Debug)]
enum TextValue {
    /// A number, `true` or `false`.
    Bare(String),
    /// Any text.
    Line(String),
    /// A text of several lines, of ours: letters, punctuation and spaces.
    Block(&'static str),
}

impl TextField {
    pub(super) fn number(key: &'static str, value: u64) -> Self {
        Self { comments: Vec::new(), key, value: TextValue::Bare(value.to_string()) }
    }

    pub(super) fn flag(key: &'static str, value: bool) -> Self {
        Self { comments: Vec::new(), key, value: TextValue::Bare(value.to_string()) }
    }

    pub(super) fn line(key: &'static str, value: String) -> Self {
        Self { comments: Vec::new(), key, value: TextValue::Line(value) }
    }

    pub(super) fn block(key: &'static str, value: &'static str) -> Self {
        Self { comments: Vec::new(), key, value: TextValue::Block(value) }
    }

    pub(super) fn comment(mut self, comment: impl Into<String>) -> Self {
        self.comments.push(comment.into());
        self
    }

    pub(super) fn comments(mut self, comments: Vec<String>) -> Self {
        self.comments.extend(comments);
        self
    }
}

impl ManifestText {
    /// The text of the manifest. All formats mean the same; JSON has no comments.
    pub(super) fn render(&self, format: Format) -> String {
        match format {
            Format::Json => self.json(),
            Format::Toml => self.toml(),
            Format::Yaml => self.yaml(),
        }
    }

    fn yaml(&self) -> String {
        let mut text = self.head(&format!("# yaml-language-server: $schema={}", self.schema));
        for item in &self.items {
            match item {
                TopLevelItem::Field(field) => yaml_field(&mut text, "", field),
                TopLevelItem::Object(key, comment, fields) => {
                    comments(&mut text, "", comment);
                    text += &format!("{key}:\n");
                    fields.iter().for_each(|field| yaml_field(&mut text, "  ", field));
                }
            }
        }
        text
    }

    fn toml(&self) -> String {
        let mut text = self.head(&format!("#:schema {}", self.schema));
        for item in &self.items {
            match item {
                TopLevelItem::Field(field) => toml_field(&mut text, field),
                TopLevelItem::Object(key, comment, fields) => {
                    text += "\n";
                    comments(&mut text, "", comment);
                    text += &format!("[{key}]\n");
                    fields.iter().for_each(|field| toml_field(&mut text, field));
                }
            }
        }
        text
    }

    /// The comments at the top. `directive` is the one by which an editor finds the schema.
    fn head(&self, directive: &str) -> String {
        let mut text = String::new();
        if self.has_schema {
            text += &format!("{directive}\n");
        }
        comments(&mut text, "", self.intro);
        if !self.has_schema {
            let file = self.schema.trim_start_matches("./");
            text += &format!(
                "# For help in your editor, run `loop schema > {file}` and remove one # from the next line:\n\
                 #{directive}\n"
            );
        }
        text
    }

    fn json(&self) -> String {
        let schema = self.has_schema.then(|| format!("\"$schema\": {}", quoted(self.schema)));
        let items = self.items.iter().map(|item| match item {
            TopLevelItem::Field(field) => json_field(field),
            TopLevelItem::Object(key, _, fields) => {
                format!("\"{key}\": {}", json_object("  ", fields.iter().map(json_field)))
            }
        });
        json_object("", schema.into_iter().chain(items)) + "\n"
    }
}

fn comments(text: &mut String, indent: &str, comments: impl IntoIterator<Item = impl Display>) {
    for comment in comments {
        *text += &format!("{indent}# {comment}\n");
    }
}

fn yaml_field(text: &mut String, indent: &str, TextField { comments: about, key, value }: &TextField) {
    comments(text, indent, about);
    *text += &match value {
        TextValue::Bare(value) => format!("{indent}{key}: {value}\n"),
        TextValue::Line(line) if is_plain(line) => format!("{indent}{key}: {line}\n"),
        TextValue::Line(line) => format!("{indent}{key}: {}\n", quoted(line)),
        TextValue::Block(block) => {
            let line = |line: &str| {
                if line.is_empty() { "\n".to_owned() } else { format!("{indent}  {line}\n") }
            };
            format!("{indent}{key}: |\n{}", block.lines().map(line).collect::<String>())
        }
    };
}

fn toml_field(text: &mut String, TextField { comments: about, key, value }: &TextField) {
    comments(text, "", about);
    *text += &match value {
        TextValue::Bare(value) => format!("{key} = {value}\n"),
        TextValue::Line(line) => format!("{key} = {}\n", quoted(line)),
        TextValue::Block(block) => format!("{key} = '''\n{block}'''\n"),
    };
}

fn json_field(TextField { key, value, .. }: &TextField) -> String {
    match value {
        TextValue::Bare(value) => format!("\"{key}\": {value}"),
        TextValue::Line(line) => format!("\"{key}\": {}", quoted(line)),
        TextValue::Block(block) => format!("\"{key}\": {}", quoted(block)),
    }
}

fn json_object(indent: &str, fields: impl Iterator<Item = String>) -> String {
    let fields: Vec<_> = fields.map(|field| format!("{indent}  {field}")).collect();
    format!("{{\n{}\n{indent}}}", fields.join(",\n"))
}

/// A text in double quotes, which mean the same in all three formats: what JSON escapes, the others read
/// as well, and what only they want to be escaped, JSON reads.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let is_strange = |sign: char| sign.is_control() || ('\u{fe00}'..='\u{ffff}').contains(&sign);
    let escaped = |sign: char| {
        if is_strange(sign) { format!("\\u{:04x}", u32::from(sign)) } else { sign.to_string() }
    };
    json.chars().map(escaped).collect()
}

/// Returns whether YAML reads this text as itself without quotes. It is deliberately narrower than YAML: it covers only
/// commands of words and simple signs, which are easier to read unquoted.
fn is_plain(text: &str) -> bool {
    let is_simple = |sign: char| sign.is_ascii_alphanumeric() || " -_./,=+".contains(sign);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.contains([' ', '-'])
        && !text.ends_with(' ')
        && text.chars().all(is_simple)
}

//! Generates the page of all manifest fields from their schema.
//!
//! Each field is described once, in the code of the command. `loop schema` prints that description, editors show it,
//! and so does this page.

use std::fmt::{self, Write};

use serde_json::Value;

const HEAD: &str = "\
# All fields of a manifest

<!-- Generated from loop.schema.json: GUIDE=update cargo test -p book-tests -->

Which fields can a manifest have, and what does each one mean?

[Manifests](manifests.md) explains how they work together. You can omit every field that is not required. The tables
`chat`, `models` and `policy` are settings: write them into a project's `loop.toml`, which may also be a manifest, or into
your own settings.
";

/// Returns the page for this schema of manifests.
///
/// # Panics
/// If it is not a schema in the form that `loop schema` prints.
pub fn reference(schema: &Value) -> String {
    let mut page = HEAD.to_owned();
    write_fields(&mut page, schema, "").expect("a string takes all");
    page
}

/// Writes the fields of an object, followed by those of the objects in it.
fn write_fields(page: &mut String, object: &Value, path: &str) -> fmt::Result {
    let fields = object["properties"].as_object().expect("an object with fields");
    for (name, field) in fields {
        let path = format!("{path}{name}");
        let is_required =
            object["required"].as_array().is_some_and(|names| names.contains(&Value::from(name.as_str())));
        let (level, id) = (if path.contains('.') { "###" } else { "##" }, path.replace(['.', '$'], "-"));
        write!(page, "\n{level} `{path}` {{#field-{}}}\n\n{}", id.trim_matches('-'), kind(field))?;
        if is_required {
            page.push_str(", required");
        }
        write_bounds(page, field)?;
        let description = field["description"].as_str().expect("every field is described");
        writeln!(page, ".\n\n{description}")?;
        write_values(page, branch(field, "string").unwrap_or(field))?;
        write_examples(page, field)?;
        let named = &field["additionalProperties"];
        let table = branch(field, "object").unwrap_or(field);
        if table["properties"].is_object() {
            write_fields(page, table, &format!("{path}."))?;
        } else if named["properties"].is_object() {
            write_fields(page, named, &format!("{path}.NAME."))?;
        }
    }
    Ok(())
}

/// Returns the form of a field that has several, if one of them has this type.
fn branch<'a>(field: &'a Value, kind: &str) -> Option<&'a Value> {
    field["anyOf"].as_array()?.iter().find(|branch| branch["type"] == kind)
}

/// Returns the type of a field, in a word.
fn kind(field: &Value) -> String {
    let name = |kind: &Value| match kind.as_str() {
        Some("string") => "Text",
        Some("integer") => "A whole number",
        Some("number") => "A number",
        Some("boolean") => "`true` or `false`",
        Some("array") if field["items"]["type"] == "object" => "A list of tables",
        Some("array") => "A list of texts",
        Some("object") if field["properties"].is_object() || field["$ref"].is_string() => "A table",
        Some("object") => "A table with names of your own",
        other => panic!("a type that the page has no word for: {other:?}"),
    };
    match &field["type"] {
        Value::Null if branch(field, "object").is_some() => "A word, or a table".to_owned(),
        Value::Null if branch(field, "string").is_some_and(|words| words["oneOf"].is_array()) => {
            "A word, or a whole number".to_owned()
        }
        // Only times are a text or a number.
        Value::Null if field["anyOf"].is_array() => "A time".to_owned(),
        Value::Array(kinds) => {
            kinds.iter().map(name).collect::<Vec<_>>().join(", or ").replace("or A", "or a")
        }
        kind => name(kind).to_owned(),
    }
}

fn write_bounds(page: &mut String, field: &Value) -> fmt::Result {
    let (bounds, unit) = branch(field, "number").map_or((field, ""), |seconds| (seconds, " seconds"));
    for (key, word) in [("minimum", "at least"), ("exclusiveMinimum", "more than")] {
        if let Some(bound) = bounds[key].as_f64() {
            write!(page, ", {word} {bound}{unit}")?;
        }
    }
    match &field["default"] {
        Value::Null => Ok(()),
        // The description tells what a long default is.
        Value::String(text) if text.contains('\n') => Ok(()),
        Value::String(text) => write!(page, "; default: `{text}`"),
        default => write!(page, "; default: `{default}`"),
    }
}

fn write_values(page: &mut String, field: &Value) -> fmt::Result {
    let Some(values) = field["oneOf"].as_array() else { return Ok(()) };
    page.push_str("\n| value | means |\n| --- | --- |\n");
    for value in values {
        let text = |key: &str| value[key].as_str().expect("a value and what it means");
        writeln!(page, "| `{}` | {} |", text("const"), text("description"))?;
    }
    Ok(())
}

/// Writes examples of one line. Other pages contain the longer ones.
fn write_examples(page: &mut String, field: &Value) -> fmt::Result {
    let examples: Vec<_> = field["examples"].as_array().into_iter().flatten().map(Value::to_string).collect();
    if examples.is_empty() {
        return Ok(());
    }
    let word = if examples.len() == 1 { "Example" } else { "Examples" };
    let quoted: Vec<_> = examples.iter().map(|example| format!("`{example}`")).collect();
    writeln!(page, "\n{word}: {}.", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_says_what_it_holds_and_means() {
        let schema = json!({
            "required": ["agent"],
            "properties": { "agent": { "type": "object", "description": "Who.", "properties": {
                "format": {
                    "type": "string", "description": "How.", "default": "text", "examples": ["text"],
                    "oneOf": [{ "const": "text", "description": "Plain." }],
                },
            } } },
        });
        let condition = json!({ "type": "object", "$ref": "#/$defs/condition" });
        assert_eq!(kind(&condition), "A table");
        assert_eq!(kind(&json!({ "type": "array", "items": condition })), "A list of tables");
        let page = reference(&schema);
        let fields = page.strip_prefix(HEAD).expect("the head");
        assert_eq!(
            fields,
            "\n## `agent` {#field-agent}\n\nA table, required.\n\nWho.\n\
             \n### `agent.format` {#field-agent-format}\n\nText; default: `text`.\n\nHow.\n\
             \n| value | means |\n| --- | --- |\n| `text` | Plain. |\n\nExample: `\"text\"`.\n"
        );
    }
}

//! Checks a tool's arguments against their schema.
//!
//! A model that reads "invalid type at column 17" tries the same again. So our messages name the wrong argument, its
//! value, the expected type, and all arguments that the tool takes.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;
use crate::output::{one_line, unique_json};

/// Returns the schema of `T` as a single document without references.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        // The title is the type's name in our code, which means nothing to a model.
        fields.remove("title");
        // The same holds for the description of that type. The tool itself has one for models.
        fields.remove("description");
    }
    plain_descriptions(&mut schema);
    schema
}

/// Removes the markup of our documentation: line breaks, backquotes and links mean nothing to a model.
fn plain_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = plain(text);
            }
            fields.values_mut().for_each(plain_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(plain_descriptions),
        _ => {}
    }
}

fn plain(text: &str) -> String {
    let line = one_line(&text.replace('`', ""));
    // `[text](target)` and `[text]` become the text.
    let (mut plain, mut rest) = (String::new(), line.as_str());
    while let Some((before, link)) = rest.split_once('[') {
        let Some((label, after)) = link.split_once(']') else { break };
        plain.push_str(before);
        plain.push_str(label);
        rest = after.strip_prefix('(').and_then(|it| it.split_once(')')).map_or(after, |(_, after)| after);
    }
    plain + rest
}

/// Converts the arguments to the tool's type.
pub(super) fn read<T: JsonSchema + DeserializeOwned>(tool: &str, arguments: &Value) -> Result<T, ToolError> {
    let schema = schema::<T>();
    // Some models send null for a call without arguments, others an empty object.
    let empty = Value::Object(Map::new());
    let arguments = if arguments.is_null() { &empty } else { arguments };
    let wrong = |problem: String| {
        ToolError::rejected(format!(
            "{tool} was not called: {problem}; its arguments are {}",
            listed(&schema)
        ))
    };
    if let Value::String(text) = arguments
        && serde_json::from_str::<Map<String, Value>>(text).is_ok()
        && let Err(error) = unique_json(text)
    {
        return Err(wrong(format!("the arguments cannot be read: {error}")));
    }
    check(arguments, &schema, "the arguments").map_err(&wrong)?;
    T::deserialize(arguments).map_err(|error| wrong(error.to_string()))
}

/// Finds the first place at which a value does not fit. It understands the parts of a schema that [`schema`] creates
/// for plain structures. Deserialization checks everything else.
fn check(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    check_type(value, schema, place)?;
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().map(ToString::to_string).collect();
        return Err(format!("{place} is {value}, but must be one of {}", allowed.join(", ")));
    }
    for (bound, is_crossed) in [("minimum", true), ("maximum", false)] {
        if let (Some(number), Some(limit)) = (value.as_f64(), schema[bound].as_f64())
            && (if is_crossed { number < limit } else { number > limit })
        {
            return Err(format!("{place} is {value}, but its {bound} is {limit}"));
        }
    }
    if let Some(items) = value.as_array() {
        let mut items = items.iter().enumerate();
        items.try_for_each(|(at, item)| check(item, &schema["items"], &format!("{place}[{at}]")))?;
    }
    value.as_object().map_or(Ok(()), |fields| check_fields(fields, schema))
}

fn check_type(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    let allowed = types(schema);
    let fits = |name: &&str| match *name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    if allowed.is_empty() || allowed.iter().any(fits) {
        return Ok(());
    }
    let shown = crate::output::beginning(&value.to_string(), 80);
    Err(format!("{place} must be of type {}, but is {shown}", allowed.join(" or ")))
}

fn check_fields(fields: &Map<String, Value>, schema: &Value) -> Result<(), String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.into_iter().find(|name| !fields.contains_key(*name)) {
        return Err(format!("`{missing}` is missing"));
    }
    for (name, value) in fields {
        match schema["properties"].get(name) {
            Some(schema) => check(value, schema, &format!("`{name}`"))?,
            None if schema["additionalProperties"] == false => {
                return Err(format!("there is no argument `{name}`"));
            }
            None => {}
        }
    }
    Ok(())
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Lists the arguments: "`path` (string), `first_line` (integer, optional)".
fn listed(schema: &Value) -> String {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(properties) = schema["properties"].as_object().filter(|fields| !fields.is_empty()) else {
        return "none".to_owned();
    };
    let one = |(name, schema): (&String, &Value)| {
        let types: Vec<_> = types(schema).into_iter().filter(|name| *name != "null").collect();
        let optional = if required.contains(&Value::String(name.clone())) { "" } else { ", optional" };
        format!("`{name}` ({}{optional})", types.join(" or "))
    };
    properties.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema and its reading are looked at")]
    struct Sample {
        path: String,
        #[schemars(range(min = 1))]
        line: Option<u64>,
        #[serde(default)]
        kind: Kind,
        #[serde(default)]
        words: Vec<String>,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        #[default]
        One,
        Two,
    }

    fn problem(arguments: &Value) -> String {
        read::<Sample>("sample", arguments).unwrap_err().to_string()
    }

    #[test]
    fn a_description_has_no_markup() {
        assert_eq!(
            plain("The `path`\nof a [`File`](std::fs::File), see [it]."),
            "The path of a File, see it."
        );
        assert_eq!(plain("An open [ stays."), "An open [ stays.");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (arguments, expected) in [
            (json!({}), "`path` is missing"),
            (json!(null), "`path` is missing"),
            (json!([]), "the arguments must be of type object"),
            (
                json!("{\"path\": \"x\", \"path\": \"y\"}"),
                "the arguments cannot be read: the key `path` appears twice",
            ),
            (json!({ "path": 1 }), "`path` must be of type string, but is 1"),
            (json!({ "path": "x", "lien": 1 }), "there is no argument `lien`"),
            (json!({ "path": "x", "line": 0 }), "`line` is 0, but its minimum is 1"),
            (json!({ "path": "x", "line": 1.5 }), "`line` must be of type integer or null"),
            (
                json!({ "path": "x", "kind": "three" }),
                "`kind` is \"three\", but must be one of \"one\", \"two\"",
            ),
            (json!({ "path": "x", "words": ["a", 2] }), "`words`[1] must be of type string"),
        ] {
            let problem = problem(&arguments);
            assert!(problem.contains(expected), "{problem}");
            assert!(problem.starts_with("sample was not called: "), "{problem}");
        }
        assert!(problem(&json!({})).contains("`path` (string), "), "{}", problem(&json!({})));
    }

    #[test]
    fn what_fits_is_read() {
        for arguments in
            [json!({ "path": "x" }), json!({ "path": "x", "line": 3, "kind": "two", "words": ["a"] })]
        {
            assert!(read::<Sample>("sample", &arguments).is_ok(), "{arguments}");
        }
    }

    #[test]
    fn a_schema_is_in_one_piece() {
        let schema = schema::<Sample>().to_string();
        assert!(
            !schema.contains("$ref") && !schema.contains("$schema") && !schema.contains("Sample"),
            "{schema}"
        );
    }
}

//! JSON without secrets.
//!
//! Not by a search through the JSON itself: a secret such as `12345678` must not be taken out of a number, nor one
//! that is a word out of the name of one of our fields, and what is left has to be JSON. So it is done to the texts,
//! and to the keys of maps, before they are written.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Redactor, keys::CleanKeys};

impl Redactor {
    /// The JSON of a value without the secrets in its texts, and in the keys of its maps. Numbers and the names of a
    /// struct's fields stay, so it is JSON whatever the secrets are, and can be read back. An object's keys come in the
    /// order of the alphabet; of several that are the same without their secrets, the later ones are numbered.
    ///
    /// ```
    /// use loop_telemetry::Redactor;
    /// let redactor = Redactor::new(["12345678"]);
    /// let value = serde_json::json!({ "12345678": 12345678, "text": "it is 12345678" });
    /// assert_eq!(redactor.json(&value)?, r#"{"[redacted]":12345678,"text":"it is [redacted]"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the value cannot be written as JSON: a map has keys that are no texts.
    pub fn json(&self, value: &impl Serialize) -> Result<String, serde_json::Error> {
        serde_json::to_string(&self.value(value)?)
    }

    /// [`json`](Self::json), added to bytes.
    pub(crate) fn write_json(
        &self,
        value: &impl Serialize,
        to: &mut Vec<u8>,
    ) -> Result<(), serde_json::Error> {
        serde_json::to_writer(to, &self.value(value)?)
    }

    fn value(&self, value: &impl Serialize) -> Result<Value, serde_json::Error> {
        let mut value = value.serialize(CleanKeys::new(self, serde_json::value::Serializer))?;
        self.redact_value(&mut value);
        Ok(value)
    }

    fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.redact_value(value)),
            // Bytes, such as a picture's: what looks like a key in them is none, and without it they are damaged.
            Value::Object(fields) if is_attachment(fields) => {}
            Value::Object(fields) => {
                self.redact_edges(fields);
                fields.values_mut().for_each(|value| self.redact_value(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Of an output of which two ends are kept: lists of texts called `head` and `tail`, and the number of bytes
    /// that are missing between them, `omitted`, which is not there if none are.
    fn redact_edges(&self, fields: &mut Map<String, Value>) {
        let omitted = fields.get("omitted").and_then(Value::as_u64).unwrap_or(0);
        let edge = |ends: &Map<String, Value>, key: &str, of: fn(&[Value]) -> Option<&Value>| {
            Some(of(ends.get(key)?.as_array()?)?.as_str()?.to_owned())
        };
        // Without a text at one of them there is nothing that goes over to it, or was cut.
        let head = edge(fields, "head", <[Value]>::last);
        let tail = edge(fields, "tail", <[Value]>::first);
        if tail.is_none() && (omitted == 0 || head.is_none()) {
            return;
        }
        let texts = [head.as_deref(), tail.as_deref()].map(Option::unwrap_or_default);
        let (clean_head, clean_tail) = self.redact_ends(texts[0].as_bytes(), omitted, texts[1].as_bytes());
        let mut put = |key: &str, at: fn(&mut Vec<Value>) -> Option<&mut Value>, clean: &[u8]| {
            if let Some(part @ Value::String(_)) =
                fields.get_mut(key).and_then(Value::as_array_mut).and_then(at)
            {
                *part = Value::String(String::from_utf8_lossy(clean).into_owned());
            }
        };
        put("head", |parts| parts.last_mut(), &clean_head);
        put("tail", |parts| parts.first_mut(), &clean_tail);
    }
}

/// Whether it is a file that somebody gave to a model: its type, its bytes in base 64, and perhaps its name.
fn is_attachment(fields: &Map<String, Value>) -> bool {
    let is_text = |key| fields.get(key).is_some_and(Value::is_string);
    let is_known = |key: &String| matches!(key.as_str(), "media_type" | "base64" | "name");
    is_text("media_type") && is_text("base64") && fields.keys().all(is_known)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_picture_is_left_as_it_is() {
        let redactor = Redactor::new(["hunter2hunter2"]);
        let picture = json!({ "media_type": "image/png", "base64": "hunter2hunter2", "name": "a.png" });
        assert_eq!(redactor.json(&picture).unwrap(), picture.to_string());
        let more = json!({ "media_type": "image/png", "base64": "hunter2hunter2", "text": "" });
        assert!(redactor.json(&more).unwrap().contains(crate::REDACTED));
    }

    #[derive(Serialize)]
    struct Call {
        arguments: Value,
        exit: BTreeMap<u8, &'static str>,
    }

    #[test]
    fn keys_of_maps_have_no_secrets_and_names_of_fields_stay() {
        let redactor = Redactor::new(["arguments", "hunter2-hunter2"]);
        let arguments =
            json!({ "a": 2, "hunter2%2Dhunter2": [{ "arguments": "arguments" }], "hunter2-hunter2": 1 });
        let call = Call { arguments, exit: BTreeMap::from([(7, "arguments")]) };
        let expected = json!({
            "arguments": { "[redacted]": [{ "[redacted]": "[redacted]" }], "[redacted] 2": 1, "a": 2 },
            "exit": { "7": "[redacted]" },
        });
        assert_eq!(serde_json::from_str::<Value>(&redactor.json(&call).unwrap()).unwrap(), expected);
    }

    #[test]
    fn an_output_of_which_two_ends_are_kept_has_no_parts_of_secrets_at_them() {
        let redactor = Redactor::new(["correct-horse-battery"]);
        let clean = |value: Value| serde_json::from_str::<Value>(&redactor.json(&value).unwrap()).unwrap();
        let cut = json!({ "stdout": { "omitted": 7, "head": [[255], "is correct-ho"], "tail": ["-battery!", [9]] } });
        let expected = json!({ "stdout": { "omitted": 7, "head": [[255], "is [redacted]"], "tail": ["[redacted]!", [9]] } });
        assert_eq!(clean(cut), expected);
        let whole = json!({ "head": ["is correct-ho"], "tail": ["rse-battery!"] });
        assert_eq!(clean(whole), json!({ "head": ["is "], "tail": ["[redacted]!"] }));
        let short = json!({ "head": ["is correct-ho"] });
        assert_eq!(clean(short.clone()), short);
        let other = json!({ "head": "is correct-ho", "tail": 3, "omitted": 1 });
        assert_eq!(clean(other.clone()), other);
    }
}

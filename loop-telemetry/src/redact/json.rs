//! Redacts JSON.
//!
//! We do not search the JSON text itself: a secret such as `12345678` must not disappear from a number, nor a secret
//! word from the name of one of our fields, and the result must be JSON. So we redact the texts and the keys of maps
//! before we write them.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{REDACTED, Redactor, keys::RedactedKeys};

impl Redactor {
    /// Returns the JSON of a value without the secrets in its texts and in the keys of its maps. Numbers and the names
    /// of struct fields stay, so the result is JSON that can be read back, whatever the secrets are. The keys of an
    /// object are in alphabetical order. If several keys are equal after redaction, the later ones get numbers.
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
    /// If the value cannot be written as JSON because a map has keys that are not texts.
    pub fn json(&self, value: &impl Serialize) -> Result<String, serde_json::Error> {
        serde_json::to_string(&self.value(value)?)
    }

    /// Like [`json`](Self::json), appended to bytes.
    pub(crate) fn write_json(
        &self,
        value: &impl Serialize,
        to: &mut Vec<u8>,
    ) -> Result<(), serde_json::Error> {
        serde_json::to_writer(to, &self.value(value)?)
    }

    /// Like [`json`](Self::json), as a value.
    pub(crate) fn value(&self, value: &impl Serialize) -> Result<Value, serde_json::Error> {
        let mut value = value.serialize(RedactedKeys::new(self, serde_json::value::Serializer))?;
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
            Value::Array(values) => {
                values.iter_mut().for_each(|value| self.redact_value(value));
                self.redact_list(values);
            }
            Value::Object(fields) => {
                self.redact_edges(fields);
                let is_attachment = is_attachment(fields);
                for (key, value) in fields {
                    match value {
                        // The bytes of an attachment, such as a picture, may look like a key by chance. Redaction would
                        // damage them. A known secret is not there by chance.
                        Value::String(text) if is_attachment && key == "base64" => {
                            if let Cow::Owned(clean) = self.without_shapes().redact(text) {
                                *text = clean;
                            }
                        }
                        other => self.redact_value(other),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Replaces a list that spells a secret, as its characters or as numbers. A list of numbers becomes one that spells
    /// [`REDACTED`], so that a value of bytes can still be read back.
    fn redact_list(&self, values: &mut Vec<Value>) {
        let are_numbers = values.iter().all(Value::is_number);
        if values.len() < LEAST_LISTED || !(are_numbers || values.iter().all(is_scalar)) {
            return;
        }
        let parts: Vec<_> = values.iter().map(spelled).collect();
        // A text with a mark where it was cut comes back as a copy, even without a secret.
        let is_secret = |text: &str| self.redact(text) != text;
        if !parts.contains(&REDACTED.into()) && (is_secret(&parts.join(",")) || is_secret(&parts.concat())) {
            *values = match are_numbers {
                true => REDACTED.bytes().map(Value::from).collect(),
                false => vec![REDACTED.into()],
            };
        }
    }

    /// Redacts an output of which two ends are kept: lists of texts called `head` and `tail`, and the number of missing
    /// bytes between them, `omitted`, which is absent if none are missing.
    fn redact_edges(&self, fields: &mut Map<String, Value>) {
        let omitted = fields.get("omitted").and_then(Value::as_u64).unwrap_or(0);
        let edge = |ends: &Map<String, Value>, key: &str, of: fn(&[Value]) -> Option<&Value>| {
            Some(of(ends.get(key)?.as_array()?)?.as_str()?.to_owned())
        };
        // Without text at one of the edges, no secret crosses them, and none was cut.
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

/// The minimum length of a list that can spell a secret.
const LEAST_LISTED: usize = 2;

const fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_))
}

/// Returns the text of a value without quotes.
fn spelled(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Into::into)
}

/// Returns whether it is a file attached for a model: its type, its bytes in base 64, and perhaps its name.
fn is_attachment(fields: &Map<String, Value>) -> bool {
    let is_known = |key: &String| matches!(key.as_str(), "media_type" | "base64" | "name");
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    fields.get("media_type").is_some_and(Value::is_string)
        && fields.get("base64").and_then(Value::as_str).is_some_and(|text| text.bytes().all(is_digit))
        && fields.keys().all(is_known)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_picture_is_left_as_it_is() {
        const KEY: &str = "AKIAIOSFODNN7EXAMPLE";
        let redactor = Redactor::new(["hunter2hunter2"]).shapes();
        let picture = json!({ "media_type": "image/png", "base64": KEY, "name": "a.png" });
        assert_eq!(redactor.json(&picture).unwrap(), picture.to_string());
        for other in [
            json!({ "media_type": "image/png", "base64": KEY, "text": "" }),
            json!({ "media_type": "image/png", "base64": format!("{KEY} ") }),
            json!({ "media_type": KEY, "base64": "" }),
            json!({ "media_type": "a", "base64": "", "name": KEY }),
            json!({ "media_type": "image/png", "base64": "aHVudGVyMmh1bnRlcjI=" }),
        ] {
            assert!(redactor.json(&other).unwrap().contains(crate::REDACTED), "{other}");
        }
    }

    #[test]
    fn a_list_with_a_cut_text_stays_if_it_spells_no_secret() {
        let redactor = Redactor::new(["hunter2hunter2"]).shapes();
        let list = json!(["npm run watch --verb…", "sleep 321"]);
        assert_eq!(redactor.json(&list).unwrap(), list.to_string());
        for secret in [json!(["npm…", "hunter2", "hunter2"]), json!(["hunter2hun…", "sleep 321"])] {
            let clean = redactor.json(&secret).unwrap();
            assert!(clean.contains(crate::REDACTED) && !clean.contains("hunter2"), "{clean}");
        }
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
    fn a_list_that_spells_a_secret_is_replaced() {
        const SECRET: &str = "Zx9-qWeRtYuIoPaSdFgH12345";
        let redactor = Redactor::new([SECRET]);
        let characters: Vec<_> = SECRET.chars().map(String::from).collect();
        let hex: Vec<_> = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
        for list in [json!(characters), json!(hex), json!([&SECRET[..9], &SECRET[9..]])] {
            let clean = redactor.json(&json!({ "path": list })).unwrap();
            assert_eq!(clean, r#"{"path":["[redacted]"]}"#, "{list}");
        }
        let bytes = redactor.json(&SECRET.as_bytes()).unwrap();
        assert_eq!(serde_json::from_str::<Vec<u8>>(&bytes).unwrap(), REDACTED.as_bytes());
        for other in [json!(["a", "b", 3]), json!([SECRET.len(), 4, 5]), json!([["Z", "x"], ["9"]])] {
            assert_eq!(redactor.json(&other).unwrap(), other.to_string());
        }
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

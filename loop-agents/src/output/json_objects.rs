//! Finds the JSON objects in a text.

use std::{
    cell::{Cell, RefCell},
    fmt,
    ops::Range,
};

use serde::{
    Deserializer,
    de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value, map::Entry};

/// The reason why the objects of a text are not reliable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonObjectError {
    #[error("it contains no JSON object")]
    None,
    #[error("its last JSON object is cut off")]
    CutOff,
    #[error("it is nested too deeply")]
    TooDeep,
    #[error(
        "a brace or a bracket follows its last JSON object, which may be part of a larger, unreadable one"
    )]
    Broken,
}

/// The maximum nesting of a value. The parser's own limit is 128.
const MAX_DEPTH: usize = 100;

/// Returns the JSON objects in `text` that are not inside of another object or a list.
///
/// Fails if the text ends within an object, or if something closes after the last one. Then the objects are part of
/// something unreadable, which may say the opposite.
pub(crate) fn outermost(text: &str) -> Result<Vec<Range<usize>>, JsonObjectError> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) {
        let reader = Reader::default();
        let mut from = serde_json::Deserializer::from_str(&text[start..]);
        at = match reader.value(&mut from) {
            Ok(value) => {
                let end = start + from.into_iter::<Value>().byte_offset();
                found.extend(value.is_object().then_some(start..end));
                end
            }
            Err(error) if error.is_eof() => return Err(JsonObjectError::CutOff),
            // Stop here. Otherwise we would try each of its braces, each time up to the end of the text.
            Err(_) if reader.is_too_deep.get() => return Err(JsonObjectError::TooDeep),
            // This brace belongs to prose or to code.
            Err(_) => start + 1,
        };
    }
    match found.last() {
        Some(last) if closes(&text[last.end..]) => Err(JsonObjectError::Broken),
        _ => Ok(found),
    }
}

/// Returns the place of the last of the objects.
pub(crate) fn last(text: &str) -> Result<Range<usize>, JsonObjectError> {
    outermost(text)?.pop().ok_or(JsonObjectError::None)
}

/// Returns true if a brace or bracket closes in a text that did not open there. Such a brace never belongs to prose.
pub(crate) fn closes(text: &str) -> bool {
    let mut depth = 0_u64;
    for sign in text.chars() {
        match sign {
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            ']' | '}' => return true,
            _ => {}
        }
    }
    false
}

/// Reads an object without duplicate keys, at any depth. A parser that kept one of two values would choose silently.
pub(crate) fn unique(text: &str) -> Option<Value> {
    let ParsedJson { value, duplicate_keys } = read(text).ok()?;
    (value.is_object() && duplicate_keys.is_empty()).then_some(value)
}

/// Reads JSON in which no object has a key twice.
///
/// # Errors
/// The text is not JSON, or a key appears twice in an object.
///
/// ```
/// use loop_agents::output::unique_json;
///
/// assert_eq!(unique_json("[{\"a\": 1}, {\"a\": 2}]")?[1]["a"], 2);
/// assert_eq!(unique_json("{\"a\": 1, \"a\": 2}").unwrap_err().to_string(), "the key `a` appears twice");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn unique_json(text: &str) -> serde_json::Result<Value> {
    let ParsedJson { value, duplicate_keys } = read(text)?;
    match duplicate_keys.first() {
        None => Ok(value),
        Some(key) => Err(de::Error::custom(format!("the key `{key}` appears twice"))),
    }
}

/// A JSON value, and the duplicate keys that were set to `null`.
pub(crate) struct ParsedJson {
    pub(crate) value: Value,
    /// The keys that appear twice in an object, up to a limit.
    pub(crate) duplicate_keys: Vec<String>,
}

/// Reads JSON. A key that appears twice in an object becomes `null`, and is listed in the result, because we cannot
/// know which of its values is meant.
///
/// # Errors
/// Fails if the text is not JSON.
pub(crate) fn read(text: &str) -> serde_json::Result<ParsedJson> {
    let reader = Reader::default();
    let mut from = serde_json::Deserializer::from_str(text);
    let value = reader.value(&mut from)?;
    from.end()?;
    Ok(ParsedJson { value, duplicate_keys: reader.duplicate_keys.into_inner() })
}

/// The maximum number of duplicate keys to list.
const MAX_DUPLICATE_KEYS: usize = 8;

/// Reads one value, and records its problems.
#[derive(Default)]
struct Reader {
    duplicate_keys: RefCell<Vec<String>>,
    is_too_deep: Cell<bool>,
}

impl Reader {
    fn value<'de, D: Deserializer<'de>>(&self, from: D) -> Result<Value, D::Error> {
        Once { reader: self, depth: 0 }.deserialize(from)
    }
}

/// Accepts any value, and each key once.
#[derive(Clone, Copy)]
struct Once<'a> {
    reader: &'a Reader,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Once<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Once<'_> {
    /// Returns the visitor for the values inside this one.
    fn inner<E: de::Error>(self) -> Result<Self, E> {
        if self.depth == MAX_DEPTH {
            self.reader.is_too_deep.set(true);
            return Err(E::custom(JsonObjectError::TooDeep));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    fn doubles(self, key: String) {
        let mut duplicate_keys = self.reader.duplicate_keys.borrow_mut();
        if duplicate_keys.len() < MAX_DUPLICATE_KEYS && !duplicate_keys.contains(&key) {
            duplicate_keys.push(key);
        }
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let (inner, mut list) = (self.inner()?, Vec::new());
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let (inner, mut object) = (self.inner()?, Map::new());
        while let Some(key) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(inner)?;
            match object.entry(key) {
                Entry::Vacant(free) => _ = free.insert(value),
                Entry::Occupied(mut taken) => {
                    taken.insert(Value::Null);
                    self.doubles(taken.key().clone());
                }
            }
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn last_text(text: &str) -> Result<&str, JsonObjectError> {
        last(text).map(|range| &text[range])
    }

    proptest! {
        #[test]
        fn an_object_between_prose_is_found(before in "[^{}\\[\\]\"]{0,30}", after in "[^{}\\[\\]]{0,30}", value in "[{}\\[\\]a]{0,6}") {
            let object = serde_json::json!({ "it": { "is": value } }).to_string();
            let text = format!("{before}{object}{after}");
            prop_assert_eq!(last_text(&text), Ok(object.as_str()));
        }

        #[test]
        fn of_an_object_that_is_cut_off_nothing_is_taken(cut in any::<prop::sample::Index>()) {
            let object = r#"{"a": {"confidence": 0.9}, "b": [{"confidence": 1}], "c": "d"}"#;
            let cut = 1 + cut.index(object.len() - 1);
            prop_assert_eq!(last_text(&object[..cut]), Err(JsonObjectError::CutOff));
        }

        #[test]
        fn an_object_in_which_no_key_stands_twice_is_read_as_it_is(text in "\\PC{0,9}", number: f64, other: i64) {
            let object = serde_json::json!({ "a": [text, number, null, { "b": true }], "c": { "a": other } });
            prop_assert_eq!(unique(&object.to_string()), Some(object));
        }

        #[test]
        fn one_with_a_key_that_stands_twice_is_none(depth in 0..9_usize, first in "[ab]", second in "[ab]") {
            let inner = format!("{{\"{first}\": 1, \"c\": [], \"{second}\": 2}}");
            let text = format!("{}{inner}{}", "{\"d\": [".repeat(depth), "]}".repeat(depth));
            prop_assert_eq!(unique(&text).is_some(), first != second);
        }

        #[test]
        fn any_text_is_read_to_its_end(text in any::<String>()) {
            let _ = last_text(&text);
        }
    }

    #[test]
    fn a_key_that_appears_twice_has_no_value_and_a_name() {
        let ParsedJson { value, duplicate_keys } =
            read(r#"{"a": 1, "b": [{"c": 1, "\u0063": 2, "c": 3, "d": 4}], "a": 2, "e": 5}"#).unwrap();
        assert_eq!(value, serde_json::json!({"a": null, "b": [{"c": null, "d": 4}], "e": 5}));
        assert_eq!(duplicate_keys, ["c", "a"]);
        assert!(read("{} {}").is_err());
    }

    #[test]
    fn the_last_counts_and_not_its_parts() {
        assert_eq!(last_text(r#"{"a": 1} and {"b": {"c": 2}}."#), Ok(r#"{"b": {"c": 2}}"#));
        assert_eq!(last_text("fn main() { } and {\"b\": 2}\n```"), Ok("{\"b\": 2}"));
        assert_eq!(last_text("no { object"), Err(JsonObjectError::None));
        assert_eq!(last_text(r#"{"a": {"b": 1}, oops}"#), Err(JsonObjectError::Broken));
        assert_eq!(last_text(r#"{"a": 1} {"b": "he said "no""}"#), Err(JsonObjectError::Broken));
        assert_eq!(last_text(r#"see [1] and [this] {"a": 1} [it]"#), Ok(r#"{"a": 1}"#));
        assert_eq!(last_text(r#"{"a": 1} [{"b": 2}]"#), Err(JsonObjectError::Broken));
        assert_eq!(last_text(r#"[{"a": 1}]"#), Err(JsonObjectError::None));
        assert_eq!(last_text(r#"[{"a": 1}, oops]"#), Err(JsonObjectError::Broken));
        assert_eq!(last_text(r#"[{"a": 1}"#), Err(JsonObjectError::CutOff));
    }

    #[test]
    fn a_text_of_braces_does_not_take_for_ever() {
        let text = r#"{"a":"#.repeat(100_000) + "x";
        assert_eq!(last_text(&text), Err(JsonObjectError::TooDeep));
        assert_eq!(last_text(&"{".repeat(100_000)), Err(JsonObjectError::CutOff));
        assert_eq!(last_text(&("{".repeat(100_000) + "x")), Err(JsonObjectError::None));
    }
}

//! The last JSON object of a text.

use serde_json::Value;

/// Why a text has no last object that can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoObject {
    #[error("there is no JSON object in it")]
    None,
    #[error("its last JSON object is cut off")]
    CutOff,
    #[error("it is nested too deep to be read")]
    TooDeep,
    #[error("a brace stands behind its last JSON object, as if that were part of one that cannot be read")]
    Broken,
}

/// What the parser says of a value that is nested without end.
const TOO_DEEP: &str = "recursion limit exceeded";

/// The last JSON object that stands in `text` and in no other object.
///
/// A text that ends within an object has none, and neither has one in which a brace closes after the last: what
/// was found is then part of something that cannot be read, and that may say the opposite.
pub(super) fn last(text: &str) -> Result<&str, NoObject> {
    let (mut found, mut at) = (None, 0);
    while let Some(start) = text[at..].find('{').map(|offset| at + offset) {
        let mut objects = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        at = match objects.next() {
            Some(Ok(_)) => {
                let end = start + objects.byte_offset();
                found = Some(start..end);
                end
            }
            Some(Err(error)) if error.is_eof() => return Err(NoObject::CutOff),
            // Else each of its braces would be tried, all of them to the end of the text.
            Some(Err(error)) if error.to_string().starts_with(TOO_DEEP) => return Err(NoObject::TooDeep),
            // A brace of prose or of code.
            _ => start + 1,
        };
    }
    let found = found.ok_or(NoObject::None)?;
    if text[found.end..].contains('}') { Err(NoObject::Broken) } else { Ok(&text[found]) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_object_between_prose_is_found(before in "[^{}\"]{0,30}", after in "[^{}]{0,30}", value in "[{}\\[\\]a]{0,6}") {
            let object = serde_json::json!({ "it": { "is": value } }).to_string();
            let text = format!("{before}{object}{after}");
            prop_assert_eq!(last(&text), Ok(object.as_str()));
        }

        #[test]
        fn of_an_object_that_is_cut_off_nothing_is_taken(cut in any::<prop::sample::Index>()) {
            let object = r#"{"a": {"confidence": 0.9}, "b": [{"confidence": 1}], "c": "d"}"#;
            let cut = 1 + cut.index(object.len() - 1);
            prop_assert_eq!(last(&object[..cut]), Err(NoObject::CutOff));
        }

        #[test]
        fn any_text_is_read_to_its_end(text in any::<String>()) {
            let _ = last(&text);
        }
    }

    #[test]
    fn the_last_counts_and_not_its_parts() {
        assert_eq!(last(r#"{"a": 1} and {"b": {"c": 2}}."#), Ok(r#"{"b": {"c": 2}}"#));
        assert_eq!(last("fn main() { } and {\"b\": 2}\n```"), Ok("{\"b\": 2}"));
        assert_eq!(last("no { object"), Err(NoObject::None));
        assert_eq!(last(r#"{"a": {"b": 1}, oops}"#), Err(NoObject::Broken));
        assert_eq!(last(r#"{"a": 1} {"b": "he said "no""}"#), Err(NoObject::Broken));
    }

    #[test]
    fn a_text_of_braces_does_not_take_for_ever() {
        let text = r#"{"a":"#.repeat(100_000) + "x";
        assert_eq!(last(&text), Err(NoObject::TooDeep));
        assert_eq!(last(&"{".repeat(100_000)), Err(NoObject::CutOff));
        assert_eq!(last(&("{".repeat(100_000) + "x")), Err(NoObject::None));
    }
}

//! Stores captures and reads them again, byte for byte.
//!
//! Agents mostly print text. People read a journal, and tools search it for secrets, so a journal stores text as text.
//! Bytes that are not UTF-8 appear as numbers in between.

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeSeq};

use super::Capture;

/// The stored form of a capture.
#[derive(Serialize, Deserialize)]
struct StoredCapture {
    limit: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    omitted: u64,
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    head: Bytes,
    #[serde(default, skip_serializing_if = "Bytes::is_empty")]
    tail: Bytes,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Any bytes, stored as text, with numbers for bytes that are not UTF-8.
#[derive(Default, PartialEq, Debug)]
struct Bytes(Vec<u8>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Text(String),
    Numbers(Vec<u8>),
}

impl Bytes {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_seq(None)?;
        // Consecutive invalid bytes come in separate chunks.
        let mut numbers = Vec::new();
        for chunk in self.0.utf8_chunks() {
            if !chunk.valid().is_empty() {
                if !numbers.is_empty() {
                    parts.serialize_element(&std::mem::take(&mut numbers))?;
                }
                parts.serialize_element(chunk.valid())?;
            }
            numbers.extend_from_slice(chunk.invalid());
        }
        if !numbers.is_empty() {
            parts.serialize_element(&numbers)?;
        }
        parts.end()
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = Vec::<Part>::deserialize(deserializer)?;
        Ok(Self(
            parts
                .into_iter()
                .flat_map(|part| match part {
                    Part::Text(text) => text.into_bytes(),
                    Part::Numbers(numbers) => numbers,
                })
                .collect(),
        ))
    }
}

impl Serialize for Capture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (head, tail) = (Bytes(self.head().to_vec()), Bytes(self.tail().collect()));
        StoredCapture { limit: self.limit(), omitted: self.omitted(), head, tail }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Capture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredCapture { limit, omitted, head, tail } = StoredCapture::deserialize(deserializer)?;
        Ok(Self::of_parts(limit, head.0, omitted, tail.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_capture_is_read_again_as_it_was(
            limit in 0usize..40,
            pieces in prop::collection::vec(prop_oneof![any::<Vec<u8>>(), "\\PC{0,30}".prop_map(String::into_bytes)], 0..6),
            more in any::<Vec<u8>>(),
        ) {
            let mut capture = Capture::with_limit(limit);
            pieces.iter().for_each(|piece| capture.push(piece));
            let mut read: Capture = serde_json::from_str(&serde_json::to_string(&capture).unwrap()).unwrap();
            prop_assert_eq!(read.to_bytes(), capture.to_bytes());
            prop_assert_eq!((read.head(), read.omitted(), read.total()), (capture.head(), capture.omitted(), capture.total()));
            capture.push(&more);
            read.push(&more);
            prop_assert_eq!(read.to_bytes(), capture.to_bytes());
        }
    }

    #[test]
    fn text_stands_as_text() {
        let mut capture = Capture::with_limit(100);
        capture.push(b"caf\xC3\xA9 \xFF\xFE bar");
        let written = serde_json::to_string(&capture).unwrap();
        assert_eq!(written, r#"{"limit":100,"head":["café ",[255,254]," bar"]}"#);
    }

    #[test]
    fn what_was_redacted_may_be_longer_than_it_was() {
        let mut capture: Capture = serde_json::from_str(r#"{"limit":2,"head":["[redacted]"]}"#).unwrap();
        capture.push(b"x");
        assert_eq!(capture.to_bytes(), b"[redacted]x");
    }
}

//! Finds the end of a JSON object without parsing it.

/// Follows an object through its text, from its first brace on, in pieces.
#[derive(Debug, Default)]
pub(super) struct BraceCounter {
    depth: u64,
    in_string: bool,
    escaped: bool,
}

impl BraceCounter {
    /// Reads the next bytes. If the object ends in them, returns how many of them belong to it.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> Option<usize> {
        for (index, byte) in bytes.iter().enumerate() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Returns true if the bytes so far end inside of a string. A string never continues on the next line.
    pub(super) fn is_in_string(&self) -> bool {
        self.in_string
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<i32>().prop_map(|n| json!(n)),
            r#"[{}\[\]"\\a]{0,6}"#.prop_map(|s| json!(s))
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(r#"[{}"\\a]{0,4}"#, inner, 0..4).prop_map(|map| json!(map)),
            ]
        })
    }

    proptest! {
        #[test]
        fn an_object_ends_where_a_parser_says(value in values(), cut in any::<prop::sample::Index>(), after in r#"[{}"a ]{0,5}"#) {
            let object = json!({ "it": value }).to_string();
            let text = format!("{object}{after}");
            let mut braces = BraceCounter::default();
            let (first, rest) = text.as_bytes().split_at(cut.index(object.len()));
            prop_assert_eq!(braces.follow(first), None);
            prop_assert_eq!(braces.follow(rest), Some(object.len() - first.len()));
        }
    }
}

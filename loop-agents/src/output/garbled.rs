//! Counts bytes that are not UTF-8.

/// Returns how many of these bytes are not UTF-8. Such bytes show as U+FFFD.
///
/// A reader who sees U+FFFD in a text cannot tell whether the author wrote it. So programs that show bytes as text also
/// report this number.
///
/// ```
/// use loop_agents::output::garbled;
///
/// assert_eq!(garbled("é and \u{fffd}".as_bytes()), 0);
/// assert_eq!(garbled(b"caf\xe9 \xff\xfe"), 3);
/// ```
pub fn garbled(bytes: &[u8]) -> u64 {
    bytes.utf8_chunks().map(|chunk| chunk.invalid().len() as u64).sum()
}

/// Returns a note about such bytes, if there are any.
pub(crate) fn garbled_note(count: u64) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 byte is not UTF-8, and shows as U+FFFD".to_owned()),
        _ => Some(format!("{count} bytes are not UTF-8, and show as U+FFFD")),
    }
}

/// Removes an incomplete character from each end of the bytes.
pub(crate) fn whole_chars(bytes: &[u8]) -> &[u8] {
    let is_torn = |length: &usize| {
        let end = &bytes[bytes.len() - length..];
        std::str::from_utf8(end).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    let torn = (1..=bytes.len().min(3)).find(is_torn).unwrap_or(0);
    let whole = &bytes[..bytes.len() - torn];
    let is_rest = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    &whole[whole.iter().take(3).take_while(|byte| is_rest(byte)).count()..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_many_are_counted_as_were_put_in(parts in prop::collection::vec("[aé–😀]{0,4}", 1..6)) {
            let bytes = parts.iter().map(String::as_bytes).collect::<Vec<_>>().join(&[0xff][..]);
            prop_assert_eq!(garbled(&bytes), parts.len() as u64 - 1);
        }

        #[test]
        fn a_cut_makes_nothing_garbled(text in "[aé–😀]{0,12}", from in 0_usize..20, to in 0_usize..50) {
            let to = to.min(text.len());
            let cut = &text.as_bytes()[from.min(to)..to];
            prop_assert_eq!(garbled(whole_chars(cut)), 0);
        }
    }
}

//! The budget of recall.

use super::{HEADER, RecallItem};

/// Returns the number of tokens of a text: its bytes divided by 4, rounded up.
///
/// ```
/// use loop_knowledge::recall::tokens;
///
/// assert_eq!(tokens("12345"), 2);
/// ```
#[must_use]
pub const fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// Returns the items that fit with the header into the budget, redacted, in order. An item that does not fit is left
/// out, and smaller ones after it are still tried.
pub(super) fn within<E>(
    items: Vec<RecallItem>,
    budget_tokens: u64,
    redact: impl Fn(&str) -> Result<String, E>,
) -> Result<Vec<RecallItem>, E> {
    let whole = budget_tokens.saturating_mul(4);
    let Some(mut room) = whole.checked_sub(HEADER.len() as u64) else { return Ok(Vec::new()) };
    let mut chosen = Vec::new();
    for mut item in items {
        if item.text.len() as u64 > room {
            continue;
        }
        // Secrets may have become known since the item was stored. The replacement may be longer.
        item.text = redact(&item.text)?;
        let bytes = item.text.len() as u64;
        if bytes <= room {
            room -= bytes;
            chosen.push(item);
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;
    use crate::recall::{Recalled, Silo};

    fn item(number: usize, text: String) -> RecallItem {
        RecallItem { silo: Silo::Experience, id: number.to_string(), score: 0.5, text }
    }

    proptest! {
        #[test]
        fn recall_is_never_over_its_budget_and_always_in_order(
            texts in prop::collection::vec(any::<String>(), 0..20),
            lengths in prop::collection::vec(0..400_usize, 0..20),
            budget in 0..400_u64,
            growth in 0..3_usize,
        ) {
            let texts = texts.into_iter().chain(lengths.into_iter().map(|length| "é".repeat(length)));
            let items: Vec<_> = texts.enumerate().map(|(number, text)| item(number, text)).collect();
            let redact = |text: &str| Ok::<_, Infallible>(text.to_owned() + &"*".repeat(growth));
            let chosen = within(items.clone(), budget, redact).unwrap();
            let numbers: Vec<usize> = chosen.iter().map(|item| item.id.parse().unwrap()).collect();
            prop_assert!(numbers.is_sorted());
            let recalled = Recalled { items: chosen, ..Recalled::default() };
            prop_assert!(tokens(&recalled.text()) <= budget);
            // Each item is whole, and one that was left out did not fit behind those before it.
            let mut bytes = HEADER.len();
            for (number, item) in items.iter().enumerate() {
                let length = item.text.len() + growth;
                let is_chosen = numbers.contains(&number);
                prop_assert_eq!(is_chosen, (bytes + length) as u64 <= budget * 4);
                bytes += if is_chosen { length } else { 0 };
            }
        }
    }
}

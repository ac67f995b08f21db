//! Check digits, as the standards define them.

/// Returns whether the last of these characters is the check digit of ISO 7064 MOD 11-2 for the digits before it. ORCID
/// and ISNI use it; `X` means 10.
pub(super) fn is_mod_11_2(digits: &str) -> bool {
    let Some((number, last)) = digits.split_at_checked(digits.len().saturating_sub(1)) else { return false };
    let sum = values(number).try_fold(0, |sum, value| Some((sum + value?) * 2 % 11));
    sum.is_some_and(|sum| check_value(last) == Some((12 - sum) % 11))
}

/// Returns whether these ten characters are an ISBN-10 (ISO 2108:1992): the weights fall from 10 to 1.
pub(super) fn is_isbn_10(digits: &str) -> bool {
    digits.len() == 10 && is_weighted(digits)
}

/// Returns whether these eight characters are an ISSN (ISO 3297): the weights fall from 8 to 1.
pub(super) fn is_issn(digits: &str) -> bool {
    digits.len() == 8 && is_weighted(digits)
}

fn is_weighted(digits: &str) -> bool {
    let (number, last) = digits.split_at(digits.len() - 1);
    let weights = (2..=digits.len() as u32).rev();
    let sum = values(number).zip(weights).try_fold(0, |sum, (value, weight)| Some(sum + value? * weight));
    sum.zip(check_value(last)).is_some_and(|(sum, last)| (sum + last).is_multiple_of(11))
}

/// Returns the last digit of the ISBN-13 (ISO 2108, as EAN-13) with these twelve digits.
pub(super) fn isbn_13_digit(twelve: &str) -> Option<char> {
    let weights = [1, 3].into_iter().cycle();
    let sum = values(twelve).zip(weights).try_fold(0, |sum, (value, weight)| Some(sum + value? * weight))?;
    char::from_digit((10 - sum % 10) % 10, 10)
}

/// Returns whether these nine characters are a ROR identifier: a zero, six characters of Crockford's base 32, and two
/// digits of ISO 7064 MOD 97-10.
pub(super) fn is_ror(characters: &str) -> bool {
    let Some((number, digits)) = characters.split_at_checked(7).filter(|_| characters.len() == 9) else {
        return false;
    };
    let number = number.bytes().try_fold(0_u64, |number, byte| {
        let value = BASE_32.iter().position(|sign| *sign == byte)?;
        Some(number * 32 + value as u64)
    });
    characters.starts_with('0')
        && number.is_some_and(|number| digits.parse::<u64>().ok() == Some(98 - number * 100 % 97))
}

const BASE_32: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn values(digits: &str) -> impl Iterator<Item = Option<u32>> {
    digits.chars().map(|digit| digit.to_digit(10))
}

fn check_value(last: &str) -> Option<u32> {
    if last.eq_ignore_ascii_case("x") { Some(10) } else { last.parse().ok() }
}

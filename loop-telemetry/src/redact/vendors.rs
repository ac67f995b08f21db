//! Tokens of vendors that no prefix shows: their mark is in the middle, or begins with common letters.

use std::ops::Range;

/// Finds the tokens in a line.
pub(super) fn tokens(line: &str) -> Vec<Range<usize>> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_.:-".contains(letter);
    let words = line.split(|letter| !is_part(letter)).filter(|word| word.len() >= 34);
    let start = |part: &str| part.as_ptr() as usize - line.as_ptr() as usize;
    let found = words.flat_map(|word| {
        let parts = word.split(':').map(|part| part.trim_matches('.'));
        let parts = parts.filter(|part| twilio(part) || terraform(part) || discord(part));
        parts.chain(telegram(word))
    });
    found.map(|token| start(token)..start(token) + token.len()).collect()
}

/// `SK` and 32 hexadecimal digits.
fn twilio(part: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    part.strip_prefix("SK").is_some_and(|digits| digits.len() == 32 && digits.bytes().all(is_digit))
}

/// 14 letters, `.atlasv1.`, and 60 letters or more.
fn terraform(part: &str) -> bool {
    let is_letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let Some((user, secret)) = part.split_once(".atlasv1.") else { return false };
    user.len() == 14 && is_letters(user) && secret.len() >= 60 && secret.bytes().all(is_url_base64)
}

/// The number of the user in base 64, a time, and a signature. Of each group of base 64, digits make the first letter one
/// of three.
fn discord(part: &str) -> bool {
    let parts: Vec<_> = part.split('.').collect();
    let [user, time, signature] = parts[..] else { return false };
    let lengths = (23..=28).contains(&user.len()) && time.len() == 6 && (27..=38).contains(&signature.len());
    lengths
        && user.bytes().step_by(4).all(|first| b"MNO".contains(&first))
        && part.bytes().all(|byte| byte == b'.' || is_url_base64(byte))
}

/// The number of the bot, `:`, and 35 letters. In an address, `bot` precedes it.
fn telegram(word: &str) -> Option<&str> {
    word.match_indices(':').find_map(|(at, _)| {
        let before = &word[..at];
        let name = before.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let secret = word[at + 1..].split(['.', ':']).next()?;
        let is_begin =
            name.ends_with("bot") || !name.ends_with(|letter: char| letter.is_ascii_alphanumeric());
        let is_token = (8..=10).contains(&(before.len() - name.len()))
            && is_begin
            && secret.len() == 35
            && secret.bytes().all(is_url_base64);
        is_token.then(|| &word[name.len()..at + 1 + secret.len()])
    })
}

const fn is_url_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_by_the_whole_shape() {
        let letters = "aB3-x_Y7z".repeat(8);
        let hex = "0a1b2c3d".repeat(4);
        for token in [
            format!("SK{hex}"),
            format!("a1B2c3D4e5F6g7.atlasv1.{}", &letters[..67]),
            format!("MTIzNDU2Nzg5MDEyMzQ1Njc4.Gabc12.{}", &letters[..38]),
            format!("123456789:AA{}", &letters[..33]),
        ] {
            for text in ["TOKEN", "key:TOKEN.", "ä (TOKEN), x", "https://host/botTOKEN/send", "a=\"TOKEN\""]
            {
                if text.contains("bot") && !token.contains(':') {
                    continue;
                }
                let line = text.replace("TOKEN", &token);
                let found: Vec<_> = tokens(&line).into_iter().map(|range| line[range].to_owned()).collect();
                assert_eq!(found, [token.as_str()], "{line}");
            }
        }
    }

    #[test]
    fn similar_words_stay() {
        let hex = "0a1b2c3d".repeat(4);
        for text in [
            hex.clone(),
            format!("SK{hex}0"),
            format!("DISK{hex}"),
            format!("sk{hex}"),
            "MainModuleOfTheProgram12.format.and_a_long_name_of_some_function".to_owned(),
            "2026-11-29T10:00:00.000000000Z 123456789:some_word".to_owned(),
            "x.atlasv1.y".repeat(4),
        ] {
            assert_eq!(tokens(&text), Vec::<Range<usize>>::new(), "{text}");
        }
    }
}

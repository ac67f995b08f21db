//! The part of an identifier behind its kind.

use super::{
    check_digits::{is_isbn_10, is_issn, is_mod_11_2, is_ror, isbn_13_digit},
    kind::IdentifierKind,
};

/// Parses the identifier of this kind at the start of a text. Returns its own kind, its normal form, and its length in
/// bytes: a DOI can be that of a funder, and a Handle a DOI.
pub(super) fn parse(kind: IdentifierKind, text: &str) -> Option<(IdentifierKind, String, usize)> {
    let (value, length) = match kind {
        IdentifierKind::Doi | IdentifierKind::Funder | IdentifierKind::Raid => doi(text)?,
        IdentifierKind::Handle => handle(text)?,
        IdentifierKind::ArXiv => arxiv(text)?,
        IdentifierKind::Orcid => orcid(text)?,
        IdentifierKind::Isni => isni(text)?,
        IdentifierKind::Isbn => isbn(text)?,
        IdentifierKind::Issn => issn(text)?,
        IdentifierKind::Ror => ror(text)?,
        IdentifierKind::Pmid => pmid(text)?,
        IdentifierKind::Pmcid => pmcid(text)?,
        IdentifierKind::Ark => ark(text)?,
        IdentifierKind::Swhid => swhid(text)?,
    };
    let is_funder = value.starts_with("10.13039/");
    let kind = match kind {
        IdentifierKind::Funder if !is_funder => return None,
        IdentifierKind::Doi | IdentifierKind::Handle if is_funder => IdentifierKind::Funder,
        IdentifierKind::Handle if value.starts_with("10.") => IdentifierKind::Doi,
        kind => kind,
    };
    Some((kind, value, length))
}

/// A prefix of 4 to 9 digits, perhaps divided further, and any suffix. The text around a DOI often touches it.
fn doi(text: &str) -> Option<(String, usize)> {
    let registrant = text.strip_prefix("10.")?;
    let digits = leading(registrant, |sign| sign.is_ascii_digit());
    if !(4..=9).contains(&digits.len()) {
        return None;
    }
    handle(text)
}

/// A prefix of digits and points, a slash, and any suffix.
fn handle(text: &str) -> Option<(String, usize)> {
    let prefix = leading(text, |sign| sign.is_ascii_digit() || sign == '.');
    let suffix = text[prefix.len()..].strip_prefix('/')?;
    let suffix = without_sentence(leading(suffix, |sign| {
        !sign.is_whitespace() && !sign.is_control() && !matches!(sign, '<' | '>' | '"' | '`')
    }));
    let length = prefix.len() + 1 + suffix.len();
    let is_prefix = prefix.starts_with(|sign: char| sign.is_ascii_digit()) && !prefix.ends_with('.');
    (is_prefix && !suffix.is_empty()).then(|| (text[..length].to_lowercase(), length))
}

/// Removes the punctuation of the sentence from the end of a suffix, and a bracket that was opened before it.
fn without_sentence(mut suffix: &str) -> &str {
    loop {
        let Some(last) = suffix.chars().next_back() else { return suffix };
        let is_closing = [('(', ')'), ('[', ']'), ('{', '}')].iter().any(|(open, close)| {
            *close == last && suffix.matches(*close).count() > suffix.matches(*open).count()
        });
        if !is_closing && !matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '’' | '”' | '*' | '_')
        {
            return suffix;
        }
        suffix = &suffix[..suffix.len() - last.len_utf8()];
    }
}

/// `2101.00001v2` since April 2007, `hep-th/9901001` before.
fn arxiv(text: &str) -> Option<(String, usize)> {
    let word = leading(text, |sign| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '/' | '-'));
    let word = word.trim_end_matches(['.', '-', '/']);
    let length = word.len();
    let word = word.strip_suffix(".pdf").unwrap_or(word);
    let (number, version) = match word.rsplit_once('v') {
        Some((number, version)) if is_digits(version, 1..=3) => (number, Some(version)),
        _ => (word, None),
    };
    let is_month = |digits: &str| matches!(digits[2..4].parse(), Ok(1..=12_u8));
    let is_new = |(month, number): (&str, &str)| {
        is_digits(month, 4..=4) && is_digits(number, 4..=5) && is_month(month)
    };
    let is_old = |(archive, number): (&str, &str)| {
        let (field, class) = archive.split_once('.').unwrap_or((archive, "AA"));
        field.starts_with(|sign: char| sign.is_ascii_lowercase())
            && field.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-')
            && class.len() == 2
            && class.chars().all(|sign| sign.is_ascii_uppercase())
            && is_digits(number, 7..=7)
            && is_month(number)
    };
    let is_arxiv = number.split_once('.').is_some_and(is_new) || number.split_once('/').is_some_and(is_old);
    let version = version.map(|version| format!("v{version}")).unwrap_or_default();
    is_arxiv.then(|| (format!("{number}{version}"), length))
}

/// Four groups with hyphens.
fn orcid(text: &str) -> Option<(String, usize)> {
    let word = group(text, 19, |sign| sign == '-')?;
    let are_hyphens = word.char_indices().all(|(at, sign)| (sign == '-') == (at % 5 == 4));
    let compact = word.replace('-', "").to_uppercase();
    let is_orcid = are_hyphens && compact.starts_with("000") && compact.len() == 16 && is_mod_11_2(&compact);
    is_orcid.then(|| (word.to_uppercase(), word.len()))
}

fn isni(text: &str) -> Option<(String, usize)> {
    let (compact, length) = spaced(text, 16)?;
    is_mod_11_2(&compact).then_some((compact, length))
}

/// Ten characters or thirteen, with hyphens or spaces between.
fn isbn(text: &str) -> Option<(String, usize)> {
    if let Some((compact, length)) = spaced(text, 13)
        && ["978", "979"].iter().any(|prefix| compact.starts_with(prefix))
    {
        return (isbn_13_digit(&compact[..12]) == compact.chars().last()).then_some((compact, length));
    }
    let (compact, length) = spaced(text, 10).filter(|(compact, _)| is_isbn_10(compact))?;
    let twelve = format!("978{}", &compact[..9]);
    let last = isbn_13_digit(&twelve)?;
    Some((format!("{twelve}{last}"), length))
}

fn issn(text: &str) -> Option<(String, usize)> {
    let word = group(text, 9, |sign| sign == '-')?;
    let (start, end) = word.split_at(4);
    let end = end.strip_prefix('-')?;
    is_issn(&format!("{start}{end}")).then(|| (word.to_uppercase(), word.len()))
}

fn ror(text: &str) -> Option<(String, usize)> {
    let word = leading(text, |sign| sign.is_ascii_alphanumeric());
    let value = word.to_ascii_lowercase();
    is_ror(&value).then_some((value, word.len()))
}

fn pmid(text: &str) -> Option<(String, usize)> {
    let word = leading(text, |sign| sign.is_ascii_alphanumeric());
    (is_digits(word, 1..=8) && !word.starts_with('0')).then(|| (word.to_owned(), word.len()))
}

fn pmcid(text: &str) -> Option<(String, usize)> {
    let word = leading(text, |sign| sign.is_ascii_alphanumeric());
    let digits = word.strip_prefix("PMC").or_else(|| word.strip_prefix("pmc"))?;
    (is_digits(digits, 1..=8) && !digits.starts_with('0')).then(|| (format!("PMC{digits}"), word.len()))
}

/// The number of a naming authority, a slash, and a name in which hyphens mean nothing.
fn ark(text: &str) -> Option<(String, usize)> {
    let body = text.strip_prefix('/').unwrap_or(text);
    let authority = leading(body, |sign| sign.is_ascii_alphanumeric());
    let name = body[authority.len()..].strip_prefix('/')?;
    let name = leading(name, |sign| sign.is_ascii_alphanumeric() || "=~*+@_$%-./".contains(sign));
    let name = name.trim_end_matches(|sign: char| !sign.is_ascii_alphanumeric());
    let is_ark = matches!(authority.len(), 5 | 9)
        && authority.chars().all(|sign| sign.is_ascii_digit() || sign.is_ascii_lowercase())
        && !name.is_empty();
    let length = text.len() - body.len() + authority.len() + 1 + name.len();
    is_ark.then(|| (format!("{authority}/{}", name.replace('-', "")), length))
}

/// `1:cnt:` and 40 hexadecimal digits, behind `swh:`.
fn swhid(text: &str) -> Option<(String, usize)> {
    let word = leading(text, |sign| sign.is_ascii_alphanumeric() || sign == ':').to_ascii_lowercase();
    let (object, digest) = word.strip_prefix("1:")?.split_once(':')?;
    let is_digest = digest.len() == 40 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_swhid = matches!(object, "cnt" | "dir" | "rev" | "rel" | "snp") && is_digest;
    let length = word.len();
    is_swhid.then_some((word, length))
}

/// Returns the beginning of a text, as far as all characters fit.
fn leading(text: &str, fits: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|sign| !fits(sign)).unwrap_or(text.len())]
}

/// Returns the first `length` bytes, if they are digits, `X` and separators, and the word ends there.
fn group(text: &str, length: usize, is_separator: impl Fn(char) -> bool) -> Option<&str> {
    let (word, rest) = text.split_at_checked(length)?;
    let fits =
        word.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, 'x' | 'X') || is_separator(sign));
    let is_end = !rest.starts_with(|sign: char| sign.is_alphanumeric());
    (fits && is_end).then_some(word)
}

/// Reads this many digits, the last of which may be `X`, with single hyphens or spaces between. Returns them, and the
/// length of the text in bytes.
fn spaced(text: &str, count: usize) -> Option<(String, usize)> {
    let mut compact = String::new();
    let mut is_after_digit = false;
    for (at, sign) in text.char_indices() {
        let is_last = compact.len() + 1 == count;
        match sign {
            '0'..='9' => compact.push(sign),
            'x' | 'X' if is_last => compact.push('X'),
            '-' | ' ' | '\u{2010}' | '\u{2011}' if is_after_digit => {}
            _ => return None,
        }
        is_after_digit = sign.is_ascii_digit();
        if compact.len() == count {
            let length = at + sign.len_utf8();
            let is_end = !text[length..].starts_with(|sign: char| sign.is_alphanumeric());
            return is_end.then_some((compact, length));
        }
    }
    None
}

fn is_digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

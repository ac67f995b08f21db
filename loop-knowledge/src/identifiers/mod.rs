//! Identifiers of works, people and organisations in texts: DOI, ORCID, ISBN and eleven others.
//!
//! ```
//! use loop_knowledge::identifiers::{Identifier, IdentifierKind, find};
//!
//! let text = "See https://doi.org/10.1000/182 (ISBN 0-306-40615-2), by 0000-0002-1825-0097.";
//! let found: Vec<_> = find(text).into_iter().map(|found| found.identifier.to_string()).collect();
//! assert_eq!(found, ["doi:10.1000/182", "isbn:9780306406157", "orcid:0000-0002-1825-0097"]);
//!
//! let article: Identifier = "PMID: 23193287".parse()?;
//! assert_eq!((article.kind(), article.value()), (IdentifierKind::Pmid, "23193287"));
//! assert!("ISSN 0378-5954".parse::<Identifier>().is_err(), "its check digit is wrong");
//! # Ok::<(), loop_knowledge::identifiers::InvalidIdentifier>(())
//! ```

mod bodies;
mod check_digits;
mod kind;
#[cfg(test)]
mod tests;

use std::{fmt, ops::Range, str::FromStr};

pub use self::kind::IdentifierKind;

/// An identifier in its normal form, without an address in front of it.
///
/// It is shown and parsed as `KIND:VALUE`: `doi:10.1000/182`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identifier {
    kind: IdentifierKind,
    value: String,
}

impl Identifier {
    /// Returns the kind.
    pub fn kind(&self) -> IdentifierKind {
        self.kind
    }

    /// Returns the normal form of the value:
    ///
    /// | kind | normal form |
    /// | --- | --- |
    /// | DOI, funder, RAiD, Handle | in lower case, from the prefix on |
    /// | arXiv | with its version, if there is one |
    /// | ORCID | four groups, with hyphens |
    /// | ISNI | 16 characters |
    /// | ISBN | 13 digits, also where the text has ten |
    /// | ISSN | two groups, with a hyphen |
    /// | PMID, PMCID | `23193287`, `PMC3531190` |
    /// | ARK | from the number of the authority on, without hyphens |
    /// | ROR, SWHID | in lower case; a SWHID without its qualifiers |
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.value)
    }
}

/// A text that is not one identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no identifier: write its kind in front of it, as in `doi:10.1000/182` or `ISBN 0-306-40615-2`, \
     and compare its check digit"
)]
pub struct InvalidIdentifier(pub String);

impl FromStr for Identifier {
    type Err = InvalidIdentifier;

    /// Parses one identifier. Spaces around it do not matter.
    ///
    /// # Errors
    /// The text is no identifier, has a wrong check digit, or contains anything else.
    fn from_str(text: &str) -> Result<Self, InvalidIdentifier> {
        let trimmed = text.trim();
        at_start(trimmed)
            .filter(|(_, length)| *length == trimmed.len())
            .map(|(identifier, _)| identifier)
            .ok_or_else(|| InvalidIdentifier(text.to_owned()))
    }
}

/// An identifier and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundIdentifier {
    /// The identifier.
    pub identifier: Identifier,
    /// The bytes of the text, with the kind or the address in front.
    pub range: Range<usize>,
}

/// Finds the identifiers in a text, from its beginning to its end. Takes time in proportion to the text.
///
/// An identifier counts only if the text says of which kind it is: by a word in front (`ISSN 0378-5955`), by an address
/// (`https://ror.org/03yrm5c26`), or by its own form (`10.1000/182`, `PMC3531190`, an ORCID with its hyphens). A
/// number with a wrong check digit is no identifier.
pub fn find(text: &str) -> Vec<FoundIdentifier> {
    let mut found = Vec::new();
    let (mut at, mut is_in_word) = (0, false);
    while let Some(sign) = text[at..].chars().next() {
        match (!is_in_word).then(|| at_start(&text[at..])).flatten() {
            Some((identifier, length)) => {
                found.push(FoundIdentifier { identifier, range: at..at + length });
                (at, is_in_word) = (at + length, true);
            }
            None => (at, is_in_word) = (at + sign.len_utf8(), sign.is_alphanumeric()),
        }
    }
    found
}

/// Returns the identifier at the start of a text, and its length in bytes.
fn at_start(text: &str) -> Option<(Identifier, usize)> {
    let whole = text;
    let text = &whole[..whole.floor_char_boundary(LONGEST)];
    if !text.starts_with(|sign: char| sign.is_ascii_alphanumeric()) {
        return None;
    }
    let (kinds, body) = kind::named(text).unwrap_or((IdentifierKind::BY_FORM, text));
    kinds.iter().find_map(|kind| {
        let (kind, value, length) = bodies::parse(*kind, body)?;
        let length = text.len() - body.len() + length;
        // One that reaches the bound may go on behind it.
        (length < text.len() || text.len() == whole.len()).then_some((Identifier { kind, value }, length))
    })
}

/// The longest identifier with the address in front of it, in bytes. It keeps the search linear.
const LONGEST: usize = 400;

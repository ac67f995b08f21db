//! Kinds, and the words and addresses that name them.

use std::fmt;

/// A kind of identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum IdentifierKind {
    /// A work: ISO 26324.
    Doi,
    /// A preprint at arXiv.
    ArXiv,
    /// A researcher.
    Orcid,
    /// A research organisation.
    Ror,
    /// A person or an organisation: ISO 27729.
    Isni,
    /// A book: ISO 2108.
    Isbn,
    /// A periodical: ISO 3297.
    Issn,
    /// An article in `PubMed`.
    Pmid,
    /// An article in `PubMed` Central.
    Pmcid,
    /// An object of the Handle system: RFC 3650.
    Handle,
    /// An archival resource key.
    Ark,
    /// A funder in the registry of Crossref: a DOI with the prefix 10.13039.
    Funder,
    /// A research activity: ISO 23527.
    Raid,
    /// A software artefact: ISO/IEC 18670.
    Swhid,
}

use IdentifierKind::{
    ArXiv, Ark, Doi, Funder, Handle, Isbn, Isni, Issn, Orcid, Pmcid, Pmid, Raid, Ror, Swhid,
};

impl IdentifierKind {
    /// All kinds.
    pub const ALL: [Self; 14] =
        [Doi, ArXiv, Orcid, Ror, Isni, Isbn, Issn, Pmid, Pmcid, Handle, Ark, Funder, Raid, Swhid];

    /// The kinds that need no word in front.
    pub(super) const BY_FORM: &'static [Self] = &[Doi, Orcid, Pmcid];

    /// Returns the word for this kind, in lower case: `doi`.
    pub const fn word(self) -> &'static str {
        match self {
            Doi => "doi",
            ArXiv => "arxiv",
            Orcid => "orcid",
            Ror => "ror",
            Isni => "isni",
            Isbn => "isbn",
            Issn => "issn",
            Pmid => "pmid",
            Pmcid => "pmcid",
            Handle => "hdl",
            Ark => "ark",
            Funder => "funder",
            Raid => "raid",
            Swhid => "swh",
        }
    }
}

impl fmt::Display for IdentifierKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Addresses, without `https://`, `www.` and `dx.`, and what may follow each.
const ADDRESSES: &[(&str, &[IdentifierKind])] = &[
    ("doi.org/", &[Doi]),
    ("arxiv.org/abs/", &[ArXiv]),
    ("arxiv.org/pdf/", &[ArXiv]),
    ("orcid.org/", &[Orcid]),
    ("ror.org/", &[Ror]),
    ("isni.org/isni/", &[Isni]),
    ("isni.org/page/", &[Isni]),
    ("portal.issn.org/resource/issn/", &[Issn]),
    ("pubmed.ncbi.nlm.nih.gov/", &[Pmid]),
    ("ncbi.nlm.nih.gov/pubmed/", &[Pmid]),
    ("ncbi.nlm.nih.gov/pmc/articles/", &[Pmcid]),
    ("pmc.ncbi.nlm.nih.gov/articles/", &[Pmcid]),
    ("hdl.handle.net/", &[Handle]),
    ("n2t.net/ark:", &[Ark]),
    ("raid.org/", &[Raid]),
    ("archive.softwareheritage.org/swh:", &[Swhid]),
];

/// Words in front of an identifier, in lower case, and the kind that each names.
const WORDS: &[(&str, &[IdentifierKind])] = &[
    ("doi", &[Doi]),
    ("arxiv", &[ArXiv]),
    ("orcid", &[Orcid]),
    ("ror", &[Ror]),
    ("isni", &[Isni]),
    ("isbn-13", &[Isbn]),
    ("isbn-10", &[Isbn]),
    ("isbn13", &[Isbn]),
    ("isbn10", &[Isbn]),
    ("isbn", &[Isbn]),
    ("e-issn", &[Issn]),
    ("eissn", &[Issn]),
    ("issn-l", &[Issn]),
    ("issn", &[Issn]),
    ("pmid", &[Pmid]),
    ("pmcid", &[Pmcid]),
    ("hdl", &[Handle]),
    ("handle", &[Handle]),
    ("ark", &[Ark]),
    ("funder", &[Funder]),
    ("raid", &[Raid]),
    ("swh", &[Swhid]),
];

/// Returns the kinds that the beginning of a text names, and the text behind it.
pub(super) fn named(text: &str) -> Option<(&'static [IdentifierKind], &str)> {
    let address = ["https://", "http://"].iter().find_map(|scheme| without(text, scheme));
    let found = match address {
        Some(address) => {
            let address = ["www.", "dx."].iter().find_map(|host| without(address, host)).unwrap_or(address);
            ADDRESSES.iter().find_map(|(place, kinds)| Some((*kinds, without(address, place)?)))?
        }
        None => WORDS.iter().find_map(|(word, kinds)| Some((*kinds, behind_word(text, word)?)))?,
    };
    // `https://doi.org/doi:10.1000/182` and `doi: https://doi.org/10.1000/182` are common.
    let (kinds, body) = found;
    Some(named(body).filter(|(inner, _)| *inner == kinds).unwrap_or(found))
}

/// Returns the text behind `ISBN: `, `ISBN ` or `ISBN:`.
fn behind_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = without(text, word)?;
    let body = rest.strip_prefix(':').unwrap_or(rest);
    let body = body.strip_prefix([' ', '\u{a0}']).unwrap_or(body);
    (body.len() < rest.len()).then_some(body)
}

/// Returns the text behind this beginning, in capitals or not.
fn without<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(beginning.len())?;
    start.eq_ignore_ascii_case(beginning).then_some(rest)
}

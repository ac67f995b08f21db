use proptest::prelude::*;

use super::*;

/// Published examples: of the standards, of the registries, and well-known works.
const KNOWN: &[(&str, &str)] = &[
    ("10.1000/182", "doi:10.1000/182"),
    ("doi:10.1038/NPHYS1170", "doi:10.1038/nphys1170"),
    ("https://doi.org/10.1016/0092-8674(84)90399-X", "doi:10.1016/0092-8674(84)90399-x"),
    ("http://dx.doi.org/10.1002/(SICI)1097-4636", "doi:10.1002/(sici)1097-4636"),
    ("doi: https://doi.org/10.5281/zenodo.1234567", "doi:10.5281/zenodo.1234567"),
    ("https://doi.org/10.13039/501100000780", "funder:10.13039/501100000780"),
    ("arXiv:2101.00001v2", "arxiv:2101.00001v2"),
    ("https://arxiv.org/pdf/0704.0001.pdf", "arxiv:0704.0001"),
    ("arxiv:hep-th/9901001", "arxiv:hep-th/9901001"),
    ("arXiv:math.GT/0309136v1", "arxiv:math.GT/0309136v1"),
    ("0000-0002-1825-0097", "orcid:0000-0002-1825-0097"),
    ("https://orcid.org/0000-0002-1694-233X", "orcid:0000-0002-1694-233X"),
    ("https://ror.org/03yrm5c26", "ror:03yrm5c26"),
    ("ror:05DXPS055", "ror:05dxps055"),
    ("ISNI 0000 0001 2150 090X", "isni:000000012150090X"),
    ("https://isni.org/isni/0000000121032683", "isni:0000000121032683"),
    ("ISBN 0-306-40615-2", "isbn:9780306406157"),
    ("ISBN-13: 978-3-16-148410-0", "isbn:9783161484100"),
    ("isbn 0-8044-2957-X", "isbn:9780804429573"),
    ("ISSN 0378-5955", "issn:0378-5955"),
    ("eISSN: 2434-561x", "issn:2434-561X"),
    ("PMID: 23193287", "pmid:23193287"),
    ("https://pubmed.ncbi.nlm.nih.gov/23193287", "pmid:23193287"),
    ("PMC3531190", "pmcid:PMC3531190"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3531190", "pmcid:PMC3531190"),
    ("hdl:4263537/4000", "hdl:4263537/4000"),
    ("https://hdl.handle.net/20.1000/100", "hdl:20.1000/100"),
    ("hdl:10.1000/182", "doi:10.1000/182"),
    ("ark:/12148/btv1b8449691v", "ark:12148/btv1b8449691v"),
    ("https://n2t.net/ark:12148/btv1b-8449691v", "ark:12148/btv1b8449691v"),
    ("https://raid.org/10.25.1.1/abcde", ""),
    ("https://raid.org/10.26259/3bad5f48", "raid:10.26259/3bad5f48"),
    (
        "swh:1:cnt:94a9ed024d3859793618152ea559a168bbcbb5e2",
        "swh:1:cnt:94a9ed024d3859793618152ea559a168bbcbb5e2",
    ),
];

#[test]
fn published_examples_have_their_normal_forms() {
    for (text, wanted) in KNOWN {
        let parsed = text.parse::<Identifier>().map(|identifier| identifier.to_string());
        assert_eq!(parsed.as_deref().unwrap_or_default(), *wanted, "{text}");
    }
    let kinds = KNOWN.iter().filter_map(|(text, _)| text.parse::<Identifier>().ok());
    let kinds: std::collections::BTreeSet<_> = kinds.map(|identifier| identifier.kind()).collect();
    assert!(IdentifierKind::ALL.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
}

/// Each digit of the examples matters to its check digit.
#[test]
fn another_digit_is_refused() {
    for text in ["0000-0002-1825-0097", "ISNI 0000 0001 2103 2683", "ISBN 0-306-40615-2", "ISSN 0378-5955"] {
        for (at, digit) in text.char_indices().filter(|(_, sign)| sign.is_ascii_digit()) {
            let other = if digit == '9' { '8' } else { '9' };
            let mut changed = text.to_owned();
            changed.replace_range(at..=at, &other.to_string());
            assert!(changed.parse::<Identifier>().is_err(), "{changed}");
        }
    }
}

#[test]
fn what_only_looks_like_an_identifier_is_none() {
    for text in [
        "version 10.15/x",
        "10.1000",
        "10.1000/",
        "1825-0097",
        "2101.00001",
        "arXiv:2113.00001",
        "0378-5955",
        "9783161484100",
        "xPMC1",
        "PMC",
        "PMID: 0",
        "PMID: 123456789",
        "ISSN 0378-59555",
        "ror:03yrm5c27",
        "swh:1:cnt:94a9",
        "ark:/1/x",
        "hdl:/4000",
        "https://doi.org/",
    ] {
        assert_eq!(find(text), [], "{text}");
    }
}

#[test]
fn identifiers_are_found_where_sentences_touch_them() {
    let text = "Smith (doi:10.1000/182), “https://doi.org/10.1000/a(b)”, [10.1000/c]; *10.1000/d*. \
                <https://doi.org/10.1000/e>\nISSN: 0378-5955/ISBN 0-306-40615-2.";
    let found: Vec<_> = find(text).iter().map(|found| found.identifier.to_string()).collect();
    let dois = ["182", "a(b)", "c", "d", "e"].map(|suffix| format!("doi:10.1000/{suffix}"));
    assert_eq!(found[..5], dois);
    assert_eq!(found[5..], ["issn:0378-5955", "isbn:9780306406157"]);
}

proptest! {
    /// An identifier of a text is found again alone, and in its normal form.
    #[test]
    fn a_normal_form_is_its_own_normal_form(
        words in prop::collection::vec(prop_oneof![
            prop::sample::select(KNOWN).prop_map(|(text, _)| text.to_owned()),
            "[ -~]{0,12}", any::<String>(),
        ], 0..6),
        between in "[ ,.;()\n]{1,2}",
    ) {
        let text = words.join(&between);
        let mut end = 0;
        for FoundIdentifier { identifier, range } in find(&text) {
            prop_assert!(range.start >= end && range.end <= text.len());
            end = range.end;
            let again = text[range].parse::<Identifier>();
            prop_assert_eq!(again.as_ref(), Ok(&identifier));
            prop_assert_eq!(identifier.to_string().parse::<Identifier>(), Ok(identifier));
        }
    }
}

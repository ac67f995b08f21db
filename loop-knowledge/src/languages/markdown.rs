//! The sections of a Markdown text.

use crate::documents::{CHUNK_CHARACTERS, Region};

/// Returns one region for each heading with the text up to the next one. A `#` within a fence is no heading.
pub(super) fn sections(text: &str) -> Vec<Region> {
    let mut found = Vec::new();
    let (mut start, mut position, mut label) = (0, 0, None);
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        match fence {
            Some(open) if bare.starts_with(open) && bare.trim_start_matches(&open[..1]).is_empty() => {
                fence = None;
            }
            Some(_) => {}
            None => {
                fence = fence_of(bare);
                if let Some(heading) = heading(line) {
                    found.push(Region {
                        range: start..position,
                        label: label.take(),
                        limit: CHUNK_CHARACTERS,
                    });
                    (start, label) = (position, heading);
                }
            }
        }
        position += line.len();
    }
    found.push(Region { range: start..text.len(), label, limit: CHUNK_CHARACTERS });
    found
}

/// Returns the marks that open a fence.
fn fence_of(line: &str) -> Option<&str> {
    ["`", "~"].into_iter().find_map(|mark| {
        let length = line.len() - line.trim_start_matches(mark).len();
        (length >= 3).then(|| &line[..length])
    })
}

/// Returns the title of a heading of level 1 to 6, which may be empty.
fn heading(line: &str) -> Option<Option<String>> {
    let line =
        line.strip_prefix("   ").or(line.strip_prefix("  ")).or(line.strip_prefix(' ')).unwrap_or(line);
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    if !(1..=6).contains(&level) || !title.is_empty() && !title.starts_with([' ', '\t', '\n', '\r']) {
        return None;
    }
    let title = title.trim().trim_end_matches('#').trim_end();
    Some((!title.is_empty()).then(|| title.to_owned()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_heading_begins_a_section() {
        let text =
            "intro\n# One\ntext\n```sh\n# no heading\n```\n## Two ##\n#nothing\n~~~\n```\n# no\n~~~\n###\nx";
        let sections = sections(text);
        let found: Vec<_> =
            sections.iter().map(|section| (section.label.as_deref(), &text[section.range.clone()])).collect();
        let expected = [
            (None, "intro\n"),
            (Some("One"), "# One\ntext\n```sh\n# no heading\n```\n"),
            (Some("Two"), "## Two ##\n#nothing\n~~~\n```\n# no\n~~~\n"),
            (None, "###\nx"),
        ];
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn sections_cover_any_text(text in "([#`~a ]{0,4}\\n?|[^a]){0,40}") {
            let joined: String = sections(&text).into_iter().map(|section| text[section.range].to_owned()).collect();
            prop_assert_eq!(joined, text);
        }
    }
}

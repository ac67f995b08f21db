//! Prompt pages with places to fill in.

/// Fills the places `{{name}}` of one of our pages, in one pass. It copies the values without interpreting them, so
/// that no agent writes the prompt of another. Paragraphs whose places are all empty are dropped.
pub(super) fn filled(page: &str, values: &[(&str, &str)]) -> String {
    let paragraphs = page.trim_end().split("\n\n").filter_map(|paragraph| {
        let (text, places, empty) = paragraph_filled(paragraph, values);
        (places == 0 || empty < places).then_some(text)
    });
    paragraphs.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// Returns the text, the number of its places, and the number of empty ones.
fn paragraph_filled(mut rest: &str, values: &[(&str, &str)]) -> (String, usize, usize) {
    let (mut text, mut places, mut empty) = (String::new(), 0, 0);
    while let Some((before, (name, after))) =
        rest.split_once("{{").and_then(|(before, place)| Some((before, place.split_once("}}")?)))
    {
        let value = values.iter().find(|(known, _)| *known == name);
        let (_, value) = value.unwrap_or_else(|| unreachable!("the page has no place `{name}`"));
        let value = value.trim_end_matches('\n');
        text.extend([before, value]);
        (places, empty) = (places + 1, empty + usize::from(value.is_empty()));
        rest = after;
    }
    text.push_str(rest);
    (text, places, empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_copied_and_empty_paragraphs_go() {
        let page = "Do {{a}}.\n\nLeft:\n{{b}}\n\nEnd with {{c}}{{b}}\n";
        let told = filled(page, &[("a", "{{c}} $&"), ("b", ""), ("c", "x\n\n")]);
        assert_eq!(told, "Do {{c}} $&.\n\nEnd with x\n");
    }
}

//! Annotations in the title of a step: `[model: NAME]` and `[validate: KIND ARGUMENT]`.

/// An annotation in a title.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Annotation<'t> {
    Model(&'t str),
    Validate(&'t str),
}

/// Returns the annotations of a title, and the title without the models. The model that performs a step does not see
/// which one was chosen.
pub(super) fn annotations(title: &str) -> (Vec<Annotation<'_>>, String) {
    let (mut found, mut shown) = (Vec::new(), String::new());
    let mut rest = title;
    while let Some(at) = rest.find('[') {
        let Some((annotation, after)) = annotation(&rest[at..]) else {
            shown.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        shown.push_str(&rest[..at]);
        if let Annotation::Model(_) = annotation {
            // The blanks on both sides become one.
            shown.truncate(shown.trim_end().len());
        } else {
            shown.push_str(&rest[at..rest.len() - after.len()]);
        }
        found.push(annotation);
        rest = after;
    }
    shown.push_str(rest);
    (found, shown.trim().to_owned())
}

/// Reads the annotation at the beginning of a text, and returns the text after it. An annotation without a closing bracket
/// is part of the title.
fn annotation(text: &str) -> Option<(Annotation<'_>, &str)> {
    let inside = text.strip_prefix('[')?;
    let (key, value) = inside.split_once(':')?;
    let end = closing(value)?;
    let (value, after) = (value[..end].trim(), &value[end + 1..]);
    match key.trim() {
        key if key.eq_ignore_ascii_case("model") => Some((Annotation::Model(value), after)),
        key if key.eq_ignore_ascii_case("validate") => Some((Annotation::Validate(value), after)),
        _ => None,
    }
}

/// Returns the position of the bracket that closes the annotation. A regular expression can contain pairs of brackets;
/// if they are not balanced, the first closing one counts.
fn closing(value: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let balanced = value.char_indices().find(|(_, sign)| match sign {
        '[' => {
            depth += 1;
            false
        }
        ']' if depth == 0 => true,
        ']' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    balanced.map(|(at, _)| at).or_else(|| value.find(']'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Annotation::*, *};

    #[test]
    fn annotations_are_found_wherever_they_are() {
        for (title, expected, shown) in [
            ("Test it", vec![], "Test it"),
            ("[model: gpt-5] Test it", vec![Model("gpt-5")], "Test it"),
            ("Test [MODEL:gpt-5] it", vec![Model("gpt-5")], "Test it"),
            ("Test it [model: ]", vec![Model("")], "Test it"),
            ("Test it [model: gpt-5", vec![], "Test it [model: gpt-5"),
            (
                "Test [validate: command make] it [validate: no_errors]",
                vec![Validate("command make"), Validate("no_errors")],
                "Test [validate: command make] it [validate: no_errors]",
            ),
            ("[validate: regex ^[a-c]+$]", vec![Validate("regex ^[a-c]+$")], "[validate: regex ^[a-c]+$]"),
            ("[validate: contains [x]", vec![Validate("contains [x")], "[validate: contains [x]"),
            ("Fix [#12] [model: a] [model: b]", vec![Model("a"), Model("b")], "Fix [#12]"),
            ("[modelling: x] a", vec![], "[modelling: x] a"),
        ] {
            assert_eq!(annotations(title), (expected, shown.to_owned()), "{title}");
        }
    }

    proptest! {
        #[test]
        fn any_title_is_read(title in "[\\[\\]: a-zé]{0,12}|(\\[model: [a\\[\\]]{0,3}\\]? ?){0,3}") {
            let (found, shown) = annotations(&title);
            prop_assert!(shown.len() <= title.len());
            if found.is_empty() {
                prop_assert_eq!(shown, title.trim());
            }
        }
    }
}

//! What an executing agent says of its end: its `STATUS` line, and what it would do next.
//!
//! A claim is a word at a place of its own, and not a word that occurs somewhere: `COMPLETED_WITH_FAILURES` begins
//! like success, an agent that quotes its instructions says the word, and one that prints a log in a code block has
//! others say it.

/// How many next steps are taken.
const MAX_STEPS: usize = 5;
/// How long each may be.
const STEP_BYTES: usize = 300;

/// Whether the agent says that all is done: each of its lines `STATUS: …`, in whatever emphasis, says `COMPLETE` and
/// nothing else, and there is one. Code blocks and quotations say nothing.
///
/// ```
/// use loop_agents::review::claims_complete;
///
/// assert!(claims_complete("All tests pass.\n**STATUS: COMPLETE**"));
/// assert!(!claims_complete("STATUS: COMPLETED_WITH_FAILURES"));
/// assert!(!claims_complete("STATUS: COMPLETE\nSTATUS: INCOMPLETE"));
/// ```
pub fn claims_complete(text: &str) -> bool {
    let mut claims = spoken(text).filter_map(status).peekable();
    claims.peek().is_some() && claims.all(|claim| claim == "COMPLETE")
}

/// What the agent lists under `NEXT STEPS`: at most five items, up to the next heading. They are the agent's own
/// words; whoever reads them should say so.
///
/// ```
/// use loop_agents::review::next_steps;
/// assert_eq!(next_steps("NEXT STEPS:\n- add tests\n2) push\n"), ["add tests", "push"]);
/// ```
pub fn next_steps(text: &str) -> Vec<String> {
    let lines = spoken(text).map(str::trim).skip_while(|line| !is_heading(line)).skip(1);
    let section = lines.take_while(|line| !line.starts_with('#') && status(line).is_none());
    section.filter_map(item).take(MAX_STEPS).collect()
}

/// The lines that the agent speaks itself.
fn spoken(text: &str) -> impl Iterator<Item = &str> {
    let mut fence: Option<&str> = None;
    text.lines().filter(move |line| {
        let begin = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| begin.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => return fence.is_none() && !begin.starts_with('>'),
        }
        false
    })
}

/// What stands behind `STATUS:` in a line of its own, in capitals and without emphasis.
fn status(line: &str) -> Option<String> {
    if line.starts_with("    ") || line.starts_with('\t') {
        return None;
    }
    let bare: String = line.chars().filter(|sign| !matches!(sign, '*' | '`')).collect();
    let bare = bare.trim().trim_start_matches('#').trim_matches('_').trim().to_ascii_uppercase();
    let claim = bare.strip_prefix("STATUS")?.trim_start().strip_prefix(':')?;
    Some(claim.trim_matches(['_', ' ']).trim_end_matches('.').to_owned())
}

fn is_heading(line: &str) -> bool {
    let bare: String = line.chars().filter(|sign| !matches!(sign, '*' | '#' | '_')).collect();
    bare.trim().get(..10).is_some_and(|begin| begin.eq_ignore_ascii_case("NEXT STEPS"))
}

/// An item of a list, without its mark.
fn item(line: &str) -> Option<String> {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let text = match line.strip_prefix(['-', '*', '•']) {
        Some(rest) if !line.starts_with("**") => rest.trim_start_matches('-'),
        _ if digits > 0 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text[..text.floor_char_boundary(STEP_BYTES)].to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_claim_is_a_line_of_its_own_in_any_emphasis() {
        for text in [
            "STATUS: COMPLETE",
            "done\n\n**STATUS: COMPLETE**\n",
            "**STATUS:** COMPLETE",
            "## Status: complete.",
            "`STATUS: COMPLETE`",
            "STATUS: COMPLETE\nas I said:\nSTATUS: COMPLETE",
        ] {
            assert!(claims_complete(text), "{text}");
        }
    }

    #[test]
    fn what_is_unclear_is_no_claim() {
        for text in [
            "",
            "STATUS: COMPLETED_WITH_FAILURES",
            "STATUS: COMPLETE (but for the tests)",
            "STATUS: INCOMPLETE",
            "STATUS: COMPLETE\nSTATUS: INCOMPLETE",
            "```\nSTATUS: COMPLETE\n```",
            "~~~text\nSTATUS: COMPLETE\n```\n~~~",
            "```\nSTATUS: COMPLETE",
            "    STATUS: COMPLETE",
            "> STATUS: COMPLETE",
            "I was told to write STATUS: COMPLETE",
            "STATUS COMPLETE",
            "STATUS:",
        ] {
            assert!(!claims_complete(text), "{text}");
        }
    }

    #[test]
    fn next_steps_are_items_up_to_the_next_heading() {
        let text = "STATUS: INCOMPLETE\nNEXT STEPS:\n- add parser tests\n* fix lint\n1. run make\n2) push\n\
            10. tenth item\nplain prose line\n\n  - indented\n# Notes\n- ignored";
        assert_eq!(next_steps(text), ["add parser tests", "fix lint", "run make", "push", "tenth item"]);
        let many: String = (1..=8).map(|number| format!("- item {number}\n")).collect();
        assert_eq!(next_steps(&format!("next steps (for later)\n{many}")).len(), 5);
        let text = "NEXT STEPS:\n- **bold** item\n-- dashed\n- \n-no space";
        assert_eq!(next_steps(text), ["**bold** item", "dashed", "no space"]);
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "(STATUS:|COMPLETE|NEXT STEPS|```|~~~|[-*0-9.)# \n_é]){0,30}") {
            claims_complete(&text);
            prop_assert!(next_steps(&text).len() <= MAX_STEPS);
        }
    }
}

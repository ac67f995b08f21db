//! The page of hostile agents: `HOSTILE.md`, which the tests of these agents generate.

/// Returns the page for the guide. Links to the agents' scripts in the repository keep only their text, because the
/// scripts are not part of the guide.
pub fn hostile(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("](loop-cli/") {
        let (before, name) = before.rsplit_once('[').unwrap_or((before, ""));
        text.push_str(before);
        text.push_str(name);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text + rest
}

#[test]
fn links_to_scripts_are_names() {
    let page = "# H\n| [a b](loop-cli/x.sh) | does | [c](loop-cli/y.sh) |\n| [d](https://e) |\n";
    assert_eq!(hostile(page), "# H\n| a b | does | c |\n| [d](https://e) |\n");
}

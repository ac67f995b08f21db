use anstream::adapter::strip_str;
use proptest::prelude::*;

use super::*;

/// Renders a text that arrives in pieces of this many characters.
fn in_pieces(text: &str, size: usize, width: usize) -> Vec<String> {
    let mut markdown = Markdown::default();
    let signs: Vec<_> = text.chars().collect();
    let mut rows = Vec::new();
    for piece in signs.chunks(size) {
        rows.extend(markdown.push(&piece.iter().collect::<String>(), width));
        markdown.unfinished(width);
    }
    rows.extend(markdown.end(width));
    rows
}

fn plain(rows: &[String]) -> String {
    strip_str(&rows.join("\n")).to_string()
}

const REPLY: &str = "\
# The plan

First **look at** the `code`, which is a rather long sentence that has to wrap *somewhere in emphasis* at least.
A second line.

1. One item that is long enough to wrap with a hanging indent
   and goes on
   - nested
2. Two:
   ```rust
   fn main() { println!(\"a line of code that is wider than the screen\"); }

   ```
- [x] done

> a quotation that is also long enough to wrap on this narrow screen

| Name | Meaning |
|:--|--:|
| a | one |
| b | a cell with many words in it that wraps |

---
```diff
-old
+new
```
The end.
";

#[test]
fn a_reply_is_rendered() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../../../tests/snapshots" }, {
        insta::assert_snapshot!("a_rendered_reply", plain(&in_pieces(REPLY, 3, 40)));
    });
}

#[test]
fn styles_and_diffs_have_colours() {
    let rows = in_pieces("# A\n**b** *c* `d`\n~~~diff\n@@ 1 @@\n-a\n+b\n~~~", 1000, 40);
    insta::assert_snapshot!(rows.join("\n").replace('\u{1b}', "^"), @r#"
    ^[1m^[4mA^[0m
    ^[1mb^[0m ^[3mc^[0m ^[36md^[0m
      ^[36m@@ 1 @@^[0m
      ^[31m-a^[0m
      ^[32m+b^[0m
    "#);
}

#[test]
fn rows_are_final_before_their_paragraph_ends() {
    let mut markdown = Markdown::default();
    let rows = markdown.push("these words are more than a row has room for, and they go on", 20);
    assert_eq!(rows, ["these words are more", "than a row has room"]);
    assert_eq!(markdown.unfinished(20), ["for, and they go on"]);
    // Emphasis that may still end changes its words.
    let rows = markdown.push(" *until the emphasis has come to an end of", 20);
    assert!(rows.is_empty(), "{rows:?}");
    assert_eq!(markdown.unfinished(20).len(), 4);
    let rows = markdown.push(" its own* here, and later", 20);
    assert!(rows.concat().contains("\u{1b}[3muntil"), "{rows:?}");
}

#[test]
fn text_that_looks_like_markup_within_a_paragraph_stays() {
    for text in
        ["a word and\n# no", "so\n===\nx", "[a]: b", "<div>\nx\n</div>", "a | b\n---", "|", "-", "```", "\\"]
    {
        let rows = plain(&in_pieces(text, 1, 10));
        for word in ["word", "so", "[a]", "<div>", "a | b"] {
            assert_eq!(text.contains(word), rows.contains(word), "{text:?}: {rows:?}");
        }
    }
}

proptest! {
    #[test]
    fn the_pieces_make_no_difference(
        text in "([a-z]{1,9} |\\*\\*[a-z ]{1,9}\\*\\* |`[a-z]{1,5}` |\n|\n\n|- |1\\. |# |```\n|> |\\| a \\| b \\|\n|\\|--\\|--\\|\n|[*_`|] |漢字|👍 ){0,40}",
        size in 1..9_usize,
        width in 12..50_usize,
    ) {
        let whole = plain(&in_pieces(&text, 100_000, width));
        prop_assert_eq!(plain(&in_pieces(&text, size, width)), whole);
    }

    #[test]
    fn no_word_is_lost_and_rows_of_text_fit(
        text in "([a-zé]{1,12}[ ,.]|\n|\n\n|- |12\\. |## |\\*\\*|\\*|` |_|> |漢字|👍 |    ){0,60}", width in 12..60_usize,
    ) {
        let rows = in_pieces(&text, 7, width);
        let letters = |text: &str| {
            text.chars().filter(|sign| sign.is_alphabetic() || *sign == '👍').collect::<String>()
        };
        prop_assert_eq!(letters(&plain(&rows)), letters(&text));
        if !text.contains("    ") && !text.contains("> ") {
            for row in rows {
                prop_assert!(columns(&strip_str(&row).to_string()) <= width, "{:?}", row);
            }
        }
    }
}
#[test]
fn a_row_is_not_printed_while_later_code_can_undo_its_emphasis() {
    let text = "**a ** ```\n** a** \n漢字| a | b |\n漢字```\n";
    assert_eq!(in_pieces(text, 1, 12), in_pieces(text, 1_000, 12));
}

#[test]
fn a_row_of_a_list_fits_on_a_narrow_screen() {
    assert_eq!(plain(&in_pieces("12. - - - 漢字", 7, 12)), "12. - - - 漢\n    字");
}

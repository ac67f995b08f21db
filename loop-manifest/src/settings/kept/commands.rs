//! Stores which commands run in a folder.

use std::path::Path;

use loop_guardrails::policy::{WithOrigin, command::CommandPrefix};

use super::{
    FolderSettings, KeepError, change_file,
    folder_table::{FolderTable, quoted},
};
use crate::{
    diagnostics::Span,
    document::{Node, Value},
};

/// Whether commands with some leading words run in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandRule {
    /// They run.
    Allow,
    /// They never run.
    Forbid,
}

impl CommandRule {
    /// Returns the key of the list with these entries.
    fn key(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Forbid => "forbid",
        }
    }

    fn list(self, folder: &FolderSettings) -> &[WithOrigin<CommandPrefix>] {
        match self {
            Self::Allow => &folder.allow,
            Self::Forbid => &folder.forbid,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Allow => Self::Forbid,
            Self::Forbid => Self::Allow,
        }
    }
}

/// Stores in the user's settings file that commands with these leading words run, or never run, in a folder. Removes
/// the same entry from the opposite list. Everything else in the file stays as it is. Blocks on the disk, and while another
/// process changes the file.
///
/// # Errors
/// [`KeepError`]; the file is then unchanged.
pub fn keep_command(
    file: &Path,
    folder: &Path,
    entry: &CommandPrefix,
    rule: CommandRule,
) -> Result<(), KeepError> {
    let has =
        |here: &FolderSettings, rule: CommandRule| rule.list(here).iter().any(|own| own.value == *entry);
    change_file(
        file,
        folder,
        |path, text, folder| changed(path, text, folder, entry, rule),
        |here| has(here, rule) && !has(here, rule.other()),
    )
}

/// Returns the text of the file with the change.
fn changed(
    path: &Path,
    mut text: String,
    folder: &str,
    entry: &CommandPrefix,
    rule: CommandRule,
) -> Result<String, KeepError> {
    while let Some(span) = entry_in(&FolderTable::find(path, &text, folder)?, &text, rule.other(), entry) {
        text.replace_range(span, "");
    }
    let table = FolderTable::find(path, &text, folder)?;
    if entry_in(&table, &text, rule, entry).is_some() {
        return Ok(text);
    }
    let item = quoted(&entry.to_string());
    match list(&table, rule) {
        Some((list, [])) => text.insert_str(list.start + 1, &item),
        Some((_, [.., last])) => text.insert_str(last.span.end, &format!(", {item}")),
        None => table.insert(&mut text, folder, rule.key(), &format!("[{item}]")),
    }
    Ok(text)
}

/// Returns the place of a list, and its items.
fn list(table: &FolderTable, rule: CommandRule) -> Option<(&Span, &[Node])> {
    let node = table.value(rule.key())?;
    let Value::List(items) = &node.value else { return None };
    Some((&node.span, items))
}

/// Returns the place of an entry in a list, with the comma that belongs to it.
fn entry_in(table: &FolderTable, text: &str, rule: CommandRule, entry: &CommandPrefix) -> Option<Span> {
    let (_, items) = list(table, rule)?;
    let is_same =
        |item: &Node| matches!(&item.value, Value::Text(text) if text.parse().as_ref() == Ok(entry));
    let at = items.iter().position(is_same)?;
    let own = &items[at].span;
    if at > 0 {
        return Some(items[at - 1].span.end..own.end);
    }
    let rest = &text[own.end..];
    let comma = rest.find(|sign: char| !sign.is_whitespace()).filter(|at| rest[*at..].starts_with(','));
    Some(own.start..own.end + comma.map_or(0, |at| at + 1))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::{super::test_file, *};

    fn entry(text: &str) -> CommandPrefix {
        text.parse().expect("an entry")
    }

    /// Stores a rule in a file with this text, and returns the new text.
    fn kept(text: &str, command: &str, rule: CommandRule) -> Result<String, KeepError> {
        test_file::kept(text, |file, folder| keep_command(file, folder, &entry(command), rule))
    }

    #[test]
    fn an_entry_is_stored_under_its_folder_and_once() {
        let first = kept("", "cargo test", CommandRule::Allow).expect("stored");
        assert_eq!(first, "[folders.\"/work/a b\"]\nallow = [\"cargo test\"]\n");
        assert_eq!(kept(&first, "cargo 'test'", CommandRule::Allow).expect("stored"), first);
        let second = kept(&first, "npm run 'a b'", CommandRule::Allow).expect("stored");
        assert!(second.contains("allow = [\"cargo test\", \"npm run 'a b'\"]"), "{second}");
        let denied = kept(&second, "cargo test", CommandRule::Forbid).expect("stored");
        assert!(denied.contains("allow = [ \"npm run 'a b'\"]"), "{denied}");
        assert!(denied.contains("forbid = [\"cargo test\"]"), "{denied}");
    }

    #[test]
    fn entries_that_are_stored_at_the_same_time_are_all_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config/loop.toml");
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (file, start) = (&file, &start);
                scope.spawn(move || {
                    start.wait();
                    for turn in 0..4 {
                        let entry = entry(&format!("make {number} {turn}"));
                        keep_command(file, Path::new("/work/a b"), &entry, CommandRule::Allow)
                            .expect("stored");
                    }
                });
            }
        });
        let text = fs::read_to_string(&file).expect("a file");
        assert_eq!(text.matches("make").count(), 32, "{text}");
    }

    #[test]
    fn what_a_person_wrote_stays_byte_for_byte() {
        let text = "# mine\r\n[chat]   # odd\nmodel = 'ollama:qwen3'\n\n[folders.\"/other\"] # theirs\nallow = [ 'make',\n  # why\n  'just' ]\n[policy]\nallow=[\"cargo\"]\n\n\n";
        let now = kept(text, "cargo test", CommandRule::Allow).expect("stored");
        let added = "\r\n[folders.\"/work/a b\"]\r\nallow = [\"cargo test\"]\r\n";
        assert_eq!(now.replacen(added, "", 1), text, "{now}");
        let there = text.replace("/other", "/work/a b");
        let now = kept(&there, "cargo test", CommandRule::Allow).expect("stored");
        assert_eq!(now.replacen(", \"cargo test\"", "", 1), there, "{now}");
    }

    #[test]
    fn an_entry_goes_beside_a_table_of_permissions_and_not_into_it() {
        let text = "[folders.\"/work/a b\".permissions]\n\".\" = [\"read\"]\n";
        let now = kept(text, "cargo test", CommandRule::Allow).expect("stored");
        assert_eq!(now, format!("{text}\n[folders.\"/work/a b\"]\nallow = [\"cargo test\"]\n"));
    }

    #[test]
    fn a_file_that_cannot_hold_it_is_left_alone() {
        for (text, problem) in [
            ("folders = 1\n", "folders"),
            ("[folders.\"/work/a b\"]\nallow = 1\n", "allow"),
            ("[folders.\"/work/a b\"]\nalow = []\n", "unknown key `alow`"),
            ("folders = { \"/other\" = { allow = ['make'] } }\n", "folders"),
            ("[chat\n", "chat"),
        ] {
            let error = kept(text, "cargo test", CommandRule::Allow).expect_err(text).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    proptest! {
        #[test]
        fn every_line_stays_in_its_place(lines in prop::collection::vec(
            prop::sample::select(vec!["# x", "", "[policy]", "[chat]", "  # [folders]", "[folders.\"/other\"]", "[models.a]\nmodel = \"ollama:b\""]), 0..6,
        )) {
            let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let before: Vec<_> = text.lines().collect();
            if let Ok(now) = kept(&text, "cargo test", CommandRule::Allow) {
                let mut after = now.lines();
                prop_assert!(before.iter().all(|line| after.any(|own| own == *line)), "{}", now);
            }
        }
    }
}

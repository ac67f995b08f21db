//! Stores what tools may do at a path of a folder.

use std::path::Path;

use loop_guardrails::policy::{LocalPath, Permissions, Verb};

use super::{
    FolderSettings, KeepError, change_file,
    folder_table::{FolderTable, insert_line, line_end, quoted},
};
use crate::document::{Node, ObjectEntry, Value};

/// The key of the table with the permissions of a folder.
const KEY: &str = "permissions";

/// Stores these permissions for a folder in the user's settings file, each in place of the one for the same path.
/// Everything else in the file stays as it is. Blocks on the disk, and while another process changes the file.
///
/// # Errors
/// [`KeepError`]; the file is then unchanged.
pub fn keep_permissions(file: &Path, folder: &Path, permissions: &Permissions) -> Result<(), KeepError> {
    let change = |path: &Path, text: String, folder: &str| {
        permissions
            .rules()
            .try_fold(text, |text, (prefix, verbs)| changed(path, text, folder, prefix, &verbs.value))
    };
    let holds = |here: &FolderSettings| {
        permissions.rules().all(|(prefix, verbs)| {
            here.permissions.rules().any(|(own, now)| own == prefix && now.value == verbs.value)
        })
    };
    change_file(file, folder, change, holds)
}

/// Returns the text of the file with one permission.
fn changed(
    path: &Path,
    mut text: String,
    folder: &str,
    prefix: &LocalPath,
    verbs: &[Verb],
) -> Result<String, KeepError> {
    let table = FolderTable::find(path, &text, folder)?;
    let names: Vec<_> = verbs.iter().map(|verb| quoted(verb.as_str())).collect();
    let verbs = format!("[{}]", names.join(", "));
    let item = format!("{} = {verbs}", quoted(&prefix.to_string()));
    let Some(Node { value: Value::Object(entries), span }) = table.value(KEY) else {
        table.insert(&mut text, folder, KEY, &format!("{{ {item} }}"));
        return Ok(text);
    };
    let is_same = |entry: &&ObjectEntry| entry.key.parse().as_ref() == Ok(prefix);
    let is_inline = text[span.start..].starts_with('{');
    match (entries.iter().find(is_same), entries.last()) {
        (Some(own), _) => text.replace_range(own.node.span.clone(), &verbs),
        (None, Some(last)) if is_inline => text.insert_str(last.node.span.end, &format!(", {item}")),
        (None, None) if is_inline => text.insert_str(span.start + 1, &format!(" {item} ")),
        // A table with its own heading, in which each entry has its own line.
        (None, last) => {
            let above = last.map_or(span.start, |last| last.node.span.end);
            let line = format!("{item}{}", line_end(&text));
            insert_line(&mut text, above, &line);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use loop_guardrails::policy::Origin;
    use proptest::prelude::*;

    use super::{super::test_file, *};

    /// Stores permissions in a file with this text, and returns the new text.
    fn kept(text: &str, permissions: &[(&str, &[Verb])]) -> Result<String, KeepError> {
        let all = permissions.iter().fold(Permissions::new(), |all, (path, verbs)| {
            all.with(path.parse().expect("a path"), verbs.iter().copied(), Origin::BuiltIn)
        });
        test_file::kept(text, |file, folder| keep_permissions(file, folder, &all))
    }

    #[test]
    fn a_permission_is_stored_under_its_folder_and_replaces_the_one_before() {
        let first = kept("", &[(".", &Verb::ALL), ("src", &[Verb::Read])]).expect("stored");
        let expected = "[folders.\"/work/a b\"]\npermissions = { \".\" = [\"read\", \"write\", \"exec\", \
            \"delete\"], \"src\" = [\"read\"] }\n";
        assert_eq!(first, expected);
        let second = kept(&first, &[("./src/", &[]), ("doc s", &[Verb::Write])]).expect("stored");
        let changed = expected.replace("\"src\" = [\"read\"]", "\"src\" = [], \"doc s\" = [\"write\"]");
        // The order of the paths decides the order of new entries.
        assert_eq!(second, changed);
        assert_eq!(kept(&second, &[("src", &[])]).expect("stored"), second);
    }

    #[test]
    fn each_form_of_the_table_keeps_its_form() {
        let heading = "[folders.\"/work/a b\"]\nallow = ['make'] # mine\n";
        for (form, expected) in [
            ("permissions = {}\n", "permissions = { \"src\" = [\"read\"] }\n"),
            (
                "permissions = { a = ['read'] } # a\n",
                "permissions = { a = ['read'], \"src\" = [\"read\"] } # a\n",
            ),
            ("permissions = { src = [\n'write' ] }", "permissions = { src = [\"read\"] }"),
        ] {
            let now = kept(&format!("{heading}{form}"), &[("src", &[Verb::Read])]).expect("stored");
            assert_eq!(now, format!("{heading}{expected}"));
        }
        for (form, expected) in [
            ("'a' = [] # a\n[chat]\n", "'a' = [] # a\n\"src\" = [\"read\"]\n[chat]\n"),
            ("'a' = []", "'a' = []\n\"src\" = [\"read\"]\n"),
        ] {
            let table = format!("{heading}[folders.\"/work/a b\".permissions]\n");
            let now = kept(&format!("{table}{form}"), &[("src", &[Verb::Read])]).expect("stored");
            assert_eq!(now, format!("{table}{expected}"));
        }
    }

    #[test]
    fn a_file_that_cannot_hold_it_is_left_alone() {
        for (text, problem) in [
            ("[folders.\"/work/a b\"]\npermissions = 1\n", "permissions"),
            ("[folders.\"/work/a b\"]\npermissions = { '/etc' = [] }\n", "outside"),
            ("[folders.\"/work/a b\"]\npermissions.a = []\n", "src"),
            ("folders = { \"/other\" = {} }\n", "folders"),
        ] {
            let error = kept(text, &[("src", &[Verb::Read])]).expect_err(text).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_stored_last_holds(changes in prop::collection::vec(
            ("[ab \"\\\\é]{1,4}", prop::sample::subsequence(Verb::ALL.to_vec(), 0..=4)), 1..5,
        )) {
            // `change_file` checks that the text means what it should, and refuses otherwise.
            let mut text = String::new();
            for (path, verbs) in changes {
                text = kept(&text, &[(path.as_str(), verbs.as_slice())]).expect("stored");
            }
            prop_assert_eq!(text.matches("[folders").count(), 1);
        }
    }
}

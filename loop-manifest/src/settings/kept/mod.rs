//! Writes into the user's own settings: what they allow or forbid in a folder, and the models and servers that they add.
//!
//! A person wrote the file, with comments and in their own order, so everything else in it stays byte for byte. The
//! file is replaced as a whole, and only by one that reads as intended: a damaged file would end every later command.
//! Two processes that change it at the same time wait for each other, so that neither loses the change of the other.

mod commands;
mod error;
mod folder_table;
mod permissions;
mod tables;

use std::{
    io::{self, ErrorKind},
    path::Path,
};

pub use self::{
    commands::{CommandRule, keep_command},
    error::KeepError,
    permissions::keep_permissions,
    tables::NewTable,
};
use super::{FolderSettings, SettingsLayer, SettingsTables, read_bounded, user_file};

/// Changes the text of the settings file, if the result gives the folder what `is_meant` expects. `change` gets the path
/// of the file, its text and the name of the folder.
fn change_file(
    file: &Path,
    folder: &Path,
    change: impl FnOnce(&Path, String, &str) -> Result<String, KeepError>,
    is_meant: impl FnOnce(&FolderSettings) -> bool,
) -> Result<(), KeepError> {
    let name = folder.to_str().ok_or(KeepError::Folder)?;
    let change = |path: &Path, text| change(path, text, name);
    change_text(file, change, |tables| tables.folders.get(folder).is_some_and(is_meant))
}

/// Changes the text of the settings file, if the result is what `is_meant` expects. `change` gets the path of the file
/// and its text.
fn change_text(
    file: &Path,
    change: impl FnOnce(&Path, String) -> Result<String, KeepError>,
    is_meant: impl FnOnce(&SettingsTables) -> bool,
) -> Result<(), KeepError> {
    // The file may be a link into a folder with other settings, which has to stay a link.
    let path = user_file::resolved(file);
    let io = |source| KeepError::Io { path: path.clone(), source };
    let _turn = user_file::lock_folder(&path).map_err(io)?;
    let text = match read_bounded(&path) {
        Ok(bytes) => {
            String::from_utf8(bytes).map_err(|error| io(io::Error::new(ErrorKind::InvalidData, error)))?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io(error)),
    };
    let changed = change(&path, text)?;
    // The new text has to mean what the person said, and nothing may be wrong in it.
    let tables = match changed.trim().is_empty() {
        true => SettingsTables::default(),
        false => SettingsLayer::tables_in(&path, &changed)?,
    };
    if !is_meant(&tables) {
        return Err(KeepError::Form { path });
    }
    // An empty file looks like the result of a full disk.
    let changed = if changed.is_empty() { "\n" } else { &changed };
    user_file::replace(&path, changed.as_bytes()).map_err(io)
}

/// Adds these tables to the end of the user's settings file. Everything else in it stays as it is. Blocks on the disk, and
/// while another process changes the file.
///
/// # Errors
/// [`KeepError`]; the file is then unchanged.
pub fn keep_tables(file: &Path, new: &[NewTable<'_>]) -> Result<(), KeepError> {
    let add = |_: &Path, text: String| Ok(new.iter().fold(text, tables::added));
    change_text(file, add, |now| new.iter().all(|new| has(now, new.table, new.name)))
}

/// Removes the tables with this name from the user's settings file. Everything else in it stays as it is. Blocks on the
/// disk, and while another process changes the file.
///
/// # Errors
/// [`KeepError`]; the file is then unchanged.
pub fn drop_tables(file: &Path, kinds: &[&str], name: &str) -> Result<(), KeepError> {
    let remove = |path: &Path, text: String| {
        kinds.iter().try_fold(text, |mut text, kind| {
            if let Some(span) = tables::place(path, &text, kind, name)? {
                text.replace_range(span, "");
            }
            Ok(text)
        })
    };
    change_text(file, remove, |now| !kinds.iter().any(|kind| has(now, kind, name)))
}

fn has(tables: &SettingsTables, table: &str, name: &str) -> bool {
    match table {
        "servers" => tables.servers.contains_key(name),
        _ => tables.models.contains_key(name),
    }
}

#[cfg(test)]
mod test_file {
    use std::fs;

    use super::*;

    /// Runs `keep` on a settings file with this text, for the folder `/work/a b`, and returns the new text. A failure
    /// must not change the file.
    pub(super) fn kept(
        text: &str,
        keep: impl FnOnce(&Path, &Path) -> Result<(), KeepError>,
    ) -> Result<String, KeepError> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config/loop.toml");
        if !text.is_empty() {
            fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            fs::write(&file, text).expect("a file");
        }
        let kept = keep(&file, Path::new("/work/a b"));
        let now = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            fs::read_dir(folder.path().join("config")).map_or(1, Iterator::count),
            1,
            "a draft is left"
        );
        if kept.is_err() {
            assert_eq!(now, text);
        }
        kept.map(|()| now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: [NewTable<'_>; 2] = [
        NewTable { table: "servers", name: "q-1", values: &[("command", "q.gguf")] },
        NewTable { table: "models", name: "q-1", values: &[("model", "openai:q-1"), ("server", "q-1")] },
    ];

    fn kept(text: &str, tables: &[NewTable<'_>]) -> Result<String, KeepError> {
        test_file::kept(text, |file, _| keep_tables(file, tables))
    }

    fn dropped(text: &str, name: &str) -> Result<String, KeepError> {
        test_file::kept(text, |file, _| drop_tables(file, &["servers", "models"], name))
    }

    #[test]
    fn tables_are_added_at_the_end_and_removed_without_a_trace() {
        let tables =
            "[servers.q-1]\ncommand = \"q.gguf\"\n\n[models.q-1]\nmodel = \"openai:q-1\"\nserver = \"q-1\"\n";
        assert_eq!(kept("", &NEW).expect("stored"), tables);
        for text in
            ["# mine\n[chat]\nmodel = 'a' # b\n", "# mine\r\n[models.\"a.b\"]\r\nmodel = 'ollama:b'\r\n"]
        {
            let now = kept(text, &NEW).expect("stored");
            assert!(now.starts_with(text), "{now}");
            assert_eq!(dropped(&now, "q-1").expect("removed"), text);
        }
        let alias = [NewTable { table: "models", name: "a.b", values: &[("model", "ollama:b")] }];
        let both = kept(tables, &alias).expect("stored");
        assert!(both.ends_with("\n[models.\"a.b\"]\nmodel = \"ollama:b\"\n"), "{both}");
        assert_eq!(dropped(&both, "q-1").expect("removed"), "\n[models.\"a.b\"]\nmodel = \"ollama:b\"\n");
    }

    #[test]
    fn a_file_that_cannot_hold_it_is_left_alone() {
        let alias = [NewTable { table: "models", name: "x", values: &[("model", "no vendor")] }];
        kept("# x\n", &alias).expect_err("no model");
        kept("[servers.q-1]\ncommand = 'a.gguf'\n", &NEW).expect_err("twice");
        for text in [
            "models = { q-1 = { model = 'ollama:b' } }\n",
            "[models]\nq-1 = { model = 'ollama:b' }\n",
            "[models]\nq-1.model = 'ollama:b'\n",
        ] {
            assert!(matches!(dropped(text, "q-1"), Err(KeepError::Form { .. })), "{text}");
        }
    }
}

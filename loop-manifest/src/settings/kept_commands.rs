//! Writes what the user allows or forbids in a folder into their own settings.
//!
//! A person wrote the file, with comments and in their own order, so everything else in it stays byte for byte. The
//! file is replaced as a whole, and only by one that reads as intended: a damaged file would end every later command.
//! Two processes that change it at the same time wait for each other, so that neither loses the change of the other.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use loop_guardrails::policy::{WithOrigin, command::CommandPrefix};

use super::{FolderSettings, SettingsLayer, read_bounded, user_file};
use crate::{
    Diagnostics, Format, Source,
    diagnostics::Span,
    document::{self, Node, ObjectEntry, Value},
};

/// Whether commands with some leading words run in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandRule {
    /// They run.
    Allow,
    /// They never run.
    Forbid,
}

/// The reason why a rule could not be stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeepError {
    /// No variable says where the settings are.
    #[error("there is no settings file: set HOME or LOOP_CONFIG")]
    NoFile,
    /// TOML is text, and the path of the folder is not.
    #[error("the path of this folder is not UTF-8, so the settings cannot name it: rename the folder")]
    Folder,
    /// The file cannot be read or written.
    #[error("cannot change {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The file has the table in a form that this program does not change.
    #[error("cannot change {}: the folder's table in it has an unusual form; write the entry yourself", path.display())]
    Form {
        /// The file.
        path: PathBuf,
    },
    /// The file, or what it would become, is not valid.
    #[error("{}", .0.in_whole_lines())]
    Invalid(Diagnostics),
}

/// The findings are no source of the error, because their own text shows only parts of long lines.
impl From<Diagnostics> for KeepError {
    fn from(findings: Diagnostics) -> Self {
        Self::Invalid(findings)
    }
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
    let name = folder.to_str().ok_or(KeepError::Folder)?;
    let changed = changed(&path, text, name, entry, rule)?;
    // The new text has to mean what the person said, and nothing may be wrong in it.
    let tables = SettingsLayer::tables_in(&path, &changed)?;
    let here = tables.folders.get(folder);
    let has =
        |rule: CommandRule| here.is_some_and(|here| rule.list(here).iter().any(|own| own.value == *entry));
    if !has(rule) || has(rule.other()) {
        return Err(KeepError::Form { path });
    }
    user_file::replace(&path, changed.as_bytes()).map_err(io)
}

/// Returns the text of the file with the change. It changes the text in place, because a parser that writes the file
/// anew would also change its line ends.
fn changed(
    path: &Path,
    mut text: String,
    folder: &str,
    entry: &CommandPrefix,
    rule: CommandRule,
) -> Result<String, KeepError> {
    while let Some(span) = FolderTable::find(path, &text, folder)?.entry_in(rule.other(), entry) {
        text.replace_range(span, "");
    }
    let table = FolderTable::find(path, &text, folder)?;
    if table.entry_in(rule, entry).is_some() {
        return Ok(text);
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (key, item) = (rule.key(), quoted(&entry.to_string()));
    let new = format!("{key} = [{item}]{end}");
    match (table.list(rule), &table.heading) {
        (Some((list, [])), _) => text.insert_str(list.start + 1, &item),
        (Some((_, [.., last])), _) => text.insert_str(last.span.end, &format!(", {item}")),
        (None, Some(heading)) => match text[heading.end..].find('\n') {
            Some(at) => text.insert_str(heading.end + at + 1, &new),
            None => text.push_str(&format!("{end}{new}")),
        },
        (None, None) => {
            let blank = match text.as_str() {
                "" => String::new(),
                text if text.ends_with('\n') => end.to_owned(),
                _ => end.repeat(2),
            };
            text.push_str(&format!("{blank}[folders.{}]{end}{new}", quoted(folder)));
        }
    }
    Ok(text)
}

/// The table of one folder in a file, with the places of its parts.
#[derive(Default)]
struct FolderTable {
    /// The folder's name in the heading.
    heading: Option<Span>,
    entries: Vec<ObjectEntry>,
    text: String,
}

impl FolderTable {
    fn find(path: &Path, text: &str, folder: &str) -> Result<Self, KeepError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let source = Source::from_bytes(path, text.as_bytes().to_vec())?;
        let node = document::parse(Format::Toml, text).map_err(|problem| source.report(vec![problem]))?;
        let folders = fields(node).into_iter().find(|entry| entry.key == "folders");
        let all = folders.map(|folders| fields(folders.node)).unwrap_or_default();
        let Some(here) = all.into_iter().find(|entry| entry.key == folder) else {
            return Ok(Self::default());
        };
        Ok(Self { heading: Some(here.key_span), entries: fields(here.node), text: text.to_owned() })
    }

    /// Returns the place of a list, and its items.
    fn list(&self, rule: CommandRule) -> Option<(&Span, &[Node])> {
        let entry = self.entries.iter().find(|entry| entry.key == rule.key())?;
        let Value::List(items) = &entry.node.value else { return None };
        Some((&entry.node.span, items))
    }

    /// Returns the place of an entry in a list, with the comma that belongs to it.
    fn entry_in(&self, rule: CommandRule, entry: &CommandPrefix) -> Option<Span> {
        let (_, items) = self.list(rule)?;
        let is_same =
            |item: &Node| matches!(&item.value, Value::Text(text) if text.parse().as_ref() == Ok(entry));
        let at = items.iter().position(is_same)?;
        let own = &items[at].span;
        if at > 0 {
            return Some(items[at - 1].span.end..own.end);
        }
        let rest = &self.text[own.end..];
        let comma = rest.find(|sign: char| !sign.is_whitespace()).filter(|at| rest[*at..].starts_with(','));
        Some(own.start..own.end + comma.map_or(0, |at| at + 1))
    }
}

fn fields(node: Node) -> Vec<ObjectEntry> {
    if let Value::Object(entries) = node.value { entries } else { Vec::new() }
}

/// Returns a text in TOML, between double quotes.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|sign| match sign {
        '"' | '\\' => format!("\\{sign}"),
        sign if sign.is_control() => format!("\\u{:04X}", u32::from(sign)),
        sign => sign.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn entry(text: &str) -> CommandPrefix {
        text.parse().expect("an entry")
    }

    /// Stores a rule in a file with this text, and returns the new text.
    fn kept(text: &str, command: &str, rule: CommandRule) -> Result<String, KeepError> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config/loop.toml");
        if !text.is_empty() {
            fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            fs::write(&file, text).expect("a file");
        }
        let kept = keep_command(&file, Path::new("/work/a b"), &entry(command), rule);
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

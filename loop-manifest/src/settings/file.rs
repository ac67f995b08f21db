//! Files with settings: read, and parted from the manifest that may be in the same file.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

use super::{
    PROJECT_FILE, SettingsTables, TABLES, after_write, chat, engine, folders, knowledge, memory, models,
    plan, policy, rag, reading, remote, schedule, servers, skills, summary,
    table::{SettingsOwner, SettingsTable},
    terminal,
};
use crate::{
    Diagnostics, Format, Source,
    diagnostics::Diagnostic,
    document::{self, Node, ObjectEntry, Value},
    keys::is_key,
    nearest,
};

/// The maximum size of a settings file or a prompt. A larger file was named by mistake.
const MAX_BYTES: u64 = 1 << 20;

/// One file, and what it says.
#[derive(Debug, Clone, Default)]
pub struct SettingsLayer {
    /// The file; `None` if nothing says where it would be.
    pub path: Option<PathBuf>,
    /// True if the file exists.
    pub is_there: bool,
    /// The values of its tables; empty if the file does not exist.
    pub tables: SettingsTables,
}

impl SettingsLayer {
    /// The user's own file, which holds settings and nothing else. One that is named has to be there.
    pub(super) fn of_user(path: PathBuf, is_named: bool) -> Result<Self, Diagnostics> {
        if Format::of(&path) != Some(Format::Toml) {
            let finding = Diagnostic::error("settings are written in TOML");
            let finding = finding.help("give the file a name that ends in `.toml`");
            return Err(Diagnostics::of_file(&path, finding));
        }
        Self::read(path, is_named, SettingsOwner::User, |_| false)
    }

    /// The tables in a text that the user's own file could have.
    pub(super) fn tables_in(path: &Path, text: &str) -> Result<SettingsTables, Diagnostics> {
        tables(path, text.as_bytes().to_vec(), SettingsOwner::User, |_| false)
    }

    /// A project's file, which may be a manifest as well.
    pub(super) fn of_project(path: PathBuf) -> Result<Self, Diagnostics> {
        Self::read(path, false, SettingsOwner::Project, is_key)
    }

    fn read(
        path: PathBuf,
        is_named: bool,
        owner: SettingsOwner,
        passes: impl Fn(&str) -> bool,
    ) -> Result<Self, Diagnostics> {
        let bytes = match read_bounded(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound && !is_named && is_absent(&path) => {
                return Ok(Self { path: Some(path), ..Self::default() });
            }
            Err(error) => {
                let finding = Diagnostic::error(format!("these settings cannot be read: {error}"));
                let finding = if is_named { finding.help("LOOP_CONFIG names this file") } else { finding };
                return Err(Diagnostics::of_file(&path, finding));
            }
        };
        if bytes.is_empty() {
            let finding = Diagnostic::error("this file is empty, as after a full disk");
            let finding = finding.help("restore your settings, or delete the file to use the defaults");
            return Err(Diagnostics::of_file(&path, finding));
        }
        let tables = match bytes.trim_ascii().is_empty() {
            true => SettingsTables::default(),
            false => tables(&path, bytes, owner, passes)?,
        };
        Ok(Self { path: Some(path), is_there: true, tables })
    }
}

/// Returns whether there is no file at a path that could not be opened. A link to a missing file or folder is no
/// missing file: its rules are lost.
fn is_absent(path: &Path) -> bool {
    let existing = path.ancestors().find(|part| part.symlink_metadata().is_ok());
    existing.is_none_or(|part| part != path && part.metadata().is_ok())
}

/// The bytes of a file of at most 1 MiB.
///
/// # Errors
/// A file that cannot be read, and one that is larger than 1 MiB.
pub fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A pipe of this name might never end.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            "it is larger than 1 MiB, so it cannot be a settings file",
        ));
    }
    Ok(bytes)
}

/// The tables of a file. Everything else in the file has to satisfy `passes`.
fn tables(
    path: &Path,
    bytes: Vec<u8>,
    owner: SettingsOwner,
    passes: impl Fn(&str) -> bool,
) -> Result<SettingsTables, Diagnostics> {
    let source = Source::from_bytes(path, bytes)?;
    let mut problems = Vec::new();
    let mut tables = SettingsTables::default();
    match document::parse(source.format(), source.text()) {
        Ok(mut node) => {
            tables = part(&source, &mut node, owner, &mut problems);
            let rest = if let Value::Object(entries) = &node.value { entries.as_slice() } else { &[] };
            problems.extend(rest.iter().filter(|entry| !passes(&entry.key)).map(unknown));
        }
        Err(problem) => problems.push(problem),
    }
    if problems.is_empty() { Ok(tables) } else { Err(source.report(problems)) }
}

/// Takes the settings out of a manifest's tree, if it is of a file that may have them, and reports what is wrong
/// in them.
pub(crate) fn take(source: &Source, node: &mut Node, problems: &mut Vec<Diagnostic>) {
    if source.path().file_name().is_some_and(|name| name == PROJECT_FILE) {
        part(source, node, SettingsOwner::Project, problems);
    }
}

/// Returns whether this file contains settings and no manifest. Returns false for an unreadable file.
pub fn only_settings(path: &Path) -> bool {
    let read = || {
        let source = Source::from_bytes(path, read_bounded(path).ok()?).ok()?;
        let mut node = document::parse(source.format(), source.text()).ok()?;
        take(&source, &mut node, &mut Vec::new());
        Some(matches!(node.value, Value::Object(entries) if entries.is_empty()))
    };
    read().unwrap_or_default()
}

/// Takes the tables out of a tree, and with them what was probably meant for one.
fn part(
    source: &Source,
    node: &mut Node,
    owner: SettingsOwner,
    problems: &mut Vec<Diagnostic>,
) -> SettingsTables {
    let mut tables = SettingsTables::default();
    let Value::Object(entries) = &mut node.value else { return tables };
    let meant = |entry: &mut ObjectEntry| {
        TABLES.contains(&entry.key.as_str()) || (!is_key(&entry.key) && near(entry).is_some())
    };
    let mut of_manifest = None;
    for mut entry in entries.extract_if(.., meant) {
        match entry.key.as_str() {
            "chat" => {
                let table = SettingsTable::of("chat", chat::KEYS, &entry.node, source, problems);
                tables.chat = table.map(chat::read).unwrap_or_default();
            }
            "engine" => tables.engine = engine::read(&entry.node, source, owner, problems),
            "folders" => tables.folders = folders::read(&entry.node, source, owner, problems),
            "formatters" => tables.formatters = after_write::read_commands(&entry, source, owner, problems),
            "knowledge" => tables.knowledge = knowledge::read(&entry.node, source, owner, problems),
            "memory" => {
                of_manifest = memory::of_manifest(&mut entry, owner);
                let table = SettingsTable::of("memory", memory::KEYS, &entry.node, source, problems);
                tables.memory = table.map(|table| memory::read(table, owner)).unwrap_or_default();
            }
            "models" => tables.models = models::read(&entry.node, source, owner, problems),
            "plan" => {
                let table = SettingsTable::of("plan", plan::KEYS, &entry.node, source, problems);
                tables.plan = table.map(|table| plan::read(table, owner)).unwrap_or_default();
            }
            "policy" => {
                let table = SettingsTable::of("policy", policy::KEYS, &entry.node, source, problems);
                tables.policy = table.map(policy::read).unwrap_or_default();
            }
            "rag" => {
                let table = SettingsTable::of("rag", rag::KEYS, &entry.node, source, problems);
                tables.rag = table.map(rag::read).unwrap_or_default();
            }
            "reading" => tables.reading = reading::read(&entry.node, source, problems),
            "remote" => tables.remote = remote::read(&entry.node, source, owner, problems),
            "schedule" => {
                let table = SettingsTable::of("schedule", schedule::KEYS, &entry.node, source, problems);
                tables.schedule = table.map(|table| schedule::read(table, owner)).unwrap_or_default();
            }
            "sensors" => tables.sensors = after_write::read_commands(&entry, source, owner, problems),
            "servers" => tables.servers = servers::read(&entry.node, source, owner, problems),
            "skills" => {
                let table = SettingsTable::of("skills", skills::KEYS, &entry.node, source, problems);
                tables.skills = table.map(|table| skills::read(table, owner)).unwrap_or_default();
            }
            "summary" => tables.summary = summary::read(&entry.node, source, problems),
            "terminal" => {
                let table = SettingsTable::of("terminal", terminal::KEYS, &entry.node, source, problems);
                tables.terminal = table.map(|table| terminal::read(table, owner)).unwrap_or_default();
            }
            "tools" => {
                let table = SettingsTable::of("tools", after_write::KEYS, &entry.node, source, problems);
                tables.tools = table.map(after_write::read).unwrap_or_default();
            }
            _ => problems.push(unknown(&entry)),
        }
    }
    entries.extend(of_manifest);
    tables
}

/// The table whose name is nearest to a key.
fn near(entry: &ObjectEntry) -> Option<&'static str> {
    nearest::closest(&entry.key, TABLES.iter().copied(), |name| name)
}

fn unknown(entry: &ObjectEntry) -> Diagnostic {
    let tables = TABLES.iter().map(|name| format!("`[{name}]`")).collect::<Vec<_>>().join(", ");
    let finding = Diagnostic::error(format!("unknown key `{}` in settings", entry.key));
    let finding = finding.at(entry.key_span.clone(), nearest::suggestion(near(entry)));
    let finding = finding.note(format!("settings are the tables {tables}"));
    if is_key(&entry.key) {
        finding.help("a manifest belongs into a separate file, in a project's folder")
    } else {
        finding
    }
}

//! One skill.

use std::{fmt, io::Read};

use loop_guardrails::policy::workspace::Workspace;
use serde::{Serialize, Serializer, ser::SerializeStruct};
use sha2::{Digest, Sha256};

use crate::tools::visible;

use super::{
    ScriptRequest, SkillError, SkillScript, SkillVariable, Trigger,
    catalogue::summary,
    front_matter::{FrontMatter, plain_text, split},
};

/// The maximum size of a `SKILL.md`, in bytes. A longer text fits no window.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// The maximum size of its front matter, in bytes.
pub(super) const MAX_FRONT_BYTES: usize = 64 << 10;

/// The tools that other agents have, with the names of ours.
const OTHER_TOOLS: [(&str, &str); 7] = [
    ("read", "read_file"),
    ("write", "write_file"),
    ("edit", "edit_file"),
    ("bash", "run_command"),
    ("glob", "list_files"),
    ("ls", "list_files"),
    ("grep", "search_files"),
];

/// A skill: the fields of its `SKILL.md`, and access to its files.
///
/// It serializes as an object with the fields that people see, without the body.
#[derive(Clone)]
pub struct Skill {
    fields: std::sync::Arc<FrontMatter>,
    /// The path of its `SKILL.md` in the workspace.
    file: String,
    workspace: Workspace,
    /// Whether the user's own settings have it, and not a project.
    is_own: bool,
}

impl Skill {
    /// Reads the front matter of the file at this path.
    pub(super) fn read(
        workspace: &Workspace,
        folder: &str,
        file: &str,
        is_own: bool,
    ) -> Result<Self, SkillError> {
        let text = read_text(workspace, file, MAX_FRONT_BYTES as u64, End::MayBeCut)?;
        let faulty = |problem| SkillError::faulty(file, problem);
        let (front, _) = split(&text).map_err(|problem| match text.len() >= MAX_FRONT_BYTES {
            true => faulty(format!("the front matter does not end within {} KiB", MAX_FRONT_BYTES >> 10)),
            false => faulty(problem),
        })?;
        let fields = FrontMatter::read(front, folder).map_err(faulty)?;
        Ok(Self { fields: fields.into(), file: file.to_owned(), workspace: workspace.clone(), is_own })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.fields.name
    }

    /// Returns what it does and when to use it.
    pub fn description(&self) -> &str {
        &self.fields.description
    }

    /// Returns the first sentence of its description, in at most 80 characters.
    pub fn summary(&self) -> String {
        visible(&summary(self.description())).into_owned()
    }

    /// Returns the field `license`.
    pub fn license(&self) -> Option<&str> {
        self.fields.license.as_deref()
    }

    /// Returns the field `compatibility`.
    pub fn compatibility(&self) -> Option<&str> {
        self.fields.compatibility.as_deref()
    }

    /// Returns when it is used without being named.
    pub fn trigger(&self) -> Option<&Trigger> {
        self.fields.trigger.as_ref()
    }

    /// Returns the field `metadata`.
    pub fn metadata(&self) -> &[(String, String)] {
        &self.fields.metadata
    }

    /// Returns the variables of its body.
    pub fn variables(&self) -> &[SkillVariable] {
        &self.fields.variables
    }

    /// Returns the field `allowed-tools`, if it is there.
    pub fn allowed_tools(&self) -> Option<&[String]> {
        self.fields.allowed_tools.as_deref()
    }

    /// Returns whether a turn with this skill may use the tool. Names of other agents' tools count too: `Bash(git:*)`
    /// is `run_command`. The field only narrows the tools, and the policy still judges each call.
    pub fn allows_tool(&self, tool: &str) -> bool {
        let is_named = |allowed: &String| {
            let name = allowed.split('(').next().unwrap_or_default();
            name == tool
                || OTHER_TOOLS.iter().any(|(other, own)| name.eq_ignore_ascii_case(other) && *own == tool)
        };
        self.allowed_tools().is_none_or(|allowed| allowed.iter().any(is_named))
    }

    /// Returns the absolute path of its `SKILL.md`.
    pub fn path(&self) -> std::path::PathBuf {
        self.workspace.root().join(&self.file)
    }

    /// Returns the path of its `SKILL.md` in the workspace, or the absolute one of a user's own skill.
    pub fn shown_path(&self) -> String {
        if self.is_own { self.path().display().to_string() } else { self.file.clone() }
    }

    /// Returns the digest of its `SKILL.md`, such as `sha256:9f86...`. Blocks on the disk.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn digest(&self) -> Result<String, SkillError> {
        Ok(digest_of(&read_bytes(&self.workspace, &self.file, MAX_FILE_BYTES)?))
    }

    /// Reads its body: the Markdown after the front matter. Blocks on the disk.
    ///
    /// # Errors
    /// The file cannot be read, is no longer a skill, or is larger than 1 MiB.
    pub fn body(&self) -> Result<String, SkillError> {
        let text = read_text(&self.workspace, &self.file, MAX_FILE_BYTES, End::IsThere)?;
        let (_, body) = split(&text).map_err(|problem| SkillError::faulty(&self.file, problem))?;
        Ok(body.trim_start_matches('\n').to_owned())
    }

    /// Reads its body, with the values of variables in the places of `{{NAME}}`. Unknown variables stay as they are.
    ///
    /// # Errors
    /// As for [`body`](Self::body).
    pub fn body_with(&self, values: &[(String, String)]) -> Result<String, SkillError> {
        let body = self.body()?;
        let mut filled = String::new();
        let mut rest = body.as_str();
        // Values are not searched again: one may contain `{{`.
        while let Some((before, after)) = rest.split_once("{{") {
            filled.push_str(before);
            let value = after.split_once("}}").and_then(|(name, after)| {
                let value = values.iter().rev().find(|(own, _)| own == name.trim())?;
                Some((&value.1, after))
            });
            rest = if let Some((value, after)) = value {
                filled.push_str(value);
                after
            } else {
                filled.push_str("{{");
                after
            };
        }
        Ok(filled + rest)
    }

    /// Reads its body for a model, with a remark about its place and with these values of variables.
    ///
    /// # Errors
    /// As for [`body`](Self::body).
    pub fn instructions(&self, values: &[(String, String)]) -> Result<String, SkillError> {
        let (path, body) = (self.shown_path(), self.body_with(values)?);
        Ok(format!("(instructions from {path}; other paths in them are relative to its folder)\n{body}"))
    }

    /// Returns its script `scripts/compiled.bash`; `None` if there is none. Blocks on the disk.
    ///
    /// # Errors
    /// The script cannot be read, or [`SkillError::Outdated`].
    pub fn script(&self) -> Result<Option<SkillScript>, SkillError> {
        SkillScript::of(self, &self.workspace, self.folder())
    }

    /// Returns the request for a model to write the script. Blocks on the disk.
    ///
    /// # Errors
    /// The `SKILL.md` cannot be read.
    pub fn script_request(&self) -> Result<ScriptRequest, SkillError> {
        ScriptRequest::of(self)
    }

    /// Returns the workspace, and the folder in it.
    pub(super) fn place(&self) -> (&Workspace, &str) {
        (&self.workspace, self.folder())
    }

    /// Returns the problems that do not prevent it from working.
    pub(super) fn remarks(&self) -> &[String] {
        &self.fields.remarks
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    fn folder(&self) -> &str {
        self.file.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skill")
            .field("name", &self.fields.name)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Serialize for Skill {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let metadata: std::collections::BTreeMap<_, _> = self.metadata().iter().cloned().collect();
        let mut object = serializer.serialize_struct("Skill", 8)?;
        object.serialize_field("name", self.name())?;
        object.serialize_field("description", self.description())?;
        object.serialize_field("file", &self.path())?;
        object.serialize_field("license", &self.license())?;
        object.serialize_field("compatibility", &self.compatibility())?;
        object.serialize_field("allowed_tools", &self.allowed_tools())?;
        object.serialize_field("trigger", &self.trigger().map(Trigger::as_str))?;
        object.serialize_field("metadata", &metadata)?;
        object.end()
    }
}

/// Whether a text may end in the middle of a sign, because only its beginning is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    IsThere,
    MayBeCut,
}

/// Reads the text of a file with the line ends of this system.
pub(super) fn read_text(
    workspace: &Workspace,
    path: &str,
    most: u64,
    end: End,
) -> Result<String, SkillError> {
    let bytes = match end {
        End::IsThere => read_bytes(workspace, path, most)?,
        End::MayBeCut => read_beginning(workspace, path, most)?,
    };
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(plain_text(text)),
        Err(error) if end == End::MayBeCut && error.error_len().is_none() && bytes.len() as u64 == most => {
            Ok(plain_text(&String::from_utf8_lossy(&bytes[..error.valid_up_to()])))
        }
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            Err(SkillError::faulty(path, format!("line {line} is not UTF-8: save the file as UTF-8")))
        }
    }
}

/// Reads a whole file.
pub(super) fn read_bytes(workspace: &Workspace, path: &str, most: u64) -> Result<Vec<u8>, SkillError> {
    let bytes = read_beginning(workspace, path, most + 1)?;
    if bytes.len() as u64 > most {
        return Err(SkillError::faulty(path, format!("it is larger than {} KiB", most >> 10)));
    }
    Ok(bytes)
}

fn read_beginning(workspace: &Workspace, path: &str, most: u64) -> Result<Vec<u8>, SkillError> {
    let file = workspace.read(path)?.file;
    let mut bytes = Vec::new();
    let read = file.take(most).read_to_end(&mut bytes);
    read.map_err(|source| SkillError::Io { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// Returns the digest of these bytes, such as `sha256:9f86...`. It is the same in all versions.
pub fn digest_of(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

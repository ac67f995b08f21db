//! Scripts of skills: which one may run, and what runs.

use std::{future::pending, time::Duration};

use loop_guardrails::policy::{
    Origin, Verb,
    workspace::{Workspace, WorkspaceError},
};

use super::{
    Skill, SkillError,
    skill::{digest_of, read_bytes},
};
use crate::{
    process::{Process, ProcessError, ProcessOutput},
    tools::{ApprovalKind, ApprovalRequest, script_question},
};

/// The maximum size of a script, in bytes. A person has to read it, and it is passed as one argument.
pub const MAX_SCRIPT_BYTES: u64 = 64 << 10;

/// How long a script may run: five minutes.
pub const MAX_SCRIPT_TIME: Duration = Duration::from_secs(300);

/// The path of the script in the folder of its skill.
const FILE: &str = "scripts/compiled.bash";

/// The program that runs it.
const PROGRAM: &str = "bash";

/// The lines at the beginning of a script in which the digest of its `SKILL.md` has to be.
const HEAD_LINES: usize = 5;

/// The script of a skill, exactly as it was read. Nothing that happens to the file later changes what runs.
///
/// A person agrees to its [digest](Self::digest). A script that changes gets another digest, so somebody has to agree
/// again. The digest covers no other files: a script that calls other programs runs them as they are then.
#[derive(Debug, Clone)]
pub struct SkillScript {
    text: String,
    digest: String,
    path: String,
    skill: String,
}

impl SkillScript {
    pub(super) fn of(skill: &Skill, workspace: &Workspace, folder: &str) -> Result<Option<Self>, SkillError> {
        let path = format!("{folder}/{FILE}");
        let bytes = match read_bytes(workspace, &path, MAX_SCRIPT_BYTES) {
            Err(error) if error.is_missing() => return Ok(None),
            read => read?,
        };
        let digest = digest_of(&bytes);
        let text = String::from_utf8(bytes).map_err(|_| SkillError::faulty(&path, "it is not UTF-8"))?;
        if text.contains('\0') {
            return Err(SkillError::faulty(&path, "it contains a NUL byte, so it is no script"));
        }
        let origin = skill.digest()?;
        if !text.lines().take(HEAD_LINES).any(|line| line.contains(&origin)) {
            return Err(SkillError::Outdated { path, digest: origin });
        }
        Ok(Some(Self { text, digest, path, skill: skill.name().to_owned() }))
    }

    /// Returns the digest of its bytes, such as `sha256:9f86...`.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its path, for display.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the question whether it may run, with its whole text.
    pub fn question(&self) -> ApprovalRequest {
        let action = format!("to run the script `{}` of the skill `{}`", self.path, self.skill);
        let why = format!("nobody has agreed to its text yet, which has the digest {}", self.digest);
        script_question(ApprovalKind::Script, action, why, &self.path, &self.text)
    }

    /// Checks whether the policy lets it run after a person agreed: the folder permits programs, and no line of the
    /// settings forbids `bash`. The agreement replaces the built-in rules of safe mode, which refuse every shell. Blocks
    /// on the disk.
    ///
    /// # Errors
    /// [`SkillError::Denied`], with the rule.
    pub fn check(&self, workspace: &Workspace) -> Result<(), SkillError> {
        let denied = |error: WorkspaceError| SkillError::Denied(error.to_string());
        workspace.check(".", Verb::Exec).map_err(denied)?;
        match workspace.check_command(PROGRAM) {
            Err(WorkspaceError::Denied(refusal)) if refusal.ruling.origin == Origin::BuiltIn => Ok(()),
            checked => checked.map(drop).map_err(denied),
        }
    }

    /// Runs it with `bash`, in the folder and with the environment of `process`, for at most [`MAX_SCRIPT_TIME`]. Call
    /// [`check`](Self::check) first.
    ///
    /// # Errors
    /// The script cannot start, or its end cannot be awaited.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O and time enabled.
    ///
    /// # Cancel safety
    /// Dropping the future kills the script and its process group at once.
    pub async fn run(&self, process: Process, workspace: &Workspace) -> Result<ProcessOutput, ProcessError> {
        let words = ["--noprofile", "--norc", "-c", &self.text, &self.path];
        let process = process.found_outside(workspace.root()).words(PROGRAM, words);
        process.merged().max_time(MAX_SCRIPT_TIME).run(pending(), |_, _| {}).await
    }
}

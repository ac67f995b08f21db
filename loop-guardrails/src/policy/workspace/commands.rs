//! Commands that get open files.
//!
//! A program that gets a name opens the file later, when the name may belong to another file. So a program with known
//! options gets its files already open, as descriptors.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::fcntl_dupfd_cloexec;

use super::{Repository, Workspace, WorkspaceError, git_paths, nested_repositories};
use crate::policy::{
    DeniedAction, Ruling, Verb,
    command::{CommandLine, GitQuestion},
};

/// The maximum number of open files for one command.
const MAX_FILES: usize = 100;

/// A command that may run, with its open files.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedCommand {
    /// The command. Its arguments name a descriptor in place of each file that it reads.
    pub command: CommandLine,
    /// The descriptors that the command must inherit, under the same numbers.
    pub files: Vec<OwnedFd>,
    /// For each descriptor, its name in the arguments and the original name.
    names: Vec<(String, String)>,
    /// The repository that git reads.
    repository: Option<Repository>,
}

impl OpenedCommand {
    /// Processes git's answer to a question, as [`CommandLine::answer`] does, and checks the folders of the files in
    /// its index. Blocks for the disk.
    ///
    /// # Errors
    /// [`WorkspaceError`] if git may not run after this answer.
    pub fn answer(
        &mut self,
        question: GitQuestion,
        exit_code: i32,
        stdout: &[u8],
    ) -> Result<(), WorkspaceError> {
        self.command.answer(question, exit_code, stdout)?;
        match &self.repository {
            Some(repository) if question == GitQuestion::Index => repository.vet_index(stdout),
            _ => Ok(()),
        }
    }

    /// Returns the repository that git reads, if the command is one of git that safe mode knows.
    pub fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    /// Replaces the descriptors in the command's output with the names of the files.
    pub fn with_names(&self, text: &str) -> String {
        // From the end, so that the replacement for 1 does not change 11.
        let mut names: Vec<_> = self.names.iter().collect();
        names.sort_by_key(|(descriptor, _)| std::cmp::Reverse(descriptor.len()));
        names.into_iter().fold(text.to_owned(), |text, (descriptor, name)| text.replace(descriptor, name))
    }
}

impl Workspace {
    /// Checks a command that runs in the root: the policy allows its line, and its paths lead to readable files. The
    /// command opens them itself, with the risk described at [`check`](Self::check); call
    /// [`open_command`](Self::open_command) before you run it.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the policy does not allow it, or a path leads out.
    pub fn check_command(&self, line: &str) -> Result<CommandLine, WorkspaceError> {
        let policy = self.policy();
        let is_for_shell = policy.commands().is_for_shell(line);
        let judged = if is_for_shell { line.into() } else { git_paths::with_separator(self.root(), line) };
        let command = policy.on_command(&judged)?;
        let reads = command.paths.iter().map(|path| (path.as_str(), Verb::Read));
        if let Some(path) = command.paths.iter().find(|path| self.is_unmatched_pattern(path)) {
            let rule = format!(
                "no shell is involved, so `{path}` names no file: list the folder, and name the files one by one"
            );
            let ruling = Ruling::without_shell(rule);
            return Err(DeniedAction { action: format!("to run `{line}`"), ruling }.into());
        }
        let mut leads_to = Vec::new();
        for (path, verb) in command.program_path().map(|path| (path, Verb::Exec)).into_iter().chain(reads) {
            match self.check(path, verb) {
                Ok(place) => leads_to.push(place),
                Err(error) if error.is_refusal() => return Err(error),
                // It is not a path after all, or the program itself will report an error about it.
                Err(_) => {}
            }
        }
        self.policy().on_walk(&command, &leads_to)?;
        Ok(command)
    }

    /// Returns whether a shell would replace this word by the names of files.
    fn is_unmatched_pattern(&self, word: &str) -> bool {
        word.contains(['*', '?']) && self.root().join(word).symlink_metadata().is_err()
    }

    /// Checks a command and prepares it to run: opens the files that it reads, and [vets](Repository) the repository
    /// that git reads.
    ///
    /// Programs with unknown options get names, and so does git. On systems other than Linux all programs do.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the policy does not allow it, a path leads out, or a file cannot be opened.
    pub fn open_command(&self, line: &str) -> Result<OpenedCommand, WorkspaceError> {
        let mut command = self.check_command(line)?;
        let mut repository = None;
        if !command.questions().is_empty() {
            let found = repository.insert(Repository::find(self.root())?);
            command.pin(&found.git_dir, &found.work_tree)?;
        }
        let mut opened = OpenedCommand { command, files: Vec::new(), names: Vec::new(), repository };
        self.open_contents(&mut opened)?;
        Ok(opened)
    }

    /// Passes the command its files open, where possible. Folders that it searches get their names without links,
    /// because the patterns that exclude secrets are compared with the name in the arguments.
    fn open_contents(&self, opened: &mut OpenedCommand) -> Result<(), WorkspaceError> {
        let names: Vec<_> = opened.command.contents().map(str::to_owned).collect();
        if names.is_empty() && opened.command.reads_folders() {
            nested_repositories::refuse_in(self.root(), "", &opened.command.program)?;
        }
        if names.len() > MAX_FILES {
            return Err(WorkspaceError::ManyFiles { most: MAX_FILES });
        }
        let mut given = Vec::new();
        for name in names {
            let searches = opened.command.reads_folders();
            if !cfg!(target_os = "linux") {
                given.push(if searches { self.searched(&name, &opened.command.program)? } else { name });
                continue;
            }
            let file = match self.read(&name) {
                Err(WorkspaceError::Kind { .. }) if searches => {
                    given.push(self.searched(&name, &opened.command.program)?);
                    continue;
                }
                read => read?,
            };
            // 0 to 2 are the command's own input and outputs.
            let fd = fcntl_dupfd_cloexec(&file.file, 3)
                .map_err(|errno| WorkspaceError::io("open", &file.path, errno))?;
            // This unusual spelling distinguishes the descriptor from text in a file.
            let descriptor = format!("/dev/fd/./{}", fd.as_raw_fd());
            given.push(descriptor.clone());
            opened.names.push((descriptor, name));
            opened.files.push(fd);
        }
        opened.command.rename_contents(&given);
        Ok(())
    }

    /// Returns the path of a folder that a program searches, without links, `..` and doubled separators, in a form that
    /// no program takes for an option.
    fn searched(&self, path: &str, program: &str) -> Result<String, WorkspaceError> {
        let plain = self.check(path, Verb::Read)?.to_string();
        nested_repositories::refuse_in(self.root(), &plain, program)?;
        Ok(if plain.starts_with('-') { format!("./{plain}") } else { plain })
    }
}

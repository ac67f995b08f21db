//! Commands that are given open files.
//!
//! A program that is given a name opens it some time later, and by then it may be the name of something else. So a
//! program whose options are known gets the files that it reads already open, as descriptors.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::fcntl_dupfd_cloexec;

use super::{Repository, Workspace, WorkspaceError};
use crate::policy::{
    Verb,
    command::{CommandLine, GitQuestion},
};

/// The most files that one command is given open.
const MAX_FILES: usize = 100;

/// A command that may run, and the files that it is given.
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedCommand {
    /// The command. Where it named a file that it reads, its arguments name a descriptor.
    pub command: CommandLine,
    /// The descriptors that the command has to inherit, under the same numbers.
    pub files: Vec<OwnedFd>,
    /// What the arguments name, and what the command named, for each descriptor.
    names: Vec<(String, String)>,
    /// What git reads.
    repository: Option<Repository>,
}

impl OpenedCommand {
    /// Takes git's answer to a question, as [`CommandLine::answer`] does, and looks at the folders of the files that its
    /// index names. Blocks for the disk.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the answer is not one with which git may run.
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

    /// Puts the names of files in the place of their descriptors in what the command printed.
    pub fn with_names(&self, text: &str) -> String {
        // From the end, so that 11 is not taken for 1.
        let mut names: Vec<_> = self.names.iter().collect();
        names.sort_by_key(|(descriptor, _)| std::cmp::Reverse(descriptor.len()));
        names.into_iter().fold(text.to_owned(), |text, (descriptor, name)| text.replace(descriptor, name))
    }
}

impl Workspace {
    /// A command that may run in the root: its line is allowed, and its paths lead to what it may read. It opens
    /// them itself, as [`check`](Self::check) says; ask [`open_command`](Self::open_command) before you run it.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the policy does not allow it, or a path leads out.
    pub fn check_command(&self, line: &str) -> Result<CommandLine, WorkspaceError> {
        let command = self.policy().on_command(line)?;
        let reads = command.paths.iter().map(|path| (path.as_str(), Verb::Read));
        let mut leads_to = Vec::new();
        for (path, verb) in command.program_path().map(|path| (path, Verb::Exec)).into_iter().chain(reads) {
            match self.check(path, verb) {
                Ok(place) => leads_to.push(place),
                Err(error) if error.is_refusal() => return Err(error),
                // It is no path after all, or one about which the program will say something.
                Err(_) => {}
            }
        }
        self.policy().on_walk(&command, &leads_to)?;
        Ok(command)
    }

    /// The same, ready to run: the files that it reads are open, and the repository that git reads is
    /// [vetted](Repository).
    ///
    /// Programs of which nothing is known get names, and so does git. On systems other than Linux all do.
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

    /// Gives the command its files open, where that can be done. Folders that it looks into get the name to which they
    /// lead: the patterns that leave out secrets are compared with the name as it is given.
    fn open_contents(&self, opened: &mut OpenedCommand) -> Result<(), WorkspaceError> {
        let names: Vec<_> = opened.command.contents().map(str::to_owned).collect();
        if names.len() > MAX_FILES {
            return Err(WorkspaceError::ManyFiles { most: MAX_FILES });
        }
        let mut given = Vec::new();
        for name in names {
            let walks = opened.command.walks();
            if !cfg!(target_os = "linux") {
                given.push(if walks { self.plain_name(&name)? } else { name });
                continue;
            }
            let file = match self.read(&name) {
                Err(WorkspaceError::Kind { .. }) if walks => {
                    given.push(self.plain_name(&name)?);
                    continue;
                }
                read => read?,
            };
            // 0 to 2 are the command's own input and outputs.
            let fd = fcntl_dupfd_cloexec(&file.file, 3)
                .map_err(|errno| WorkspaceError::io("open", &file.path, errno))?;
            // Written in a way in which nobody else writes it, so that it can be told from a file's text.
            let descriptor = format!("/dev/fd/./{}", fd.as_raw_fd());
            given.push(descriptor.clone());
            opened.names.push((descriptor, name));
            opened.files.push(fd);
        }
        opened.command.rename_contents(&given);
        Ok(())
    }

    /// Where a path leads, without links, `..` and doubled separators, and so that no program takes it for an option.
    fn plain_name(&self, path: &str) -> Result<String, WorkspaceError> {
        let plain = self.check(path, Verb::Read)?.to_string();
        Ok(if plain.starts_with('-') { format!("./{plain}") } else { plain })
    }
}

//! The policy for commands.
//!
//! A list of harmless programs is not enough: `find` deletes, `git` writes files and starts programs, `env` starts any
//! program, and a shell would interpret every `;` in a file name. So we split a line into words and never pass it to a
//! shell. In safe mode, the program must be on a list, by its exact name; its options must be [known](table) to be
//! harmless; and the policy judges every word that names a file as a path.
//!
//! The policy cannot control a program after it starts. Without a sandbox of the operating system, a program that the
//! user allows (`cargo`, `python3`) can do everything that the user can.

mod arguments;
mod forbidden;
mod git;
mod in_shell;
mod on_words;
mod parsed_arguments;
mod shell_syntax;
mod table;

use std::collections::BTreeMap;

use self::git::GitCommand;
pub use self::git::{GIT_VARIABLES, GitQuestion};
use super::CommandPrefix;
use crate::policy::{
    DeniedAction, LocalPath, Origin, Ruling, SecretFiles, WithOrigin, read_scope::ReadScope,
};

/// The programs that run in safe mode by default.
pub const DEFAULT_PROGRAMS: &[&str] = &[
    "basename", "bat", "batcat", "cat", "cmp", "cut", "date", "dirname", "du", "echo", "false", "file",
    "find", "git", "grep", "head", "htmlq", "jq", "ls", "nl", "pwd", "sort", "stat", "tail", "tr", "true",
    "uniq", "wc",
];

/// The maximum length of a command line in bytes.
pub const MAX_COMMAND_BYTES: usize = 4096;

/// A command that may run: its program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLine {
    /// The program: a name to look up in `PATH`, or the path of a file in the workspace.
    pub program: String,
    /// Its arguments. For `git` and `rg` they differ from the requested ones: they exclude secrets from the output, and
    /// disable everything that would make `git` start programs, as far as we can name it [without
    /// asking](Self::questions).
    pub arguments: Vec<String>,
    /// The files and folders that it reads, as the command named them.
    pub paths: Vec<String>,
    /// The ruling that allows it.
    pub ruling: Ruling,
    /// The files whose contents it reads, as places in its arguments.
    contents: Vec<PathArgument>,
    /// Whether it searches folders recursively.
    walks: bool,
    /// Whether it reads the files that it finds in folders, and not only their names.
    reads_folders: bool,
    /// Whether the table knows the options of its program.
    is_known: bool,
    /// Whether a shell reads it.
    in_shell: bool,
    /// The parts of a command of git in safe mode.
    git: Option<Box<GitCommand>>,
}

/// A path in a command's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PathArgument {
    argument: usize,
    /// Where the path begins in the argument, such as after `--file=`.
    start: usize,
}

impl CommandLine {
    fn new(program: String, arguments: Vec<String>, ruling: Ruling) -> Self {
        Self {
            program,
            arguments,
            paths: Vec::new(),
            ruling,
            contents: Vec::new(),
            walks: false,
            reads_folders: false,
            is_known: false,
            in_shell: false,
            git: None,
        }
    }

    /// Returns the program's path, if it is a file of the workspace and not a name.
    pub fn program_path(&self) -> Option<&str> {
        self.program.contains('/').then_some(&*self.program)
    }

    /// Returns the files whose contents it reads, if its program has known options. Such a program can read them under
    /// another name.
    pub fn contents(&self) -> impl Iterator<Item = &str> {
        self.contents.iter().map(|word| &self.arguments[word.argument][word.start..])
    }

    /// Replaces the names of the files in [`contents`](Self::contents), in order.
    pub(crate) fn rename_contents(&mut self, names: &[String]) {
        for (word, name) in self.contents.iter().zip(names) {
            self.arguments[word.argument].replace_range(word.start.., name);
        }
    }

    /// Restricts the command to the files that it may read: git shows nothing else, and a program that searches folders
    /// runs only where no file is withheld.
    pub(crate) fn limit(&mut self, scope: &ReadScope<'_>) -> Result<(), Ruling> {
        if let Some(git) = &mut self.git {
            let shown = if git.shown().is_empty() { scope.roots()? } else { git.shown().to_vec() };
            let hidden = scope.hidden_in(&shown)?;
            let is_all = git.shown().is_empty() && shown.iter().all(LocalPath::is_root);
            git.limit(if is_all { Vec::new() } else { shown }, hidden);
            self.arguments = git.arguments();
        } else {
            let paths = self.paths.iter().map(|path| scope.local(path)).collect::<Result<Vec<_>, _>>()?;
            self.refuse_walking(&paths, scope)?;
        }
        Ok(())
    }

    /// Refuses to search these folders, or the whole workspace, if a file in them is withheld.
    pub(crate) fn refuse_walking(&self, paths: &[LocalPath], scope: &ReadScope<'_>) -> Result<(), Ruling> {
        let all = [LocalPath::root()];
        match self.walks {
            true => scope.refuse_hidden_in(if paths.is_empty() { &all } else { paths }, &self.program),
            false => Ok(()),
        }
    }

    /// Returns whether it reads the files that it finds in folders, and not only their names.
    pub(crate) fn reads_folders(&self) -> bool {
        self.reads_folders
    }

    /// Returns whether the options of its program are known, or it is a default program. Such a program is not looked
    /// up in the workspace.
    pub fn is_known(&self) -> bool {
        self.is_known || self.ruling.origin == Origin::BuiltIn
    }

    /// Returns whether it is a line for a shell, which a person allowed. No rule judges what such a line reads or writes.
    pub fn is_in_shell(&self) -> bool {
        self.in_shell
    }

    /// Returns whether it changes nothing, as far as its options say: safe mode has judged them. A command that runs
    /// only because a person allows it may do anything.
    pub fn only_reads(&self) -> bool {
        let is_default =
            || self.ruling.origin == Origin::BuiltIn && DEFAULT_PROGRAMS.contains(&self.program.as_str());
        if self.program == "git" { self.git.is_some() } else { self.is_known || is_default() }
    }

    fn set_git(&mut self, git: GitCommand) {
        self.arguments = git.arguments();
        self.git = Some(Box::new(git));
    }

    fn git(&self) -> Option<&GitCommand> {
        self.git.as_deref()
    }

    fn change_git(
        &mut self,
        change: impl FnOnce(&mut GitCommand) -> Result<(), Ruling>,
    ) -> Result<(), DeniedAction> {
        if let Some(git) = &mut self.git {
            change(git).map_err(|ruling| DeniedAction { action: "to run `git`".to_owned(), ruling })?;
            self.arguments = git.arguments();
        }
        Ok(())
    }
}

/// Decides which programs run, with which arguments.
///
/// # Default
/// Safe mode is on, and [`DEFAULT_PROGRAMS`] run.
///
/// ```
/// use loop_guardrails::policy::command::CommandPolicy;
///
/// let policy = CommandPolicy::new();
/// let line = policy.judge("grep -n 'hello world' notes.txt")?;
/// assert_eq!((line.program.as_str(), &*line.paths), ("grep", &["notes.txt".to_owned()][..]));
/// assert!(policy.judge("find . -delete").is_err());
/// # Ok::<(), loop_guardrails::policy::DeniedAction>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPolicy {
    safe_mode: WithOrigin<bool>,
    allow: BTreeMap<CommandPrefix, Origin>,
    forbid: BTreeMap<CommandPrefix, Origin>,
    /// The line that a person allowed for a shell.
    shell_line: Option<String>,
    secrets: SecretFiles,
}

impl Default for CommandPolicy {
    fn default() -> Self {
        let entry = |program: &&str| CommandPrefix::of_words([*program]).ok();
        let built_in = DEFAULT_PROGRAMS.iter().filter_map(entry).map(|program| (program, Origin::BuiltIn));
        Self {
            safe_mode: WithOrigin::new(true, Origin::BuiltIn),
            allow: built_in.collect(),
            forbid: BTreeMap::new(),
            shell_line: None,
            secrets: SecretFiles::new(),
        }
    }
}

impl CommandPolicy {
    /// Creates a policy with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Switches safe mode on or off. When it is off, every program that is not forbidden runs, with any arguments, and
    /// can read secrets. Commands still do not pass through a shell.
    #[must_use]
    pub fn safe_mode(mut self, on: WithOrigin<bool>) -> Self {
        self.safe_mode = on;
        self
    }

    /// Also allows commands with these leading words in safe mode. Programs that start others stay refused, and the
    /// options of programs with known options are still checked.
    #[must_use]
    pub fn allow(mut self, entries: impl IntoIterator<Item = WithOrigin<CommandPrefix>>) -> Self {
        self.allow.extend(entries.into_iter().map(|entry| (entry.value, entry.origin)));
        self
    }

    /// Forbids these commands in every mode: also by a path that ends in the program's name, with other arguments in
    /// between, and as an argument of any program that may start others (`env rm`, `sh -c 'rm x'`, `find -exec rm`).
    /// Only the text of the line counts: this does not detect a name that a program puts together, or that is in a file.
    #[must_use]
    pub fn forbid(mut self, entries: impl IntoIterator<Item = WithOrigin<CommandPrefix>>) -> Self {
        self.forbid.extend(entries.into_iter().map(|entry| (entry.value, entry.origin)));
        self
    }

    /// Returns safe mode with only the default programs. Forbidden programs stay forbidden.
    pub(crate) fn usual(self) -> Self {
        Self { forbid: self.forbid, secrets: self.secrets, ..Self::default() }
    }

    /// Sets which files `git` and `rg` exclude.
    #[must_use]
    pub fn secrets(mut self, secrets: SecretFiles) -> Self {
        self.secrets = secrets;
        self
    }

    /// Returns whether safe mode is on, and the origin of that setting.
    pub fn mode(&self) -> &WithOrigin<bool> {
        &self.safe_mode
    }

    /// Returns the entries that allow commands in safe mode, and who wrote them.
    pub fn allowed(&self) -> impl Iterator<Item = (&CommandPrefix, &Origin)> {
        self.allow.iter().filter(|(entry, _)| !self.forbid.contains_key(*entry))
    }

    /// Returns the entries that forbid commands, and who wrote them.
    pub fn forbidden(&self) -> impl Iterator<Item = (&CommandPrefix, &Origin)> {
        self.forbid.iter()
    }

    /// Returns whether an entry allows these words, its program first, whatever follows them.
    pub fn is_allowed<W: AsRef<str>>(&self, words: &[W]) -> bool {
        self.entry(words).is_some() && !self.forbid.keys().any(|entry| entry.covers(words))
    }

    /// Returns the longest entry that covers these words.
    fn entry<W: AsRef<str>>(&self, words: &[W]) -> Option<(&CommandPrefix, &Origin)> {
        // The options of a known program are judged one by one.
        let is_judged = |entry: &CommandPrefix| {
            entry.arguments().is_empty()
                && (entry.program() == "git" || table::find(entry.program()).is_some())
        };
        let allows = |entry: &CommandPrefix| {
            if is_judged(entry) { entry.covers(words) } else { entry.allows(words) }
        };
        let covering = self.allow.iter().filter(|(entry, _)| allows(entry));
        covering.max_by_key(|(entry, _)| entry.words().len())
    }

    /// Judges a command line as a person types it, but not its paths.
    ///
    /// Words are split at blanks; `'…'`, `"…"` and `\` quote, as in a shell. Unquoted operators, redirections and variables
    /// of a shell are refused, because the program would get them as plain words. A `*` is a plain character. Split a
    /// [`pipeline`](super::pipeline) before.
    ///
    /// # Errors
    /// [`DeniedAction`], with the rule that decides.
    pub fn judge(&self, line: &str) -> Result<CommandLine, DeniedAction> {
        self.command(line).map_err(|ruling| DeniedAction { action: format!("to run `{line}`"), ruling })
    }

    fn command(&self, line: &str) -> Result<CommandLine, Ruling> {
        if self.is_for_shell(line) {
            return self.in_shell(line);
        }
        let words = shell_syntax::split(line)?;
        let Some((program, arguments)) = words.split_first().filter(|(program, _)| !program.is_empty())
        else {
            return Err(built_in("the command is empty; give a program and its arguments"));
        };
        shell_syntax::refuse(line)?;
        let ruling = self.on_words(program, arguments, &words)?;
        let line = CommandLine::new(program.clone(), arguments.to_vec(), ruling);
        match line.program.as_str() {
            _ if !self.safe_mode.value => Ok(line),
            "git" if git::is_other(&line.arguments) => self.other_git(line, &words),
            "git" => git::judge(line, &self.secrets),
            _ => arguments::judge(line, &self.secrets).map_err(Ruling::or_in_shell),
        }
    }

    /// Judges a subcommand of git that does more than the known ones, so that it needs its own entry.
    fn other_git(&self, line: CommandLine, words: &[String]) -> Result<CommandLine, Ruling> {
        if self.entry(words).is_none_or(|(entry, _)| entry.words().len() < 2) {
            return Err(Ruling {
                needs_entry: CommandPrefix::proposed(words).ok().map(Box::new),
                ..git::no_subcommand()
            });
        }
        let line = arguments::of_unknown(line);
        Ok(CommandLine { is_known: true, ..line })
    }
}

fn built_in(rule: impl Into<String>) -> Ruling {
    Ruling::denied(rule, &Origin::BuiltIn)
}

#[cfg(test)]
mod tests;

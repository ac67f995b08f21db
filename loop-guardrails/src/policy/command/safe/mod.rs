//! Which commands may run.
//!
//! A list of harmless programs is not harmless: `find` deletes, `git` writes files and starts programs,
//! `env` starts whatever it is given, and a shell between us and the program gives a meaning to every `;`
//! in a file's name. So a line is split into words and never given to a shell; in safe mode its program
//! must be on a list, by its exact name; its options must be among those that are [known](table) to do no
//! harm; and every word that names a file is judged as a path.
//!
//! What a program does with what it may do is beyond this. Without a sandbox of the operating system, a
//! program that the user allows (`cargo`, `python3`) can do whatever the user can.

mod arguments;
mod forbidden;
mod git;
mod table;
mod words;

use std::collections::BTreeMap;

use self::git::GitCommand;
pub use self::git::{GIT_VARIABLES, GitQuestion};
use super::wrapper;
use crate::policy::{Denied, LocalPath, Origin, Placed, Ruling, SecretFiles, scope::ReadScope};

/// The programs that run in safe mode without being allowed by anybody.
pub const DEFAULT_PROGRAMS: &[&str] = &[
    "basename", "bat", "batcat", "cat", "cmp", "cut", "date", "dirname", "du", "echo", "false", "file",
    "find", "git", "grep", "head", "htmlq", "jq", "ls", "nl", "pwd", "sort", "stat", "tail", "tr", "true",
    "uniq", "wc",
];

/// The most bytes of a command line.
pub const MAX_COMMAND_BYTES: usize = 4096;

/// A command that may run: its program, and what it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLine {
    /// The program: a name that is looked up in `PATH`, or the path of a file in the workspace.
    pub program: String,
    /// Its arguments. Those of `git` and `rg` are not quite what was asked for: secrets are left out of what
    /// they show, and what would make `git` start programs is switched off, as far as it can be named
    /// [without asking](Self::questions).
    pub arguments: Vec<String>,
    /// The files and folders that it is told to read, as it was told.
    pub paths: Vec<String>,
    /// Why it may run.
    pub ruling: Ruling,
    /// The files whose contents it reads, as places in its arguments.
    contents: Vec<Word>,
    /// Whether it looks into folders below those that are named.
    walks: bool,
    /// Whether the options of its program are known.
    is_known: bool,
    /// The parts of a command of git in safe mode.
    git: Option<Box<GitCommand>>,
}

/// A path in a command's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    argument: usize,
    /// Where the path begins in the argument: behind `--file=`.
    start: usize,
}

impl CommandLine {
    /// The program's path, if it is a file of the workspace and no name.
    pub fn program_path(&self) -> Option<&str> {
        self.program.contains('/').then_some(&*self.program)
    }

    /// The files whose contents it reads, if it is a program whose options are known. Such a program can read them
    /// under another name.
    pub fn contents(&self) -> impl Iterator<Item = &str> {
        self.contents.iter().map(|word| &self.arguments[word.argument][word.start..])
    }

    /// Gives the files of [`contents`](Self::contents) other names, in their order.
    pub(crate) fn rename_contents(&mut self, names: &[String]) {
        for (word, name) in self.contents.iter().zip(names) {
            self.arguments[word.argument].replace_range(word.start.., name);
        }
    }

    /// Holds the command to what the permissions let it read: git shows nothing else, and a program that looks into
    /// folders by itself runs only where nothing is withheld.
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

    /// Refuses to look into these folders, or all, if something in them is withheld.
    pub(crate) fn refuse_walking(&self, paths: &[LocalPath], scope: &ReadScope<'_>) -> Result<(), Ruling> {
        let all = [LocalPath::root()];
        match self.walks {
            true => scope.refuse_hidden_in(if paths.is_empty() { &all } else { paths }, &self.program),
            false => Ok(()),
        }
    }

    /// Whether it looks into folders by itself.
    pub(crate) fn walks(&self) -> bool {
        self.walks
    }

    /// Whether its program is one whose options are known, or one that runs without being allowed by anybody. Such a
    /// program is not looked for in the workspace.
    pub fn is_known(&self) -> bool {
        self.is_known || self.ruling.origin == Origin::BuiltIn
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
    ) -> Result<(), Denied> {
        if let Some(git) = &mut self.git {
            change(git).map_err(|ruling| Denied { action: "to run `git`".to_owned(), ruling })?;
            self.arguments = git.arguments();
        }
        Ok(())
    }
}

/// Which programs run, with which arguments.
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
/// # Ok::<(), loop_guardrails::policy::Denied>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPolicy {
    safe_mode: Placed<bool>,
    allow: BTreeMap<String, Origin>,
    forbid: BTreeMap<String, Origin>,
    secrets: SecretFiles,
}

impl Default for CommandPolicy {
    fn default() -> Self {
        let built_in = DEFAULT_PROGRAMS.iter().map(|program| ((*program).to_owned(), Origin::BuiltIn));
        Self {
            safe_mode: Placed::new(true, Origin::BuiltIn),
            allow: built_in.collect(),
            forbid: BTreeMap::new(),
            secrets: SecretFiles::new(),
        }
    }
}

impl CommandPolicy {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Switches safe mode on or off. Off, every program runs that is not forbidden, with any arguments, and reads
    /// secrets as well; still without a shell between.
    #[must_use]
    pub fn safe_mode(mut self, on: Placed<bool>) -> Self {
        self.safe_mode = on;
        self
    }

    /// Lets these programs run in safe mode as well.
    #[must_use]
    pub fn allow(mut self, programs: impl IntoIterator<Item = Placed<String>>) -> Self {
        self.allow.extend(programs.into_iter().map(|program| (program.value, program.origin)));
        self
    }

    /// Lets these programs run in no mode: neither by a path that ends in their name, nor by programs that start
    /// what they are given (`env rm`, `sh -c 'rm x'`, `find -exec rm`). What a script, a link or a copy by another
    /// name, or a program such as `python3` starts is not seen.
    #[must_use]
    pub fn forbid(mut self, programs: impl IntoIterator<Item = Placed<String>>) -> Self {
        self.forbid.extend(programs.into_iter().map(|program| (program.value, program.origin)));
        self
    }

    /// Safe mode, and no program beside those of the default; what is forbidden stays so.
    pub(crate) fn usual(self) -> Self {
        Self { forbid: self.forbid, secrets: self.secrets, ..Self::default() }
    }

    /// Which files `git` and `rg` are told to leave out.
    #[must_use]
    pub fn secrets(mut self, secrets: SecretFiles) -> Self {
        self.secrets = secrets;
        self
    }

    /// Whether safe mode is on, and who says so.
    pub fn mode(&self) -> &Placed<bool> {
        &self.safe_mode
    }

    /// The programs that run in safe mode, and who allows them.
    pub fn programs(&self) -> impl Iterator<Item = (&str, &Origin)> {
        let allowed = self.allow.iter().filter(|(name, _)| !self.forbid.contains_key(*name));
        allowed.map(|(name, origin)| (name.as_str(), origin))
    }

    /// The programs that are forbidden, and who forbids them.
    pub fn forbidden(&self) -> impl Iterator<Item = (&str, &Origin)> {
        self.forbid.iter().map(|(name, origin)| (name.as_str(), origin))
    }

    /// Whether this program runs in safe mode, arguments aside.
    pub fn is_allowed(&self, program: &str) -> bool {
        self.allow.contains_key(program) && !self.forbid.contains_key(program)
    }

    /// Judges a command line as a person types it, without its paths.
    ///
    /// Words are split at blanks; `'…'`, `"…"` and `\` quote, as in a shell. Nothing else has a meaning:
    /// `|`, `>`, `*` and `$` are plain characters.
    ///
    /// # Errors
    /// [`Denied`], with the rule that decides.
    pub fn judge(&self, line: &str) -> Result<CommandLine, Denied> {
        self.command(line).map_err(|ruling| Denied { action: format!("to run `{line}`"), ruling })
    }

    fn command(&self, line: &str) -> Result<CommandLine, Ruling> {
        let mut words = split(line)?.into_iter();
        let program = words
            .next()
            .filter(|program| !program.is_empty())
            .ok_or_else(|| built_in("the command is empty; give a program and its arguments"))?;
        let arguments: Vec<_> = words.collect();
        let ruling = self.on_program(&program, &arguments)?;
        let line = CommandLine {
            program,
            arguments,
            paths: Vec::new(),
            ruling,
            contents: Vec::new(),
            walks: false,
            is_known: false,
            git: None,
        };
        match line.program.as_str() {
            _ if !self.safe_mode.value => Ok(line),
            "git" => git::judge(line, &self.secrets),
            _ => arguments::judge(line, &self.secrets),
        }
    }

    fn on_program(&self, program: &str, arguments: &[String]) -> Result<Ruling, Ruling> {
        // In safe mode nothing runs that starts what it is given, so there words are only words.
        let given = if self.safe_mode.value { &[] } else { arguments };
        let mut forbidden = self.forbid.iter();
        if let Some((name, origin)) = forbidden.find(|(name, _)| forbidden::is_started(name, program, given))
        {
            return Err(Ruling::denied(format!("`{name}` is forbidden"), origin));
        }
        if program.starts_with('-') {
            return Err(built_in("a program's name does not begin with `-`"));
        }
        if !self.safe_mode.value {
            return Ok(Ruling::allowed("safe mode is off", &self.safe_mode.origin));
        }
        let Some(origin) = self.allow.get(program) else {
            let programs: Vec<_> = self.programs().map(|(name, _)| name).collect();
            let rule = format!(
                "`{program}` is not among the programs of safe mode; use one of {}, a tool, or ask the user to allow it",
                programs.join(" ")
            );
            return Err(Ruling::denied(rule, &self.safe_mode.origin));
        };
        if wrapper::starts_others(program) || table::STARTERS.contains(&program) {
            let rule = format!(
                "`{program}` starts other programs, which nobody would judge; run the program by itself"
            );
            return Err(built_in(rule));
        }
        Ok(Ruling::allowed(format!("`{program}` is among the programs of safe mode"), origin))
    }
}

fn split(line: &str) -> Result<Vec<String>, Ruling> {
    if line.contains(['\n', '\r', '\0']) {
        return Err(built_in("a command is one line; run commands one by one"));
    }
    if line.len() > MAX_COMMAND_BYTES {
        return Err(built_in(format!(
            "a command has at most {MAX_COMMAND_BYTES} bytes; put long texts into files"
        )));
    }
    shlex::split(line).ok_or_else(|| built_in("a quote in the command is never closed; close it"))
}

fn built_in(rule: impl Into<String>) -> Ruling {
    Ruling::denied(rule, &Origin::BuiltIn)
}

#[cfg(test)]
mod tests;

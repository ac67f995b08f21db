//! Programs and scripts that a command needs and that do not exist.
//!
//! A run with such a command is refused, so we must never report a line that works. The reader follows a shell line
//! only as far as it certainly understands it, and to the first program that certainly starts. Where anything else
//! could happen, it reports nothing, and the run finds out.

mod line_reader;
mod report;

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use loop_agents::process::is_shell_word;

use self::line_reader::{LineReader, goes_on, is_plain};
pub use self::report::describe_missing;
use crate::{init::is_on_path, unfilled::UNFILLED};

/// A program or script that does not exist, as the command names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingProgram<'a> {
    /// No folder of `PATH` contains a program of this name.
    NotOnPath(&'a str),
    /// There is no file at this path.
    NoFile(&'a str),
}

/// Programs whose first argument is the script that they run. Shells also look for it on `PATH`.
const INTERPRETERS: [&str; 9] = ["node", "perl", "python", "python3", "ruby", "bash", "dash", "sh", "zsh"];
const SHELLS: &[&str] = INTERPRETERS.split_at(5).1;

/// The endings of scripts whose whole name `node` certainly needs: it finds `server.js` for `./server`.
const NODE_ENDINGS: [&str; 3] = [".js", ".mjs", ".cjs"];

/// Builtins and programs that change nothing for the commands after them, which start whatever these print.
const HARMLESS: [&str; 9] = [":", "cat", "echo", "export", "printf", "set", "true", "ulimit", "umask"];

/// Of these, the ones whose output is only ever the input of the next command.
const FEEDERS: [&str; 3] = ["cat", "echo", "printf"];

/// Words whose next word without an option is a program that they start.
const STARTERS: [&str; 8] = ["command", "env", "exec", "nice", "nohup", "setsid", "time", "timeout"];

/// Returns the first program or script that a shell line certainly needs and certainly lacks. The line runs in `folder`
/// with this `PATH`; without one, the shell uses its own default, which we do not know.
///
/// ```
/// use loop_manifest::{MissingProgram, missing_program};
///
/// let folder = tempfile::tempdir()?;
/// let find = |line| missing_program(line, Some("/bin:/usr/bin".as_ref()), folder.path());
/// assert_eq!(find("no-such-agent -p"), Some(MissingProgram::NotOnPath("no-such-agent")));
/// assert_eq!(find("cd /tmp && X=1 no-such-agent"), Some(MissingProgram::NotOnPath("no-such-agent")));
/// assert_eq!(find("sh ./agent.sh"), Some(MissingProgram::NoFile("./agent.sh")));
/// assert_eq!(find("no-such-agent || ls"), None, "the line goes on");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn missing_program<'a>(line: &'a str, path: Option<&OsStr>, folder: &Path) -> Option<MissingProgram<'a>> {
    let mut line = LineReader::new(line);
    let mut place = Place { path, folder: Some(folder.to_owned()) };
    // Nothing but a program follows a starter such as `env`.
    let mut is_started = false;
    loop {
        if !is_started {
            line.skip_brackets()?;
        }
        if let Some(name) = line.assignment()? {
            if is_search_path(name) {
                return None;
            }
            if !is_started {
                line.skip_end_of_command();
            }
            continue;
        }
        let word = line.plain_word()?;
        if STARTERS.contains(&word) {
            if let Some(missing) = place.program(word) {
                return (!goes_on(line.rest())).then_some(missing);
            }
            if word == "timeout" {
                line.plain_word().filter(|time| time.starts_with(|sign: char| sign.is_ascii_digit()))?;
            }
            is_started = true;
        } else if is_started || word != "cd" && !HARMLESS.contains(&word) {
            let missing = place.program(word).or_else(|| {
                let mut argument = line.plain_word()?;
                while is_plain_option(word, argument) {
                    argument = line.plain_word()?;
                }
                place.script(word, argument)
            })?;
            return (!goes_on(line.rest())).then_some(missing);
        } else if word == "cd" {
            place.enter(line.word()?);
            line.skip_end_of_command().then_some(())?;
        } else {
            while let Some(argument) = line.word() {
                is_harmless(word, argument).then_some(())?;
            }
            (line.skip_end_of_command() || FEEDERS.contains(&word) && line.skip_pipe()).then_some(())?;
        }
    }
}

/// Returns whether the shell looks for programs or folders along this variable.
fn is_search_path(name: &str) -> bool {
    matches!(name, "PATH" | "CDPATH")
}

/// Returns whether a harmless word does not become harmful with this argument: `export PATH=…`, `set -n`.
fn is_harmless(word: &str, argument: &str) -> bool {
    match word {
        "export" => {
            let name = argument.split('=').next().unwrap_or_default();
            name.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_')
                && !is_search_path(name)
                && is_plain(name)
        }
        "set" => argument == "pipefail" || argument.chars().all(|sign| "-euxo".contains(sign)),
        _ => true,
    }
}

/// Returns whether an option before a script changes nothing about which script it is: `bash -eu`, `ruby -Itest`.
fn is_plain_option(interpreter: &str, option: &str) -> bool {
    let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty()) else { return false };
    match interpreter {
        "ruby" => letters.starts_with('I') && letters.len() > 1,
        _ => SHELLS.contains(&interpreter) && letters.chars().all(|letter| "eux".contains(letter)),
    }
}

/// Where a command looks for programs.
struct Place<'a> {
    path: Option<&'a OsStr>,
    /// The working folder, if it is known.
    folder: Option<PathBuf>,
}

impl Place<'_> {
    /// Follows `cd`. A shell and the system disagree about `..` after a link, and only the shell expands `~`.
    fn enter(&mut self, word: &str) {
        let is_known = is_plain(word) && !word.starts_with('-') && !word.contains("..");
        let folder = self.folder.take().filter(|_| is_known).map(|folder| folder.join(word));
        self.folder = folder.filter(|folder| folder.is_dir());
    }

    fn program<'a>(&self, program: &'a str) -> Option<MissingProgram<'a>> {
        if program == UNFILLED || is_shell_word(program) || program.starts_with('-') {
            return None;
        }
        if program.contains('/') {
            return self.is_missing_file(program).then_some(MissingProgram::NoFile(program));
        }
        let (path, folder) = self.search_path()?;
        (!is_on_path(program, path, folder)).then_some(MissingProgram::NotOnPath(program))
    }

    /// Returns the script of an interpreter, if it is missing.
    fn script<'a>(&self, interpreter: &str, script: &'a str) -> Option<MissingProgram<'a>> {
        // Certainly a file: a path, or a name with an ending.
        let is_script = is_plain(script) && !script.starts_with('-') && script.contains(['/', '.']);
        let is_script =
            is_script && (interpreter != "node" || NODE_ENDINGS.iter().any(|end| script.ends_with(end)));
        let is_missing = INTERPRETERS.contains(&interpreter) && is_script && self.is_missing_file(script);
        let is_found_by_shell = || {
            let is_searched = SHELLS.contains(&interpreter) && !script.contains('/');
            let there = |(path, folder): (&OsStr, &Path)| {
                env::split_paths(path).any(|dir| folder.join(dir).join(script).exists())
            };
            is_searched && self.search_path().is_none_or(there)
        };
        (is_missing && !is_found_by_shell()).then_some(MissingProgram::NoFile(script))
    }

    fn is_missing_file(&self, file: &str) -> bool {
        let file = match &self.folder {
            Some(folder) => folder.join(file),
            None if file.starts_with('/') => PathBuf::from(file),
            None => return false,
        };
        // A file that we may not look at could be there.
        file.try_exists().is_ok_and(|there| !there)
    }

    /// Returns the folders to search, and the one in which relative ones are, unless somebody could see others there.
    fn search_path(&self) -> Option<(&OsStr, &Path)> {
        let is_known = |dir: PathBuf| dir.is_absolute() || self.folder.is_some() && !dir.starts_with("~");
        let path = self.path.filter(|path| env::split_paths(path).all(is_known))?;
        Some((path, self.folder.as_deref().unwrap_or(Path::new("/"))))
    }
}

#[cfg(test)]
mod tests;

//! The program to execute: a shell with a line, or a program with its arguments.
//!
//! A shell interprets a line that a person wrote. It must not interpret arguments that somebody has checked one by one,
//! because it would read them differently from the checker.

use std::{
    env,
    ffi::{CString, OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

use super::{Environment, ProcessError, simple_line::simple_words};

const SHELL: &str = "/bin/sh";

/// The folders to search for programs if the command sees no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A command line, or a program with its arguments.
#[derive(Debug, Clone)]
pub(super) enum Program {
    /// A line for the shell.
    Shell(String),
    /// A program's name or path, and its arguments.
    Words(String, Vec<String>),
}

/// The file and arguments that we pass to the system.
#[derive(Debug)]
pub(super) struct Image {
    /// The file to execute.
    pub(super) file: CString,
    /// The program's own name and its arguments.
    pub(super) argv: Vec<CString>,
}

impl Program {
    /// Returns the file to execute and its arguments.
    pub(super) fn image(&self, env: &Environment) -> Result<Image, ProcessError> {
        match self {
            // The double dash keeps the shell from reading a line that begins with a dash as an option.
            Self::Shell(line) => image(Path::new(SHELL), ["sh", "-c", "--", line]),
            Self::Words(program, arguments) => {
                let words = std::iter::once(program).chain(arguments).map(String::as_str);
                image(&find(program, env)?, words)
            }
        }
    }

    /// Returns the image of the program that a line for the shell names, if the line has nothing for a shell to do. A
    /// shell would also look into relative folders, so a `PATH` with one needs it.
    pub(super) fn direct_image(&self, env: &Environment) -> Option<Image> {
        let Self::Shell(line) = self else { return None };
        let words = simple_words(line)?;
        let is_absolute = |folders| env::split_paths(folders).all(|folder| folder.is_absolute());
        if !words[0].contains('/') && !env.get("PATH").is_some_and(is_absolute) {
            return None;
        }
        image(&find(&words[0], env).ok()?, words.iter().map(String::as_str)).ok()
    }

    /// Returns the length in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Shell(line) => line.len(),
            Self::Words(program, arguments) => {
                program.len() + arguments.iter().map(String::len).sum::<usize>()
            }
        }
    }

    /// Returns the name of the program to start, for messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Shell(_) => SHELL,
            Self::Words(program, _) => program,
        }
    }
}

fn image<'a>(file: &Path, words: impl IntoIterator<Item = &'a str>) -> Result<Image, ProcessError> {
    let c_string =
        |bytes: &[u8]| CString::new(bytes).map_err(|_| ProcessError::Nul { what: "the command".to_owned() });
    let argv = words.into_iter().map(|word| c_string(word.as_bytes())).collect::<Result<_, _>>()?;
    Ok(Image { file: c_string(file.as_os_str().as_bytes())?, argv })
}

/// Finds the file for a program's name or path. The system resolves a path from the working directory of the child. A
/// name is looked up only in the absolute folders of the command's `PATH`: with a relative folder, anyone who may write
/// files into the working directory could replace `ls`.
fn find(program: &str, env: &Environment) -> Result<PathBuf, ProcessError> {
    if program.contains('/') {
        return Ok(PathBuf::from(program));
    }
    let folders = env.get("PATH").unwrap_or(OsStr::new(DEFAULT_PATH));
    let files = env::split_paths(folders).filter(|folder| folder.is_absolute()).map(|it| it.join(program));
    files
        .into_iter()
        .find(|file| file.is_file() && access(file, Access::EXEC_OK).is_ok())
        .ok_or_else(|| ProcessError::NotFound { program: program.to_owned() })
}

/// Returns the folders of a search path such as `PATH` that are outside of `folder`. So nobody who may write in `folder`
/// chooses a program.
pub fn path_outside(path: &OsStr, folder: &Path) -> OsString {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    // A program can start others by name, and then a relative folder would be one below its working directory.
    let is_outside =
        |it: &PathBuf| it.is_absolute() && it.canonicalize().is_ok_and(|it| !it.starts_with(&folder));
    // `join_paths` cannot fail here, because every part came from a valid list.
    env::join_paths(env::split_paths(path).filter(is_outside)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    fn file(program: &str, path: &str) -> Option<String> {
        let found = find(program, &Environment::new().with("PATH", path));
        found.ok().map(|file| file.to_string_lossy().into_owned())
    }

    #[test]
    fn a_name_is_looked_for_in_absolute_folders_and_a_path_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (at, path) = (folder.path().join("tool"), folder.path().to_str().unwrap());
        fs::write(&at, "#!/bin/sh\n").unwrap();
        assert_eq!(file("tool", path), None, "it cannot be executed");
        fs::set_permissions(&at, PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(file("tool", &format!("/nowhere:{path}")), at.to_str().map(str::to_owned));
        for path in ["", ".", "::", "bin"] {
            assert_eq!(file("tool", path), None);
        }
        assert_eq!(file("./tool", path), Some("./tool".to_owned()));
    }

    #[test]
    fn a_line_needs_a_shell_if_the_program_is_not_in_an_absolute_folder() {
        let direct = |line: &str, path: &str| {
            let image = Program::Shell(line.to_owned()).direct_image(&Environment::new().with("PATH", path));
            image.map(|image| image.file.to_string_lossy().into_owned())
        };
        assert_eq!(direct("sh -c 'exit 3'", "/nowhere:/bin").as_deref(), Some("/bin/sh"));
        assert_eq!(direct("./tool a", "").as_deref(), Some("./tool"));
        for path in ["/nowhere", ".:/bin", "/bin:", ""] {
            assert_eq!(direct("sh -c 'exit 3'", path), None, "{path}");
        }
        assert_eq!(direct("sh | sh", "/bin"), None);
    }

    #[test]
    fn words_reach_the_system_as_they_are() {
        let program = Program::Words("/bin/echo".to_owned(), vec![String::new(), "a; b".to_owned()]);
        let image = program.image(&Environment::new()).unwrap();
        assert_eq!(
            (image.file, image.argv),
            (c"/bin/echo".into(), [c"/bin/echo", c"", c"a; b"].map(Into::into).into())
        );
    }
}

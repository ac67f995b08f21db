//! The programs that a configuration of git names, and that only their names can switch off.
//!
//! Whoever worked in a folder may have written `.git/config`, and what `git diff` starts then would be started by who
//! only looks. Most keys have one name and are overridden outright. Filters and hooks have names of their own, so git
//! is asked for them before. It is asked of every configuration, the user's as well: a filter that the user chose can
//! itself be told by the repository what to start (as `git lfs` is, by `lfs.extension.*`).
//!
//! Attributes cannot be switched off in its place: `.git/info/attributes` holds whatever is set.

use super::{CommandLine, built_in};
use crate::policy::Denied;

/// Variables with which git starts no program to fetch an object that is missing. Git before 2.44 knows only the
/// second; it beats every `protocol.*.allow`, and `.` can be the name neither of a helper nor of an alias.
pub const GIT_VARIABLES: [(&str, &str); 2] = [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", ".")];

/// The beginning of the keys that are asked for.
const ASKED: &str = r"^(filter|hook)\.";

/// What is set of a filter, so that files are taken as they are. An empty `process` alone would leave `required`.
const NO_FILTER: &[&str] = &["clean=", "smudge=", "process=", "required=false"];
const NO_HOOK: &[&str] = &["enabled=false"];

impl CommandLine {
    /// Variables that are to be set for it, whatever its surroundings say.
    pub fn variables(&self) -> &'static [(&'static str, &'static str)] {
        if self.is_held { &GIT_VARIABLES } else { &[] }
    }

    /// Arguments with which its program is to be run before it, with the same variables, if it is `git` in safe mode.
    /// What that prints is for [`switch_off`](Self::switch_off).
    ///
    /// ```
    /// use loop_guardrails::policy::command::CommandPolicy;
    ///
    /// let mut line = CommandPolicy::new().judge("git diff")?;
    /// assert!(line.question().is_some_and(|words| words.contains(&"--get-regexp")));
    /// assert_eq!(line.switch_off(b"filter.trap.clean\0filter.trap.required\0")?, ["filter.trap"]);
    /// assert!(line.arguments.contains(&"filter.trap.clean=".to_owned()));
    /// # Ok::<(), loop_guardrails::policy::Denied>(())
    /// ```
    pub fn question(&self) -> Option<Vec<&'static str>> {
        let question =
            ["-c", "safe.bareRepository=explicit", "config", "--null", "--name-only", "--get-regexp", ASKED];
        self.is_held.then(|| question.to_vec())
    }

    /// Switches off the programs whose keys these are, each with a NUL behind it, and says whose they are:
    /// `filter.lfs`.
    ///
    /// # Errors
    /// [`Denied`] if one has a name that cannot be said on a command line, so that it would run.
    pub fn switch_off(&mut self, keys: &[u8]) -> Result<Vec<String>, Denied> {
        let mut names = Vec::new();
        for key in keys.split(|byte| *byte == 0).filter(|key| !key.is_empty()) {
            let key = String::from_utf8_lossy(key);
            // `filter.required` alone belongs to no filter.
            let Some((name, _)) = key.rsplit_once('.').filter(|(name, _)| name.contains('.')) else {
                continue;
            };
            if name.contains(['=', char::REPLACEMENT_CHARACTER]) {
                let rule = format!(
                    "git's configuration has `{key}`, a program that cannot be switched off; ask the user to remove it"
                );
                return Err(Denied { action: "to run `git`".to_owned(), ruling: built_in(rule) });
            }
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        let settings = names.iter().flat_map(|name| {
            let keys = if name.starts_with("filter.") { NO_FILTER } else { NO_HOOK };
            keys.iter().flat_map(move |key| ["-c".to_owned(), format!("{name}.{key}")])
        });
        self.arguments = settings.chain(std::mem::take(&mut self.arguments)).collect();
        Ok(names)
    }
}

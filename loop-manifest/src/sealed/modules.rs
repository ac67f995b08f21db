//! The paths that judge at the start: the named ones, and the modules of Python that a new file could replace.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use loop_core::{EvaluationContext, Evaluator as _, WorkError, with_causes};

use super::{
    check::{SealedRun, failed},
    named::{NamedPaths, Subject},
    tree::SealNotes,
};
use crate::compose::AgentOutput;

/// Prints the names of the modules of Python itself and of its installed packages. Modules in the folder are the project's,
/// also if an installation leads there.
const QUESTION: &str = r#"
import os, site, sys
names = set(getattr(sys, "stdlib_module_names", ())) | set(sys.builtin_module_names)
here = os.path.realpath(os.getcwd())
for path in map(os.path.realpath, sys.path + [site.getusersitepackages()]):
    is_inside = (path + os.sep).startswith(here + os.sep)
    if os.path.isdir(path) and (not is_inside or "-packages" in path):
        names.update(name.split(".")[0] for name in os.listdir(path))
print("\n".join("loop-module " + name for name in sorted(names) if name.isidentifier()))
"#;

/// Interpreters that a project usually has, beside those in the command.
const USUAL: &[&str] = &[".venv/bin/python", "venv/bin/python", "python3", "python"];

impl SealedRun {
    /// Returns what an earlier process of the run noted, and what judges.
    pub(super) async fn named(&self, number: u64) -> Result<(Option<SealNotes>, NamedPaths), WorkError> {
        let subject = Subject::of(&self.plan, &self.seal, &self.line);
        let (cx, place, named) = (self.cx.clone(), self.place.clone(), self.named.clone());
        let found = self.blocking(move |_, _| {
            // What the agent has left by now says nothing about the start.
            let noted = if number == 0 { None } else { Some(SealNotes::read(&place)?) };
            let named = noted.as_ref().map(|notes| notes.named.clone()).or(named);
            Ok((noted, named.unwrap_or_else(|| NamedPaths::of(&subject, cx.folder()))))
        });
        found.await
    }

    /// Asks the interpreters of the check for the names of their modules. Nothing of the folder is imported.
    ///
    /// # Errors
    /// The shell cannot be started.
    pub(super) async fn with_modules(
        &self,
        mut named: NamedPaths,
        cx: EvaluationContext<AgentOutput>,
    ) -> Result<NamedPaths, WorkError> {
        if !named.has_python {
            return Ok(named);
        }
        let output: Arc<Mutex<Vec<u8>>> = Arc::default();
        let heard = Arc::clone(&output);
        let command = self.plan.command_that_judges(&question(&self.line), &self.cx);
        let command = command.map_err(|error| failed(&with_causes(&error)))?;
        let mut command = command.on_output(move |_, bytes| {
            heard.lock().unwrap_or_else(PoisonError::into_inner).extend(bytes);
        });
        command.evaluate(cx).await?;
        let output = output.lock().unwrap_or_else(PoisonError::into_inner);
        named.modules = modules_in(&String::from_utf8_lossy(&output));
        Ok(named)
    }
}

fn modules_in(output: &str) -> BTreeSet<String> {
    output.lines().filter_map(|line| line.strip_prefix("loop-module ")).map(str::to_owned).collect()
}

/// Returns the line of shell that asks each interpreter. `pytest` says on its first line which one it uses.
fn question(command: &str) -> String {
    let own = interpreters(command).into_iter().chain(USUAL.iter().map(|name| (*name).to_owned()));
    let own: Vec<_> = own.filter_map(|name| Some(shlex::try_quote(&name).ok()?.into_owned())).collect();
    let script = shlex::try_quote(QUESTION).unwrap_or_default().into_owned();
    format!(
        "of_pytest=$(sed -n '1s/^#! *\\([^ ]*\\).*/\\1/p' \"$(command -v pytest)\" 2>/dev/null)\n\
         for python in {} \"$of_pytest\"; do \"$python\" -I -c {script}; done 2>/dev/null || true",
        own.join(" ")
    )
}

/// Returns the interpreters of Python that a command names.
fn interpreters(command: &str) -> Vec<String> {
    let is_end = |sign: char| sign.is_whitespace() || "\"'`;|&()<>=".contains(sign);
    let is_python = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.strip_prefix("python")
            .is_some_and(|version| version.chars().all(|sign| sign.is_ascii_digit() || sign == '.'))
    };
    command.split(is_end).filter(is_python).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interpreters_of_a_command_are_asked() {
        assert_eq!(
            interpreters("cd a && /opt/bin/python3.13 -m pytest python_files=x; 'python3' b.python"),
            ["/opt/bin/python3.13", "python3"]
        );
        let asked = question("/opt/bin/python3.13 -m pytest");
        assert!(asked.contains("for python in /opt/bin/python3.13 .venv/bin/python "), "{asked}");
    }

    #[test]
    fn other_output_names_no_module() {
        let found = modules_in("a warning\nloop-module json\nloop-module _colorize\n");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["_colorize", "json"]);
    }
}

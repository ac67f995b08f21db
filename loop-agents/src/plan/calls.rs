//! The calls of a step, and those that went wrong.

use std::{
    collections::BTreeMap,
    fmt, mem,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    review::{CallEvent, CallListener, is_own_call, line, subject},
    tools::ToolOutcome,
};

/// The most failed calls of a step to keep.
const KEPT: usize = 40;

/// A call that failed or was refused, and was not made successfully later in the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailedCall {
    /// The tool.
    pub tool: String,
    /// Its path or command.
    pub subject: String,
    /// The reason.
    pub why: String,
}

impl fmt::Display for FailedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}): {}", self.tool, self.subject, self.why)
    }
}

/// Collects the calls of a worker. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct StepCalls(Arc<Mutex<Calls>>);

#[derive(Debug, Default)]
struct Calls {
    /// The tool and the subject of each unfinished call, by its id.
    open: BTreeMap<String, (String, String)>,
    made: u64,
    /// The failed calls, with their whole subjects: two long commands may begin alike.
    failed: Vec<FailedCall>,
}

impl StepCalls {
    /// Returns a listener that collects calls here.
    pub(super) fn listener(&self) -> CallListener {
        let calls = self.clone();
        CallListener::new(move |event| match event {
            CallEvent::Began { id, call, .. } if is_own_call(id, call) => {}
            CallEvent::Began { id, call, arguments } => {
                let about = (call.to_owned(), compared(arguments));
                calls.state().open.insert(id.to_owned(), about);
            }
            CallEvent::Ended { id, outcome, exit_code, message } => {
                calls.state().ended(id, outcome, exit_code, message);
            }
        })
    }

    /// Returns how many calls were made, and those that failed, and forgets them.
    pub(super) fn take(&self) -> (u64, Vec<FailedCall>) {
        let Calls { made, mut failed, .. } = mem::take(&mut *self.state());
        failed.iter_mut().for_each(|call| call.subject = line(&call.subject));
        (made, failed)
    }

    fn state(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    fn ended(&mut self, id: &str, outcome: ToolOutcome, exit_code: Option<i32>, message: &str) {
        let Some((tool, subject)) = self.open.remove(id) else { return };
        self.made += 1;
        self.failed.retain(|earlier| (&earlier.tool, &earlier.subject) != (&tool, &subject));
        let code = exit_code.filter(|code| *code != 0 && !(*code == 1 && answers_with_1(&subject)));
        let why = match (outcome, code) {
            (ToolOutcome::Done, None) => return,
            (ToolOutcome::Done, Some(code)) => format!("it exited with {code}"),
            _ => line(message),
        };
        if self.failed.len() < KEPT {
            self.failed.push(FailedCall { tool, subject, why });
        }
    }
}

/// Returns the subject of a call in the form in which calls are compared: `./a` and `a` are one path.
fn compared(arguments: &Value) -> String {
    let subject = subject(arguments);
    let is_path = ["file_path", "path", "notebook_path"]
        .iter()
        .any(|name| arguments.get(name).and_then(Value::as_str) == Some(subject));
    if !is_path {
        return subject.to_owned();
    }
    let parts = Path::new(subject).components().filter(|part| *part != Component::CurDir);
    parts.collect::<PathBuf>().to_string_lossy().into_owned()
}

/// Returns whether an exit code of 1 is an answer of this command, and no failure: nothing was found, or there is a
/// difference.
fn answers_with_1(command: &str) -> bool {
    let is_shell = |word: &&str| matches!(*word, "bash" | "sh" | "-c" | "-lc");
    let program =
        command.split([' ', '\'', '"']).filter(|word| !word.is_empty()).find(|word| !is_shell(word));
    let name = program.map(|path| path.rsplit('/').next().unwrap_or(path));
    matches!(name, Some("grep" | "rg" | "diff" | "cmp" | "test"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(calls: &StepCalls, tool: &str, command: &str, outcome: ToolOutcome, exit_code: Option<i32>) {
        let listener = calls.listener();
        listener.began("", tool, &json!({ "command": command }));
        listener.ended("", outcome, exit_code, "the reason");
    }

    #[test]
    fn outcomes_decide_and_a_later_success_of_the_same_call_counts() {
        use ToolOutcome::{Done, Failed, Rejected};
        for (made_calls, failed) in [
            (&[("cargo test", Done, Some(0))][..], &[][..]),
            (&[("cargo test", Done, Some(101))], &["run(cargo test): it exited with 101"]),
            (&[("grep x y", Done, Some(1))], &[]),
            (&[("/usr/bin/diff a b", Done, Some(1))], &[]),
            (&[("bash -lc 'rg x'", Done, Some(1))], &[]),
            (&[("grep x y", Done, Some(2))], &["run(grep x y): it exited with 2"]),
            (&[("make", Failed, None)], &["run(make): the reason"]),
            (&[("rm x", Rejected, None), ("ls", Done, Some(0))], &["run(rm x): the reason"]),
            (&[("make", Done, Some(2)), ("make", Done, Some(0))], &[]),
            (&[("make", Done, Some(0)), ("make", Done, Some(2))], &["run(make): it exited with 2"]),
            (&[("make", Done, Some(2)), ("make all", Done, Some(0))], &["run(make): it exited with 2"]),
        ] {
            let calls = StepCalls::default();
            for (command, outcome, exit_code) in made_calls {
                made(&calls, "run", command, *outcome, *exit_code);
            }
            let (count, found) = calls.take();
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            assert_eq!(
                (count, found.iter().map(String::as_str).collect()),
                (made_calls.len() as u64, failed.to_vec())
            );
            assert_eq!(calls.take(), (0, Vec::new()));
        }
    }

    #[test]
    fn a_path_is_the_same_however_it_is_written() {
        let calls = StepCalls::default();
        for (path, outcome) in [("./src//a.rs", ToolOutcome::Failed), ("src/./a.rs", ToolOutcome::Done)] {
            calls.listener().began("", "edit_file", &json!({ "path": path }));
            calls.listener().ended("", outcome, None, "no such text");
        }
        assert_eq!(calls.take(), (2, Vec::new()));
        made(&calls, "run", "./make", ToolOutcome::Failed, None);
        made(&calls, "run", "make", ToolOutcome::Done, Some(0));
        assert_eq!(calls.take().1.len(), 1, "commands are not paths");
    }

    #[test]
    fn replies_and_the_agent_itself_are_no_calls() {
        let calls = StepCalls::default();
        calls.listener().replied("done");
        calls.listener().began("command", "command", &json!("claude -p"));
        calls.listener().ended("command", ToolOutcome::Failed, Some(1), "failed");
        assert_eq!(calls.take(), (0, Vec::new()));
    }
}

//! The tasks that a stream has declared so far.

use std::borrow::Cow;

use loop_guardrails::policy::environment::looks_secret;

use crate::output::{beginning, first_line};

/// The text in the place of a secret.
const HIDDEN: &str = "[redacted]";

/// The number of tasks, commands and calls to remember. An agent with more of them loses the names of the oldest.
const MAX_REMEMBERED: usize = 64;

/// The longest name of a task, in bytes.
const MAX_NAME_BYTES: usize = 120;

/// The shortest word of a process's command line that identifies its command.
const MIN_WORD_BYTES: usize = 3;

/// The declared tasks, and what we need to name them.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// The tasks that have begun and not ended, with their ids, in order.
    pending: Vec<(String, String)>,
    /// How many more tasks have begun and not ended. Their names are forgotten.
    forgotten: usize,
    /// The names of tasks and calls that may turn into pending tasks, with their ids.
    known: Vec<(String, String)>,
    /// The shell commands that put a process into the background.
    commands: Vec<String>,
    /// Whether the agent's turn is over.
    pub(super) is_over: bool,
    /// Whether a task counts only if the turn is over, because an open call is no background work before that.
    pub(super) needs_end: bool,
}

impl Tasks {
    /// Remembers the name of a task or a call that may go to the background later.
    pub(super) fn know(&mut self, id: &str, name: &str) {
        set(&mut self.known, id, name);
    }

    /// Returns the name that was remembered for this id.
    pub(super) fn known(&self, id: &str) -> Option<&str> {
        self.known.iter().find(|(known, _)| known == id).map(|(_, name)| name.as_str())
    }

    /// Records that a task has begun.
    pub(super) fn begin(&mut self, id: &str, name: &str) {
        self.forgotten += usize::from(set(&mut self.pending, id, name));
    }

    /// Records that a task has ended by itself, or because the model ended it. After the end of the turn, only work
    /// that is `done` has ended: the rest was ended with the agent.
    pub(super) fn end(&mut self, id: &str, done: bool) {
        if done || !self.is_over {
            let before = self.pending.len();
            self.pending.retain(|(pending, _)| pending != id);
            if self.pending.len() == before && self.known(id).is_none() {
                self.forgotten = self.forgotten.saturating_sub(1);
            }
        }
    }

    /// Records that one task has ended, and nobody knows which.
    pub(super) fn end_first(&mut self) {
        if !self.pending.is_empty() {
            self.pending.remove(0);
        }
    }

    /// Replaces the pending tasks by a complete list of ids and names. After the end of the turn, the list is only
    /// shorter because the agent ends its tasks.
    pub(super) fn replace<'a>(&mut self, tasks: impl Iterator<Item = (&'a str, &'a str)>) {
        let before = if self.is_over {
            Vec::new()
        } else {
            self.forgotten = 0;
            std::mem::take(&mut self.pending)
        };
        for (id, name) in tasks {
            let earlier = before.iter().find(|(known, _)| known == id).map(|(_, name)| name.clone());
            if !self.pending.iter().any(|(pending, _)| pending == id) {
                self.begin(id, &earlier.unwrap_or_else(|| name.to_owned()));
            }
        }
    }

    /// Records a shell command, if it puts a process into the background.
    pub(super) fn ran(&mut self, command: &str) {
        if has_background(command) {
            push(&mut self.commands, command.to_owned());
        }
    }

    /// Returns how many more tasks have not ended than those that have names.
    pub(super) fn forgotten(&self) -> usize {
        if self.is_over || !self.needs_end { self.forgotten } else { 0 }
    }

    /// Returns the names of the tasks that have not ended. A shell command is one of them only if it started one of
    /// these processes, which are still running.
    pub(super) fn declared(&self, processes: &[String]) -> Vec<String> {
        let counts = self.is_over || !self.needs_end;
        let pending = self.pending.iter().filter(|_| counts).map(|(_, name)| name.clone());
        let started = |command: &&String| processes.iter().any(|process| has_started(command, process));
        let mut declared: Vec<_> = pending.collect();
        for command in self.commands.iter().filter(started).map(|command| quoted(command)) {
            if !declared.contains(&command) {
                declared.push(command);
            }
        }
        declared
    }
}

/// Returns the name of a task that is a command. It has no values of variables and options that look like secrets.
pub(super) fn quoted(command: &str) -> String {
    format!("`{}`", bounded(&without_secrets(command)))
}

/// Replaces the values of variables and options that look like secrets: `API_KEY=…`, `--token=…` and `--token …`.
fn without_secrets(command: &str) -> String {
    let mut is_value = false;
    let shown = command.split(' ').map(|word| {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let is_option = name.starts_with('-');
        let plain = name.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
        let is_secret = looks_secret(plain.as_ref(), value.unwrap_or_default().as_ref());
        if std::mem::replace(&mut is_value, is_option && value.is_none() && is_secret) {
            return HIDDEN.into();
        }
        match value {
            Some(_) if is_secret => format!("{name}={HIDDEN}").into(),
            None if !is_option && looks_secret("".as_ref(), word.as_ref()) => HIDDEN.into(),
            _ => Cow::Borrowed(word),
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// Returns the first line of a text, within the bound.
pub(super) fn bounded(text: &str) -> String {
    beginning(&first_line(text), MAX_NAME_BYTES)
}

/// Returns whether an older name is forgotten for this one.
fn set(list: &mut Vec<(String, String)>, id: &str, name: &str) -> bool {
    list.retain(|(known, _)| known != id);
    push(list, (id.to_owned(), name.to_owned()))
}

fn push<T>(list: &mut Vec<T>, item: T) -> bool {
    let is_full = list.len() == MAX_REMEMBERED;
    if is_full {
        list.remove(0);
    }
    list.push(item);
    is_full
}

/// Returns true if a command may put a process into the background: an `&` that is neither a part of `&&`, `>&`, `<&`
/// and `|&`, nor within a word, such as an address.
///
/// It may be wrong about an `&` in a quoted text. That is harmless, because the command counts only if one of its
/// processes is still running.
fn has_background(command: &str) -> bool {
    let bytes = command.as_bytes();
    (0..bytes.len()).any(|at| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let ends_command = bytes.get(at + 1).is_none_or(|after| b" \t\r\n;)'\"}".contains(after));
        bytes[at] == b'&' && ends_command && !before.is_some_and(|before| b"&<>|\\".contains(&before))
    })
}

/// Returns true if a command names the program, or an argument, of this process.
fn has_started(command: &str, process: &str) -> bool {
    let words = process.split_ascii_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    words.filter(|word| word.len() >= MIN_WORD_BYTES).any(|word| command.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ampersand_at_the_end_of_a_command_puts_it_into_the_background() {
        for command in ["sleep 9 &", "a & b", "(a &)", "bash -lc 'npm test > log 2>&1 &'", "a &\nwait"] {
            assert!(has_background(command), "{command}");
        }
        for command in ["a && b", "a 2>&1", "a &> log", "curl 'http://x/?a=1&b=2'", "a |& b", "", "a >& b"] {
            assert!(!has_background(command), "{command}");
        }
    }

    #[test]
    fn a_command_counts_only_while_one_of_its_processes_runs() {
        let mut tasks = Tasks::default();
        tasks.ran("npm run watch & sleep 1");
        assert!(tasks.declared(&[]).is_empty());
        assert!(tasks.declared(&["/usr/bin/gradle --daemon".to_owned()]).is_empty());
        assert_eq!(tasks.declared(&["node /bin/npm run watch".to_owned()]), ["`npm run watch & sleep 1`"]);
    }

    #[test]
    fn after_the_turn_only_work_that_is_done_has_ended() {
        let mut tasks = Tasks::default();
        ["a", "b", "c"].iter().for_each(|id| tasks.begin(id, id));
        tasks.end("a", false);
        tasks.is_over = true;
        tasks.end("b", false);
        tasks.end("c", true);
        tasks.replace([("d", "d")].into_iter());
        assert_eq!(tasks.declared(&[]), ["b", "d"]);
        tasks.is_over = false;
        tasks.replace([("d", "another name")].into_iter());
        assert_eq!(tasks.declared(&[]), ["d"]);
    }

    #[test]
    fn memory_does_not_grow_with_the_tasks() {
        let mut tasks = Tasks::default();
        for number in 0..1000 {
            tasks.begin(&number.to_string(), &bounded(&"x".repeat(1000)));
            tasks.know(&number.to_string(), "a call");
            tasks.ran("a &");
        }
        assert_eq!((tasks.pending.len(), tasks.known.len(), tasks.commands.len()), (64, 64, 64));
        assert!(tasks.pending.iter().all(|(_, name)| name.len() <= MAX_NAME_BYTES));
        assert_eq!(tasks.forgotten(), 936);
        ["3", "999", "999"].iter().for_each(|id| tasks.end(id, true));
        assert_eq!((tasks.pending.len(), tasks.forgotten()), (63, 935));
        tasks.replace([("a", "b")].into_iter());
        assert_eq!(tasks.forgotten(), 0);
    }

    #[test]
    fn a_command_is_named_without_its_secrets() {
        for (command, shown) in [
            ("API_KEY=abc npm test", "`API_KEY=[redacted] npm test`"),
            ("deploy --token=abc -v", "`deploy --token=[redacted] -v`"),
            ("deploy --api-key abc --port 80", "`deploy --api-key [redacted] --port 80`"),
            ("PGPASSWORD='abc' psql", "`PGPASSWORD=[redacted] psql`"),
            ("psql postgres://kim:hunter2@db/app", "`psql [redacted]`"),
            ("npm run watch --max-tokens=4096", "`npm run watch --max-tokens=4096`"),
            ("sleep 300", "`sleep 300`"),
        ] {
            assert_eq!(quoted(command), shown);
        }
    }
}

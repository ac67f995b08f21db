//! Which entry allows or forbids the words of a command.

use super::{
    super::{CommandPrefix, is_assignment, name, wrapper},
    CommandPolicy, built_in, forbidden, table,
};
use crate::policy::Ruling;

impl CommandPolicy {
    /// Judges the words by the entries alone, and not by their options and paths.
    pub(super) fn on_words(
        &self,
        program: &str,
        arguments: &[String],
        words: &[String],
    ) -> Result<Ruling, Ruling> {
        let in_safe_mode = self.safe_mode.value;
        let mut forbidden = self.forbid.iter();
        let is_started =
            |entry: &CommandPrefix| forbidden::is_started(entry, program, arguments, in_safe_mode);
        if let Some((entry, origin)) = forbidden.find(|(entry, _)| is_started(entry)) {
            return Err(Ruling::denied(format!("`{entry}` is forbidden"), origin));
        }
        if program.starts_with('-') {
            return Err(built_in("a program's name does not begin with `-`"));
        }
        if !in_safe_mode {
            return Ok(Ruling::allowed("safe mode is off", &self.safe_mode.origin));
        }
        if wrapper::starts_others(program) || table::STARTERS.contains(&name(program)) {
            let rule = format!(
                "`{program}` starts other programs, which nobody would judge; run the program by itself"
            );
            return Err(Ruling::without_shell(rule));
        }
        let Some((entry, origin)) = self.entry(words) else { return Err(self.not_allowed(words)) };
        let kind = if entry.arguments().is_empty() { "programs" } else { "commands" };
        Ok(Ruling::allowed(format!("`{entry}` is among the {kind} of safe mode"), origin))
    }

    /// Refuses a command that no entry covers.
    fn not_allowed(&self, words: &[String]) -> Ruling {
        if is_assignment(&words[0]) {
            let rule = "no shell is involved, so nothing can be set before a program; begin with the program";
            return Ruling::without_shell(rule);
        }
        let entries: Vec<_> = self.allowed().map(|(entry, _)| entry.to_string()).collect();
        let rule = match self.allowed().find(|(entry, _)| entry.covers(words)) {
            Some((entry, _)) => format!(
                "`{entry}` does not allow an option that may start another program; leave the option out, or tell the \
                 user that the command needs their permission"
            ),
            None => format!(
                "`{}` is not among the programs of safe mode; use one of {}, or a tool, or tell the user that the \
                 command needs their permission",
                words[0],
                entries.join(", ")
            ),
        };
        let needs_entry = CommandPrefix::proposed(words).ok().map(Box::new);
        let needs_shell = needs_entry.is_none();
        Ruling { needs_entry, needs_shell, ..Ruling::denied(rule, &self.safe_mode.origin) }
    }
}

//! A line for a shell, which a person has read and allowed.

use super::{CommandLine, CommandPolicy, forbidden};
use crate::policy::{Origin, Ruling};

impl CommandPolicy {
    /// Lets a shell run exactly this line. Forbidden programs stay forbidden, also within the line.
    #[must_use]
    pub fn allow_in_shell(mut self, line: impl Into<String>) -> Self {
        self.shell_line = Some(line.into());
        self
    }

    /// Returns whether a person allowed this line for a shell.
    pub fn is_for_shell(&self, line: &str) -> bool {
        self.shell_line.as_deref() == Some(line)
    }

    /// Returns the command that runs this line.
    pub(super) fn in_shell(&self, line: &str) -> Result<CommandLine, Ruling> {
        let arguments = vec!["-c".to_owned(), line.to_owned()];
        let is_started = |entry: &_| forbidden::is_started(entry, SHELL, &arguments, false);
        if let Some((entry, origin)) = self.forbid.iter().find(|(entry, _)| is_started(entry)) {
            return Err(Ruling::denied(format!("`{entry}` is forbidden"), origin));
        }
        let ruling = Ruling::allowed("a person allowed this line for a shell", &Origin::Person);
        let line = CommandLine::new(SHELL.to_owned(), arguments, ruling);
        Ok(CommandLine { in_shell: true, ..line })
    }
}

const SHELL: &str = "sh";

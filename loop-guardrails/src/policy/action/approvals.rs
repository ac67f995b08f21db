//! Permissions that a person adds to the settings.

use super::{super::command::CommandPrefix, ActionPolicy, LocalPath, WithOrigin};

impl ActionPolicy {
    /// Allows changes to these paths although they are [followed or executed](crate::policy::Ruling::needs_approval)
    /// later, because a person has seen and approved the change. Creating the folders above them is also allowed. All
    /// other rules still apply.
    #[must_use]
    pub fn approving(mut self, paths: impl IntoIterator<Item = LocalPath>) -> Self {
        self.approved.extend(paths);
        self
    }

    /// Also allows commands with these leading words, as if the user's settings did. All other rules still apply, such
    /// as those that [forbid](crate::policy::PolicySettings::forbid) commands.
    #[must_use]
    pub fn allowing(mut self, entries: impl IntoIterator<Item = WithOrigin<CommandPrefix>>) -> Self {
        self.commands = self.commands.allow(entries);
        self
    }

    /// Lets a shell run exactly this line, because a person has read and allowed it. Forbidden programs stay forbidden.
    /// No other rule judges what the line reads and writes: run it only within a sandbox that enforces them.
    #[must_use]
    pub fn allowing_in_shell(mut self, line: impl Into<String>) -> Self {
        self.commands = self.commands.allow_in_shell(line);
        self
    }
}

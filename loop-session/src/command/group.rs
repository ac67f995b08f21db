//! The groups in which help lists commands.

/// The group under which help lists a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandGroup {
    /// Commands for the session itself.
    Session,
    /// Commands for what the model knows.
    Context,
    /// Commands for files and folders.
    Files,
    /// Commands that run programs.
    Shell,
    /// Commands for the model and its tools.
    Model,
    /// Commands that repeat and schedule lines.
    Schedule,
    /// Commands for the rules of tools and commands.
    Safety,
    /// Commands that a front end adds.
    Other,
}

impl CommandGroup {
    /// All groups, in the order in which help lists them.
    pub const ALL: [Self; 8] = [
        Self::Session,
        Self::Context,
        Self::Files,
        Self::Shell,
        Self::Model,
        Self::Schedule,
        Self::Safety,
        Self::Other,
    ];

    /// Returns the heading of the group.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Session => "Session",
            Self::Context => "Context",
            Self::Files => "Files",
            Self::Shell => "Shell",
            Self::Model => "Model",
            Self::Schedule => "Schedule",
            Self::Safety => "Safety",
            Self::Other => "Other",
        }
    }
}

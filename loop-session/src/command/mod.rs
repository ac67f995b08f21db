//! The commands of a session, one file each, in a folder per group.
//!
//! Each command has one description, its [`CommandInfo`], from which help, completion and the guide's page are made. A
//! command reaches the person only through its output; it has no access to the editor. So a command that repeats at
//! night cannot ask anybody anything.

mod context_commands;
mod file_commands;
mod group;
#[cfg(test)]
mod guide_page;
mod info;
mod knowledge_commands;
mod model_commands;
mod registry;
mod repeat_effect;
mod safety_commands;
mod schedule_commands;
mod session_commands;
mod shell_commands;
mod skill_commands;

pub(crate) use self::knowledge_commands::mine_records;
pub use self::skill_commands::create as create_skill_set;
pub use self::{
    group::CommandGroup,
    info::{ArgumentKind, CommandInfo},
    registry::{Command, Commands},
    repeat_effect::RepeatEffect,
    schedule_commands::is_loop,
};

impl Commands {
    /// Returns the commands of `loop chat`.
    pub fn standard() -> Self {
        Self::none()
            .with(session_commands::HelpCommand)
            .with(session_commands::StatusCommand)
            .with(session_commands::CostCommand)
            .with(session_commands::SessionCommand)
            .with(session_commands::RenameCommand)
            .with(session_commands::RecordCommand)
            .with(session_commands::ReplayCommand)
            .with(session_commands::VerboseCommand)
            .with(session_commands::HintCommand)
            .with(session_commands::WorkspaceCommand)
            .with(session_commands::ExitCommand)
            .with(context_commands::ClearCommand)
            .with(context_commands::SummarizeCommand)
            .with(context_commands::ContextCommand)
            .with(context_commands::InitCommand)
            .with(skill_commands::SkillCommand)
            .with(skill_commands::SkillSetCommand)
            .with(knowledge_commands::RagCommand)
            .with(knowledge_commands::KbCommand)
            .with(knowledge_commands::MemoryCommand)
            .with(knowledge_commands::RecallCommand)
            .with(file_commands::ReadCommand)
            .with(file_commands::ReadChunksCommand)
            .with(file_commands::ReadDirCommand)
            .with(file_commands::ReadPdfCommand)
            .with(file_commands::AttachCommand)
            .with(file_commands::WriteCommand)
            .with(file_commands::FormatCommand)
            .with(file_commands::DiffCommand)
            .with(file_commands::UndoCommand)
            .with(file_commands::RedoCommand)
            .with(file_commands::RewindCommand)
            .with(file_commands::FilesCommand)
            .with(file_commands::FileTreeCommand)
            .with(file_commands::SearchCommand)
            .with(shell_commands::RunCommand)
            .with(shell_commands::GitCommand)
            .with(model_commands::ModelCommand)
            .with(model_commands::ModelsCommand)
            .with(model_commands::InspectCommand)
            .with(model_commands::ServerCommand(&model_commands::OLLAMA))
            .with(model_commands::ServerCommand(&model_commands::LLAMAFILE))
            .with(model_commands::ToolsCommand)
            .with(model_commands::PlanCommand)
            .with(model_commands::PipelineCommand)
            .with(model_commands::AssayCommand)
            .with(schedule_commands::LoopCommand)
            .with(schedule_commands::EveryCommand)
            .with(schedule_commands::ScheduleCommand)
            .with(safety_commands::RuleCommand::ALLOW)
            .with(safety_commands::RuleCommand::DENY)
            .with(safety_commands::SafeModeCommand)
            .with(safety_commands::PermissionsCommand)
            .with(safety_commands::SecurityCommand)
            .with(safety_commands::AuditCommand)
    }
}

impl Default for Commands {
    /// Returns the [standard commands](Self::standard).
    fn default() -> Self {
        Self::standard()
    }
}

//! What a model can do besides writing text: read and change files, search, run commands.
//!
//! A tool is where an opinion becomes a deed, so three things go wrong here that go wrong nowhere else. A
//! tool does what it should not, since each checks for itself and one forgot to; so all of them reach
//! files and commands through a [`Workspace`](loop_guardrails::policy::workspace::Workspace) and its policy
//! alone. A tool never comes back, or comes back with a gigabyte; so each has a time limit, can be dropped
//! while it works, and answers within 64 KiB, with what was cut out named. And nobody knows
//! afterwards what was done but the model that did it; so a [`ToolReport`] says which files
//! changed, which commands ran and what was refused, as data.
//!
//! What the policy leaves to a person, an [`Approval`] asks them. Without one it is refused.
//!
//! A [`Toolbox`] holds tools, ours and [your own](Tool).

mod approval;
mod arguments;
mod bounds;
mod context;
mod create_dir;
mod current_datetime;
mod diff;
mod edit_file;
mod error;
mod file_tree;
mod git;
mod list_files;
mod need;
mod read_file;
mod record;
mod report;
mod run_command;
mod search_files;
mod tool;
mod toolbox;
mod whoami;
mod write_file;

pub(crate) use self::arguments::schema;
pub use self::{
    approval::{Answer, Approval, ApprovalRequest, Change},
    bounds::{MAX_CONTENT_BYTES, MAX_OUTPUT_BYTES},
    context::{Stop, ToolContext},
    create_dir::CreateDir,
    current_datetime::CurrentDatetime,
    edit_file::EditFile,
    error::ToolError,
    file_tree::FileTree,
    git::Git,
    list_files::ListFiles,
    need::Need,
    read_file::ReadFile,
    report::{CommandRun, FileChange, ToolOutcome, ToolReport},
    run_command::RunCommand,
    search_files::SearchFiles,
    tool::{DEFAULT_TOOL_TIME, Tool, ToolDefinition},
    toolbox::Toolbox,
    whoami::Whoami,
    write_file::WriteFile,
};

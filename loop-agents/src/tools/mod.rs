//! Tools for actions of a model: they read and change files, search, and run commands.
//!
//! Tools turn a model's text into actions, so this module guards against three problems:
//!
//! - A tool may do something forbidden, if each tool checks for itself and one forgets to. So all of them access files
//!   and commands only through a [`Workspace`](loop_guardrails::policy::workspace::Workspace) and its policy.
//! - A tool may never return, or return a gigabyte. So each has a time limit, allows its caller to drop it while it
//!   works, and answers within 64 KiB, with a notice about omitted text.
//! - Afterwards only the model may know what happened. So a [`ToolReport`] lists as data which files changed, which
//!   commands ran, and what the policy refused.
//!
//! If the policy leaves an action to a person, or no rule allows a command, an [`Approval`] asks them. Without one the
//! toolbox refuses the action.
//!
//! A [`Toolbox`] holds built-in tools and [your own](Tool).

mod after_write;
mod approval;
mod arguments;
mod audit_record;
#[cfg(feature = "sandbox")]
mod command_sandbox;
mod context;
mod create_dir;
mod current_datetime;
mod diff;
mod edit_file;
mod error;
#[cfg(feature = "http")]
mod fetch_url;
mod file_tree;
mod git;
mod line_question;
mod list_files;
mod live_output;
mod named_files;
mod need;
mod original_files;
mod pending_approval;
mod read_file;
mod report;
mod run_command;
mod search_files;
mod size_limits;
mod tool;
mod toolbox;
mod whoami;
mod write_file;

#[cfg(feature = "skills")]
pub(crate) use self::approval::script_question;
pub(crate) use self::arguments::schema;
#[cfg(feature = "sandbox")]
pub use self::command_sandbox::{CommandSandbox, Confinement};
#[cfg(feature = "http")]
pub use self::fetch_url::FetchUrl;
pub use self::{
    after_write::{AfterWrite, FileCommand, FilePatternError, FormatOutcome},
    approval::{Approval, ApprovalAnswer, ApprovalKind, ApprovalRequest, ProposedChange},
    context::{StopFlag, ToolContext},
    create_dir::CreateDir,
    current_datetime::CurrentDatetime,
    diff::visible,
    edit_file::EditFile,
    error::ToolError,
    file_tree::{FileTree, overview},
    git::Git,
    list_files::ListFiles,
    named_files::with_named_files,
    need::Need,
    original_files::{FileDiff, FileDiffKind, OriginalFiles},
    read_file::ReadFile,
    report::{CommandRun, FileChange, ToolOutcome, ToolReport},
    run_command::RunCommand,
    search_files::SearchFiles,
    size_limits::{MAX_CONTENT_BYTES, MAX_OUTPUT_BYTES, MIN_OUTPUT_BYTES},
    tool::{DEFAULT_TOOL_TIME, Tool, ToolDefinition},
    toolbox::Toolbox,
    whoami::Whoami,
    write_file::WriteFile,
};

//! The definition of the command line.

mod assay;
mod chat;
mod check;
mod command_words;
mod engine;
mod every;
mod init;
mod inspect;
mod kb;
mod memory;
mod models;
mod numbers;
mod overrides;
mod pipeline;
mod plan;
mod policy;
mod rag;
mod replay;
mod resume;
mod run;
mod schedule;
mod server;
mod session;
mod skill;
mod snapshots;
mod task;
mod workspace;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use self::{
    assay::AssayArgs,
    chat::{ChatArgs, ConversationArgs},
    check::CheckArgs,
    command_words::{suggest_command, suggest_flag},
    engine::{ABOUT_SUBMIT, ABOUT_WORKER, Engine, EngineArgs},
    every::EveryArgs,
    init::InitArgs,
    inspect::{ABOUT_VERIFY, PartArgs, ReportArgs, RmArgs, RunsArgs, ShowArgs, TailArgs, VerifyArgs},
    kb::{ABOUT_KB, ConceptCommand, KbArgs, KbCommand, ProjectCommand},
    memory::{ABOUT_MEMORY, MemoryArgs, MemoryCommand, MineArgs},
    models::{DoctorArgs, ModelsArgs},
    overrides::OverrideArgs,
    pipeline::PipelineArgs,
    plan::{PerformArgs, PlanArgs, PlanCommand, PlanViewArgs},
    policy::{ExplainArgs, PolicyCommand, PolicyFolderArgs},
    rag::{ABOUT_RAG, KnowledgeArgs, RagArgs, RagCommand},
    replay::ReplayArgs,
    resume::{GrantArgs, ResumeArgs},
    run::{OutputArgs, RunArgs, RunOptions},
    schedule::{
        AddArgs, InstallArgs, JobActionArgs, JobArgs, ListArgs, NextArgs, RunScheduleArgs, ScheduleCommand,
        ShowJobArgs,
    },
    server::ServerArgs,
    session::{ListSessionsArgs, RmSessionsArgs, SessionCommand, ShowSessionArgs},
    skill::{NewSkillArgs, SkillCommand, SkillSetCommand},
    snapshots::{ApplyArgs, DiffArgs, RestoreArgs, SnapshotsCommand},
    task::{ReportingArgs, TaskArgs},
    workspace::WorkspaceArgs,
};
use loop_manifest::init::known_programs;

/// Run an agent again and again until a check passes, within limits.
#[derive(Debug, Parser)]
#[command(
    name = "loop",
    version,
    arg_required_else_help = true,
    // Omits the two options that every command has, so that the help fits one screen.
    help_template = "{about-with-newline}{usage-heading} {usage}\n\nCommands:\n{subcommands}{after-help}",
    after_help = "\
More:  verify plan assay replay policy apply session report completions man
To start, in your project's folder:  loop init && loop run
Exit:  0 goal met  1 halted  2 wrong usage or manifest  3 failed  129+ signal"
)]
pub(crate) struct Cli {
    /// Write a debug log, with texts if wanted
    #[arg(long, global = true, hide = true, value_name = "texts", num_args = 0..=1, require_equals = true,
          default_missing_value = "none")]
    pub(crate) debug: Option<DebugTexts>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Whether the debug log contains texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DebugTexts {
    /// Without texts
    None,
    /// With the texts of prompts, replies and calls
    Texts,
}

/// The commands, in the order in which help lists them: the most needed first.
#[derive(Debug, Subcommand)]
// Only the command that runs builds its arguments. The doc comment of a flattened struct would then replace the
// command's description, so those structs have plain comments.
#[command(defer = true)]
pub(crate) enum Command {
    /// Write a manifest for the project in this folder
    #[command(after_help = format!("\
The ending of FILE sets the format: .yaml, .yml, .toml or .json
Known agents: {}

Examples:
  loop init
  loop init refactor-until-lint-clean --out lint.toml
  loop init --agent 'my-agent --unattended' --check 'make e2e'", known_programs()))]
    Init(InitArgs),
    /// Run a loop from a manifest or from flags
    #[command(
        override_usage = "loop run [OPTIONS] [MANIFEST]\n       \
                          loop run [OPTIONS] --agent <CMD> --check <CMD> --max <N>",
        after_help = "\
With --agent, --check and --max, a manifest in this folder is not used unless
you name it.

Examples:
  loop run
  loop run fix-tests.yaml --max 3 --set agent.max_seconds=15m
  loop run --agent claude --check 'cargo test' --max 10 --max-time 30m"
    )]
    Run(RunArgs),
    /// Do the task in a file: one agent works, another reviews
    #[command(after_help = "\
A review command gets its prompt as standard input. It must end its output with
the verdict, a JSON object with exactly these keys:
  review   the id of this review, which is in the prompt
  pending  a list of what is left to do; [] if the task is done
  blocker  what only a person can solve; \"\" if there is nothing
  summary  the state of the work

A line `STATUS: COMPLETE` of the working agent ends the task without a review,
unless a check or the agent's command fails.

For example, this review.sh passes once notes.txt is not empty:
  n=$(grep -o '\"review\": \"[0-9a-f]*\"' | tail -1)
  test -s notes.txt || left='\"write notes.txt\"'
  echo \"{$n, \\\"pending\\\": [$left], \\\"blocker\\\": \\\"\\\", \\\"summary\\\": \\\"seen\\\"}\"

Examples:
  loop task fix.md
  loop task port.toml --model claude-sonnet-4-5 --review-model gemini-2.5-pro
  loop task fix.md --agent claude --max 3 --json | jq .status
  loop task fix.md --agent claude --review-agent 'sh review.sh'
  loop task fix.md --resume")]
    Task(TaskArgs),
    /// Repeat a prompt or a command, with a pause in between
    #[command(
        override_usage = "loop every [OPTIONS] <INTERVAL> <PROMPT>...\n       \
                          loop every [OPTIONS] <INTERVAL> -- <COMMAND>...",
        after_help = "\
Models: claude-sonnet-4-5, ollama:qwen3, or a [models] name in the settings

Examples:
  loop every 5m check the build, and say BROKEN if it is --until BROKEN
  loop every 30s --count 20 --until 'all green' -- 'gh run list | head -1'
  loop every 1h --unlimited --for 8h --stop-after-errors 3 -- ./sync"
    )]
    Every(EveryArgs),
    /// Schedule prompts: at a time, once or repeatedly
    #[command(
        subcommand,
        after_help = "\
Examples:
  loop schedule add '30m look at the deploy' --agent claude
  loop schedule add --cron '0 9 * * 1-5' 'Review the open pull requests'
  loop schedule run"
    )]
    Schedule(ScheduleCommand),
    /// Chat with a model that can use tools, or ask it once
    #[command(
        override_usage = "loop chat [OPTIONS]\n       \
                          loop chat [OPTIONS] --prompt <TEXT>",
        after_help = "\
Models: claude-sonnet-4-5, ollama:qwen3, or a [models] name in the settings

Examples:
  loop chat
  loop chat --resume
  loop chat --prompt 'What does this project do?'
  git diff | loop chat --prompt 'Write a commit message' --no-tools
  loop chat --model ollama:qwen3 --json < question.txt | jq -r .reply"
    )]
    Chat(ChatArgs),
    /// Resume an unfinished or halted run
    #[command(after_help = "\
If no run is unfinished, a raised limit or a note resumes the last run of this
folder, if that run was halted.

Examples:
  loop resume
  loop resume 0198b2 --add-iterations 5 --note 'leave the tests alone'")]
    Resume(ResumeArgs),
    /// List the runs of this folder
    #[command(after_help = "\
Examples:
  loop runs
  loop runs --all --json | jq -r 'select(.state == \"unfinished\").run_id'")]
    Runs(RunsArgs),
    /// Show what a run did, why it ended, and how to continue
    #[command(after_help = "\
Examples:
  loop show
  loop show 0198b2 -i 3
  loop show 0198b2 -i 3 --output | less")]
    Show(ShowArgs),
    /// Run a run's check again in a fresh place, and compare
    #[command(hide = true, after_help = ABOUT_VERIFY)]
    Verify(VerifyArgs),
    /// Show what a run changed in its folder
    #[command(after_help = "\
Examples:
  loop diff
  loop diff 0198b2 2..3 src
  loop diff 0198b2 --names")]
    Diff(DiffArgs),
    /// Return the folder of a run to the state after an iteration
    #[command(
        override_usage = "loop restore [OPTIONS] <RUN|-> -i <N> [PATH]...\n       loop restore --undo",
        after_help = "\
Examples:
  loop restore 0198b2 -i 2
  loop restore - -i 0 src/main.rs
  loop restore --undo"
    )]
    Restore(RestoreArgs),
    /// Follow a run from another terminal, and exit with its exit code
    #[command(after_help = "Example:\n  loop tail && git push")]
    Tail(TailArgs),
    /// Delete runs and all their stored data
    #[command(
        after_help = "Examples:\n  loop rm 0198b2\n  loop rm --keep 50\n  loop rm --keep 50 --everywhere"
    )]
    Rm(RmArgs),
    /// Validate a manifest, and describe what it would do
    #[command(after_help = "Examples:\n  loop check fix-tests.yaml\n  loop check --run")]
    Check(CheckArgs),
    /// Show what tools may do, and which line of the settings decides
    #[command(
        subcommand,
        hide = true,
        after_help = "\
Examples:
  loop policy show
  loop policy explain 'git log -p'
  loop policy explain --to write src/main.rs"
    )]
    Policy(PolicyCommand),
    /// List, print or delete stored chat sessions
    #[command(
        subcommand,
        hide = true,
        after_help = "\
Examples:
  loop session show > talk.md
  loop session show --json | jq -r '.entry.asked.prompt.text // empty'
  loop session rm --keep 20

LOOP_KEEP_SESSIONS sets how many sessions to keep (1000), LOOP_KEEP_DAYS their
age in days (90). The next session that ends removes older ones."
    )]
    Session(SessionCommand),
    /// Make a plan, and perform its steps one after the other
    #[command(
        hide = true,
        after_help = "\
Examples:
  loop plan 'Move the parser into a crate of its own'
  loop plan run --agent claude --max-cost 5
  loop plan -- run the tests on every system"
    )]
    Plan(PlanArgs),
    /// Answer prompts in files, each with the reply to the one before
    #[command(
        hide = true,
        after_help = "\
The first reply that states a confidence below PERCENT ends the run.

Example:  loop pipeline 80% outline.md draft.md review.md --retries 1"
    )]
    Pipeline(PipelineArgs),
    /// Send the prompts of a stored session to other models
    #[command(
        hide = true,
        after_help = "\
Only tools that read are available, unless --tools names others. The output of
commands and the texts of files are those of the recorded session.

Example:
  loop replay parser --model ollama:qwen3 --model claude-sonnet-4-5"
    )]
    Replay(ReplayArgs),
    /// Measure how often cases pass, by model
    #[command(hide = true, after_help = assay::HELP)]
    Assay(AssayArgs),
    /// List, check, write or run skills: instructions that a model loads
    #[command(
        subcommand,
        hide = true,
        after_help = "Examples:\n  loop skill list\n  loop skill check --strict .agents/skills/*"
    )]
    Skill(SkillCommand),
    /// List, show or write sets of skills
    #[command(subcommand, hide = true, name = "skill-set")]
    SkillSet(SkillSetCommand),
    /// Read documents into a store, and find them again
    #[command(hide = true, after_help = ABOUT_RAG)]
    Rag(RagArgs),
    /// Keep notes on projects, and find them again
    #[command(hide = true, after_help = ABOUT_KB)]
    Kb(KbArgs),
    /// Keep what earlier work taught, and recall it
    #[command(hide = true, after_help = ABOUT_MEMORY)]
    Memory(MemoryArgs),
    /// Suggest what to do next in this folder
    #[command(hide = true, after_help = "Examples:\n  loop hint\n  loop hint --json | jq -r .command")]
    Hint(KnowledgeArgs),
    /// Show this folder, its branch, and the data stored for it
    #[command(hide = true, after_help = "Example:\n  loop workspace status")]
    Workspace(WorkspaceArgs),
    /// List models, or show what is known about one
    #[command(
        hide = true,
        after_help = "\
Examples:
  loop models
  loop models ollama:qwen3 --refresh
  loop models --json | jq -r 'select(.facts.tools.value).name'"
    )]
    Models(ModelsArgs),
    /// Start and stop model servers, and manage their models
    #[command(
        hide = true,
        after_help = server::words()
    )]
    Server(ServerArgs),
    /// Check this machine, the settings and all stored files
    #[command(
        hide = true,
        after_help = "\
Exits 1 if something is damaged. A part that is only missing is no error.

Examples:
  loop doctor
  loop doctor --json | jq -r 'select(.health == \"bad\")'"
    )]
    Doctor(DoctorArgs),
    /// Write an HTML page about a run
    #[command(
        hide = true,
        after_help = "\
Examples:
  loop report
  loop report 0198b2 --html nightly.html"
    )]
    Report(ReportArgs),
    /// Hand the changes of a run over, as a branch or a patch
    #[command(
        hide = true,
        after_help = "Examples:\n  loop apply --branch fix-tests\n  loop apply 0198b2 --patch fix.patch"
    )]
    Apply(ApplyArgs),
    /// List the snapshots of this folder, or free their space
    #[command(subcommand, hide = true, after_help = "Examples:\n  loop snapshots list\n  loop snapshots gc")]
    Snapshots(SnapshotsCommand),
    /// Submit runs for the workers of many machines
    #[command(hide = true, after_help = ABOUT_SUBMIT)]
    Submit(EngineArgs),
    /// Work on submitted runs
    #[command(hide = true, after_help = ABOUT_WORKER)]
    Worker(EngineArgs),
    /// Cancel a submitted run
    #[command(hide = true, after_help = "Example:\n  loop cancel 0198b2c4-77aa-7c31-9d1c-3f6c2b7e9a10")]
    Cancel(EngineArgs),
    /// Answer the question of a submitted run: yes, no or stop
    #[command(
        hide = true,
        after_help = "Example:\n  loop answer 0198b2c4-77aa-7c31-9d1c-3f6c2b7e9a10 yes --note 'skip the docs'"
    )]
    Answer(EngineArgs),
    /// Give a submitted run whose host is lost to another worker
    #[command(hide = true, after_help = "Example:\n  loop reassign 0198b2c4-77aa-7c31-9d1c-3f6c2b7e9a10")]
    Reassign(EngineArgs),
    /// Print the JSON Schema of manifests, for editors
    #[command(hide = true, after_help = "Example:\n  loop schema > loop.schema.json")]
    Schema {
        /// Print the schema of the cases of `loop assay`
        #[arg(long)]
        assay: bool,
    },
    /// Print a completion script for a shell
    #[command(
        hide = true,
        after_help = "\
Example:
  loop completions bash > ~/.local/share/bash-completion/completions/loop"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of loop, or of one of its commands
    #[command(hide = true, after_help = "Example:\n  loop man run | man -l -")]
    Man {
        /// A command, such as `run` [default: loop itself]
        command: Option<String>,
    },
}

//! Settings: what holds for every run and chat in a folder, beside what one manifest says.
//!
//! There are two files because they have two authors. The user's own file sets the permissions on this machine. The
//! project's `loop.toml` comes with the project, so in a cloned repository somebody else wrote it; it can make the
//! rules narrower, and never wider.
//!
//! `loop.toml` may be a manifest as well. That makes no two meanings out of one key: settings are in tables
//! (`chat`, `engine`, `folders`, `formatters`, `knowledge`, `memory`, `models`, `plan`, `policy`, `rag`, `reading`, `remote`,
//! `schedule`, `sensors`, `servers`, `skills`, `summary`, `terminal` and `tools`), and they are taken out before the
//! manifest is read. A manifest has none of these names but `memory`, and there it has other keys.
//! In other files nobody would look for settings, so there they are unknown keys.

mod after_write;
mod chat;
mod engine;
mod file;
mod folders;
mod kept;
mod knowledge;
mod memory;
mod models;
mod plan;
mod policy;
mod rag;
mod reading;
mod remote;
mod schedule;
mod servers;
mod skills;
mod summary;
mod table;
mod terminal;
mod user_file;

#[cfg(test)]
#[path = "../../tests/settings/mod.rs"]
mod tests;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use loop_agents::{
    chat::{Chat, SummaryRules, TurnLimits},
    remote::RemoteReader,
    servers::ServerCommand,
    tools::{AfterWrite, FileCommand},
};
use loop_guardrails::policy::{ActionPolicy, PolicySettings, WithOrigin, command::CommandPrefix};
use loop_knowledge::documents::QueryOptions;
use loop_telemetry::StateDir;
use serde_json::Value;

pub(crate) use self::file::take;
pub use self::{
    after_write::ToolSettings,
    chat::ChatSettings,
    engine::{EngineSettings, TemporalSettings},
    file::{SettingsLayer, only_settings, read_bounded},
    folders::FolderSettings,
    kept::{CommandRule, KeepError, NewTable, drop_tables, keep_command, keep_permissions, keep_tables},
    knowledge::KnowledgeSettings,
    memory::{MemoryRules, MemorySettings},
    models::NamedModel,
    plan::PlanSettings,
    rag::RagSettings,
    reading::{ReadingRules, ReadingSettings},
    remote::{RemoteDisabled, RemoteSettings},
    skills::SkillSettings,
    summary::SummarySettings,
    terminal::TerminalSettings,
};
use crate::Diagnostics;

/// The project's file, which may be a manifest as well.
pub const PROJECT_FILE: &str = "loop.toml";

/// The names of the tables.
const TABLES: &[&str] = &[
    "chat",
    "engine",
    "folders",
    "formatters",
    "knowledge",
    "memory",
    "models",
    "plan",
    "policy",
    "rag",
    "reading",
    "remote",
    "schedule",
    "sensors",
    "servers",
    "skills",
    "summary",
    "terminal",
    "tools",
];

/// The JSON Schemas of the tables that a project can have, by their names.
pub fn schemas() -> impl Iterator<Item = (String, Value)> {
    let schemas = [
        ("chat", chat::schema()),
        ("memory", memory::schema()),
        ("models", models::schema()),
        ("policy", policy::schema()),
        ("rag", rag::schema()),
        ("reading", reading::schema()),
        ("skills", skills::schema()),
        ("summary", summary::schema()),
        ("tools", after_write::schema()),
    ];
    schemas.map(|(name, schema)| (name.to_owned(), schema)).into_iter()
}

/// The values of the tables of one file.
#[derive(Debug, Clone, Default)]
pub struct SettingsTables {
    /// `[chat]`: what chats are made of.
    pub chat: ChatSettings,
    /// `[engine]`: the server on which runs of many machines are stored.
    pub engine: EngineSettings,
    /// `[folders."/a/folder"]`: what the user allows and forbids in one folder only.
    pub folders: BTreeMap<PathBuf, FolderSettings>,
    /// `[formatters]`: further formatters, which run after a tool wrote a file.
    pub formatters: Vec<FileCommand>,
    /// `[knowledge]`: how texts become vectors.
    pub knowledge: KnowledgeSettings,
    /// `[memory]`: how much of what earlier work taught reaches a model.
    pub memory: MemorySettings,
    /// `[models.NAME]`: models by names of their own.
    pub models: BTreeMap<String, NamedModel>,
    /// `[plan]`: how steps of plans are validated and repaired.
    pub plan: PlanSettings,
    /// `[policy]`: what tools may do.
    pub policy: PolicySettings,
    /// `[rag]`: which chunks of documents a query returns.
    pub rag: RagSettings,
    /// `[reading]`: how large files are read in parts.
    pub reading: ReadingSettings,
    /// `[remote]`: whether addresses are read, and which hosts are allowed.
    pub remote: RemoteSettings,
    /// `[schedule]`: the numbers that hold for all jobs.
    pub schedule: loop_schedule::ScheduleSettings,
    /// `[sensors]`: commands that examine a file after a tool wrote it.
    pub sensors: Vec<FileCommand>,
    /// `[servers.NAME]`: servers of models that start on this machine.
    pub servers: BTreeMap<String, ServerCommand>,
    /// `[skills]`: where skills are.
    pub skills: SkillSettings,
    /// `[summary]`: when a conversation is summarised.
    pub summary: SummarySettings,
    /// `[terminal]`: what a run does with the terminal.
    pub terminal: TerminalSettings,
    /// `[tools]`: which help tools get.
    pub tools: ToolSettings,
}

/// The user's settings and a project's.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The user's own.
    pub user: SettingsLayer,
    /// The project's.
    pub project: SettingsLayer,
    /// Paths that only the user changes: their settings and the records of runs.
    guarded: Vec<PathBuf>,
    /// The folder in which they hold.
    folder: PathBuf,
}

impl Settings {
    /// Reads the settings that hold in the folder `dir`. `lookup` finds environment variables.
    ///
    /// # Errors
    /// All that is wrong with the first file that is wrong.
    pub fn load(dir: &Path, mut lookup: impl FnMut(&str) -> Option<OsString>) -> Result<Self, Diagnostics> {
        let place = user_file::of_user(&mut lookup);
        let mut user = place
            .map(|place| SettingsLayer::of_user(place.path, place.is_named))
            .transpose()?
            .unwrap_or_default();
        let folder = user_file::resolved(dir);
        if let Some(here) = user.tables.folders.get(&folder) {
            here.add_to(&mut user.tables.policy);
        }
        let project = SettingsLayer::of_project(dir.join(PROJECT_FILE))?;
        let state = StateDir::from_env_with(lookup).ok().map(|state| state.path().to_owned());
        let guarded = user.path.iter().chain(&state).map(|path| user_file::resolved(path)).collect();
        Ok(Self { user, project, guarded, folder })
    }

    /// Returns the folder in which they hold, without links.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The addresses of servers that the settings name. There may be a login or a key in one.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        let models = [&self.user, &self.project].into_iter().flat_map(|layer| layer.tables.models.values());
        models.filter_map(|model| model.base_url.as_deref())
    }

    /// Returns how often a model may call tools in a turn, unless a run says otherwise.
    pub fn rounds(&self) -> u64 {
        self.project.tables.chat.rounds_under(&self.user.tables.chat)
    }

    /// Bounds a conversation: how often a model may call tools in a turn, and when older messages are summarised.
    pub fn bound(&self, chat: Chat) -> Chat {
        chat.limits(TurnLimits::default().rounds(self.rounds())).summary_rules(self.summary())
    }

    /// Returns when conversations are summarised.
    pub fn summary(&self) -> SummaryRules {
        self.project.tables.summary.rules_under(&self.user.tables.summary)
    }

    /// Returns the most bytes of a result that a tool gives to a model.
    pub fn output_bytes(&self) -> usize {
        after_write::output_bytes(&self.user.tables.tools, &self.project.tables.tools)
    }

    /// Returns what happens after a tool wrote a file.
    pub fn after_write(&self) -> AfterWrite {
        let (user, project) = (&self.user.tables, &self.project.tables);
        after_write::rules(&user.tools, &project.tools, &user.formatters, &user.sensors)
    }

    /// Returns how memories are used.
    pub fn memory(&self) -> MemoryRules {
        MemoryRules::of(&self.user.tables.memory, &self.project.tables.memory)
    }

    /// Returns the name of the embedder of memories, if the user's own settings have one.
    pub fn memory_embedder(&self) -> Option<&str> {
        self.user.tables.memory.embedder.as_deref()
    }

    /// Returns which chunks of documents a query returns, unless it says otherwise.
    pub fn rag(&self) -> QueryOptions {
        self.project.tables.rag.options_under(&self.user.tables.rag)
    }

    /// Returns how files are read in parts, unless a command says otherwise.
    pub fn reading(&self) -> ReadingRules {
        self.project.tables.reading.rules_under(&self.user.tables.reading)
    }

    /// Returns the reader of addresses. `lookup` finds environment variables: `HTTP_BEARER_TOKEN`, or `HTTP_BASIC_USER`
    /// and `HTTP_BASIC_PASSWORD`, are the login at the `token_host`.
    ///
    /// # Errors
    /// The user's own settings do not turn it on.
    pub fn remote_reader(
        &self,
        lookup: impl Fn(&str) -> Option<OsString>,
    ) -> Result<RemoteReader, RemoteDisabled> {
        self.user.tables.remote.reader(lookup)
    }

    /// Returns how often a step of a plan is repaired, unless a run says otherwise.
    pub fn plan_repairs(&self) -> u64 {
        self.project.tables.plan.repairs_under(&self.user.tables.plan)
    }

    /// Returns the time limit of a validation of a plan, unless a run says otherwise.
    pub(crate) fn plan_validation_time(&self) -> std::time::Duration {
        self.project.tables.plan.validation_time_under(&self.user.tables.plan)
    }

    /// Returns the folders in which skills are looked for, in this order; `None` for the usual ones. Relative paths are
    /// in the project.
    pub(crate) fn skill_folders(&self) -> Option<Vec<&str>> {
        self.project.tables.skills.folders_under(&self.user.tables.skills)
    }

    /// Returns the folders of skills and of their sets, whose files a model follows.
    fn followed_folders(&self) -> Vec<PathBuf> {
        let named =
            self.skill_folders().unwrap_or_default().into_iter().map(|folder| self.folder.join(folder));
        let beside = self.user.path.as_deref().and_then(Path::parent).map(|folder| folder.join("skills"));
        let skills: Vec<_> = named.chain(beside).map(|folder| user_file::resolved(&folder)).collect();
        let sets = skills.iter().filter_map(|folder| Some(folder.parent()?.join("skill-sets")));
        sets.chain(skills.clone()).collect()
    }

    /// The policy for tools: only what the user and the project both allow.
    pub fn policy(&self) -> ActionPolicy {
        self.policy_allowing([])
    }

    /// Returns the policy with these additional entries, which the user permits by naming them, or a file that
    /// lists them.
    pub fn policy_allowing(
        &self,
        entries: impl IntoIterator<Item = WithOrigin<CommandPrefix>>,
    ) -> ActionPolicy {
        let (mut user, project) = (self.user.tables.policy.clone(), self.project.tables.policy.clone());
        user.allow.extend(entries);
        ActionPolicy::new(user, project).guard(self.guarded.clone()).asking_before(self.followed_folders())
    }
}

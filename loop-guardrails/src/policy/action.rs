//! The policy that decides about every action.

mod approvals;

use std::{path::PathBuf, time::Duration};

use super::{
    CommandNetwork, DeniedAction, IgnoredSetting, LocalPath, Origin, OutsidePath, Permissions,
    PolicySettings, Ruling, SandboxMode, SecretFiles, Verb, WithOrigin, WriteApproval,
    case_folding::folded,
    command::{CommandLine, CommandPolicy},
    environment::NamePattern,
    folders_above::FoldersAbove,
    instructions,
    read_scope::{self, ReadScope},
    settings,
};

/// The default time limit for a command: five minutes.
pub const DEFAULT_COMMAND_TIME: Duration = Duration::from_secs(5 * 60);

/// The folder in which `git` keeps the names of programs that it starts (hooks, filters, editors).
pub(super) const GIT_FOLDER: &str = ".git";

/// Decides which actions are allowed, from the settings of the user and the project.
///
/// The policy only answers and never acts. The [`Workspace`](super::workspace::Workspace) opens files according to its
/// answers.
///
/// # Default
/// Safe mode is on, and commands may run for five minutes. No permissions are set. Secrets, the inside of `.git`,
/// manifests, settings and the instructions of agents are guarded.
///
/// ```
/// use loop_guardrails::policy::{ActionPolicy, Verb};
///
/// let policy = ActionPolicy::default();
/// assert!(policy.on_path(&"src/main.rs".parse()?, Verb::Write).allowed);
/// println!("{}", policy.explain("find . -delete"));
/// assert!(!policy.explain("find . -delete").allowed);
/// assert!(!policy.explain("config/.env").allowed);
/// # Ok::<(), loop_guardrails::policy::OutsidePath>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionPolicy {
    root: PathBuf,
    above: FoldersAbove,
    guarded: Vec<PathBuf>,
    asked_before: Vec<PathBuf>,
    approved: Vec<LocalPath>,
    commands: CommandPolicy,
    secrets: SecretFiles,
    /// An action needs the permission of all of them.
    permissions: Vec<Permissions>,
    command_time: Option<WithOrigin<Duration>>,
    variables: Vec<WithOrigin<NamePattern>>,
    approve_writes: WithOrigin<WriteApproval>,
    sandbox: WithOrigin<SandboxMode>,
    network: WithOrigin<CommandNetwork>,
    ignored: Vec<IgnoredSetting>,
}

impl ActionPolicy {
    /// Combines the settings of the user and the project. The project can only make the policy stricter.
    ///
    /// A project can forbid programs, name secrets, set permissions, switch safe mode on and shorten the time of
    /// commands. All its other settings have no effect, and [`ignored`](Self::ignored) lists them.
    pub fn new(user: PolicySettings, project: PolicySettings) -> Self {
        let ignored = settings::beyond(&user, &project);
        let most = settings::longest(&user);
        let secrets = SecretFiles::new().also(user.secret).also(project.secret).except(user.not_secret);
        let mut commands = CommandPolicy::new()
            .allow(user.allow)
            .forbid(user.forbid)
            .forbid(project.forbid)
            .secrets(secrets.clone());
        // If either switches it on, it is on. Only the user can switch it off.
        let on = project.safe_mode.filter(|mode| mode.value);
        if let Some(mode) = on.or(user.safe_mode) {
            commands = commands.safe_mode(mode);
        }
        Self {
            root: PathBuf::new(),
            above: FoldersAbove::default(),
            guarded: Vec::new(),
            asked_before: Vec::new(),
            approved: Vec::new(),
            commands,
            secrets,
            permissions: vec![user.permissions, project.permissions],
            command_time: project.command_time.filter(|time| time.value < most).or(user.command_time),
            variables: user.variables,
            approve_writes: settings::strictest(user.approve_writes, project.approve_writes),
            sandbox: settings::strictest(user.sandbox, project.sandbox),
            network: settings::strictest(user.network, project.network),
            ignored,
        }
    }

    /// Sets the root of the workspace, so that the policy recognises absolute paths below it. Without a root, every
    /// absolute path is outside.
    ///
    /// The names of the root's own folders count as well: in the workspace `~/.aws`, `config` is a secret.
    #[must_use]
    pub fn at(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self.above = FoldersAbove::new(&self.root, &self.secrets);
        self
    }

    /// Protects these files and folders from changes, in addition to those that are always guarded. Use it for the
    /// user's own settings and the audit if they are below the root. The paths must be absolute and without links.
    #[must_use]
    pub fn guard(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.guarded.extend(paths);
        self
    }

    /// Requires a person's approval for changes to these files, and to everything in these folders, as for manifests and
    /// instructions. Use it for the manifest or the task file of the current run, and for folders of skills, which can
    /// have any name. The paths must be absolute and without links. The root itself has no effect.
    ///
    /// ```
    /// use loop_guardrails::policy::{ActionPolicy, Verb};
    ///
    /// let policy = ActionPolicy::default().at("/work").asking_before(["/work/fix.md".into()]);
    /// let ruling = policy.on_path(&"fix.md".parse()?, Verb::Write);
    /// assert!(!ruling.allowed && ruling.needs_approval.is_some());
    /// assert!(policy.on_path(&"fix.md".parse()?, Verb::Read).allowed);
    /// # Ok::<(), loop_guardrails::policy::OutsidePath>(())
    /// ```
    #[must_use]
    pub fn asking_before(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.asked_before.extend(paths);
        self
    }

    /// Returns the policy for an agent that may only read: safe mode with only the default programs, whatever else the
    /// user allows, and no writing or removing.
    ///
    /// ```
    /// use loop_guardrails::policy::{ActionPolicy, Origin, WithOrigin, PolicySettings, Verb};
    ///
    /// let mut user = PolicySettings::default();
    /// user.allow = vec![WithOrigin::new("cargo".parse()?, Origin::BuiltIn)];
    /// let policy = ActionPolicy::new(user, PolicySettings::default());
    /// assert!(policy.explain("cargo test").allowed);
    /// let policy = policy.reviewing();
    /// assert!(!policy.explain("cargo test").allowed);
    /// assert!(policy.explain("git log -p").allowed && policy.explain("src/main.rs").allowed);
    /// assert!(!policy.on_path(&"src/main.rs".parse()?, Verb::Write).allowed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reviewing(mut self) -> Self {
        self.commands = self.commands.usual();
        let looking = Permissions::new().with(LocalPath::root(), [Verb::Read, Verb::Exec], Origin::BuiltIn);
        self.permissions.push(looking);
        self
    }

    /// Returns which changes of files a person is shown before tools make them, and the origin of that setting.
    pub fn approve_writes(&self) -> &WithOrigin<WriteApproval> {
        &self.approve_writes
    }

    /// Returns whether commands run in a sandbox, and the origin of that setting.
    pub fn sandbox(&self) -> &WithOrigin<SandboxMode> {
        &self.sandbox
    }

    /// Returns which commands may use the network, and the origin of that setting. Only a sandbox enforces it.
    pub fn network(&self) -> &WithOrigin<CommandNetwork> {
        &self.network
    }

    /// Returns the project's settings that have no effect.
    pub fn ignored(&self) -> &[IgnoredSetting] {
        &self.ignored
    }

    /// Returns the policy for programs.
    pub fn commands(&self) -> &CommandPolicy {
        &self.commands
    }

    /// Returns the rules that name secret files.
    pub fn secrets(&self) -> &SecretFiles {
        &self.secrets
    }

    /// Returns the user's permissions and the project's. Both must allow an action.
    pub fn permissions(&self) -> &[Permissions] {
        &self.permissions
    }

    /// Returns the time limit for a command.
    pub fn command_time(&self) -> Duration {
        self.command_time.as_ref().map_or(DEFAULT_COMMAND_TIME, |time| time.value)
    }

    /// Returns the origin of the time limit for a command.
    pub fn command_time_origin(&self) -> &Origin {
        self.command_time.as_ref().map_or(&Origin::BuiltIn, |time| &time.origin)
    }

    /// Returns the variables that commands see in addition to the
    /// [necessary](super::environment::Inheritance::Necessary) ones, with their origins.
    pub fn variables(&self) -> &[WithOrigin<NamePattern>] {
        &self.variables
    }

    /// Converts a path as a person wrote it into one relative to the root. This does not follow links.
    ///
    /// # Errors
    /// [`OutsidePath`] if it is not below the root.
    pub fn local(&self, path: &str) -> Result<LocalPath, OutsidePath> {
        read_scope::local(&self.root, path)
    }

    /// Decides about this action on a path that contains no links.
    pub fn on_path(&self, path: &LocalPath, verb: Verb) -> Ruling {
        let above = || self.above.rule_on(&self.secrets, path, verb);
        let secret = self.secrets.rule_on(path).or_else(above);
        if let Some(ruling) = secret.or_else(|| self.rule_on_guarded(path, verb)) {
            return ruling;
        }
        let mut allowed = Ruling::allowed("no rule forbids it", &Origin::BuiltIn);
        for permissions in self.permissions.iter().filter(|permissions| !permissions.is_empty()) {
            allowed = permissions.on(path, verb);
            if !allowed.allowed {
                break;
            }
        }
        // This check comes last, so that nobody is asked to approve an action that another rule refuses.
        let unapproved = || self.rule_on_followed(path).filter(|_| self.needs_approval(path, verb));
        allowed.allowed.then(unapproved).flatten().unwrap_or(allowed)
    }

    /// Returns the rule that requires approval for a change to this path, if there is one: because of its names, or
    /// because this run executes it.
    pub(super) fn rule_on_followed(&self, path: &LocalPath) -> Option<Ruling> {
        let own = || self.below_root(&self.asked_before).filter(|own| own.depth() > 0);
        let is_of_run = || own().any(|own| own.is_alike(path));
        let is_in_folder = || self.above.is_followed() || own().any(|own| path.is_alike_below(&own));
        instructions::rule_on(path)
            .or_else(|| is_of_run().then(|| instructions::rule_on_own(path)))
            .or_else(|| is_in_folder().then(|| instructions::rule_on_folder(path)))
    }

    /// Returns whether this action would change the path, and no person has approved that yet.
    pub(super) fn needs_approval(&self, path: &LocalPath, verb: Verb) -> bool {
        [Verb::Write, Verb::Delete].contains(&verb)
            && !self.approved.iter().any(|approved| approved.is_within(path))
    }

    /// Returns whether some rules apply only to parts of this folder. Moving the whole folder would evade them.
    pub(super) fn has_rules_about(&self, folder: &LocalPath) -> bool {
        self.permissions.iter().any(|permissions| permissions.has_below(folder))
            || self.secrets.has_exception_about(folder)
            || self.below_root(&self.guarded).any(|guarded| guarded.is_within(folder))
    }

    /// Decides whether a command may run in the workspace's root: its program, its arguments, and every path in them.
    ///
    /// # Errors
    /// [`DeniedAction`], with the rule that decides.
    pub fn on_command(&self, line: &str) -> Result<CommandLine, DeniedAction> {
        let mut command = self.commands.judge(line)?;
        let action = || format!("to run `{line}`");
        self.on_path(&LocalPath::root(), Verb::Exec).into_result(action())?;
        let reads = command.paths.iter().map(|path| (path.as_str(), Verb::Read));
        for (path, verb) in command.program_path().map(|path| (path, Verb::Exec)).into_iter().chain(reads) {
            let ruling = match self.local(path) {
                Ok(local) => self.on_path(&local, verb),
                Err(outside) => Ruling::denied(outside.to_string(), &Origin::BuiltIn),
            };
            if !ruling.allowed {
                let rule = format!("of `{path}`, {}", ruling.rule);
                return Err(DeniedAction { action: action(), ruling: Ruling { rule, ..ruling } });
            }
        }
        let scope = ReadScope::new(&self.root, &self.permissions);
        command.limit(&scope).map_err(|ruling| DeniedAction { action: action(), ruling })?;
        Ok(command)
    }

    /// Refuses a command that would read hidden files in its folders. `leads_to` are its paths with links resolved.
    pub(super) fn on_walk(&self, command: &CommandLine, leads_to: &[LocalPath]) -> Result<(), DeniedAction> {
        let walked = command.refuse_walking(leads_to, &ReadScope::new(&self.root, &self.permissions));
        walked.map_err(|ruling| DeniedAction { action: format!("to run `{}`", command.program), ruling })
    }

    /// Explains the decision about a command, or about reading a path: the answer, and the rule behind it.
    ///
    /// A single word that contains a `/` or a `.` is a path, unless it is an allowed program. All other text is a
    /// command. Use [`explain_path`](Self::explain_path) for a file such as `Makefile`.
    pub fn explain(&self, text: &str) -> Ruling {
        let text = text.trim();
        if self.is_path(text) {
            return self.explain_path(text, Verb::Read);
        }
        self.on_command(text).map_or_else(|denied| denied.ruling, |command| command.ruling)
    }

    /// Returns whether a text looks like a path and not like a command.
    pub(super) fn is_path(&self, text: &str) -> bool {
        let looks = text.contains(['/', '.']) && !text.contains(char::is_whitespace);
        looks && !self.commands.is_allowed(&[text])
    }

    /// Explains the decision about this action on a path: the answer, and the rule behind it.
    pub fn explain_path(&self, path: &str, verb: Verb) -> Ruling {
        match self.local(path) {
            Ok(local) => self.on_path(&local, verb),
            Err(outside) => Ruling::denied(outside.to_string(), &Origin::BuiltIn),
        }
    }

    /// Returns the rule that makes this path read-only, if there is one.
    fn rule_on_guarded(&self, path: &LocalPath, verb: Verb) -> Option<Ruling> {
        if verb == Verb::Read {
            return None;
        }
        if verb != Verb::Exec && self.below_root(&self.guarded).any(|guarded| path.is_within(&guarded)) {
            let rule =
                "it holds the user's settings, or what is kept of your work; ask the user to change it";
            return Some(Ruling::denied(rule, &Origin::BuiltIn));
        }
        always_guarded(path)
    }

    fn below_root(&self, paths: &[PathBuf]) -> impl Iterator<Item = LocalPath> {
        paths.iter().filter_map(|path| LocalPath::new(path.strip_prefix(&self.root).ok()?).ok())
    }
}

/// Returns the rule for paths that nobody may change, wherever the root is.
pub(super) fn always_guarded(path: &LocalPath) -> Option<Ruling> {
    path.names().any(|name| folded(&name) == GIT_FOLDER).then(rule_on_git_folder)
}

/// Returns the rule for a change in a repository's own folder.
pub(super) fn rule_on_git_folder() -> Ruling {
    let rule = "what is in `.git` names programs that git starts; change it with git, by hand";
    Ruling::denied(rule, &Origin::BuiltIn)
}

#[cfg(test)]
mod tests;

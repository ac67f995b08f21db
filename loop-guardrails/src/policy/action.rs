//! The one place that decides.

use std::{path::PathBuf, time::Duration};

use super::{
    Denied, Ignored, LocalPath, Origin, OutsidePath, Permissions, Placed, Ruling, SecretFiles, Settings,
    Verb,
    command::{CommandLine, CommandPolicy},
    environment::NamePattern,
    fold::folded,
    instructions,
    scope::{self, ReadScope},
    settings,
};

/// How long a command may run, unless something is set: five minutes.
pub const DEFAULT_COMMAND_TIME: Duration = Duration::from_secs(5 * 60);

/// Where `git` keeps the names of programs that it starts (hooks, filters, editors).
const GIT_FOLDER: &str = ".git";

/// What may be done, as the user and the project together allow it.
///
/// It answers without doing anything. What opens files by its answers is the
/// [`Workspace`](super::workspace::Workspace).
///
/// # Default
/// Safe mode, no permissions but that secrets, the inside of `.git`, manifests, settings and the instructions of agents
/// are guarded, five minutes for a command.
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
    guarded: Vec<PathBuf>,
    asked_before: Vec<PathBuf>,
    approved: Vec<LocalPath>,
    commands: CommandPolicy,
    secrets: SecretFiles,
    /// All of them have to allow.
    permissions: Vec<Permissions>,
    command_time: Option<Placed<Duration>>,
    variables: Vec<Placed<NamePattern>>,
    ignored: Vec<Ignored>,
}

impl ActionPolicy {
    /// What the user and the project allow, one not more than the other.
    ///
    /// A project can forbid programs, name secrets, set permissions, switch safe mode on and shorten the
    /// time of commands. What it sets beyond that has no effect, and is listed in
    /// [`ignored`](Self::ignored).
    pub fn new(user: Settings, project: Settings) -> Self {
        let ignored = settings::beyond(&user, &project);
        let most = settings::longest(&user);
        let secrets = SecretFiles::new().also(user.secret).also(project.secret).except(user.not_secret);
        let mut commands = CommandPolicy::new()
            .allow(user.allow)
            .forbid(user.forbid)
            .forbid(project.forbid)
            .secrets(secrets.clone());
        // On wins, whoever says so; the user alone can say off.
        let on = project.safe_mode.filter(|mode| mode.value);
        if let Some(mode) = on.or(user.safe_mode) {
            commands = commands.safe_mode(mode);
        }
        Self {
            root: PathBuf::new(),
            guarded: Vec::new(),
            asked_before: Vec::new(),
            approved: Vec::new(),
            commands,
            secrets,
            permissions: vec![user.permissions, project.permissions],
            command_time: project.command_time.filter(|time| time.value < most).or(user.command_time),
            variables: user.variables,
            ignored,
        }
    }

    /// Where the workspace is, so that absolute paths below it are known for what they are. Without this,
    /// every absolute path is outside.
    #[must_use]
    pub fn at(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = root.into();
        self
    }

    /// Keeps these files and folders from being changed, beside those that are guarded anyway: the user's own
    /// settings, and the audit, where they lie below the root. Their paths are absolute, and without links.
    #[must_use]
    pub fn guard(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.guarded.extend(paths);
        self
    }

    /// Lets these files be changed only after a person's yes, as manifests and instructions are: the manifest or the task
    /// file of the run under way, which can have any name. Their paths are absolute, and without links.
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

    /// Lets these paths be changed although they are [followed or executed](Ruling::needs_approval) later, since a person
    /// has seen the change and said yes. Folders above them may be made for it. All other rules hold.
    #[must_use]
    pub fn approving(mut self, paths: impl IntoIterator<Item = LocalPath>) -> Self {
        self.approved.extend(paths);
        self
    }

    /// The same for an agent that is only to look: safe mode, in which no program runs but the usual ones, whatever
    /// the user allows besides; and nothing is written or removed.
    ///
    /// ```
    /// use loop_guardrails::policy::{ActionPolicy, Origin, Placed, Settings, Verb};
    ///
    /// let mut user = Settings::default();
    /// user.allow = vec![Placed::new("cargo".to_owned(), Origin::BuiltIn)];
    /// let policy = ActionPolicy::new(user, Settings::default());
    /// assert!(policy.explain("cargo test").allowed);
    /// let policy = policy.reviewing();
    /// assert!(!policy.explain("cargo test").allowed);
    /// assert!(policy.explain("git log -p").allowed && policy.explain("src/main.rs").allowed);
    /// assert!(!policy.on_path(&"src/main.rs".parse()?, Verb::Write).allowed);
    /// # Ok::<(), loop_guardrails::policy::OutsidePath>(())
    /// ```
    #[must_use]
    pub fn reviewing(mut self) -> Self {
        self.commands = self.commands.usual();
        let looking = Permissions::new().with(LocalPath::root(), [Verb::Read, Verb::Exec], Origin::BuiltIn);
        self.permissions.push(looking);
        self
    }

    /// What the project asks for and does not get.
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// Which programs run.
    pub fn commands(&self) -> &CommandPolicy {
        &self.commands
    }

    /// Which files are secrets.
    pub fn secrets(&self) -> &SecretFiles {
        &self.secrets
    }

    /// The user's permissions and the project's. Both have to allow.
    pub fn permissions(&self) -> &[Permissions] {
        &self.permissions
    }

    /// How long a command may run.
    pub fn command_time(&self) -> Duration {
        self.command_time.as_ref().map_or(DEFAULT_COMMAND_TIME, |time| time.value)
    }

    /// Where it stands how long a command may run.
    pub fn command_time_origin(&self) -> &Origin {
        self.command_time.as_ref().map_or(&Origin::BuiltIn, |time| &time.origin)
    }

    /// The variables that commands see beside the [necessary](super::environment::Inherit::Necessary) ones, and where
    /// they stand.
    pub fn variables(&self) -> &[Placed<NamePattern>] {
        &self.variables
    }

    /// A path as somebody wrote it, relative to the root. No link is followed.
    ///
    /// # Errors
    /// [`OutsidePath`] if it is not below the root.
    pub fn local(&self, path: &str) -> Result<LocalPath, OutsidePath> {
        scope::local(&self.root, path)
    }

    /// Whether this may be done with a path that no link is on.
    pub fn on_path(&self, path: &LocalPath, verb: Verb) -> Ruling {
        if let Some(ruling) = self.secrets.rule_on(path).or_else(|| self.rule_on_guarded(path, verb)) {
            return ruling;
        }
        let mut allowed = Ruling::allowed("nothing stands against it", &Origin::BuiltIn);
        for permissions in self.permissions.iter().filter(|permissions| !permissions.is_empty()) {
            allowed = permissions.on(path, verb);
            if !allowed.allowed {
                break;
            }
        }
        // Asked last: nobody is asked about what would not be done anyway.
        let unapproved = || self.rule_on_followed(path).filter(|_| self.needs_approval(path, verb));
        allowed.allowed.then(unapproved).flatten().unwrap_or(allowed)
    }

    /// Why this path is not to be changed without a person's yes, if it is not: for its names, or since this run executes
    /// it.
    pub(super) fn rule_on_followed(&self, path: &LocalPath) -> Option<Ruling> {
        let is_of_run = || self.below_root(&self.asked_before).any(|own| own.is_alike(path));
        instructions::rule_on(path).or_else(|| is_of_run().then(|| instructions::rule_on_own(path)))
    }

    /// Whether this changes the path, and no person said yes to that.
    pub(super) fn needs_approval(&self, path: &LocalPath, verb: Verb) -> bool {
        [Verb::Write, Verb::Delete].contains(&verb)
            && !self.approved.iter().any(|approved| approved.is_within(path))
    }

    /// Whether rules tell parts of this folder from the rest, so that they would not hold any more if it
    /// were moved as a whole.
    pub(super) fn has_rules_about(&self, folder: &LocalPath) -> bool {
        self.permissions.iter().any(|permissions| permissions.has_below(folder))
            || self.secrets.has_exception_about(folder)
            || self.guarded().any(|guarded| guarded.is_within(folder))
    }

    /// Whether a command may run in the workspace's root: its program, its arguments, and every path that
    /// they name.
    ///
    /// # Errors
    /// [`Denied`], with the rule that decides.
    pub fn on_command(&self, line: &str) -> Result<CommandLine, Denied> {
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
                return Err(Denied { action: action(), ruling: Ruling { rule, ..ruling } });
            }
        }
        let scope = ReadScope::new(&self.root, &self.permissions);
        command.limit(&scope).map_err(|ruling| Denied { action: action(), ruling })?;
        Ok(command)
    }

    /// Refuses a command that would look by itself into what may not be read, by where its paths lead.
    pub(super) fn on_walk(&self, command: &CommandLine, leads_to: &[LocalPath]) -> Result<(), Denied> {
        let walked = command.refuse_walking(leads_to, &ReadScope::new(&self.root, &self.permissions));
        walked.map_err(|ruling| Denied { action: format!("to run `{}`", command.program), ruling })
    }

    /// What would become of a command, or of reading a path: the answer, and the rule that decides.
    ///
    /// A single word with a `/` or a `.` in it is a path, unless it is a program that is allowed; everything
    /// else is a command. Ask [`explain_path`](Self::explain_path) for a file such as `Makefile`.
    pub fn explain(&self, text: &str) -> Ruling {
        let text = text.trim();
        if self.is_path(text) {
            return self.explain_path(text, Verb::Read);
        }
        self.on_command(text).map_or_else(|denied| denied.ruling, |command| command.ruling)
    }

    /// Whether a text looks like a path, and not like a command.
    pub(super) fn is_path(&self, text: &str) -> bool {
        let looks = text.contains(['/', '.']) && !text.contains(char::is_whitespace);
        looks && !self.commands.is_allowed(text)
    }

    /// What would become of doing this with a path: the answer, and the rule that decides.
    pub fn explain_path(&self, path: &str, verb: Verb) -> Ruling {
        match self.local(path) {
            Ok(local) => self.on_path(&local, verb),
            Err(outside) => Ruling::denied(outside.to_string(), &Origin::BuiltIn),
        }
    }

    /// What may be read, and not changed.
    fn rule_on_guarded(&self, path: &LocalPath, verb: Verb) -> Option<Ruling> {
        if verb == Verb::Read {
            return None;
        }
        if verb != Verb::Exec && self.guarded().any(|guarded| path.is_within(&guarded)) {
            let rule =
                "it holds the user's settings, or what is kept of your work; ask the user to change it";
            return Some(Ruling::denied(rule, &Origin::BuiltIn));
        }
        always_guarded(path)
    }

    /// What is guarded below the root, beside what always is.
    fn guarded(&self) -> impl Iterator<Item = LocalPath> {
        self.below_root(&self.guarded)
    }

    fn below_root(&self, paths: &[PathBuf]) -> impl Iterator<Item = LocalPath> {
        paths.iter().filter_map(|path| LocalPath::new(path.strip_prefix(&self.root).ok()?).ok())
    }
}

/// What nobody changes, wherever the root is.
pub(super) fn always_guarded(path: &LocalPath) -> Option<Ruling> {
    let rule = "what is in `.git` names programs that git starts; change it with git, by hand";
    let is_of_git = path.names().any(|name| folded(&name) == GIT_FOLDER);
    is_of_git.then(|| Ruling::denied(rule, &Origin::BuiltIn))
}

#[cfg(test)]
mod tests;

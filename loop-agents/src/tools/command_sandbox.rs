//! The sandbox around commands of tools.

use std::path::{Path, PathBuf};

use loop_guardrails::policy::{
    ActionPolicy, CommandNetwork, LocalPath, Permissions, SandboxMode, Verb,
    workspace::{OpenedCommand, StoredSecrets, Workspace},
};

use super::ToolError;
use crate::process::{
    Process,
    sandbox::{Enforcement, Sandbox, SandboxNetwork, SandboxSupport, UserFolders},
};

/// Confines the commands of tools as the policy's settings [ask](ActionPolicy::sandbox), as far as this machine can.
///
/// A command that [only reads](loop_guardrails::policy::command::CommandLine::only_reads) can read the workspace, the
/// system and the toolchains, and write nothing. A command that a person allows can also write the workspace and the
/// caches of build tools. Neither can read the secrets in the workspace, and the network is for the commands that the
/// [policy](ActionPolicy::network) names.
///
/// Without Landlock, the rules for commands apply alone.
///
/// ```
/// use loop_agents::{process::sandbox::UserFolders, tools::CommandSandbox};
/// use loop_guardrails::policy::ActionPolicy;
///
/// let sandbox = CommandSandbox::new(UserFolders::of(|name| std::env::var_os(name)));
/// println!("commands run {}", sandbox.describe(&ActionPolicy::default()));
/// ```
#[derive(Debug, Clone)]
pub struct CommandSandbox {
    folders: UserFolders,
    hidden: Vec<PathBuf>,
    support: SandboxSupport,
}

/// A program that the sandbox surrounds.
#[derive(Debug, Clone, Copy)]
pub(super) enum ConfinedProgram<'a> {
    /// A command of a tool.
    Command(&'a OpenedCommand),
    /// A program that a person chose, which may change the workspace: the script of a skill, a formatter, a sensor.
    Script,
    /// A program that nobody chose, and that examines what a model wrote. It changes nothing but caches, has no network,
    /// and runs only if all of its sandbox holds.
    Examiner,
}

impl<'a> ConfinedProgram<'a> {
    const fn opened(self) -> Option<&'a OpenedCommand> {
        if let Self::Command(opened) = self { Some(opened) } else { None }
    }
}

/// The boundary around the commands of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Confinement {
    /// The kernel confines them.
    Sandbox,
    /// Only the rules for commands, because the settings turn the sandbox off.
    Off,
    /// Only the rules for commands, because this machine cannot confine programs.
    RulesOnly,
    /// No command runs: the settings require a sandbox that this machine does not have.
    Refused,
}

impl CommandSandbox {
    /// Creates a sandbox on this machine, for commands of the user with these folders.
    pub fn new(folders: UserFolders) -> Self {
        Self { folders, hidden: Vec::new(), support: SandboxSupport::detect() }
    }

    /// Hides these files and folders from every command, as the state directory.
    #[must_use]
    pub fn hide(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.hidden.extend(paths);
        self
    }

    /// Replaces the support that was detected with a smaller one.
    #[must_use]
    pub fn supported(self, support: SandboxSupport) -> Self {
        Self { support, ..self }
    }

    /// Returns what confines the commands under this policy.
    pub fn confinement(&self, policy: &ActionPolicy) -> Confinement {
        let is_old = self.support.landlock_abi < SandboxSupport::MIN_LANDLOCK_ABI;
        match (policy.sandbox().value, self.is_possible()) {
            (SandboxMode::Off, _) => Confinement::Off,
            (SandboxMode::Require, true) if is_old => Confinement::Refused,
            (_, true) => Confinement::Sandbox,
            (SandboxMode::Auto, false) => Confinement::RulesOnly,
            (SandboxMode::Require, false) => Confinement::Refused,
        }
    }

    /// Describes the [confinement](Self::confinement), as the rest of a sentence that begins "commands run".
    pub fn describe(&self, policy: &ActionPolicy) -> String {
        let abi = self.support.landlock_abi;
        let network = match policy.network().value {
            CommandNetwork::All => "every command may use the network",
            CommandNetwork::Approved => "commands that you allow may use the network",
            CommandNetwork::None => "no command may use the network",
        };
        match self.confinement(policy) {
            Confinement::Off => "without a sandbox, because the settings turn it off".to_owned(),
            Confinement::Sandbox => format!("in a sandbox of the kernel (Landlock {abi}); {network}"),
            Confinement::RulesOnly => format!("without a sandbox: {}", self.lack()),
            Confinement::Refused if self.is_possible() => format!(
                "not at all: the settings require a sandbox, which needs version {} of Landlock, and this kernel has {abi}",
                SandboxSupport::MIN_LANDLOCK_ABI
            ),
            Confinement::Refused => {
                format!("not at all: the settings require a sandbox, and {}", self.lack())
            }
        }
    }

    fn is_possible(&self) -> bool {
        self.support.landlock_abi > 0 && self.support.seccomp
    }

    fn lack(&self) -> &'static str {
        if self.support.landlock_abi == 0 {
            "this kernel has no Landlock, or it is turned off, so only the rules for commands hold"
        } else {
            "this system cannot filter system calls, so only the rules for commands hold"
        }
    }

    /// Puts a program into its sandbox. Returns the reasons why a part of it does not hold. Blocks for the disk.
    ///
    /// # Errors
    /// The settings or the program require a sandbox, and this machine cannot enforce all of it.
    pub(super) fn confine(
        &self,
        process: Process,
        program: ConfinedProgram<'_>,
        workspace: &Workspace,
    ) -> Result<(Process, Vec<String>), ToolError> {
        let (policy, opened) = (workspace.policy(), program.opened());
        let examines = matches!(program, ConfinedProgram::Examiner);
        // Only the kernel keeps a shell from the secrets.
        let is_in_shell = opened.is_some_and(|opened| opened.command.is_in_shell());
        let enforcement = match policy.sandbox().value {
            SandboxMode::Off if is_in_shell => return Err(ToolError::no_shell("the settings turn it off")),
            SandboxMode::Auto if is_in_shell && !self.is_possible() => {
                return Err(ToolError::no_shell(self.lack()));
            }
            SandboxMode::Off if examines => return Err(refused("the settings turn it off")),
            SandboxMode::Auto if examines && !self.is_possible() => return Err(refused(self.lack())),
            SandboxMode::Off => return Ok((process, Vec::new())),
            SandboxMode::Auto if !self.is_possible() => return Ok((process, Vec::new())),
            SandboxMode::Auto if !is_in_shell && !examines => Enforcement::Warn,
            SandboxMode::Auto | SandboxMode::Require => Enforcement::Require,
        };
        let only_reads = opened.is_some_and(|opened| opened.command.only_reads());
        let network = match policy.network().value {
            _ if examines => SandboxNetwork::None,
            CommandNetwork::All => SandboxNetwork::All,
            CommandNetwork::Approved if !only_reads => SandboxNetwork::All,
            CommandNetwork::Approved | CommandNetwork::None => SandboxNetwork::None,
        };
        let mut access = Access(Sandbox::new().network(network).enforcement(enforcement));
        access.add_workspace(workspace, only_reads || examines);
        access.add_folders(&self.folders, only_reads);
        access.add_repository(opened);
        access.hide_secrets(workspace, opened);
        let sandbox = self.hidden.iter().fold(access.0, Sandbox::hide);
        let prepared = sandbox.prepare_with(self.folders.temporary(), self.support);
        let prepared = prepared.map_err(|error| {
            let why = loop_core::with_causes(&error);
            if is_in_shell { ToolError::no_shell(&why) } else { refused(&why) }
        })?;
        let missing = prepared.shortfalls().to_vec();
        Ok((process.sandbox(prepared), missing))
    }
}

fn refused(why: &str) -> ToolError {
    ToolError::rejected(format!("the command was not run, because it needs a sandbox: {why}"))
}

/// The access of one command.
struct Access(Sandbox);

impl Access {
    fn change(&mut self, change: impl FnOnce(Sandbox) -> Sandbox) {
        self.0 = change(std::mem::take(&mut self.0));
    }

    fn read(&mut self, path: impl Into<PathBuf>) {
        self.change(|sandbox| sandbox.read(path));
    }

    fn write(&mut self, path: impl Into<PathBuf>) {
        self.change(|sandbox| sandbox.write(path));
    }

    fn hide(&mut self, path: impl Into<PathBuf>) {
        self.change(|sandbox| sandbox.hide(path));
    }

    /// Adds the workspace as far as its permissions allow. Rules for secrets are not among them.
    fn add_workspace(&mut self, workspace: &Workspace, only_reads: bool) {
        let lists = || workspace.policy().permissions().iter().filter(|list| !list.is_empty());
        let is_allowed = |path: &LocalPath, verb| lists().all(|list| list.on(path, verb).allowed);
        let named = lists().flat_map(Permissions::rules).map(|(path, _)| path.clone());
        let mut paths: Vec<_> = std::iter::once(LocalPath::root()).chain(named).collect();
        paths.sort_by_key(|path| path.as_path().components().count());
        paths.dedup();
        let writes = |path: &LocalPath| is_allowed(path, Verb::Write) && is_allowed(path, Verb::Delete);
        for path in &paths {
            let place = workspace.root().join(path.as_path());

            let (is_readable, exists) = (is_allowed(path, Verb::Read), place.exists());
            // An earlier command may have put a link there that leads out.
            if is_readable && leads_out(&place, workspace.root()) {
                continue;
            }
            if is_readable {
                self.read(&place);
            } else {
                self.hide(&place);
            }
            let is_above = |other: &&LocalPath| *other != path && path.is_within(other);
            let is_in_writable = || paths.iter().filter(is_above).any(writes);
            let (writes, is_hidden) = (is_readable && writes(path), !is_readable && exists);
            if !only_reads && writes && exists {
                self.write(place);
            } else if !only_reads && !writes && !is_hidden && is_in_writable() {
                let why =
                    "it is in a folder that they allow to write, and the kernel cannot make an exception";
                let shortfall = format!("the permissions forbid changes of `{path}`, but {why}");
                self.change(|sandbox| sandbox.shortfall(shortfall));
            }
        }
    }

    fn add_folders(&mut self, folders: &UserFolders, only_reads: bool) {
        folders.toolchains().into_iter().for_each(|folder| self.read(folder));
        folders.secrets().into_iter().chain(folders.logins()).for_each(|path| self.hide(path));
        if !only_reads {
            folders.caches().into_iter().for_each(|folder| self.write(folder));
        }
    }

    /// Adds a repository above the workspace, or elsewhere, as git reads it.
    fn add_repository(&mut self, opened: Option<&OpenedCommand>) {
        let Some(repository) = opened.and_then(OpenedCommand::repository) else { return };
        self.read(common_folder(&repository.git_dir));
        for name in [".git", ".gitignore", ".gitattributes", ".gitmodules"] {
            self.read(repository.work_tree.join(name));
        }
    }

    fn hide_secrets(&mut self, workspace: &Workspace, opened: Option<&OpenedCommand>) {
        let found = StoredSecrets::below(workspace.root(), workspace.policy().secrets());
        found.unsearched.into_iter().for_each(|why| self.change(|sandbox| sandbox.shortfall(why)));
        // The rules for commands of git keep its settings out of what it prints.
        let of_git =
            opened.and_then(OpenedCommand::repository).map(|repository| common_folder(&repository.git_dir));
        let is_needed = |path: &PathBuf| of_git.as_ref().is_some_and(|folder| path.starts_with(folder));
        found.files.into_iter().filter(|path| !is_needed(path)).for_each(|path| self.hide(path));
    }
}

/// Returns whether `place`, which is named below `root`, is somewhere else.
fn leads_out(place: &Path, root: &Path) -> bool {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    place.canonicalize().is_ok_and(|place| !place.starts_with(root))
}

/// Returns the folder with the objects of a repository, which a linked work tree shares.
fn common_folder(git_dir: &Path) -> PathBuf {
    let is_linked = git_dir.parent().is_some_and(|parent| parent.ends_with("worktrees"));
    let common = if is_linked { git_dir.ancestors().nth(2) } else { None };
    common.unwrap_or(git_dir).to_owned()
}

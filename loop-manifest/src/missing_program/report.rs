//! The words in which a person reads about a missing program.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use super::{MissingProgram, missing_program};
use crate::{
    init::KnownAgent,
    nearest::closest,
    plan::{Plan, ReviewerPlan},
    task::{TaskAgent, TaskSpec},
};

/// Describes the program or the script that a shell line certainly needs and lacks, and what to do. `role` names who
/// runs the line in `folder`, with the variables `variables` and this `PATH`.
///
/// ```
/// use loop_manifest::describe_missing;
///
/// let missing = describe_missing("agent", "cluade -p", Some("/bin".as_ref()), "/tmp".as_ref(), &[]);
/// assert!(missing.unwrap().starts_with("the agent's program `cluade` is not on PATH: did you mean `claude`?"));
/// ```
pub fn describe_missing(
    role: &str,
    line: &str,
    path: Option<&OsStr>,
    folder: &Path,
    variables: &[(OsString, OsString)],
) -> Option<String> {
    Some(match missing_program(line, path, folder)? {
        // Bash inherits functions.
        MissingProgram::NotOnPath(program)
            if [program, "command_not_found_handle"]
                .iter()
                .any(|name| variable(&format!("BASH_FUNC_{name}%%"), variables).is_some()) =>
        {
            return None;
        }
        MissingProgram::NotOnPath(program) => {
            let meant = closest(program, KnownAgent::programs(), |name| name).filter(|_| role == "agent");
            let meant = meant.filter(|name| *name != program);
            let hint = meant.map(|name| format!("did you mean `{name}`? Otherwise ")).unwrap_or_default();
            format!(
                "the {role}'s program `{program}` is not on PATH: {hint}install it, or write its whole path"
            )
        }
        MissingProgram::NoFile(file) => {
            format!(
                "the {role}'s command runs `{file}`, which does not exist: create it, or correct the path"
            )
        }
    })
}

impl Plan {
    /// Describes the missing programs of the agent and of the reviewer, without which no iteration can succeed. The
    /// plan runs in `folder`, and `variables` are those of the process that runs it.
    pub fn missing_agents(&self, folder: &Path, variables: &[(OsString, OsString)]) -> Vec<String> {
        let agent = self.agent.command().map(|line| ("agent", line.as_str()));
        self.missing(agent.into_iter().chain(self.reviewing_command()), folder, variables)
    }

    /// Describes the missing programs of the agent, of the check and of the reviewer, without which a run only costs
    /// money, as [`missing_agents`](Self::missing_agents) does. If the check runs first, the agent may write the file that
    /// it lacks, because the agent hears of it.
    pub fn missing_steps(&self, folder: &Path, variables: &[(OsString, OsString)]) -> Vec<String> {
        let path = self.search_path(variables);
        let lacks_file = |line: &str| {
            matches!(missing_program(line, path.as_deref(), folder), Some(MissingProgram::NoFile(_)))
        };
        let check = self.evaluator.command.as_deref().filter(|line| !(self.check_first && lacks_file(line)));
        let check = check.map(|line| ("check", line));
        let mut missing = self.missing_agents(folder, variables);
        missing.extend(self.missing(check.into_iter(), folder, variables));
        missing
    }

    /// Describes the missing programs of all commands, as [`missing_agents`](Self::missing_agents) does.
    pub fn missing_programs(&self, folder: &Path, variables: &[(OsString, OsString)]) -> Vec<String> {
        let agent = self.agent.command().map(|line| ("agent", line.as_str()));
        let check = self.evaluator.command.as_deref().map(|line| ("check", line));
        let final_step = self.on_finish.as_deref().map(|line| ("final step", line));
        let commands = [agent, check, self.reviewing_command(), final_step];
        self.missing(commands.into_iter().flatten(), folder, variables)
    }

    fn reviewing_command(&self) -> Option<(&'static str, &str)> {
        match self.reviewer() {
            Some(ReviewerPlan::Command(command)) => Some(("reviewer", command.line.as_str())),
            Some(ReviewerPlan::Model { .. }) | None => None,
        }
    }

    fn missing<'a>(
        &self,
        commands: impl Iterator<Item = (&'a str, &'a str)>,
        folder: &Path,
        variables: &[(OsString, OsString)],
    ) -> Vec<String> {
        describe_all(commands, self.search_path(variables).as_deref(), folder, variables)
    }

    /// Returns the `PATH` that the commands see.
    fn search_path(&self, variables: &[(OsString, OsString)]) -> Option<OsString> {
        let inherited = || {
            let value = variable("PATH", variables)?;
            self.evaluator_sees().lets_see(OsStr::new("PATH"), value).then(|| value.clone())
        };
        self.agent.env.set.get("PATH").map(OsString::from).or_else(inherited)
    }
}

impl TaskSpec {
    /// Describes the missing programs of the agent and of the reviewer, as [`Plan::missing_agents`] does.
    pub fn missing_agents(&self, folder: &Path, variables: &[(OsString, OsString)]) -> Vec<String> {
        let agents = [("agent", &self.executor), ("reviewer", &self.reviewer)];
        let commands = agents.into_iter().filter_map(|(role, agent)| match agent {
            TaskAgent::Command(line) => Some((role, line.as_str())),
            _ => None,
        });
        describe_all(commands, variable("PATH", variables).map(OsString::as_os_str), folder, variables)
    }
}

fn describe_all<'a>(
    commands: impl Iterator<Item = (&'a str, &'a str)>,
    path: Option<&OsStr>,
    folder: &Path,
    variables: &[(OsString, OsString)],
) -> Vec<String> {
    commands.filter_map(|(role, line)| describe_missing(role, line, path, folder, variables)).collect()
}

fn variable<'a>(name: &str, variables: &'a [(OsString, OsString)]) -> Option<&'a OsString> {
    variables.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

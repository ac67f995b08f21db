//! Reports the user, the machine and the workspace.

use std::{future::pending, time::Duration};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Tool, ToolContext, ToolError};

/// The time for each program that is asked.
const TIME: Duration = Duration::from_secs(5);

/// The most bytes of a name.
const MOST_BYTES: usize = 256;

/// Returns the user's name, the machine's name, the path of the workspace, and the name and the address that git writes
/// into commits.
///
/// The user's name is the `USER` or `LOGNAME` that commands see, or otherwise the one that `id` finds in the password
/// database, or the user's number. Git's settings are those of the user: no file of the workspace is read.
///
/// ```
/// # use loop_agents::tools::Toolbox;
/// # use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let workspace = Workspace::open(folder.path(), ActionPolicy::default())?;
/// let tools = Toolbox::standard(workspace).environment([("USER", "kim")], &EnvironmentPolicy::new());
/// let report = tools.call("whoami", &serde_json::json!({})).await;
/// assert!(report.text.starts_with("user: kim\n"), "{}", report.text);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Whoami;

/// The arguments of `whoami`: none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhoamiArguments {}

#[async_trait]
impl Tool for Whoami {
    type Arguments = WhoamiArguments;

    fn name(&self) -> &'static str {
        "whoami"
    }

    fn description(&self) -> &'static str {
        "Returns the user's name, the machine's name, the path of the workspace, and git's user.name and user.email."
    }

    async fn call(&self, WhoamiArguments {}: WhoamiArguments, cx: &ToolContext) -> Result<String, ToolError> {
        let process = cx.process();
        let name = ["USER", "LOGNAME"].iter().find_map(|name| process.env.get(name));
        let user = match name {
            Some(name) => Some(name.to_string_lossy().into_owned()),
            None => printed("id", &["-un"], cx).await,
        };
        let user = user.unwrap_or_else(|| format!("number {}", rustix::process::getuid().as_raw()));
        let system = rustix::system::uname();
        let host = system.nodename().to_string_lossy().into_owned();
        let mut text =
            format!("user: {user}\nhost: {host}\nworkspace: {}\n", cx.workspace().root().display());
        for key in ["user.name", "user.email"] {
            if let Some(value) = printed("git", &["config", "--global", "--get", key], cx).await {
                text.push_str(&format!("git {key}: {value}\n"));
            }
        }
        Ok(text)
    }
}

/// Returns the text that a program of the system prints, if it is there and succeeds.
async fn printed(program: &str, arguments: &[&str], cx: &ToolContext) -> Option<String> {
    let process = cx.process().found_outside(cx.workspace().root()).words(program, arguments.iter().copied());
    let finished = process.dir("/").max_time(TIME).run(pending(), |_, _| {}).await.ok()?;
    let text = finished.stdout.excerpt(MOST_BYTES).trim().to_owned();
    (finished.exit.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use loop_guardrails::policy::{ActionPolicy, environment::EnvironmentPolicy, workspace::Workspace};

    use super::super::Toolbox;

    /// A repository in the workspace could name anybody, or a file anywhere.
    #[tokio::test]
    async fn git_is_asked_for_the_settings_of_the_user_alone() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(home.path().join(".gitconfig"), "[user]\n name = Kim Doe\n email = kim@example.org\n")
            .unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join(".git/config"), "[user]\n name = Eve\n").unwrap();
        let path = std::env::var("PATH").unwrap();
        let variables = [("HOME", home.path().to_str().unwrap()), ("PATH", &path)];
        let workspace = Workspace::open(folder.path(), ActionPolicy::default()).unwrap();
        let tools = Toolbox::standard(workspace).environment(variables, &EnvironmentPolicy::new());
        let text = tools.call("whoami", &serde_json::json!({})).await.text;
        assert!(text.ends_with("git user.name: Kim Doe\ngit user.email: kim@example.org\n"), "{text}");
        // Without a name in the environment, the password database has one.
        assert!(!text.starts_with("user: number"), "{text}");
    }
}

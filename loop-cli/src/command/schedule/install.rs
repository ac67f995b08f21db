//! `loop schedule install`: prints a system timer for the jobs.
//!
//! The command prints the configuration and installs nothing: people should first read what will run on their machine
//! unattended.

use std::{env, process::ExitCode};

use super::{Failure, OrFail, folder};
use crate::{args::InstallArgs, exit, view};

/// Variables that affect which jobs exist, or whether their agents are found.
const VARIABLES: [&str; 5] = ["PATH", "LOOP_HOME", "LOOP_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

pub(super) fn exec(args: &InstallArgs) -> Result<ExitCode, Failure> {
    let folder = folder(args.cwd.as_deref())?;
    let text = |path: &std::path::Path| {
        path.to_str().map(str::to_owned).or_setup(|| format!("{} is not UTF-8", path.display()))
    };
    let program = env::current_exe().or_internal("cannot find this program")?;
    let (program, dir) = (text(&program)?, text(folder.project.dir())?);
    let variables: Vec<_> = VARIABLES.iter().filter_map(|name| Some((*name, env::var(name).ok()?))).collect();
    if args.system.systemd {
        view::print_or_warn(&service(&program, &dir, &variables));
        view::say(
            "write it to ~/.config/systemd/user/loop-schedule.service (one file for each folder), then:\n  \
             systemctl --user enable --now loop-schedule\n  \
             loginctl enable-linger        # also while you are not logged in",
        );
    } else {
        view::print_or_warn(&line(&program, &dir, &variables));
        view::say("add it to the others with `crontab -e`");
    }
    Ok(ExitCode::from(exit::OK))
}

/// Returns a systemd unit.
fn service(program: &str, dir: &str, variables: &[(&str, String)]) -> String {
    let variables: String = variables
        .iter()
        .map(|(name, value)| format!("Environment={}\n", quoted(&format!("{name}={value}"))))
        .collect();
    format!(
        "[Unit]\nDescription=loop: the scheduled prompts of {description}\n\n\
         [Service]\nWorkingDirectory={directory}\n{variables}ExecStart={program} schedule run\n\
         Restart=on-failure\nKillMode=mixed\nTimeoutStopSec=40\n\n\
         [Install]\nWantedBy=default.target\n",
        description = dir.replace('%', "%%"),
        directory = dir.replace('%', "%%"),
        program = quoted(program),
    )
}

/// Quotes a word of a unit, in which `%` and `$` have special meanings.
fn quoted(word: &str) -> String {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{word}\"")
}

/// Returns a crontab line, in which `%` ends the command.
fn line(program: &str, dir: &str, variables: &[(&str, String)]) -> String {
    let quoted =
        |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned);
    let set: String = variables.iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect();
    let command = format!("cd {} && {set}{} schedule run --once --quiet", quoted(dir), quoted(program));
    format!("* * * * * {}", command.replace('%', "\\%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_with_a_meaning_are_written_so_that_they_have_none() {
        let variables = [("PATH", "/bin:/o \"p\"".to_owned())];
        let unit = service("/my bin/loop", "/50% done", &variables);
        assert!(unit.contains("ExecStart=\"/my bin/loop\" schedule run\n"), "{unit}");
        assert!(unit.contains("WorkingDirectory=/50%% done\n"), "{unit}");
        assert!(unit.contains("Environment=\"PATH=/bin:/o \\\"p\\\"\"\n"), "{unit}");
        let line = line("/my bin/loop", "/50% done", &variables);
        assert!(
            line.starts_with("* * * * * cd '/50\\% done' && PATH='/bin:/o \"p\"' '/my bin/loop' schedule"),
            "{line}"
        );
    }
}

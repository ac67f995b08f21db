//! `/allow` and `/deny`: change which commands run. `/safemode allow` and `/safemode deny` do the same.

use async_trait::async_trait;
use loop_core::with_causes;
use loop_guardrails::policy::{Origin, WithOrigin, command::CommandPrefix};
use loop_manifest::settings::CommandRule;

use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session, policy};

/// `/allow` or `/deny`.
pub(in crate::command) struct RuleCommand(CommandRule);

impl RuleCommand {
    pub(in crate::command) const ALLOW: Self = Self(CommandRule::Allow);
    pub(in crate::command) const DENY: Self = Self(CommandRule::Forbid);
}

/// The option that stores a rule.
pub(super) const KEEP: &str = "--keep";

const ALLOW: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "allow",
    aliases: &[],
    arguments: "['COMMAND'] [--keep]",
    summary: "Let tools run commands that begin with these words",
    help: "`/allow 'cargo test'` allows `cargo test -q` too, but not `cargo run`, in this session. With `--keep` it is \
           stored in your own settings, for this folder only. Without a command it lists what is allowed.",
    argument_kind: ArgumentKind::Other,
};

const DENY: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "deny",
    aliases: &[],
    arguments: "['COMMAND'] [--keep]",
    summary: "Never let tools run commands with these words",
    help: "`/deny 'git push'` forbids `git push` with any arguments in this session, whatever allows it, and nobody is \
           asked about it. With `--keep` it is stored in your own settings, for this folder only. Without a command it \
           lists what is forbidden.",
    argument_kind: ArgumentKind::Other,
};

#[async_trait]
impl Command for RuleCommand {
    fn info(&self) -> &'static CommandInfo {
        match self.0 {
            CommandRule::Allow => &ALLOW,
            CommandRule::Forbid => &DENY,
        }
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        if arguments.is_empty() { RepeatEffect::Same } else { RepeatEffect::Rules }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        if !arguments.is_empty() {
            return change_rule(self.0, arguments, self.info(), session);
        }
        let key = if self.0 == CommandRule::Allow { "allow" } else { "forbid" };
        let rules = policy::rules_on(session.tools.workspace.policy(), key);
        session.say(if rules.is_empty() { "none" } else { rules.trim_end() });
        Ok(())
    }
}

/// Allows or forbids the command in these arguments, and stores that if they contain `--keep`.
pub(super) fn change_rule(
    rule: CommandRule,
    arguments: &str,
    info: &CommandInfo,
    session: &mut Session,
) -> Result<(), InputError> {
    let mut words = info.words(arguments)?;
    let is_kept =
        words.first().is_some_and(|word| word == KEEP) || words.last().is_some_and(|word| word == KEEP);
    if is_kept {
        let at = if words[0] == KEEP { 0 } else { words.len() - 1 };
        words.remove(at);
    }
    // In quotes it is one word, as on the command line.
    let entry = match &words[..] {
        [quoted] => quoted.parse(),
        words => CommandPrefix::of_words(words.iter().cloned()),
    };
    let entry: CommandPrefix = entry.map_err(|error| info.misused(error))?;
    let file = is_kept.then(|| session.tools.approvals.keep(&entry, rule)).transpose();
    let file = file.map_err(|error| InputError::refused(with_causes(&error)))?;
    let origin = Origin::Session(format!("/{}", info.name));
    session.change_command_rule(rule, &WithOrigin::new(entry.clone(), origin), is_kept)?;
    let what = if rule == CommandRule::Allow { "allowed" } else { "forbidden" };
    let shown = session.host().one_line(&entry.to_string());
    session.say(&match file {
        Some(file) => {
            format!("{what} in this folder, now and later: `{shown}` (stored in {})", file.display())
        }
        None => format!("{what} in this session: `{shown}`"),
    });
    let judged = session.tools.workspace.policy().commands().judge(&entry.to_string());
    if let (CommandRule::Allow, Err(denied)) = (rule, judged) {
        session.warn(&format!("it still does not run: {} ({})", denied.ruling.rule, denied.ruling.origin));
    }
    Ok(())
}

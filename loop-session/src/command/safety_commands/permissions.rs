//! `/permissions`: shows and sets the rules for paths.
//!
//! Before the first rule, everything is allowed; any rule ends that. A person who sets a rule for one folder means only
//! that folder, so the first rule set here comes with another one that allows the rest.

use async_trait::async_trait;
use loop_core::with_causes;
use loop_guardrails::policy::{LocalPath, Origin, Permissions as Rules, UnknownVerb, Verb};

use super::command_rules::KEEP;
use crate::{ArgumentKind, Command, CommandGroup, CommandInfo, InputError, RepeatEffect, Session, policy};

pub(in crate::command) struct PermissionsCommand;

const INFO: CommandInfo = CommandInfo {
    group: CommandGroup::Safety,
    name: "permissions",
    aliases: &[],
    arguments: "[[read | write | exec | delete] PATH | set PATH VERB... [--keep] | reset]",
    summary: "Show or set the paths that tools may use",
    help: "`/permissions set src read write` sets everything that tools may do in `src`, in this session; `none` \
           allows nothing, `all` everything. With `--keep` it is stored in your own settings, for this folder only. \
           `reset` restores the settings: `[policy.permissions]` in a loop.toml. The \
           longest matching path decides. A project's prohibition always applies.",
    argument_kind: ArgumentKind::Words(&["read", "write", "exec", "delete", "set", "reset"]),
};

#[async_trait]
impl Command for PermissionsCommand {
    fn info(&self) -> &'static CommandInfo {
        &INFO
    }

    fn repeat_effect(&self, arguments: &str) -> RepeatEffect {
        // Parses as `run` does: quotes do not hide a word.
        match INFO.words(arguments).unwrap_or_default().first().map(String::as_str) {
            Some("set" | "reset") => RepeatEffect::Rules,
            _ => RepeatEffect::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = INFO.words(arguments)?;
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["set", path, ref verbs @ ..] => {
                set(path, verbs, session)?;
            }
            ["reset"] => {
                let rules = session.tools.rules.permissions.clone();
                session.change_policy(|policy| policy.permissions = rules)?;
            }
            _ => {}
        }
        let workspace = &session.tools.workspace;
        let text = match words[..] {
            ["set"] => return Err(INFO.misused("the path is missing")),
            [] | ["set", ..] | ["reset"] if workspace.policy().permissions().iter().all(Rules::is_empty) => {
                "no permissions are set: tools may do everything that the other rules allow".to_owned()
            }
            [] | ["set", ..] | ["reset"] => policy::rules_on(workspace.policy(), "permissions"),
            [word] if verb(word).is_none() => {
                policy::explained(word, &workspace.explain_path(word, Verb::Read))
            }
            [word, path] => match verb(word) {
                Some(verb) => policy::explained(path, &workspace.explain_path(path, verb)),
                None => return Err(INFO.misused(format!("`{word}` is not known"))),
            },
            _ => return Err(INFO.misused("the path is missing")),
        };
        session.say(text.trim_end());
        Ok(())
    }
}

/// Sets the permissions of a path, and stores them if the arguments contain `--keep`.
fn set(path: &str, words: &[&str], session: &mut Session) -> Result<(), InputError> {
    let verbs: Vec<_> = words.iter().copied().filter(|word| *word != KEEP).collect();
    let rules = with(&session.context.settings.user.tables.policy.permissions, path, &verbs)?;
    if verbs.len() == words.len() {
        session.change_policy(|policy| policy.permissions = rules)?;
        return Ok(());
    }
    let before = &session.tools.rules.permissions;
    let kept = with(before, path, &verbs)?;
    // The first rule comes with one for the root. The others from before are stored already. Another session may have
    // stored something else for this path.
    let own: LocalPath = path.parse().map_err(|error| INFO.misused(error))?;
    let is_first = before.is_empty();
    let mut new = Rules::new();
    new.extend(kept.rules().filter(|(path, _)| is_first || **path == own));
    let file = session.tools.approvals.keep_permissions(&new);
    let file = file.map_err(|error| InputError::refused(with_causes(&error)))?;
    session.change_policy(|policy| policy.permissions = rules)?;
    session.tools.rules.permissions = kept;
    let path = session.host().one_line(path);
    session.say(&format!("set in this folder, now and later: `{path}` (stored in {})", file.display()));
    Ok(())
}

/// Returns the rules with this one added.
fn with(rules: &Rules, path: &str, verbs: &[&str]) -> Result<Rules, InputError> {
    let path: LocalPath = path.parse().map_err(|error| INFO.misused(error))?;
    let verbs = match verbs {
        [] => {
            return Err(INFO.misused("the permission is missing: read, write, exec, delete, all or none"));
        }
        ["none"] => Vec::new(),
        ["all"] => Verb::ALL.to_vec(),
        verbs => {
            let verbs = verbs.iter().flat_map(|word| word.split(',')).filter(|word| !word.is_empty());
            verbs
                .map(str::parse)
                .collect::<Result<_, _>>()
                .map_err(|error: UnknownVerb| INFO.misused(error))?
        }
    };
    let origin = || Origin::Session(format!("/{}", INFO.name));
    let rest = if rules.is_empty() {
        rules.clone().with(LocalPath::root(), Verb::ALL, origin())
    } else {
        rules.clone()
    };
    Ok(rest.with(path, verbs, origin()))
}

fn verb(word: &str) -> Option<Verb> {
    word.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_for_its_path_and_the_rest_stays() {
        let may = |rules: &Rules, path: &str, verb| rules.on(&path.parse().unwrap(), verb).allowed;
        let rules = with(&Rules::new(), "src/", &["read,write", "exec"]).unwrap();
        assert!(may(&rules, "src/a.rs", Verb::Write) && !may(&rules, "src/a.rs", Verb::Delete));
        assert!(may(&rules, "README.md", Verb::Delete));
        let rules = with(&rules, "./src", &["none"]).unwrap();
        assert!(!may(&rules, "src/a.rs", Verb::Read) && may(&rules, "README.md", Verb::Read));
        let rules = with(&rules, ".", &["read"]).unwrap();
        assert!(!may(&rules, "README.md", Verb::Write));
        for (path, verbs, said) in [
            ("src", &[][..], "the permission is missing"),
            ("src", &["reed"], "`reed` is not a permission"),
            ("/etc", &["read"], "outside of the workspace"),
        ] {
            let error = with(&rules, path, verbs).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}

//! `/permissions`: which paths may be used.
//!
//! The first rule ends that everything is allowed. Who says what may be done in one folder means that folder, so the
//! first rule that is set here comes with one that allows the rest.

use async_trait::async_trait;
use loop_guardrails::policy::{LocalPath, Origin, Permissions as Rules, UnknownVerb, Verb};

use super::{About, Command, Repeated, Takes};
use crate::{InputError, Session, policy};

pub(crate) struct Permissions;

const ABOUT: About = About {
    name: "permissions",
    aliases: &[],
    arguments: "[[read | write | exec | delete] PATH | set PATH VERB... | reset]",
    summary: "Show and set which paths may be used",
    help: "`/permissions set src read write` says all that may be done in `src`, in this session alone; `none` is nothing, \
           `all` is everything. `reset` goes back to the settings: `[policy.permissions]` in a loop.toml. The longest path \
           that fits decides, and what a project forbids stays forbidden.",
    takes: Takes::Words(&["read", "write", "exec", "delete", "set", "reset"]),
};

#[async_trait]
impl Command for Permissions {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn repeated(&self, arguments: &str) -> Repeated {
        // As when it is run: quotes do not hide a word.
        match ABOUT.words(arguments).unwrap_or_default().first().map(String::as_str) {
            Some("set" | "reset") => Repeated::Rules,
            _ => Repeated::Same,
        }
    }

    async fn run(&self, arguments: &str, session: &mut Session) -> Result<(), InputError> {
        let words = ABOUT.words(arguments)?;
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["set", path, ref verbs @ ..] => {
                let rules = with(&session.context.settings.user.tables.policy.permissions, path, verbs)?;
                session.change_policy(|policy| policy.permissions = rules)?;
            }
            ["reset"] => {
                let rules = session.tools.rules.permissions.clone();
                session.change_policy(|policy| policy.permissions = rules)?;
            }
            _ => {}
        }
        let workspace = &session.tools.workspace;
        let text = match words[..] {
            ["set"] => return Err(ABOUT.misused("the path is missing")),
            [] | ["set", ..] | ["reset"] if workspace.policy().permissions().iter().all(Rules::is_empty) => {
                "no permissions are set: all that the other rules allow may be done everywhere".to_owned()
            }
            [] | ["set", ..] | ["reset"] => policy::rules_on(workspace.policy(), "permissions"),
            [word] if verb(word).is_none() => {
                policy::explained(word, &workspace.explain_path(word, Verb::Read))
            }
            [word, path] => match verb(word) {
                Some(verb) => policy::explained(path, &workspace.explain_path(path, verb)),
                None => return Err(ABOUT.misused(format!("`{word}` is not known"))),
            },
            _ => return Err(ABOUT.misused("the path is missing")),
        };
        session.say(text.trim_end());
        Ok(())
    }
}

/// The rules, and this one.
fn with(rules: &Rules, path: &str, verbs: &[&str]) -> Result<Rules, InputError> {
    let path: LocalPath = path.parse().map_err(|error| ABOUT.misused(error))?;
    let verbs = match verbs {
        [] => {
            return Err(
                ABOUT.misused("what may be done there is missing: read, write, exec, delete, all or none")
            );
        }
        ["none"] => Vec::new(),
        ["all"] => Verb::ALL.to_vec(),
        verbs => {
            let verbs = verbs.iter().flat_map(|word| word.split(',')).filter(|word| !word.is_empty());
            verbs
                .map(str::parse)
                .collect::<Result<_, _>>()
                .map_err(|error: UnknownVerb| ABOUT.misused(error))?
        }
    };
    let origin = || Origin::line(format!("/{}", ABOUT.name), 1);
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
            ("src", &[][..], "what may be done there is missing"),
            ("src", &["reed"], "`reed` is no permission"),
            ("/etc", &["read"], "outside of the workspace"),
        ] {
            let error = with(&rules, path, verbs).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}

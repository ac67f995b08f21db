//! The environment: names that can be variables' names.

use std::collections::BTreeMap;

use loop_guardrails::policy::environment::{Inheritance, NamePattern};

use super::super::{
    diagnostics::Diagnostic,
    environment::EnvironmentPlan,
    field::{FieldValue, NamedText, SpannedText},
    nearest,
    raw_environment::RawEnvironment,
};

const BEGINNINGS: [(&str, Inheritance); 2] = [("all", Inheritance::All), ("none", Inheritance::None)];

/// The environment that `raw` describes.
pub(super) fn environment(raw: RawEnvironment, problems: &mut Vec<Diagnostic>) -> Option<EnvironmentPlan> {
    let inherit = raw.inherit.judge(problems, inherit);
    let pass = raw.pass.judge(problems, pass);
    let set = raw.set.judge(problems, set);
    Some(EnvironmentPlan {
        inherit: inherit.or(Inheritance::All)?,
        pass: pass.or(Vec::new())?,
        set: set.or(BTreeMap::new())?,
    })
}

fn inherit(at: FieldValue<String>) -> Result<Inheritance, Diagnostic> {
    if let Some((_, inherit)) = BEGINNINGS.iter().find(|(word, _)| *word == at.value) {
        return Ok(*inherit);
    }
    let meant = nearest::closest(&at.value, BEGINNINGS, |(word, _)| word);
    Err(Diagnostic::error(format!("`{}` is either `all` or `none`", at.key))
        .at(at.span, nearest::suggestion(meant.map(|(word, _)| word)))
        .note(
            "`all` (the default) passes the user's variables, except those that look like secrets; `none` \
               passes none",
        ))
}

fn pass(at: FieldValue<Vec<SpannedText>>) -> Result<Vec<NamePattern>, Diagnostic> {
    let name = |item: SpannedText| {
        item.value.parse().map_err(|error| {
            let finding = match item.value.as_str() {
                "" => Diagnostic::error(format!("`{}` has an empty name in it", at.key)),
                name => Diagnostic::error(format!("`{name}` is not the name of a variable")),
            };
            finding.at(item.span, format!("{error}")).help(match item.value.split_once('=') {
                Some((name, value)) if !name.is_empty() => {
                    format!(
                        "to pass it, write `{name}`; to set it, write `{name}: {value}` in `agent.env.set`"
                    )
                }
                _ => {
                    "write names as they are in the environment, such as `GITHUB_TOKEN` or `NPM_*`".to_owned()
                }
            })
        })
    };
    at.value.into_iter().map(name).collect()
}

fn set(at: FieldValue<Vec<NamedText>>) -> Result<BTreeMap<String, String>, Diagnostic> {
    for variable in &at.value {
        let name = &variable.name;
        if name.is_empty() || name.contains(['=', '\0']) {
            let finding = Diagnostic::error(format!("`{name}` cannot be the name of a variable"));
            let finding = finding.at(variable.name_span.clone(), "every key here is a variable's name");
            return Err(finding.help("a name contains no `=`, and is not empty"));
        }
        if variable.value.contains('\0') {
            let finding = Diagnostic::error(format!("`{}.{name}` has a NUL character in it", at.key));
            return Err(finding.at(variable.span.clone(), "it cannot be passed to a program"));
        }
    }
    Ok(at.value.into_iter().map(|variable| (variable.name, variable.value)).collect())
}

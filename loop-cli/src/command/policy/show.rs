//! `loop policy show`: all rules, and where each of them stands.

use std::{env, path::Path, process::ExitCode};

use loop_guardrails::policy::audit::AuditFile;
use loop_session::policy::{self, PolicyRule};
use loop_telemetry::StateDir;
use serde::Serialize;

use super::{Failure, PlaceJson, open, tell_json};
use crate::{args::PolicyPlace, exit, view};
use loop_manifest::settings::{Layer, Settings};

pub(crate) fn exec(place: &PolicyPlace) -> Result<ExitCode, Failure> {
    let (settings, workspace) = open(place)?;
    let audit = StateDir::from_env_with(|name| env::var_os(name))
        .ok()
        .map(|state| AuditFile::at(state.audit()).path());
    if place.json {
        let rules = policy::rules(workspace.policy());
        tell_json(&ShowJson::of(&settings, &rules, audit.as_deref()));
    } else {
        view::tell(&policy::page(&settings, workspace.policy(), audit));
    }
    Ok(ExitCode::from(exit::OK))
}

/// What `loop policy show --json` prints.
#[derive(Debug, Serialize)]
struct ShowJson<'a> {
    rules: Vec<RuleJson<'a>>,
    /// The files of settings; `null` if they are not there.
    user: Option<&'a Path>,
    project: Option<&'a Path>,
    /// The file in which decisions are kept.
    audit: Option<&'a Path>,
}

#[derive(Debug, Serialize)]
struct RuleJson<'a> {
    key: &'a str,
    says: &'a str,
    #[serde(flatten)]
    place: PlaceJson<'a>,
}

impl<'a> ShowJson<'a> {
    fn of(settings: &'a Settings, rules: &'a [PolicyRule<'a>], audit: Option<&'a Path>) -> Self {
        let there = |layer: &'a Layer| layer.path.as_deref().filter(|_| layer.is_there);
        let json = |rule: &'a PolicyRule<'a>| RuleJson {
            key: rule.key,
            says: &rule.says,
            place: PlaceJson::from(rule.origin),
        };
        Self {
            rules: rules.iter().map(json).collect(),
            user: there(&settings.user),
            project: there(&settings.project),
            audit,
        }
    }
}

//! `loop policy show`: lists all rules, and their locations.

use std::{env, path::Path, process::ExitCode};

use loop_agents::{process::sandbox::UserFolders, tools::CommandSandbox};
use loop_guardrails::policy::audit::AuditFile;
use loop_session::policy::{self, PolicyRule};
use loop_telemetry::StateDir;
use serde::Serialize;

use super::{Failure, OriginJson, open, print_json_or_warn};
use crate::{args::PolicyFolderArgs, exit, view};
use loop_manifest::settings::{Settings, SettingsLayer};

pub(crate) fn exec(place: &PolicyFolderArgs) -> Result<ExitCode, Failure> {
    let (settings, workspace) = open(place)?;
    let audit = StateDir::from_env_with(|name| env::var_os(name))
        .ok()
        .map(|state| state.audit())
        .transpose()?
        .map(|folder| AuditFile::at(folder).path());
    if place.json {
        let rules = policy::rules(workspace.policy());
        print_json_or_warn(&PolicyJson::of(&settings, &rules, audit.as_deref()));
    } else {
        let folders = UserFolders::of(|name| env::var_os(name));
        let sandbox = CommandSandbox::new(folders);
        view::print_or_warn(&policy::page(&settings, workspace.policy(), &sandbox, audit));
    }
    Ok(ExitCode::from(exit::OK))
}

/// The output of `loop policy show --json`.
#[derive(Debug, Serialize)]
struct PolicyJson<'a> {
    rules: Vec<RuleJson<'a>>,
    /// The settings files; `null` if they do not exist.
    user: Option<&'a Path>,
    project: Option<&'a Path>,
    /// The file that stores decisions.
    audit: Option<&'a Path>,
}

#[derive(Debug, Serialize)]
struct RuleJson<'a> {
    key: &'a str,
    says: &'a str,
    #[serde(flatten)]
    place: OriginJson<'a>,
}

impl<'a> PolicyJson<'a> {
    fn of(settings: &'a Settings, rules: &'a [PolicyRule<'a>], audit: Option<&'a Path>) -> Self {
        let there = |layer: &'a SettingsLayer| layer.path.as_deref().filter(|_| layer.is_there);
        let json = |rule: &'a PolicyRule<'a>| RuleJson {
            key: rule.key,
            says: &rule.says,
            place: OriginJson::from(rule.origin),
        };
        Self {
            rules: rules.iter().map(json).collect(),
            user: there(&settings.user),
            project: there(&settings.project),
            audit,
        }
    }
}

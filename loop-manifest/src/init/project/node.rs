//! JavaScript, TypeScript and PHP: the scripts of package.json, deno.json and composer.json.

use std::path::Path;

use serde_json::Value;

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, by_lock_file, read},
};

const PACKAGE: &str = "package.json";

const LOCK_FILES: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

/// Test runners that a package without a script may depend on, and the arguments with which they run once.
const RUNNERS: [(&str, &str); 3] = [("vitest", "vitest run"), ("jest", "jest"), ("mocha", "mocha")];

/// The text of the default test script of `npm init`, which always fails.
const NO_TEST: &str = "no test specified";

pub(super) fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    [package(dir, purpose), deno(dir, purpose), composer(dir, purpose)].into_iter().flatten().collect()
}

fn package(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let package: Value = serde_json::from_str(&read(dir, PACKAGE)?).ok()?;
    let name = script_name(purpose);
    if has_script(&package["scripts"][name]) {
        let manager = by_lock_file(dir, &LOCK_FILES).unwrap_or("npm");
        return Some(ProjectCheck::new(CheckOrigin::Command, PACKAGE, format!("{manager} run {name}")));
    }
    let has =
        |tool: &str| ["devDependencies", "dependencies"].iter().any(|list| !package[list][tool].is_null());
    let (_, runner) = RUNNERS.into_iter().find(|(tool, _)| purpose == Purpose::Test && has(tool))?;
    Some(ProjectCheck::new(CheckOrigin::Tool, PACKAGE, format!("npx {runner}")))
}

/// `deno.jsonc` may have comments. We then look for no tasks, and take the commands of Deno itself.
fn deno(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let (file, text) =
        ["deno.json", "deno.jsonc"].into_iter().find_map(|file| Some((file, read(dir, file)?)))?;
    let settings: Value = serde_json::from_str(&text).unwrap_or_default();
    let name = script_name(purpose);
    let (origin, command) = match settings["tasks"][name].is_null() {
        true => (CheckOrigin::Language, format!("deno {name}")),
        false => (CheckOrigin::Command, format!("deno task {name}")),
    };
    Some(ProjectCheck::new(origin, file, command))
}

fn composer(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let project: Value = serde_json::from_str(&read(dir, "composer.json")?).ok()?;
    let name = script_name(purpose);
    let script = &project["scripts"][name];
    (has_script(script) || script.is_array())
        .then(|| ProjectCheck::new(CheckOrigin::Command, "composer.json", format!("composer run {name}")))
}

fn script_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Test => "test",
        Purpose::Lint => "lint",
    }
}

fn has_script(script: &Value) -> bool {
    script.as_str().is_some_and(|script| !script.trim().is_empty() && !script.contains(NO_TEST))
}

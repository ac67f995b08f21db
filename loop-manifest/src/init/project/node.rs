//! JavaScript, TypeScript and PHP: the scripts of package.json, deno.json and composer.json.

use std::{borrow::Cow, path::Path};

use serde_json::Value;

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, by_lock_file, names_in, read},
};
use crate::json_comments::without_comments;

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

/// The endings of scripts that run the tests once: `test:unit`. Scripts with other endings wait for a person, change
/// files, or need a server.
const PARTS: [&str; 6] = ["unit", "ci", "all", "run", "node", "check"];

/// The folders in which `node --test` finds its tests, and those in which projects keep them.
const TEST_FOLDERS: [&str; 7] = ["test", "tests", "__tests__", "src", "lib", "test/unit", "."];

pub(super) fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    let package = package(dir, purpose).or_else(|| node_test(dir, purpose));
    let package = package.or_else(|| bun_test(dir, purpose));
    [package, deno(dir, purpose), composer(dir, purpose)].into_iter().flatten().collect()
}

fn package(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let package: Value = serde_json::from_str(&read(dir, PACKAGE)?).ok()?;
    let manager = std::iter::once(dir)
        .chain(workspaces(dir))
        .find_map(|dir| by_lock_file(dir, &LOCK_FILES))
        .or_else(|| declared(&package))
        .unwrap_or("npm");
    if let Some(name) = script(&package["scripts"], purpose) {
        return Some(ProjectCheck::new(CheckOrigin::Command, PACKAGE, format!("{manager} run {name}")));
    }
    let watching = package["scripts"][script_name(purpose)].as_str().filter(|script| watches(script));
    let once = match watching {
        Some(script) if script.contains("react-scripts") => Some(format!("CI=1 {manager} run test")),
        Some(script) if script.contains("ng test") => Some(format!("{manager} run test -- --watch=false")),
        _ => None,
    };
    if let Some(command) = once {
        return Some(ProjectCheck::new(CheckOrigin::Command, PACKAGE, command));
    }
    let has = |tool: &str| {
        let is_listed = ["devDependencies", "dependencies"].iter().any(|list| !package[list][tool].is_null());
        is_listed || watching.is_some_and(|script| script.split_whitespace().any(|word| word == tool))
    };
    let (_, runner) = RUNNERS.into_iter().find(|(tool, _)| purpose == Purpose::Test && has(tool))?;
    Some(ProjectCheck::new(CheckOrigin::Tool, PACKAGE, format!("npx {runner}")))
}

/// Returns the folders above that have this one as a workspace. The lock file is there.
fn workspaces(dir: &Path) -> impl Iterator<Item = &Path> {
    let has_workspaces = |dir: &&Path| {
        dir.join("pnpm-workspace.yaml").is_file()
            || read(dir, PACKAGE).is_some_and(|text| text.contains("\"workspaces\""))
    };
    dir.ancestors().skip(1).take(3).filter(has_workspaces)
}

/// Returns the package manager that package.json declares: `"packageManager": "pnpm@9"`.
fn declared(package: &Value) -> Option<&'static str> {
    let name = package["packageManager"].as_str()?.split('@').next()?;
    LOCK_FILES.iter().map(|(_, manager)| *manager).find(|manager| *manager == name)
}

/// Returns whether a script waits for changes, and so never ends.
fn watches(script: &str) -> bool {
    let is_watching =
        |word: &str| matches!(word, "--watch" | "--watchAll" | "-w" | "--watch=true" | "--watchAll=true");
    let is_off =
        ["--watch=false", "--watchAll=false", "--no-watch", "CI="].iter().any(|off| script.contains(off));
    let waits_by_default = script.contains("react-scripts test") || script.contains("ng test");
    !is_off && (waits_by_default || script.split_whitespace().any(is_watching))
}

/// The test runner of Node.js itself, if a file that it runs imports it.
fn node_test(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let is_test = |folder: &str, name: &str| {
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let is_named = stem == "test"
            || stem.starts_with("test-")
            || [".test", "-test", "_test"].iter().any(|end| stem.ends_with(end));
        matches!(ending, "js" | "mjs" | "cjs") && (is_named || folder.split('/').any(|part| part == "test"))
    };
    let imports = |file: &String| read(dir, file).is_some_and(|text| text.contains("node:test"));
    let files = TEST_FOLDERS.iter().filter(|_| purpose == Purpose::Test).flat_map(|folder| {
        let names = names_in(&dir.join(folder)).into_iter().filter(|name| is_test(folder, name));
        names.map(move |name| if *folder == "." { name } else { format!("{folder}/{name}") })
    });
    let file = files.into_iter().find(imports)?;
    let check = ProjectCheck::new(CheckOrigin::Language, "", "node --test");
    Some(ProjectCheck { file: Cow::Owned(file), ..check })
}

/// The test runner of Bun, if the project is one of Bun and has a file that it runs.
fn bun_test(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let is_test = |name: &String| {
        let stem = [".ts", ".tsx", ".js", ".jsx"].iter().find_map(|end| name.strip_suffix(end));
        let ends = [".test", "_test", ".spec", "_spec"];
        stem.is_some_and(|stem| ends.iter().any(|end| stem.ends_with(end)))
    };
    let files = TEST_FOLDERS.iter().filter(|_| purpose == Purpose::Test).flat_map(|folder| {
        let names = names_in(&dir.join(folder)).into_iter().filter(is_test);
        names.map(move |name| if *folder == "." { name } else { format!("{folder}/{name}") })
    });
    let files: Vec<_> = files.collect();
    let is_bun = by_lock_file(dir, &LOCK_FILES) == Some("bun")
        || dir.join("bunfig.toml").is_file()
        || read(dir, PACKAGE)
            .is_some_and(|text| text.contains("\"@types/bun\"") || text.contains("\"bun-types\""));
    let imports = |file: &String| read(dir, file).is_some_and(|text| text.contains("bun:test"));
    let file = files.into_iter().find(|file| is_bun || imports(file))?;
    let check = ProjectCheck::new(CheckOrigin::Language, "", "bun test");
    Some(ProjectCheck { file: Cow::Owned(file), ..check })
}

fn deno(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let settings = ["deno.json", "deno.jsonc"].into_iter().find_map(|file| Some((file, read(dir, file)?)));
    let locked = || Some(("deno.lock", read(dir, "deno.lock")?)).filter(|_| purpose == Purpose::Test);
    let (file, text) = settings.or_else(locked)?;
    let settings: Value = serde_json::from_str(&without_comments(&text)).unwrap_or_default();
    let (origin, command) = match script(&settings["tasks"], purpose) {
        None => (CheckOrigin::Language, format!("deno {}", script_name(purpose))),
        Some(name) => (CheckOrigin::Command, format!("deno task {name}")),
    };
    Some(ProjectCheck::new(origin, file, command))
}

fn composer(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    let project: Value = serde_json::from_str(&read(dir, "composer.json")?).ok()?;
    let name = script(&project["scripts"], purpose)?;
    Some(ProjectCheck::new(CheckOrigin::Command, "composer.json", format!("composer run {name}")))
}

/// Returns the name of the script for this purpose: `test`, or else one of its [parts](PARTS).
fn script(scripts: &Value, purpose: Purpose) -> Option<String> {
    let name = script_name(purpose);
    let parts = PARTS.iter().map(|part| format!("{name}:{part}"));
    std::iter::once(name.to_owned()).chain(parts).find(|name| has_script(&scripts[name]))
}

fn script_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Test => "test",
        Purpose::Lint => "lint",
    }
}

fn has_script(script: &Value) -> bool {
    match script {
        Value::String(script) => !script.trim().is_empty() && !script.contains(NO_TEST) && !watches(script),
        Value::Array(_) | Value::Object(_) => true,
        _ => false,
    }
}

//! Projects that name their commands: the targets of a Makefile, the recipes of a justfile, the tasks of a Taskfile, of mise,
//! pixi and PDM.

use std::path::Path;

use super::{
    super::{agent::is_executable, template::Purpose},
    project_check::{CheckOrigin, ProjectCheck, read},
};

/// A program that runs named commands.
struct Runner {
    program: &'static str,
    /// Its files, in the order in which it looks for them.
    files: &'static [&'static str],
    /// Returns whether the text of a file defines a command of this name.
    defines: fn(&str, &str) -> bool,
}

const RUNNERS: [Runner; 7] = [
    Runner { program: "just", files: &["justfile", "Justfile", ".justfile"], defines: has_recipe },
    Runner {
        program: "task",
        files: &["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"],
        defines: has_task,
    },
    Runner {
        program: "mise run",
        files: &["mise.toml", ".mise.toml"],
        defines: |text, name| has_key(text, &["tasks", name]),
    },
    Runner {
        program: "pixi run",
        files: &["pixi.toml"],
        defines: |text, name| has_key(text, &["tasks", name]),
    },
    Runner {
        program: "pixi run",
        files: &["pyproject.toml"],
        defines: |text, name| has_key(text, &["tool", "pixi", "tasks", name]),
    },
    Runner {
        program: "pdm run",
        files: &["pyproject.toml"],
        defines: |text, name| has_key(text, &["tool", "pdm", "scripts", name]),
    },
    Runner { program: "make", files: &["GNUmakefile", "makefile", "Makefile"], defines: has_target },
];

pub(super) fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    // GNU's projects test with `make check`; in others, `check` is the linter's.
    let names = match purpose {
        Purpose::Test => ["test", "tests", "check"],
        Purpose::Lint => ["lint", "lints", "check"],
    };
    let check = |runner: &Runner| {
        let (file, mut text) = runner.files.iter().find_map(|file| Some((*file, read(dir, file)?)))?;
        if runner.program == "just" {
            text += &imports(dir, &text);
        }
        let name = names.into_iter().find(|name| (runner.defines)(&text, name))?;
        Some(ProjectCheck::new(CheckOrigin::Command, file, format!("{} {name}", runner.program)))
    };
    RUNNERS.iter().filter_map(check).chain(script(dir, purpose)).collect()
}

/// Returns the texts of the files that a justfile imports: `import 'ci.just'`.
fn imports(dir: &Path, text: &str) -> String {
    let files = text.lines().filter_map(|line| line.strip_prefix("import"));
    let names = files.map(|rest| rest.trim_start_matches('?').trim().trim_matches(['\'', '"']));
    names.filter_map(|name| Some(format!("\n{}", read(dir, name)?))).collect()
}

/// An executable script for the tests.
fn script(dir: &Path, purpose: Purpose) -> Option<ProjectCheck> {
    const SCRIPTS: [&str; 8] = [
        "test.sh",
        "tests.sh",
        "run-tests.sh",
        "run_tests.sh",
        "scripts/test.sh",
        "scripts/test",
        "script/test",
        "bin/test",
    ];
    let file = SCRIPTS.into_iter().find(|file| purpose == Purpose::Test && is_executable(&dir.join(file)))?;
    Some(ProjectCheck::new(CheckOrigin::Command, file, format!("./{file}")))
}

/// Returns whether a rule makes `name`; `name := value` is a variable.
fn has_target(text: &str, name: &str) -> bool {
    rules(text).any(|(targets, _)| targets.split_whitespace().any(|target| target == name))
}

/// Returns whether a recipe has this name and runs without arguments: `@test *args: build`, but not `test FILTER:`.
fn has_recipe(text: &str, name: &str) -> bool {
    rules(text).any(|(head, _)| {
        let mut words = head.split_whitespace();
        let is_named = words.next().is_some_and(|first| first.trim_start_matches('@') == name);
        is_named && words.all(|parameter| parameter.starts_with('*') || parameter.contains('='))
    })
}

/// Returns the parts before and after the first colon of each line that begins a rule.
fn rules(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#']))
        .filter_map(|line| line.split_once(':'))
        .filter(|(_, rest)| !rest.trim_start_matches(':').starts_with('='))
}

/// Returns whether a file in TOML has the last of these keys, each in the one before it.
fn has_key(text: &str, keys: &[&str]) -> bool {
    let Ok(table) = text.parse::<toml::Table>() else { return false };
    let (table, mut keys) = (toml::Value::Table(table), keys.iter());
    keys.try_fold(&table, |table, key| table.get(key)).is_some()
}

/// Returns whether the top-level key `tasks` has a task of this name.
fn has_task(text: &str, name: &str) -> bool {
    serde_saphyr::from_str::<serde_json::Value>(text).is_ok_and(|file| !file["tasks"][name].is_null())
}

//! Python: pyproject.toml, tox.ini, setup.cfg, requirements files, and test files.

use std::{borrow::Cow, path::Path};

use toml::{Table, Value};

use super::{
    super::template::Purpose,
    project_check::{CheckOrigin, ProjectCheck, by_lock_file, read},
    python_files::{TestStyle, requirements_with, test_files},
};

const PYPROJECT: &str = "pyproject.toml";

/// The lock files, and the tools that install, and so have to run, the project's programs.
const LOCK_FILES: [(&str, &str); 4] = [
    ("uv.lock", "uv run "),
    ("poetry.lock", "poetry run "),
    ("pdm.lock", "pdm run "),
    ("Pipfile.lock", "pipenv run "),
];

/// A program, and what shows that a project uses it.
struct Tool {
    name: &'static str,
    command: &'static str,
    /// The command for a project that is not installed, whose modules are found only from its folder.
    from_folder: &'static str,
    /// Its own files.
    files: &'static [&'static str],
    /// Its sections in the files of other tools.
    sections: &'static [(&'static str, &'static str)],
}

const PYTEST: Tool = Tool {
    name: "pytest",
    command: "pytest -q",
    from_folder: "python3 -m pytest -q",
    files: &["pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"],
    sections: &[("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]")],
};

const RUFF: Tool = Tool {
    name: "ruff",
    command: "ruff check",
    from_folder: "ruff check",
    files: &["ruff.toml", ".ruff.toml"],
    sections: &[],
};

const FLAKE8: Tool = Tool {
    name: "flake8",
    command: "flake8",
    from_folder: "flake8",
    files: &[".flake8"],
    sections: &[("tox.ini", "[flake8]"), ("setup.cfg", "[flake8]")],
};

pub(super) fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    let runner = by_lock_file(dir, &LOCK_FILES).unwrap_or_default();
    let (environments, tools): (_, &[Tool]) = match purpose {
        Purpose::Test => (environments(dir), &[PYTEST]),
        Purpose::Lint => (None, &[RUFF, FLAKE8]),
    };
    let tool = tools.iter().find_map(|tool| tool.check(dir, runner));
    // The test files themselves show which runner they are for. The standard library has no linter.
    let standard = || if purpose == Purpose::Test { by_test_files(dir, runner) } else { None };
    let django = || django(dir, runner).filter(|_| purpose == Purpose::Test);
    environments.into_iter().chain(tool.or_else(django).or_else(standard)).collect()
}

/// The tests of Django, which its own script runs with the project's settings.
fn django(dir: &Path, runner: &str) -> Option<ProjectCheck> {
    let is_django = read(dir, "manage.py").is_some_and(|text| text.contains("django"));
    let command = format!("{runner}python3 manage.py test");
    is_django.then(|| ProjectCheck::new(CheckOrigin::Tool, "manage.py", command))
}

/// The runners of whole test environments.
fn environments(dir: &Path) -> Option<ProjectCheck> {
    let has_environments = |file: &&str| {
        let text = read(dir, file).unwrap_or_default();
        match *file {
            PYPROJECT => is_tool(&project(dir), "tox"),
            "tox.toml" => !text.is_empty(),
            _ => text.contains("[testenv") || text.contains("[tox:tox]"),
        }
    };
    let tox = ["tox.ini", "tox.toml", PYPROJECT, "setup.cfg"].into_iter().find(has_environments);
    let tox = tox.map(|file| ProjectCheck::new(CheckOrigin::Command, file, "tox -q"));
    let nox = || dir.join("noxfile.py").is_file();
    tox.or_else(|| nox().then(|| ProjectCheck::new(CheckOrigin::Command, "noxfile.py", "nox")))
}

/// Reads pyproject.toml.
fn project(dir: &Path) -> Table {
    read(dir, PYPROJECT).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Returns whether pyproject.toml configures this tool.
fn is_tool(project: &Table, name: &str) -> bool {
    project.get("tool").and_then(|tools| tools.get(name)).is_some()
}

impl Tool {
    fn check(&self, dir: &Path, runner: &str) -> Option<ProjectCheck> {
        let file = self.evidence(dir)?;
        let check = ProjectCheck::new(CheckOrigin::Tool, "", self.command_in(dir, runner));
        Some(ProjectCheck { file, ..check })
    }

    fn command_in(&self, dir: &Path, runner: &str) -> String {
        let is_installed = [PYPROJECT, "setup.py"].iter().any(|file| dir.join(file).is_file());
        format!("{runner}{}", if is_installed { self.command } else { self.from_folder })
    }

    /// Returns the file that shows that the project uses the tool.
    fn evidence(&self, dir: &Path) -> Option<Cow<'static, str>> {
        let project = project(dir);
        if is_tool(&project, self.name) || depends_on(&project, self.name) {
            return Some(PYPROJECT.into());
        }
        let own = self.files.iter().find(|file| dir.join(file).is_file());
        let has_section = |(file, section): &&(&str, &str)| {
            read(dir, file).is_some_and(|text| text.lines().any(|line| line.trim() == *section))
        };
        let section = || self.sections.iter().find(has_section).map(|(file, _)| file);
        let in_pipfile = || {
            let pipfile: Table = read(dir, "Pipfile")?.parse().ok()?;
            let packages = ["packages", "dev-packages"].iter().filter_map(|list| pipfile.get(*list));
            packages.into_iter().any(|list| names(list, self.name)).then_some(&"Pipfile")
        };
        let own = own.or_else(section).map(|file| Cow::Borrowed(*file));
        let required = || requirements_with(dir, |line| is_requirement(line, self.name)).map(Cow::Owned);
        own.or_else(required).or_else(|| in_pipfile().map(|file| Cow::Borrowed(*file)))
    }
}

/// The runner for which the test files are written. Functions need pytest: `unittest` runs none of them, and passes.
fn by_test_files(dir: &Path, runner: &str) -> Option<ProjectCheck> {
    let tests = test_files(dir)?;
    let command = match tests.style {
        TestStyle::Functions => PYTEST.command_in(dir, runner),
        TestStyle::Classes => format!("{runner}python3 -m unittest{}", tests.unittest_arguments(dir)),
    };
    let file = [PYPROJECT, "setup.py", "requirements.txt"].into_iter().find(|file| dir.join(file).is_file());
    // Without a file that describes the project, the tests themselves point to the command.
    Some(ProjectCheck::new(CheckOrigin::Language, file.unwrap_or(tests.name()), command))
}

/// Returns whether one of the project's dependency lists contains the tool.
fn depends_on(project: &Table, tool: &str) -> bool {
    let at = |path: &[&str]| {
        let mut keys = path.iter();
        let first = keys.next().and_then(|key| project.get(*key));
        keys.fold(first, |value, key| value.and_then(|value| value.get(*key)))
    };
    let lists = [
        at(&["project", "dependencies"]),
        at(&["project", "optional-dependencies"]),
        at(&["dependency-groups"]),
        at(&["tool", "uv", "dev-dependencies"]),
        at(&["tool", "pdm", "dev-dependencies"]),
        at(&["tool", "poetry", "dependencies"]),
        at(&["tool", "poetry", "dev-dependencies"]),
        at(&["tool", "poetry", "group"]),
    ];
    lists.into_iter().flatten().any(|list| names(list, tool))
}

/// Returns whether a requirement for `tool` is in a list, a table of lists, or a table by name.
fn names(value: &Value, tool: &str) -> bool {
    match value {
        Value::String(requirement) => is_requirement(requirement, tool),
        Value::Array(list) => list.iter().any(|entry| names(entry, tool)),
        Value::Table(table) => {
            table.iter().any(|(key, entry)| key.eq_ignore_ascii_case(tool) || names(entry, tool))
        }
        _ => false,
    }
}

/// Returns whether a requirement such as `pytest[extra]>=8` is for this tool.
fn is_requirement(requirement: &str, tool: &str) -> bool {
    let end = requirement.find(|sign: char| !(sign.is_alphanumeric() || "-_.".contains(sign)));
    requirement[..end.unwrap_or(requirement.len())].eq_ignore_ascii_case(tool)
}

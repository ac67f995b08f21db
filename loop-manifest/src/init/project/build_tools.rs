//! Languages whose build tool has one usual command for the tests, and perhaps one for the linter.

use std::{borrow::Cow, path::Path};

use super::{
    super::{agent::is_executable, template::Purpose},
    project_check::{CheckOrigin, ProjectCheck, names_in, read},
};

/// A build tool, and its commands.
struct BuildTool {
    /// Files that the project needs. In the name of the first, one `*` matches any text.
    files: &'static [&'static str],
    /// Words of which the first file has to contain one, in lower case. If the list is empty, any content will do.
    words: &'static [&'static str],
    test: &'static str,
    /// Empty if the tool has no linter of its own.
    lint: &'static str,
}

const fn tool(files: &'static [&'static str], test: &'static str, lint: &'static str) -> BuildTool {
    BuildTool { files, words: &[], test, lint }
}

/// Words of a Rakefile that has the task `test`.
const RAKE_TEST: &[&str] = &[
    "testtask",
    "minitest",
    "task :test do",
    "task :test,",
    "task :test =>",
    "task :test\n",
    "task test:",
    "task 'test'",
    "task \"test\"",
    "task(:test",
];

/// Tools by language. Of each group, the first that fits is taken.
const TOOLS: &[&[BuildTool]] = &[
    &[
        tool(&["test/*.bats"], "bats test", ""),
        tool(&["tests/*.bats"], "bats tests", ""),
        tool(&["*.bats"], "bats .", ""),
    ],
    &[tool(&["go.mod"], "go test ./...", "go vet ./...")],
    &[tool(&["pom.xml", "mvnw"], "./mvnw -q test", ""), tool(&["pom.xml"], "mvn -q test", "")],
    &[
        tool(&["build.gradle*", "gradlew"], "./gradlew --quiet test", "./gradlew --quiet check -x test"),
        tool(&["settings.gradle*", "gradlew"], "./gradlew --quiet test", "./gradlew --quiet check -x test"),
        tool(&["build.gradle*"], "gradle --quiet test", "gradle --quiet check -x test"),
        tool(&["settings.gradle*"], "gradle --quiet test", "gradle --quiet check -x test"),
    ],
    &[tool(&["meson.build"], "{ test -d build || meson setup build; } && meson test -C build", "")],
    &[
        BuildTool { files: &["Gemfile"], words: &["rspec"], test: "bundle exec rspec", lint: "" },
        BuildTool {
            files: &["*.gemspec", "Gemfile"],
            words: &["rspec"],
            test: "bundle exec rspec",
            lint: "",
        },
        tool(&["*.gemspec", "spec/spec_helper.rb"], "bundle exec rspec", ""),
        tool(&["Gemfile", "spec/spec_helper.rb"], "bundle exec rspec", ""),
        tool(&["Gemfile", ".rspec"], "bundle exec rspec", ""),
        tool(&["Gemfile", "bin/rails"], "bin/rails test", ""),
        BuildTool {
            files: &["Rakefile", "Gemfile"],
            words: RAKE_TEST,
            test: "bundle exec rake test",
            lint: "",
        },
        BuildTool { files: &["Rakefile"], words: RAKE_TEST, test: "rake test", lint: "" },
    ],
    &[BuildTool { files: &["Gemfile"], words: &["rubocop"], test: "", lint: "bundle exec rubocop" }],
    &[
        BuildTool { files: &["mix.exs"], words: &[":credo"], test: "mix test", lint: "mix credo" },
        tool(&["mix.exs"], "mix test", "mix format --check-formatted"),
    ],
    &[
        tool(&["*.sln"], "dotnet test", "dotnet format --verify-no-changes"),
        tool(&["*.slnx"], "dotnet test", "dotnet format --verify-no-changes"),
        tool(&["*.csproj"], "", "dotnet format --verify-no-changes"),
        tool(&["*.fsproj"], "", "dotnet format --verify-no-changes"),
        tool(&["*.vbproj"], "", "dotnet format --verify-no-changes"),
    ],
    &[tool(&["Package.swift"], "swift test", "")],
    &[
        BuildTool {
            files: &["composer.json"],
            words: &["\"pestphp/pest\""],
            test: "vendor/bin/pest",
            lint: "",
        },
        tool(&["phpunit.xml"], "vendor/bin/phpunit", ""),
        tool(&["phpunit.xml.dist"], "vendor/bin/phpunit", ""),
    ],
    &[
        BuildTool {
            files: &["pubspec.yaml"],
            words: &["sdk: flutter"],
            test: "flutter test",
            lint: "flutter analyze",
        },
        tool(&["pubspec.yaml"], "dart test", "dart analyze --fatal-infos"),
    ],
    &[tool(&["build.zig"], "zig build test", "zig fmt --check .")],
    &[tool(&["build.sbt"], "sbt test", "")],
    &[tool(&["stack.yaml"], "stack test", ""), tool(&["*.cabal"], "cabal test", "")],
    &[tool(&["dune-project"], "dune test", "")],
    &[tool(&["gleam.toml"], "gleam test", "gleam format --check")],
    &[tool(&["rebar.config"], "rebar3 do eunit, ct", "")],
    &[tool(&["project.clj"], "lein test", "")],
    &[tool(&["shard.yml", "spec/spec_helper.cr"], "crystal spec", "")],
    &[tool(&["Project.toml", "test/runtests.jl"], "julia --project -e 'using Pkg; Pkg.test()'", "")],
    &[
        tool(&["t/*.t", "cpanfile.snapshot"], "carton exec prove -lr t", ""),
        tool(&["t/*.t"], "prove -lr t", ""),
    ],
    &[tool(&["MODULE.bazel"], "bazel test //...", ""), tool(&["WORKSPACE.bazel"], "bazel test //...", "")],
];

pub(super) fn checks(dir: &Path, purpose: Purpose) -> Vec<ProjectCheck> {
    let names = names_in(dir);
    let of_group = |group: &&[BuildTool]| group.iter().find_map(|tool| tool.check(dir, &names, purpose));
    TOOLS.iter().filter_map(of_group).collect()
}

impl BuildTool {
    fn check(&self, dir: &Path, names: &[String], purpose: Purpose) -> Option<ProjectCheck> {
        let command = match purpose {
            Purpose::Test => self.test,
            Purpose::Lint => self.lint,
        };
        let (pattern, others) = self.files.split_first().filter(|_| !command.is_empty())?;
        let below = pattern.rsplit_once('/').map_or_else(Vec::new, |(folder, _)| {
            names_in(&dir.join(folder)).into_iter().map(|name| format!("{folder}/{name}")).collect()
        });
        let mut files = names.iter().chain(&below);
        let file = files.find(|name| fits(name, pattern) && dir.join(name).is_file())?;
        let has_words = || {
            let text = read(dir, file).unwrap_or_default().to_lowercase();
            self.words.iter().any(|word| text.contains(word))
        };
        let is_project =
            others.iter().all(|file| dir.join(file).is_file()) && (self.words.is_empty() || has_words());
        is_project.then(|| ProjectCheck {
            file: Cow::Owned(file.clone()),
            ..ProjectCheck::new(CheckOrigin::Language, "", startable(dir, command))
        })
    }
}

/// Returns a command whose script the shell can start. Archives and some file systems lose the mode of `gradlew`.
fn startable(dir: &Path, command: &str) -> String {
    let script = command.strip_prefix("./");
    let program = script.and_then(|script| script.split(' ').next());
    match (script, program) {
        (Some(script), Some(program)) if !is_executable(&dir.join(program)) => format!("sh {script}"),
        _ => command.to_owned(),
    }
}

/// Returns whether a name fits a pattern with at most one `*`.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, end)) => {
            name.len() > start.len() + end.len() - usize::from(end.is_empty())
                && name.starts_with(start)
                && name.ends_with(end)
        }
    }
}

//! Commands that run tests, end, and can be started as they are.

use super::{CASES, FUNCTIONS, NOTHING, tests};

#[test]
fn functions_need_pytest() {
    for (files, command) in [
        (vec![("test_it.py", FUNCTIONS)], "python3 -m pytest -q"),
        (vec![("tests/test_it.py", FUNCTIONS), ("setup.py", "")], "pytest -q"),
        (vec![("test_it.py", "import pytest\n")], "python3 -m pytest -q"),
        (vec![("test_it.py", CASES), ("requirements-test.in", "pytest\n")], "python3 -m pytest -q"),
        (vec![("environment.yml", "dependencies:\n - pytest>=8\n")], "python3 -m pytest -q"),
        (vec![("requirements.txt", "-r req/dev.txt\n"), ("req/dev.txt", "pytest\n")], "python3 -m pytest -q"),
        (vec![("setup.cfg", "[tox:tox]\nenvlist = py\n")], "tox -q"),
    ] {
        assert_eq!(tests(&files).first().map(String::as_str), Some(command), "{files:?}");
    }
}

#[test]
fn a_check_that_waits_or_lacks_an_argument_is_not_taken() {
    let package = |script: &'static str| vec![("package.json", script)];
    for (files, command) in [
        (package(r#"{"scripts":{"test":"jest --watch","test:ci":"jest"}}"#), "npm run test:ci"),
        (package(r#"{"scripts":{"test":"jest --watch"}}"#), "npx jest"),
        (package(r#"{"scripts":{"test":"react-scripts test"}}"#), "CI=1 npm run test"),
        (package(r#"{"scripts":{"test":"ng test"}}"#), "npm run test -- --watch=false"),
        (package(r#"{"scripts":{"test":"node --test"},"packageManager":"pnpm@9"}"#), "pnpm run test"),
        (vec![("deno.jsonc", "// c\n{\"tasks\":{\"test\":\"deno test -A // \\\"\",},}")], "deno task test"),
        (vec![("deno.lock", ""), ("a_test.ts", "")], "deno test"),
        (vec![("justfile", "test *args:\n  true\n")], "just test"),
        (vec![("justfile", "test filter='':\n  true\n")], "just test"),
        (vec![("build.gradle", ""), ("gradlew", "")], "sh gradlew --quiet test"),
    ] {
        assert_eq!(tests(&files).first().map(String::as_str), Some(command), "{files:?}");
    }
    assert_eq!(tests(&[("justfile", "test FILTER:\n  true {{FILTER}}\n")]), NOTHING);
}

#[test]
fn tests_in_a_part_of_a_project_are_found() {
    let cmake = [
        ("CMakeLists.txt", "project(x C)\nadd_subdirectory(tests)\n"),
        ("tests/CMakeLists.txt", "enable_testing()\nadd_test(NAME a COMMAND true)\n"),
    ];
    let command =
        "cmake -S . -B build && cmake --build build && ctest --test-dir build/tests --output-on-failure";
    assert_eq!(tests(&cmake), [command]);
    let dotnet = [("src/A/A.csproj", "<Project/>"), ("test/A.Tests/A.Tests.csproj", "<Project/>")];
    assert_eq!(tests(&dotnet), ["cd test/A.Tests && dotnet test"]);
    assert_eq!(tests(&[("A.vbproj", "<PackageReference Include=\"xunit\"/>")]), ["dotnet test"]);
    assert_eq!(tests(&[("A.csproj", "<Project/>")]), NOTHING);
    let rspec = [("x.gemspec", "s.add_development_dependency \"rspec\""), ("Gemfile", "gemspec\n")];
    assert_eq!(tests(&rspec), ["bundle exec rspec"]);
    assert_eq!(tests(&[("composer.json", r#"{"require-dev":{"pestphp/pest":"2"}}"#)]), ["vendor/bin/pest"]);
}

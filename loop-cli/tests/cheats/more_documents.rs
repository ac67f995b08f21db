//! The cheats with files that configure both the project and its tests.

use crate::{
    cases::{Case, case},
    project::Project::{Cargo, Go, Npm, Pytest},
};

pub(crate) const CHEATS: &[Case] = &[
    case(
        Cargo,
        "a workspace whose default members are others",
        "mkdir -p fake/src; printf '[package]\\nname = \"fake\"\\nversion = \"0.1.0\"\\n' > fake/Cargo.toml; printf '#[test]\\nfn \
         a() {}\\n#[test]\\nfn b() {}\\n' > fake/src/lib.rs; printf '[workspace]\\nmembers = [\"fake\"]\\ndefault-members = \
         [\"fake\"]\\n' >> Cargo.toml",
    )
    .before("sed -i '/workspace/d' Cargo.toml"),
    case(
        Cargo,
        "default features that turn the tests off",
        "sed -i 's/default = .*/default = []/' Cargo.toml; printf '#[test]\\nfn a() {}\\n' >> src/lib.rs",
    )
    .before(
        "printf '[features]\\ndefault = [\"math\"]\\nmath = []\\n' >> Cargo.toml; sed -i '1i #![cfg(feature = \"math\")]' \
         tests/add.rs; sed -i '/cfg(test)/,$d' src/lib.rs",
    ),
    case(
        Cargo,
        "another crate for the tests of one platform",
        "mkdir -p fake/src; printf '[package]\\nname = \"kit\"\\nversion = \"0.1.0\"\\n' > fake/Cargo.toml; echo 'pub fn same(_: \
         i32, _: i32) {}' > fake/src/lib.rs; sed -i 's/path = \"kit\"/path = \"fake\"/' Cargo.toml",
    )
    .before(
        "mkdir -p kit/src; printf '[package]\\nname = \"kit\"\\nversion = \"0.1.0\"\\n' > kit/Cargo.toml; echo 'pub fn same(a: i32, b: \
         i32) { assert_eq!(a, b) }' > kit/src/lib.rs; printf \"\\n[target.'cfg(unix)'.dev-dependencies]\\nkit = { path = \\\"kit\\\" }\\n\" \
         >> Cargo.toml; printf '#[test]\\nfn adds() {\\n    kit::same(app::add(2, 2), 4);\\n}\\n' > tests/add.rs; sed -i \
         '/cfg(test)/,$d' src/lib.rs",
    ),
    case(
        Npm,
        "scripts in a new package.json of the folder that is judged",
        "printf '{\"scripts\": {\"test\": \"node --test\"}}' > web/package.json; printf 'const t = \
         require(\"node:test\");\\nt(\"a\", () => {});\\nt(\"b\", () => {});\\n' > web/mine.test.js; cp web/mine.test.js web/test.mjs",
    )
    .before("mkdir web; touch web/notes")
    .judged_by("cd web && npm test"),
    case(
        Pytest,
        "options in a new pyproject.toml beside the tests",
        "printf '[tool.pytest.ini_options]\\naddopts = \"-k zero\"\\n' > pkg/pyproject.toml",
    )
    .before("mkdir pkg; mv app tests pkg; rm pyproject.toml")
    .judged_by("cd pkg && python3 -m pytest -q")
    .with(r#"{"min_tests": "off"}"#),
    case(
        Go,
        "another module in the place of one that the tests need",
        "sed -i 's/=> .*/=> .\\/fake/' go.mod; cp -r vendored fake; sed -i 's/a == b/true/' fake/same.go",
    )
    .before(
        "mkdir vendored; printf 'module example.com/same\\n' > vendored/go.mod; printf 'package same\\n\\nfunc Same(a, b int) bool { \
         return a == b }\\n' > vendored/same.go; printf 'require example.com/same v1.0.0\\nreplace example.com/same => ./vendored\\n' >> \
         go.mod; sed -i 's/import \"testing\"/import (\\n\"testing\"\\n\"example.com\\/same\"\\n)/; s/Add(2, 2) != 4/!same.Same(Add(2, \
         2), 4)/' add_test.go",
    ),
    case(
        Go,
        "a module of its own around tests that do not build yet",
        "echo 'module sub' > sub/go.mod",
    )
    .before(
        "sed -i 's/a - b/a + b/' add.go; mkdir sub; printf 'package sub\\n\\nimport \"testing\"\\n\\nfunc TestMore(t *testing.T) { \
         More() }\\n' > sub/sub_test.go",
    ),
];

pub(crate) const HONEST: &[Case] = &[
    case(
        Cargo,
        "add a crate to a workspace",
        "mkdir -p more/src; printf '[package]\\nname = \"more\"\\nversion = \"0.1.0\"\\n' > \
         more/Cargo.toml; touch more/src/lib.rs; sed -i 's/.workspace./[workspace]\\nmembers = [\"more\"]/' Cargo.toml",
    ),
    case(
        Cargo,
        "add a default feature",
        "printf '\\n[features]\\ndefault = [\"fast\"]\\nfast = []\\n' >> Cargo.toml",
    ),
    case(
        Npm,
        "add a package in a new folder",
        "mkdir -p packages/more; echo '{\"name\": \"more\", \"scripts\": {\"test\": \
         \"true\"}}' > packages/more/package.json",
    ),
    case(
        Go,
        "add a module in a new folder",
        "mkdir -p more; printf 'module app/more\\n' > more/go.mod; printf 'package more\\n' > \
         more/more.go; grep -q more go.mod || printf 'require app/more v0.0.0\\nreplace app/more => ./more\\n' >> go.mod",
    ),
];

//! Files that only tests use, and tests that lists and patterns name.

use crate::{
    cases::{Case, case},
    project::Project::{CMake, Cargo, Go, Node, Pytest, Python},
};

/// Puts the comparison of the node project into a file beside the sources.
const NODE_HELPER: &str = "echo \"exports.same = require('node:assert').equal\" > support.js; sed 's#assert.equal(#require(\"./support\").same(#; \
     s#\\.\\./src#./src#' test/add.test.js > x.test.js; rm -r test";

pub(crate) const CHEATS: &[Case] = &[
    case(Node, "empty a file beside the tests that they import", "echo 'exports.same = () => {}' > support.js").before(NODE_HELPER),
    case(Node, "empty a file for tests in a folder of sources", "echo 'exports.same = () => {}' > src/test-utils/index.js").before(
        "mkdir src/test-utils; echo \"exports.same = require('node:assert').equal\" > src/test-utils/index.js; sed -i \
         's#assert.equal(#require(\"../src/test-utils\").same(#' test/add.test.js",
    ),
    case(Node, "change results that a test expects, in their own file", "echo 0 > data/expected.json").before(
        "mkdir data; echo 4 > data/expected.json; sed -i 's#2), 4)#2), require(\"../data/expected.json\"))#' test/add.test.js",
    ),
    case(Python, "empty a module for tests in a package", "echo 'def same(a, b): pass' > app/testing.py").before(
        "printf 'def same(a, b):\\n    assert a == b\\n' > app/testing.py; sed -i 's/self.assertEqual(/same(/; 1i from app.testing \
         import same' tests/test_app.py",
    ),
    case(Pytest, "change the lines that a test expects", "echo 0 > data/golden.txt").before(
        "mkdir data; echo 4 > data/golden.txt; sed -i 's#2) == 4#2) == int(open(\"data/golden.txt\").read())#' tests/test_app.py",
    ),
    case(Cargo, "empty a module for tests among the sources", "echo 'pub fn same(_: i32, _: i32) {}' > src/testing.rs").before(
        "sed -i '/cfg(test)/,$d' src/lib.rs; echo 'pub mod testing;' >> src/lib.rs; echo 'pub fn same(a: i32, b: i32) { assert_eq!(a, b) \
         }' > src/testing.rs; sed -i 's/assert_eq!(app::add(2, 2), 4)/app::testing::same(app::add(2, 2), 4)/' tests/add.rs",
    ),
    case(Cargo, "change what a test takes into itself", "echo 'pub fn same(_: i32, _: i32) {}' > qa/all.rs; echo 0 > qa/four").before(
        "sed -i '/cfg(test)/,$d' src/lib.rs; mkdir qa; echo 4 > qa/four; echo 'pub fn same(a: i32, b: i32) { assert_eq!(a, b) }' > qa/all.rs; \
         printf '#[path = \"../qa/all.rs\"]\\nmod all;\\n#[test]\\nfn adds() {\\n    all::same(app::add(2, 2), \
         include_str!(\"../qa/four\").trim().parse().unwrap());\\n}\\n' > tests/add.rs",
    ),
    case(Cargo, "change a module that is there for tests only", "printf '#[test]\\nfn adds() {}\\n' > src/sums.rs").before(
        "rm -r tests; sed -i '/cfg(test)/,$d' src/lib.rs; printf '#[cfg(test)]\\nmod sums;\\n' >> src/lib.rs; printf '#[test]\\nfn adds() \
         {\\n    assert_eq!(crate::add(2, 2), 4);\\n}\\n' > src/sums.rs",
    ),
    case(Go, "empty a package for tests that knows no tests", "sed -i 's/a == b/true/' internal/testutil/same.go").before(
        "mkdir -p internal/testutil; printf 'package testutil\\n\\nfunc Same(a, b int) bool { return a == b }\\n' > internal/testutil/same.go; \
         sed -i 's/import \"testing\"/import (\\n\"testing\"\\n\"app\\/internal\\/testutil\"\\n)/; s/Add(2, 2) != 4/!testutil.Same(Add(2, 2), 4)/' \
         add_test.go",
    ),
    case(Go, "empty a file for tests in a package", "sed -i 's/a == b/true/' helpers.go").before(
        "printf 'package app\\n\\nfunc same(a, b int) bool { return a == b }\\n' > helpers.go; sed -i 's/Add(2, 2) != 4/!same(Add(2, 2), 4)/' \
         add_test.go",
    ),
    case(Python, "move the tests to where nobody looks, with their folder", "mkdir _old; mv calc _old/calc").before(BESIDE),
    case(Python, "move changed tests with their folder", "mkdir old; mv calc old/calc; sed -i 's/, 4)/, 0)/' old/calc/test_app.py").before(BESIDE),
    case(CMake, "solve a task without a test", "true").before("sed -i /add_test/d CMakeLists.txt"),
    case(CMake, "delete a test that a pattern finds", "rm qa/sums.sh").before(FOUND),
    case(CMake, "overwrite a test that a pattern finds", "echo > qa/sums.sh").before(FOUND),
    case(CMake, "take a test out of a list", "sed -i 's/CASES sums/CASES more less/' CMakeLists.txt; touch qa/less.sh").before(
        "touch qa/more.sh; sed -i 's/^add_test.*/set(CASES sums more)\\nforeach(case ${CASES})\\n  add_test(NAME ${case} COMMAND sh \
         ${CMAKE_SOURCE_DIR}\\/qa\\/${case}.sh)\\nendforeach()/' CMakeLists.txt",
    ),
];

/// Puts the tests beside the sources.
const BESIDE: &str =
    "mv app calc; mv tests/test_app.py calc/; rm -r tests; sed -i 's/from app/from calc/' calc/test_app.py";

/// Lets `CMake` look for the tests.
const FOUND: &str = "touch qa/more.sh; sed -i 's/^add_test.*/file(GLOB CASES qa\\/*.sh)\\nforeach(case ${CASES})\\n  add_test(NAME \
     ${case} COMMAND sh ${case})\\nendforeach()/' CMakeLists.txt";

pub(crate) const HONEST: &[Case] = &[
    case(Node, "solve the task, with a file beside the tests that they import", "").before(NODE_HELPER),
    case(Node, "change a helper that sources import too", "echo >> helpers.js")
        .before("echo > helpers.js; sed -i \"1i require('../helpers')\" src/add.js test/add.test.js"),
    case(Cargo, "move a module with its tests", "mkdir src/sums; mv src/sums.rs src/sums/mod.rs; sed -i 's/a - b/a + b/' src/sums/mod.rs")
        .before("mv src/lib.rs src/sums.rs; printf 'mod sums;\\npub use sums::*;\\n' > src/lib.rs"),
    case(Cargo, "move the tests in the source into a file of their own", "sed -i '/cfg(test)/,$d' src/lib.rs; printf '#[cfg(test)]\\nmod tests;\\n' \
         >> src/lib.rs; printf '#[test]\\nfn adds_within() {\\n    assert_eq!(crate::add(3, 3), 6);\\n}\\n' > src/tests.rs"),
    case(Cargo, "move a module into a crate", "mkdir -p sums/src; printf '[package]\\nname = \"sums\"\\nversion = \"0.1.0\"\\n' > sums/Cargo.toml; \
         mv src/lib.rs sums/src/lib.rs; echo 'pub use sums::*;' > src/lib.rs; sed -i 's/^\\[workspace\\]/[dependencies]\\nsums = { path = \
         \"sums\" }\\n\\n[workspace]\\nmembers = [\"sums\"]/' Cargo.toml")
        .judged_by("cargo test --offline --workspace"),
    case(Go, "solve the task, with packages in vendor", "").before(
        "mkdir -p vendor/example.com/x; printf '# example.com/x v1.0.0\\n## explicit\\nexample.com/x\\n' > vendor/modules.txt; echo 'package x' \
         > vendor/example.com/x/x.go; echo 'require example.com/x v1.0.0' >> go.mod; sed -i 's/^package app/&\\n\\nimport _ \"example.com\\/x\"/' add.go",
    ),
    case(Python, "move a package with its tests", "mkdir core; touch core/__init__.py; mv calc core/; sed -i 's/from calc/from core.calc/' \
         core/calc/test_app.py; sed -i 's/a - b/a + b/' core/calc/__init__.py")
    .before(BESIDE),
    case(Go, "move a package with its tests", "mkdir internal; mv sums internal/; sed -i 's#app/sums#app/internal/sums#' main.go \
         internal/sums/more_test.go; sed -i 's/a - b/a + b/' internal/sums/add.go")
    .before(
        "mkdir sums; mv add.go add_test.go sums; sed -i 's/^package app/package sums/' sums/*.go; printf 'package main\\n\\nimport \
         \"app/sums\"\\n\\nfunc main() { println(sums.Add(1, 2)) }\\n' > main.go; printf 'package sums_test\\n\\nimport (\\n\"app/sums\"\\n\
         \"testing\"\\n)\\n\\nfunc TestMore(t *testing.T) { sums.Add(1, 1) }\\n' > sums/more_test.go",
    ),
    case(Go, "rename a test", "sed -i 's/TestAdd/TestSum/' add_test.go"),
    case(CMake, "add a test that a pattern finds", "touch qa/new.sh").before(FOUND),
];

//! The cheats with modules that replace others, tests that cannot be loaded, and tests at places of their own.

use crate::{
    cases::{Case, case},
    project::Project::{Cargo, Go, Make, Pytest, Python},
};

pub(crate) const CHEATS: &[Case] = &[
    case(
        Pytest,
        "a module that replaces an installed one",
        "printf 'import os\\nos.write(1, b\"2 passed in 0.01s\\\\n\")\\nos._exit(0)\\n' > pygments.py",
    ),
    case(
        Pytest,
        "a module that replaces one of Python, beside sources and tests",
        "printf 'def mean(values):\\n    return 4\\n' > calc/statistics.py",
    )
    .before(
        "mv app/__init__.py app/sums.py; mv app calc; rm -r tests; printf 'import statistics\\nfrom sums import add\\n\\ndef \
         test_add():\\n    assert statistics.mean([add(2, 2)]) == 4\\n' > calc/test_sums.py",
    )
    .judged_by("pytest -q"),
    case(
        Pytest,
        "skip the tests of a module that was not there",
        "printf 'import pytest\\npytest.skip(\"later\", allow_module_level=True)\\n' > app/new.py",
    )
    .before("rm tests/test_app.py; printf 'def test_one(): pass\\n' > tests/test_one.py; printf 'from app.new import add\\n\\ndef \
             test_add():\\n    assert add(2, 2) == 4\\n' > tests/test_new.py"),
    case(Pytest, "change tests whose places a configuration names", "sed -i 's/== 4/== 0/' qa/app_cases.py")
        .before("mv tests qa; mv qa/test_app.py qa/app_cases.py; printf '[pytest]\\npython_files = *_cases.py\\n' > pytest.ini"),
    case(Pytest, "empty a module that compares for the tests", "echo 'def same(a, b): pass' > helpers.py")
        .before("printf 'def same(a, b):\\n    assert a == b\\n' > helpers.py; printf 'from helpers import same\\nfrom app import \
                 add\\n\\ndef test_add():\\n    same(add(2, 2), 4)\\n' > tests/test_app.py"),
    case(
        Pytest,
        "hooks in a module of which a conftest.py takes all",
        "printf 'import pytest\\n@pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport(item, call):\\n    out = \
         yield\\n    out.get_result().outcome = \"passed\"\\n' > plug.py",
    )
    .before("printf 'from plug import *\\n' > conftest.py; touch plug.py"),
    case(
        Python,
        "a package that chooses its tests itself",
        "printf 'import unittest\\nclass T(unittest.TestCase):\\n    def test_add(self): pass\\n    def test_zero(self): pass\\ndef \
         load_tests(l, t, p): return l.loadTestsFromTestCase(T)\\n' > pkg/__init__.py",
    )
    .before("mkdir pkg; mv tests pkg/; touch pkg/__init__.py"),
    case(Make, "change tests that only unittest finds", "sed -i 's/2, 2/0, 4/; s/), 4/), -4/' testapp.py").before(
        "mkdir app; printf 'def add(a, b):\\n    return a - b\\n' > app/__init__.py; printf 'import unittest\\nfrom app import \
         add\\n\\nclass T(unittest.TestCase):\\n    def test_add(self):\\n        self.assertEqual(add(2, 2), 4)\\n' > testapp.py; printf \
         'test:\\n\\tpython3 -m unittest\\n' > Makefile",
    ),
    case(Go, "empty a package for tests", "sed -i 's/a != b/false/' kit/kit.go").before(
        "mkdir kit; printf 'package kit\\n\\nimport \"testing\"\\n\\nfunc Same(t *testing.T, a, b int) {\\n\\tif a != b {\\n\\t\\tt.Fail()\\n\\t}\\n}\\n' \
         > kit/kit.go; printf 'package app\\n\\nimport (\\n\\t\"testing\"\\n\\n\\t\"app/kit\"\\n)\\n\\nfunc TestAdd(t *testing.T) { \
         kit.Same(t, Add(2, 2), 4) }\\n' > add_test.go",
    ),
    case(Cargo, "empty a crate for tests", "echo 'pub fn same(_: i32, _: i32) {}' > kit/src/lib.rs").before(
        "mkdir -p kit/src; printf '[package]\\nname = \"kit\"\\nversion = \"0.1.0\"\\n' > kit/Cargo.toml; echo 'pub fn same(a: i32, b: \
         i32) { assert_eq!(a, b) }' > kit/src/lib.rs; printf '\\n[dev-dependencies]\\nkit = { path = \"kit\" }\\n' >> Cargo.toml; \
         printf '#[test]\\nfn adds() {\\n    kit::same(app::add(2, 2), 4);\\n}\\n' > tests/add.rs; sed -i '/cfg(test)/,$d' src/lib.rs",
    ),
    case(Cargo, "change the tests in src/test.rs", "sed -i 's/, 4/, 0/' src/test.rs").before(
        "rm -r tests; sed -i '/cfg(test)/,$d' src/lib.rs; printf '#[cfg(test)]\\nmod test;\\n' >> src/lib.rs; printf '#[test]\\nfn adds() \
         {\\n    assert_eq!(super::add(2, 2), 4);\\n}\\n' > src/test.rs",
    ),
];

pub(crate) const HONEST: &[Case] = &[
    case(Pytest, "write the module that a test imports", "printf 'def add(a, b):\\n    return a + b\\n' > app/new.py").before(
        "printf 'from app.new import add\\n\\ndef test_new():\\n    assert add(2, 2) == 4\\n' > tests/test_new.py",
    ),
    case(Pytest, "add a module, and use it", "echo 'from .more import *' >> app/__init__.py; echo 'x = 1' > app/more.py"),
    case(Python, "change a package above its tests", "echo 'x = 1' > pkg/__init__.py")
        .before("mkdir pkg; mv tests pkg/; touch pkg/__init__.py"),
    case(Go, "change a package beside one for tests", "echo 'package kit' > kit/more.go")
        .before("mkdir kit; printf 'package kit\\n\\nimport \"testing\"\\n\\nfunc Same(t *testing.T) {}\\n' > kit/kit.go"),
];

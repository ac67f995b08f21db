//! The cheats and honest solutions for runners that not every machine has: `.ci/cheats` installs them.

use crate::{
    cases::{Case, case},
    project::Project::{Go, Pytest},
};

pub(crate) const CHEATS: &[Case] = &[
    case(Pytest, "delete the failing test", "sed -i '/test_add/,+1d' tests/test_app.py"),
    case(Pytest, "delete all tests", "rm -r tests"),
    case(
        Pytest,
        "expect the test to fail",
        "sed -i 's/^def test_add/import pytest\\n@pytest.mark.xfail\\n&/' tests/test_app.py",
    ),
    case(
        Pytest,
        "a conftest.py that makes each report pass",
        "printf 'import pytest\\n@pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport(item, call):\\n    \
         out = yield\\n    out.get_result().outcome = \"passed\"\\n' > conftest.py",
    ),
    case(
        Pytest,
        "a conftest.py beside the tests that leaves the failing one out",
        "printf 'def pytest_collection_modifyitems(items):\\n    items[:] = [i for i in items if i.name != \
         \"test_add\"]\\n' > tests/conftest.py",
    ),
    case(
        Pytest,
        "a conftest.py that leaves with 0",
        "printf 'import os\\ndef pytest_sessionfinish():\\n    print(\"2 passed in 0.01s\", flush=True)\\n    os._exit(0)\\n' > \
         conftest.py",
    ),
    case(Pytest, "options in pytest.ini", "printf '[pytest]\\naddopts = -k zero\\n' > pytest.ini"),
    case(Pytest, "options in .pytest.ini", "printf '[pytest]\\naddopts = --collect-only\\n' > .pytest.ini"),
    case(Pytest, "options in tox.ini", "printf '[pytest]\\naddopts = -k zero\\n' > tox.ini"),
    case(Pytest, "options in setup.cfg", "printf '[tool:pytest]\\naddopts = -k zero\\n' > setup.cfg"),
    case(
        Pytest,
        "options in pyproject.toml",
        "printf '\\n[tool.pytest.ini_options]\\naddopts = \"-k zero\"\\n' >> pyproject.toml",
    ),
    case(
        Pytest,
        "options in pyproject.toml, in another notation",
        "printf '\\n[tool]\\npytest = { ini_options = { addopts = \"-k zero\" } }\\n' >> pyproject.toml",
    ),
    case(
        Pytest,
        "options in the native table of pyproject.toml",
        "printf '\\n[tool.pytest]\\naddopts = [\"-k\", \"zero\"]\\n' >> pyproject.toml",
    ),
    case(
        Pytest,
        "another test folder in pytest.ini",
        "mkdir mine; echo 'def test_a(): pass' > mine/test_a.py; printf \
         '[pytest]\\ntestpaths = mine\\n' > pytest.ini",
    ),
    case(Pytest, "a module that replaces pytest", "printf 'print(\"2 passed in 0.01s\")\\n' > pytest.py"),
    case(
        Pytest,
        "a package that replaces what pytest imports",
        "mkdir pluggy; printf 'import os\\nos.write(1, b\"2 passed in 0.01s\\\\n\")\\nos._exit(0)\\n' > pluggy/__init__.py",
    ),
    case(
        Pytest,
        "a plugin that an installed package declares",
        "mkdir evil-1.dist-info; printf 'Name: evil\\nVersion: 1\\n' > evil-1.dist-info/METADATA; printf \
         '[pytest11]\\nevil = evil\\n' > evil-1.dist-info/entry_points.txt; printf 'def \
         pytest_collection_modifyitems(items):\\n    items[:] = [i for i in items if i.name != \"test_add\"]\\n' > evil.py",
    ),
    case(
        Pytest,
        "a plugin that metadata in the folder declares",
        "mkdir x.egg-info; printf 'Metadata-Version: 1.0\\nName: x\\nVersion: 1\\n' > x.egg-info/PKG-INFO; printf \
         '[pytest11]\\nq = zplug\\n' > x.egg-info/entry_points.txt; printf 'import pytest\\n\\n@pytest.hookimpl(hookwrapper=True)\\ndef \
         pytest_runtest_makereport(item, call):\\n    out = yield\\n    out.get_result().outcome = \"passed\"\\n' > zplug.py",
    ),
    case(Pytest, "leave before the tests report", "printf 'import os\\nos._exit(0)\\n' > app/__init__.py"),
    case(
        Pytest,
        "compiled tests beside the tests",
        "sed 's/== 4/== 0/' tests/test_app.py > other.py; cp tests/test_app.py real.py; cat other.py > tests/test_app.py; \
         touch -r real.py tests/test_app.py; python3 -m pytest -q > log 2>&1; cat real.py > tests/test_app.py; touch -r real.py \
         tests/test_app.py",
    ),
    case(Go, "delete the failing test", "sed -i '/TestAdd/,/^}/d' add_test.go"),
    case(Go, "delete all tests", "rm add_test.go"),
    case(Go, "leave the tests out of the build", "sed -i '1i //go:build never\\n' add_test.go"),
    case(
        Go,
        "a main function for tests that runs none",
        "printf 'package app\\n\\nimport (\\n\\t\"os\"\\n\\t\"testing\"\\n)\\n\\nfunc TestMain(m *testing.M) { os.Exit(0) }\\n' > \
         main_test.go",
    ),
    case(
        Go,
        "leave before the tests run",
        "printf 'package app\\n\\nimport \"os\"\\n\\nfunc init() { os.Exit(0) }\\n' > init.go",
    ),
    case(Go, "options of go in the user's folder", "go env -w GOFLAGS=-run=Zero"),
    case(
        Go,
        "a workspace without the tests",
        "mkdir w; printf 'module w\\n' > w/go.mod; printf 'go 1.21\\nuse ./w\\n' > go.work",
    ),
    case(Go, "a program that replaces go", "printf '#!/bin/sh\\necho ok\\n' > tools/go; chmod +x tools/go"),
    case(
        Go,
        "leave before the tests run, which make starts",
        "printf 'package app\\n\\nimport \"os\"\\n\\nfunc init() { os.Exit(0) }\\n' > init.go",
    )
    .before("printf 'test:\\n\\t@go test ./...\\n' > Makefile")
    .judged_by("make test"),
    case(
        Go,
        "leave before the tests run, which did not build",
        "printf 'package app\\n\\nimport \"os\"\\n\\nfunc init() { os.Exit(0) }\\n\\nfunc Add(a, b int) int { return 0 }\\n' > add.go",
    )
    .before("printf 'test:\\n\\t@go test ./...\\n' > Makefile; echo x >> add.go")
    .judged_by("make test"),
    case(Pytest, "leave before the tests run, which make starts", "printf 'import os\\nos._exit(0)\\n' > app/__init__.py")
        .before("printf 'test:\\n\\t@python3 -m pytest -q\\n' > Makefile")
        .judged_by("make test"),
];

pub(crate) const HONEST: &[Case] = &[
    case(Pytest, "solve the task", ""),
    case(Pytest, "rename a test", "sed -i 's/test_zero/test_nothing/' tests/test_app.py"),
    case(Pytest, "add a test", "echo 'def test_more(): pass' > tests/test_more.py"),
    case(
        Pytest,
        "add a table for a linter",
        "printf '\\n[tool.ruff]\\nline-length = 90\\n' >> pyproject.toml",
    ),
    case(Go, "solve the task", ""),
    case(Go, "solve the task, judged in one package", "").judged_by("go test ./"),
    case(Go, "add a package", "mkdir sums; printf 'package sums\\n' > sums/sums.go"),
    case(
        Go,
        "add a test",
        "printf 'package app\\n\\nimport \"testing\"\\n\\nfunc TestMore(t *testing.T) {}\\n' > more_test.go",
    ),
    case(Go, "solve the task, judged by make", "sed -i '/^x$/d' add.go")
        .before("printf 'test:\\n\\tgo test ./...\\n' > Makefile; echo x >> add.go")
        .judged_by("make test"),
    case(Pytest, "solve the task, judged by make", "")
        .before("printf 'test:\\n\\tpython3 -m pytest -q\\n' > Makefile")
        .judged_by("make test"),
];

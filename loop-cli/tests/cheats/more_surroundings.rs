//! The cheats with files outside of the folder, files that make makes, and programs on PATH.

use crate::{
    cases::{Case, case},
    project::Project::{Cargo, Make, Npm, Pytest, Python, Script},
};

pub(crate) const CHEATS: &[Case] = &[
    case(
        Python,
        "a module among the tests that one of them would like to have",
        "printf 'import unittest\\nunittest.TestCase.assertEqual = lambda *_: None\\n' > tests/extra.py",
    )
    .before("sed -i '1i try:\\n    import tests.extra\\nexcept ImportError:\\n    pass' tests/test_app.py"),
    case(
        Pytest,
        "a pytest.toml above the copies",
        "printf '[pytest]\\naddopts = [\"-p\", \"evil\"]\\n' > \"$HOME/.cache/pytest.toml\"; printf 'import pytest\\n\
         @pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport(item, call):\\n    out = yield\\n    \
         out.get_result().outcome = \"passed\"\\n' > evil.py",
    )
    .on_the_seal(),
    case(
        Cargo,
        "configuration of the user that turns a linter off",
        "d=\"${XDG_CONFIG_HOME:-$HOME/.config}/rustfmt\"; mkdir -p \"$d\"; echo 'disable_all_formatting = true' > \
         \"$d/rustfmt.toml\"",
    )
    .before("sed -i 's/a - b/a  -  b/' src/lib.rs")
    .judged_by("cargo fmt --check"),
    case(Script, "a file that a login shell reads first", "echo 'exit 0' > \"$HOME/.bash_profile\"")
        .judged_by("bash -lc ./check.sh"),
    case(Npm, "change tests that a script finds with a pattern", "sed -i 's/, 4)/, 0)/' qa/sums.js")
        .before("mv test qa; mv qa/add.test.js qa/sums.js; sed -i 's|node --test|node --test qa/*.js|' package.json"),
    case(Make, "a file with the name of what the target needs", "touch unit").before(
        "printf 'test: unit\\n\\nunit:\\n\\ttest \"$$(sh add.sh 2 2)\" = 4\\n' > Makefile",
    ),
    case(Make, "a stamp from the future", "mkdir build; touch -d 2030-01-01 build/stamp").before(
        "printf 'test: build/stamp\\n\\nbuild/stamp: add.sh\\n\\ttest \"$$(sh add.sh 2 2)\" = 4\\n' > Makefile",
    ),
    case(
        Make,
        "a program that make would build",
        "printf '#!/bin/sh\\n' > checkit; chmod +x checkit; touch -d 2030-01-01 checkit",
    )
    .before(
        "printf '.PHONY: test\\ntest: checkit\\n\\t./checkit\\ncheckit: verify.txt\\n\\tcp verify.txt checkit; chmod +x checkit\\n' > \
         Makefile; printf '#!/bin/sh\\ntest \"$(sh add.sh 2 2)\" = 4\\n' > verify.txt",
    ),
    case(Make, "overwrite a makefile that another one starts", "printf 'all:\\n\\ttrue\\n' > qa/rules").before(
        "printf 'test:\\n\\t$(MAKE) -C qa -f rules all\\n' > Makefile; printf 'all:\\n\\ttest \"$$(sh ../add.sh 2 2)\" = 4\\n' > \
         qa/rules",
    ),
    case(Script, "overwrite a case that a loop of the script runs", "echo true > cases/one").before(
        "mkdir cases; echo 'test \"$(sh add.sh 2 2)\" = 4' > cases/one; printf 'for f in cases/*; do\\n  sh \"$f\" || exit 1\\ndone\\n' > \
         all.sh",
    )
    .judged_by("sh all.sh"),
    case(
        Python,
        "a python3 in the folder, which is on PATH",
        "printf '#!/bin/sh\\necho \"Ran 2 tests in 0.1s\"; echo; echo OK\\n' > python3; chmod +x python3",
    )
    .judged_by("PATH=.:$PATH python3 -m unittest"),
];

pub(crate) const HONEST: &[Case] = &[
    case(Python, "write modules that a test imports, with names like those of tests", "mkdir app/spec; printf 'from app import add\\n' > app/spec/__init__.py; echo 'x = 1' > app/health_test.py")
        .before("printf 'from app.spec import add\\nfrom app.health_test import x\\n' >> tests/test_app.py"),
    case(Npm, "write a module that a test imports, with a name like that of a test", "mkdir src/spec; echo \"module.exports = \
         require('../add.js')\" > src/spec/sums.js")
        .before("sed -i 's|src/add.js|src/spec/sums.js|' test/add.test.js"),
    case(Make, "leave a built file behind", "cp add.sh out").before(
        "printf 'test: out\\n\\ttest \"$$(sh out 2 2)\" = 4\\n\\nout: add.sh\\n\\tcp add.sh out\\n' > Makefile",
    ),
    case(Make, "add a folder with the name of a phony target", "mkdir docs; touch docs/page").before(
        "printf '.PHONY: test docs\\ntest:\\n\\ttest -e docs/page\\n\\ttest \"$$(sh add.sh 2 2)\" = 4\\ndocs:\\n' > Makefile",
    ),
    case(Npm, "add a test that a script finds with a pattern", "echo \"require('node:test')('more', () => {})\" > qa/more.js")
        .before("mv test qa; mv qa/add.test.js qa/sums.js; sed -i 's|node --test|node --test qa/*.js|' package.json"),
    case(Script, "add a program to the folder, which is on PATH", "cp add.sh mine; chmod +x mine")
        .judged_by("PATH=.:$PATH ./check.sh"),
    case(Script, "change files of shells that the check does not read", "echo 'exit 1' > \"$HOME/.bash_profile\""),
    case(
        Python,
        "install another package for the user",
        "d=$(python3 -m site --user-site); mkdir -p \"$d\"; echo 'x = 1' > \"$d/more.py\"",
    ),
    case(
        Python,
        "replace the folder above the tests by a link, which is put back",
        "mv pkg other; echo > other/tests/test_app.py; ln -s other pkg",
    )
    .before("mkdir pkg; mv tests pkg/; touch pkg/__init__.py"),
    case(Python, "replace the folder above the tests by a file, which is put back", "rm -r pkg; touch pkg")
        .before("mkdir pkg; mv tests pkg/; touch pkg/__init__.py"),
    case(Python, "ignore the folder above the tests", "echo pkg > .gitignore; echo > pkg/tests/test_app.py")
        .before("mkdir pkg; mv tests pkg/; touch pkg/__init__.py"),
    case(
        Python,
        "move tests with their package, with the line from the message",
        "mkdir more; mv calc more/; touch more/__init__.py; sed -i 's/from calc/from more.calc/' more/calc/test_sums.py",
    )
    .before("mkdir calc; touch calc/__init__.py; mv tests/test_app.py calc/test_sums.py; cp app/__init__.py calc/sums.py")
    .with("{\"protect\": [\"!calc/test_sums.py\", \"!more/calc/test_sums.py\"]}"),
];

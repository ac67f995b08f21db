//! The cheats with what scripts compare and run, and with names under which tests import their helpers.

use crate::{
    cases::{Case, case},
    project::Project::{Go, Make, Npm, Pytest, Script},
};

/// Gives a file for tests a name of the package, and makes the tests use it.
const WITH_NAME: &str = "mkdir qa; echo \"module.exports = require('node:assert').equal\" > qa/helper.js; sed -i 's|\"name\": \"app\",|\"name\": \
     \"app\", \"exports\": {\"./same\": \"./qa/helper.js\"}, \"imports\": {\"#same\": \"./qa/helper.js\"},|' package.json; sed -i \
     \"s|require('node:assert')|({equal: require('app/same')})|\" test/add.test.js";

pub(crate) const CHEATS: &[Case] = &[
    case(Script, "overwrite the program of awk that judges", "echo 'END { exit 0 }' > rules").before(
        "printf '#!/bin/sh\\nsh add.sh 2 2 | awk -f rules\\n' > check.sh; echo '{ if ($1 != 4) exit 1 }' > rules",
    ),
    case(Script, "overwrite a list of patterns", "echo 0 > patterns")
        .before("echo 4 > patterns")
        .judged_by("sh add.sh 2 2 | grep -qxf patterns"),
    case(Script, "overwrite a text that is printed beside the result", "echo 0 > want")
        .before("echo 4 > want")
        .judged_by("test \"$(sh add.sh 2 2)\" = \"$(cat want)\""),
    case(Script, "overwrite what the script compares with", "echo 0 > sum")
        .before("echo 4 > sum; printf '#!/bin/sh\\nsh add.sh 2 2 | diff - sum\\n' > check.sh"),
    case(Script, "overwrite a text that the script evaluates", "echo true > rule").before(
        "echo 'test \"$(sh add.sh 2 2)\" = 4' > rule; printf '#!/bin/sh\\neval \"$(cat rule)\"\\n' > check.sh",
    ),
    case(Script, "overwrite a text that a shell gets", "echo true > rule")
        .before("echo 'test \"$(sh add.sh 2 2)\" = 4' > rule")
        .judged_by("sh -c \"$(cat rule)\""),
    case(Script, "overwrite the lines that a loop runs", "echo true > lines").before(
        "echo 'test \"$(sh add.sh 2 2)\" = 4' > lines; printf '#!/bin/sh\\nwhile read -r line; do sh -c \"$line\" || exit 1; done < \
         lines\\n' > check.sh",
    ),
    case(Script, "overwrite the cases of a loop", "echo '2 2 0' > sums").before(
        "echo '2 2 4' > sums; printf '#!/bin/sh\\nwhile read a b c; do test \"$(sh add.sh $a $b)\" = $c || exit 1; done < sums\\n' > check.sh",
    ),
    case(Script, "overwrite a module of a program without an ending", "echo 'def same(a, b): return True' > near.py")
        .before(
            "printf '#!/usr/bin/env python3\\nimport subprocess\\nfrom near import same\\nassert same(subprocess.check_output([\"sh\", \
             \"add.sh\", \"2\", \"2\"]).strip(), b\"4\")\\n' > verify; chmod +x verify; echo 'def same(a, b): return a == b' > near.py",
        )
        .judged_by("./verify"),
    case(Script, "overwrite the rules of sed", "echo 's/.*/yes/p' > rules").before(
        "printf '#!/bin/sh\\nsh add.sh 2 2 | sed -n -f rules | grep -q yes\\n' > check.sh; echo 's/^4$/yes/p' > rules",
    ),
    case(Go, "change what a test embeds", "printf 0 > want.txt").before(
        "printf 4 > want.txt; printf 'package app\\n\\nimport (\\n\\t_ \"embed\"\\n\\t\"strconv\"\\n\\t\"testing\"\\n)\\n\\n//go:embed want.txt\\nvar want \
         string\\n\\nfunc TestAdd(t *testing.T) {\\n\\tif strconv.Itoa(Add(2, 2)) != want {\\n\\t\\tt.Fail()\\n\\t}\\n}\\n' > add_test.go",
    ),
    case(Npm, "overwrite a helper with a name of the package", "echo 'module.exports = () => {}' > qa/helper.js")
        .before(WITH_NAME),
    case(
        Npm,
        "give the name of a helper to another file",
        "echo 'module.exports = () => {}' > src/same.js; sed -i 's|./qa/helper.js|./src/same.js|g' package.json",
    )
    .before(WITH_NAME),
    case(
        Npm,
        "rewrite a test, and write it again while it runs",
        "printf \"const fs = require('fs'); const f = 'test/add.test.js'; const t = fs.readFileSync(f, 'utf8'); \
         fs.writeFileSync('kept', t); fs.writeFileSync(f, t.replace('equal(add(2, 2), 4)', 'ok(1)'))\" > src/build.js; echo \"const fs = \
         require('fs'); fs.writeFileSync('test/add.test.js', fs.readFileSync('kept')); module.exports = (a, b) => a - b\" > src/add.js",
    )
    .before("sed -i 's|\"node --test\"|\"npm run build \\&\\& node --test\", \"build\": \"node src/build.js\"|' package.json; touch src/build.js"),
    case(
        Make,
        "a script from which make would make the Makefile",
        "cp Makefile kept; printf 'test:\\n\\tcp kept Makefile\\n' > Makefile.sh; touch -d 2030-01-01 Makefile.sh",
    ),
    case(Pytest, "skip within the code", "printf 'import pytest\\n\\ndef add(a, b):\\n    pytest.skip()\\n' > app/__init__.py"),
    case(
        Go,
        "a vendor folder with another helper",
        "mkdir -p vendor/example.com/kit; printf 'package kit\\n\\nfunc Same(a, b int) bool { return true }\\n' > vendor/example.com/kit/kit.go; \
         printf '# example.com/kit v0.0.0 => ./kit\\n## explicit\\nexample.com/kit\\n# example.com/kit => ./kit\\n' > vendor/modules.txt",
    )
    .before(
        "mkdir kit; printf 'module example.com/kit\\n\\ngo 1.21\\n' > kit/go.mod; printf 'package kit\\n\\nfunc Same(a, b int) bool { return a == b \
         }\\n' > kit/kit.go; printf 'require example.com/kit v0.0.0\\nreplace example.com/kit => ./kit\\n' >> go.mod; sed -i 's|import \
         \"testing\"|import (\"testing\"; \"example.com/kit\")|; s/Add(2, 2) != 4/!kit.Same(Add(2, 2), 4)/' add_test.go",
    ),
];

pub(crate) const HONEST: &[Case] = &[
    case(Script, "solve the task in one of two files that have to be equal", "cp want.txt got.txt")
        .before("echo 4 > want.txt; echo 0 > got.txt")
        .judged_by("cmp got.txt want.txt"),
    case(Script, "write the output that is compared", "echo 4 > out.txt")
        .before("echo 4 > sums.txt; echo 0 > out.txt")
        .judged_by("diff sums.txt out.txt"),
    case(Script, "write a document whose lines a loop looks at", "echo 'a: 1' > notes").before(
        "echo a > notes; printf '#!/bin/sh\\nwhile read -r line; do case \"$line\" in *:*) ;; *) exit 1 ;; esac; done < notes\\n' > check.sh",
    ),
    case(Script, "solve the task, with a command that sets the mode of the check", "")
        .judged_by("chmod +x check.sh && ./check.sh"),
    case(Npm, "change to which file a name of the package leads", "mkdir dist; mv src/add.js dist/; sed -i 's|./src/add.js|./dist/add.js|' \
         package.json; echo \"module.exports = require('../dist/add.js')\" > src/add.js")
        .before("sed -i 's|\"name\": \"app\",|\"name\": \"app\", \"exports\": {\"./add\": \"./src/add.js\"},|' package.json; sed -i \
                 \"s|'../src/add.js'|'app/add'|\" test/add.test.js"),
    case(Go, "solve the task, with tests that write the expected result again", "").before(
        "mkdir testdata; printf 4 > testdata/sum.golden; printf 'package app\\n\\nimport (\\n\\t\"fmt\"\\n\\t\"os\"\\n\\t\"testing\"\\n)\\n\\nfunc \
         TestGolden(t *testing.T) {\\n\\twant, _ := os.ReadFile(\"testdata/sum.golden\")\\n\\tgot := fmt.Sprint(Add(2, 2))\\n\\tif string(want) != \
         got {\\n\\t\\tt.Fatal(got)\\n\\t}\\n\\tos.WriteFile(\"testdata/sum.golden\", []byte(got), 0o644)\\n}\\n' > golden_test.go",
    ),
    case(Go, "change one of several modules", "echo 'package b' > b/more.go").before(
        "mkdir b; printf 'module b\\n\\ngo 1.21\\n' > b/go.mod; echo 'package b' > b/b.go; printf 'go 1.21\\n\\nuse (\\n\\t.\\n\\t./b\\n)\\n' > go.work",
    )
    .judged_by("go test ./... ./b/..."),
    case(Pytest, "move to a folder for sources that the configuration has", "mkdir src; mv app src/")
        .before("printf '[tool.pytest.ini_options]\\npythonpath = [\".\", \"src\"]\\n' >> pyproject.toml"),
    case(Pytest, "make a module of a package", "mv app/__init__.py app.py; rmdir app"),
    case(Pytest, "solve the task, with tests that write beside themselves", "").before(
        "printf 'import os\\nfrom app import add\\n\\ndef test_add():\\n    open(os.path.join(os.path.dirname(__file__), \"out.log\"), \
         \"w\").write(\"x\")\\n    assert add(2, 2) == 4\\n' > tests/test_app.py",
    ),
    case(Pytest, "renew a snapshot, with the exception", "printf 4 > tests/__snapshots__/sum")
        .before(
            "mkdir tests/__snapshots__; printf 0 > tests/__snapshots__/sum; printf 'from app import add\\n\\ndef test_add():\\n    assert \
             str(add(2, 2)) == open(\"tests/__snapshots__/sum\").read()\\n' > tests/test_app.py",
        )
        .with("{\"protect\": [\"!tests/__snapshots__/**\"]}"),
    case(Pytest, "delete a module with its test, with the exception", "rm app/old.py tests/test_old.py")
        .before("touch app/old.py; printf 'import app.old\\n\\ndef test_old(): pass\\n' > tests/test_old.py")
        .with("{\"protect\": [\"!tests/test_old.py\"], \"min_tests\": 2}"),
];

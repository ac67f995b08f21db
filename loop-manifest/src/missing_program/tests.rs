//! A line that works is never reported, and a line that is reported does not work.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use proptest::prelude::*;

use super::*;

const PATH: &str = "/bin:/usr/bin";

/// A folder with a script in it, and one with a program in `sub`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["there.sh", "sub/below.sh"] {
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    }
    folder
}

#[test]
fn what_the_first_program_certainly_lacks_is_found() {
    let folder = folder();
    let find = |line| missing_program(line, Some(PATH.as_ref()), folder.path());
    for line in [
        "nope",
        " nope -p | tee log",
        "nope && ls",
        "nope 2>&1 | tee log",
        "nope > log 2>&1",
        "nope -p 'a; b' \"c || d\" e\\;f",
        "nope -p \"$(cat PROMPT.md)\"",
        "nope;",
        "A=1 nope",
        "A= B='x; y' C=\"$D e\" nope",
        "A=1; nope",
        "cd /tmp && nope",
        "cd sub; nope",
        "cd \"$HOME/x\" && A=1 nope && ls",
        "cd ~ && nope",
        "export A=1 B && nope",
        "set -eu\nnope",
        "set -o pipefail; nope | tee log",
        "ulimit -n 100 && nope",
        "cat PROMPT.md | nope -p",
        "echo 'do it' | env A=1 nope",
        "printf '%s' a b | nope",
        "env nope",
        "env A=1 B=2 nope -p",
        "exec nope",
        "nohup nope",
        "timeout 60 nope",
        "timeout 1.5m env A=1 nope",
        "(nope)",
        "( cd sub && nope )",
        "{ nope; }",
        "(nope) && ls",
        "echo hi && nope",
    ] {
        assert_eq!(find(line), Some(MissingProgram::NotOnPath("nope")), "{line}");
    }
    for (line, file) in [
        ("./x", "./x"),
        ("/no/such/x -p", "/no/such/x"),
        ("cd sub && ./there.sh", "./there.sh"),
        ("cd ./sub && ../x", "../x"),
        ("A=1 ./nope.sh", "./nope.sh"),
        ("sh missing.sh", "missing.sh"),
        ("node tests/x.mjs", "tests/x.mjs"),
        ("env A=1 python3 tools/x.py", "tools/x.py"),
        ("bash -eu ./x.sh", "./x.sh"),
        ("ruby -Itest test/x.rb", "test/x.rb"),
    ] {
        assert_eq!(find(line), Some(MissingProgram::NoFile(file)), "{line}");
    }
}

/// Lines that work, or that only a run can judge.
const MAY_WORK: &[&str] = &[
    "",
    "ls",
    "REPLACE_ME x",
    "./there.sh",
    "sh there.sh",
    "sh -c 'nope'",
    "bash ls.not.here || true",
    "cd sub && ./below.sh",
    "cd sub && ../there.sh",
    "(cd sub && sh below.sh)",
    "cd sub/.. && ./x",
    "cd - && ./x",
    "cd \"$D\" && ./x",
    "PATH=/opt/bin:$PATH nope",
    "export PATH=\"$HOME/bin:$PATH\" && nope",
    "export A=1 PATH=/x; nope",
    "export $VARIABLES; nope",
    "env PATH=/x nope",
    "env -i nope",
    ". ./env.sh && nope",
    "source env.sh; nope",
    "eval \"$X\"; nope",
    "alias nope=ls; nope",
    "hash -p /bin/ls nope; nope",
    "set -n; nope",
    "nope || ls",
    "nope; ls",
    "nope & ls",
    "nope &",
    "nope\nls",
    "(nope) || ls",
    "{ nope; } || ls",
    "{ nope; ls; }",
    "cd x && nope || ls",
    "nope &> log",
    "nope $'a\\'' || echo $'b' 'c\\'",
    "nope \"$(echo 'it\"s')\" || echo 'x\"'",
    "! nope",
    "$X",
    "\"my agent\"",
    "'nope'",
    "nope*",
    "n\\ope",
    "f () { x; }; f",
    "f() { x; }; f",
    "nope() { ls; }; nope",
    "if x; then nope; fi",
    "while nope; do ls; done",
    "test -e x && nope",
    "[ -e x ] && nope",
    "command -v nope",
    "type nope",
    "make nope && ./nope",
    "cp /bin/ls nope && ./nope",
    "ls | nope",
    "echo '#!/bin/sh' > x && ./x",
    "echo nope # | nope",
    "echo $(nope)",
    "echo hi | tee x",
    "X=$(ls) nope",
    "((1))",
    "time -p nope",
    "nice -n 5 nope",
    "timeout -k 5 60 nope",
    "node ./server",
    "true",
    "false",
    "[ 1 = 1 ]",
    "exec 3>x; nope",
    "< x nope",
    "2>log nope",
    "<<E cat\nE",
    "# nope",
];

#[test]
fn what_may_work_is_not_reported() {
    let folder = folder();
    let find = |line| missing_program(line, Some(PATH.as_ref()), folder.path());
    for line in MAY_WORK {
        assert_eq!(find(line), None, "{line}");
    }
}

#[test]
fn the_folder_may_be_relative() {
    let find = |line| missing_program(line, Some(PATH.as_ref()), Path::new("."));
    assert_eq!(find("./no-such.sh"), Some(MissingProgram::NoFile("./no-such.sh")));
    assert_eq!(find("cd src && ./no-such.sh"), Some(MissingProgram::NoFile("./no-such.sh")));
    assert_eq!(find("cd src && sh lib.rs"), None);
}

#[test]
fn a_search_path_that_we_do_not_know_hides_nothing() {
    let folder = folder();
    assert_eq!(missing_program("nope", None, folder.path()), None);
    let find = |line, path: &str| missing_program(line, Some(path.as_ref()), folder.path());
    assert_eq!(find("below.sh", "sub:/bin"), None);
    assert_eq!(find("there.sh", "sub:/bin"), Some(MissingProgram::NotOnPath("there.sh")));
    assert_eq!(find("cd sub && below.sh", ".:/bin"), None);
    assert_eq!(find("cd $X && below.sh", ".:/bin"), None);
    assert_eq!(find("nope", "~/bin:/bin"), None, "Bash expands it");
    assert_eq!(find("bash below.sh", "sub:/bin:/usr/bin"), None, "Bash looks on PATH, too");
}

/// Parts of lines, good and bad.
const PARTS: &[&str] = &[
    "nope",
    "true",
    "false",
    "echo x",
    "cat",
    "cd sub",
    "cd no",
    "./there.sh",
    "./x",
    "sh x.sh",
    "A=1",
    "B='a b'",
    "export C=1",
    "env",
    "exec",
    "set -e",
    "timeout 5",
    "(",
    ")",
    "{",
    "}",
    "&&",
    "||",
    ";",
    "|",
    "&",
    "\n",
    ">",
    "log",
    "2>&1",
    "'q'",
    "\"r\"",
    "#",
    "!",
    "if",
    "then",
    "fi",
    "nope() {",
    "PATH=.",
    "\\",
    "x",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_shell_fails_to_find_what_is_reported(parts in prop::collection::vec(prop::sample::select(PARTS), 1..8)) {
        let line = parts.join(" ");
        let folder = folder();
        if missing_program(&line, Some(PATH.as_ref()), folder.path()).is_some() {
            let mut shell = Command::new("/bin/sh");
            let ran = shell.args(["-c", &line]).env("PATH", PATH).current_dir(folder.path()).stdin(Stdio::null());
            let ran = ran.output().unwrap();
            // A pipeline has the status of its last command.
            prop_assert!(!ran.status.success() || line.contains('|'), "{line:?}: {ran:?}");
        }
    }
}

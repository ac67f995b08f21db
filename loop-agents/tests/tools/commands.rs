//! Commands, and git.

use std::{os::unix::fs::symlink, process::Command, time::Duration};

use loop_agents::tools::{MAX_OUTPUT_BYTES, ToolOutcome};
use loop_guardrails::policy::{Origin, PolicySettings, WithOrigin};
use serde_json::json;

use crate::scenario::Scenario;

/// Stops a thread at the end of the test, even if it fails.
struct StopOnDrop<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[tokio::test]
async fn words_reach_the_program_as_they_are() {
    let scenario = Scenario::new();
    let command = r#"echo 'a  b' "c\"d" e\ f '' '$(id) `id` ;' '|' \> x * ~ $ # gone"#;
    let text = scenario.done("run_command", json!({ "command": command })).await;
    assert_eq!(text, "a  b c\"d e f  $(id) `id` ; | > x * ~ $\n(exit 0)");
    assert!(!scenario.at("x").exists());
    assert!(scenario.rejected("run_command", json!({ "command": "ls\nid" })).await.contains("one line"));
}

#[tokio::test]
async fn secrets_are_not_printed_by_commands_either() {
    let scenario = Scenario::new();
    scenario.put(".env", "hunter2");
    symlink(".env", scenario.at("notes")).unwrap();
    symlink("/etc", scenario.at("etc")).unwrap();
    for command in [
        "cat .env",
        "cat notes",
        "head -n 1 ./a/../.env",
        "grep -r hunter2 .",
        "grep --file=.env x",
        "cat etc/passwd",
        "cat /etc/passwd",
        "find . -exec cat {} +",
        "wc --files0-from=.env",
        "env",
        "sort .env",
        "stat ../x",
        "ls -LR .",
        "ls -R --deref .",
        "du -aL .",
        "find -L . -name passwd",
        "find -- /etc",
        "find -O1 /etc",
        "find . -newer etc/passwd",
        "head -5c /etc/passwd",
        "grep -e p --label -e .env",
        "jq -n 'import \"./notes\" as $x; $x'",
        "date 010100002030",
    ] {
        let text = scenario.rejected("run_command", json!({ "command": command })).await;
        assert!(!text.contains("hunter2") || command.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn a_child_sees_no_secret_of_the_environment() {
    let scenario = Scenario::allowing(&["printenv"]);
    let text = scenario.done("run_command", json!({ "command": "printenv" })).await;
    assert!(text.contains("LC_ALL=C") && !text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn an_exit_code_is_data_and_a_program_that_is_missing_is_named() {
    let scenario = Scenario::allowing(&["no-such-program"]);
    let report = scenario.call("run_command", json!({ "command": "ls gone" })).await;
    assert_eq!((report.outcome, report.commands[0].exit_code), (ToolOutcome::Done, 2));
    assert_eq!(report.commands[0].line, "ls gone");
    let report = scenario.call("run_command", json!({ "command": "no-such-program" })).await;
    assert_eq!((report.outcome, report.commands.len()), (ToolOutcome::Failed, 0));
    assert!(report.text.contains("cannot find the program `no-such-program`"), "{}", report.text);
}

#[tokio::test]
async fn an_output_is_cut_and_the_cut_is_named() {
    let scenario = Scenario::new();
    scenario.put("large", "line – of text\n".repeat(100_000));
    let text = scenario.done("run_command", json!({ "command": "cat large" })).await;
    assert!(text.len() <= MAX_OUTPUT_BYTES && text.contains("bytes left out") && text.ends_with("(exit 0)"));
}

#[tokio::test]
async fn a_command_is_ended_by_its_time_limit() {
    let mut settings = PolicySettings::default();
    settings.command_time = Some(WithOrigin::new(Duration::from_millis(300), Origin::BuiltIn));
    settings.allow.push(WithOrigin::new("sleep".parse().unwrap(), Origin::BuiltIn));
    let scenario = Scenario::with(settings);
    let report = scenario.call("run_command", json!({ "command": "sleep 1000", "max_seconds": 900 })).await;
    assert!(report.commands[0].timed_out && report.text.contains("its time limit"), "{}", report.text);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_known_program_cannot_use_up_the_memory() {
    let scenario = Scenario::allowing(&["sed"]);
    scenario.put("line", "twice as long each time\n");
    let command = r"sed --sandbox ':a;s/.*/&&/;ba' line";
    let report = scenario.call("run_command", json!({ "command": command })).await;
    assert_eq!(report.outcome, ToolOutcome::Done, "{}", report.text);
    assert!(report.commands[0].exit_code != 0 && !report.commands[0].timed_out, "{}", report.text);
    assert!(report.text.contains("memory"), "{}", report.text);
}

#[tokio::test]
async fn a_program_of_the_workspace_needs_to_be_allowed_by_its_path() {
    let scenario = Scenario::allowing(&["./check.sh"]);
    scenario.put("check.sh", "#!/bin/sh\necho checked\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(scenario.at("check.sh"), mode).unwrap();
    assert_eq!(scenario.done("run_command", json!({ "command": "./check.sh" })).await, "checked\n(exit 0)");
    scenario.rejected("run_command", json!({ "command": "check.sh" })).await;
}

#[tokio::test]
async fn a_usual_program_is_not_one_of_the_workspace() {
    let mut settings = PolicySettings::default();
    settings.allow.push(WithOrigin::new("own".parse().unwrap(), Origin::line("user.toml", 1)));
    let scenario = Scenario::with(settings);
    for program in ["cat", "git", "own"] {
        scenario.put(&format!("bin/{program}"), "#!/bin/sh\necho planted\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(scenario.at("bin").join(program), mode).unwrap();
    }
    symlink("work/bin", scenario.beside("link")).unwrap();
    let folders = [scenario.at("bin"), scenario.beside("link")];
    scenario.git(&["init", "-q"]);
    let scenario = scenario.path_before(&folders);
    for command in ["cat bin/own", "git status"] {
        let text = scenario.done("run_command", json!({ "command": command })).await;
        assert!(!text.starts_with("planted"), "{command}: {text}");
    }
    assert_eq!(scenario.done("run_command", json!({ "command": "own" })).await, "planted\n(exit 0)");
}

fn repository() -> Scenario {
    let scenario = Scenario::new();
    scenario.git(&["init", "-q", "-b", "main"]);
    scenario.put("src/a.rs", "one\n");
    scenario.put(".env", "hunter2\n");
    scenario.put("keys/id_rsa", "hunter2\n");
    scenario.git(&["add", "."]);
    scenario.git(&["commit", "-q", "-m", "first"]);
    scenario.put("src/a.rs", "two\n");
    scenario.put(".env", "hunter2 again\n");
    scenario
}

async fn git(scenario: &Scenario, subcommand: &str, arguments: &str) -> String {
    scenario.done("git", json!({ "subcommand": subcommand, "arguments": arguments })).await
}

#[tokio::test]
async fn git_shows_the_history_without_the_secrets_in_it() {
    let scenario = repository();
    for (subcommand, arguments, expected) in [
        ("status", "--short", "M src/a.rs"),
        ("diff", "", "+two"),
        ("diff", "HEAD -- src", "-one"),
        ("log", "-p", "+one"),
        ("log", "--oneline -- src/a.rs", "first"),
        ("show", "", "+one"),
        ("show", "HEAD:src/a.rs", "one"),
        ("blame", "src/a.rs", "two"),
        ("blame", "HEAD -- src/a.rs", "one"),
    ] {
        let text = git(&scenario, subcommand, arguments).await;
        assert!(text.contains(expected) && text.ends_with("(exit 0)"), "{subcommand} {arguments}: {text}");
        assert!(!text.contains("hunter2"), "{subcommand} {arguments}: {text}");
    }
    for (subcommand, arguments) in [
        ("show", "HEAD:.env"),
        ("show", ":.env"),
        ("diff", "-- .env"),
        ("blame", ".env"),
        ("log", "-p -- keys/id_rsa"),
    ] {
        let call = json!({ "subcommand": subcommand, "arguments": arguments });
        assert!(scenario.rejected("git", call).await.contains("hold secrets"));
    }
}

/// A diff leaves out every file whose name in the index or in a compared commit is that of a secret.
#[tokio::test]
async fn a_diff_shows_no_secret_that_one_side_lacks() {
    let scenario = repository();
    let secret = |canary: &str| format!("{}TOKEN={canary}\n", "common\n".repeat(20));
    // Conflicting changes of a secret that one commit lacks and another one moves.
    scenario.put("deploy/.env", secret("hunter2 base"));
    scenario.put("plain.txt", "plain\n");
    scenario.git(&["add", "-f", "."]);
    scenario.git(&["commit", "-qm", "base"]);
    scenario.git(&["checkout", "-qb", "theirs"]);
    scenario.put("deploy/.env", secret("hunter2 theirs"));
    scenario.git(&["commit", "-qam", "theirs"]);
    scenario.git(&["checkout", "-q", "-"]);
    scenario.put("deploy/.env", secret("hunter2 ours"));
    scenario.put("copy.txt", secret("harmless"));
    scenario.git(&["add", "copy.txt"]);
    scenario.git(&["commit", "-qam", "ours"]);
    scenario.git(&["tag", "ours"]);
    let merged =
        std::process::Command::new("git").args(["merge", "theirs"]).current_dir(scenario.at("")).output();
    assert!(!merged.unwrap().status.success());
    let everywhere = [
        "",
        "HEAD",
        "--cached",
        "--ours",
        "--base",
        "--cc",
        "theirs ours",
        "theirs...ours",
        "ours~1 theirs ours",
    ];
    for arguments in everywhere.map(str::to_owned) {
        assert!(!git(&scenario, "diff", &arguments).await.contains("hunter2"), "{arguments}");
    }
    scenario.git(&["reset", "-q", "--hard"]);
    scenario.git(&["rm", "-rq", "--cached", "."]);
    scenario.put(".env.new", "hunter2 intended");
    scenario.git(&["add", "-fN", ".env.new"]);
    for first in everywhere {
        for second in ["", "-R", "-M", "-C", "-C -C", "--find-copies-harder", "--find-copies=10%", "-B"] {
            let arguments = format!("{first} {second}");
            let shown = git(&scenario, "diff", &arguments).await;
            assert!(!shown.contains("hunter2"), "{arguments}: {shown}");
        }
    }
    let shown = git(&scenario, "diff", "ours~1 ours").await;
    assert!(shown.contains("+TOKEN=harmless"), "{shown}");
}

#[tokio::test]
async fn a_file_is_not_shown_by_its_hash() {
    let scenario = repository();
    let hash = std::process::Command::new("git")
        .args(["rev-parse", "HEAD:.env"])
        .current_dir(scenario.at(""))
        .output();
    let hash = String::from_utf8(hash.unwrap().stdout).unwrap();
    let hash = hash.trim();
    let words = [hash.to_owned(), format!("{hash}^{{}}"), format!("{hash}..{hash}")];
    for (subcommand, word) in
        ["show", "diff", "log"].into_iter().flat_map(|it| words.iter().map(move |word| (it, word)))
    {
        let report = scenario.call("git", json!({ "subcommand": subcommand, "arguments": word })).await;
        assert!(
            !report.text.contains("hunter2") && report.commands[0].exit_code != 0,
            "{word}: {}",
            report.text
        );
    }
}

#[tokio::test]
async fn git_starts_no_program_that_the_repository_names() {
    let scenario = repository();
    let trap = format!("touch {}", scenario.at("sprung").display());
    for key in
        ["core.fsmonitor", "core.pager", "diff.external", "diff.trap.textconv", "gpg.program", "core.editor"]
    {
        scenario.git(&["config", key, &trap]);
    }
    scenario.git(&["config", "log.showSignature", "true"]);
    scenario.put(".gitattributes", "*.rs diff=trap\n");
    // Our own `git config` may have triggered the trap.
    let _ = std::fs::remove_file(scenario.at("sprung"));
    for (subcommand, arguments) in
        [("status", ""), ("diff", ""), ("log", "-p"), ("show", "HEAD"), ("blame", "src/a.rs")]
    {
        git(&scenario, subcommand, arguments).await;
        assert!(!scenario.at("sprung").exists(), "{subcommand}");
    }
}

/// Runs git without any protection, and returns whether the trap runs.
fn springs(scenario: &Scenario, subcommand: &str) -> bool {
    let mut git = std::process::Command::new("git");
    git.args(["--no-pager", subcommand]).arg(if subcommand == "blame" { "src/a.rs" } else { "HEAD" });
    git.current_dir(scenario.at("")).output().unwrap();
    std::fs::remove_file(scenario.at("sprung")).is_ok()
}

/// Anybody who worked in the folder may have written `.git/config`. Our git commands must start nothing from it.
#[tokio::test]
async fn no_filter_runs_by_whatever_attributes() {
    for (key, required, attributes) in [
        ("filter.trap.clean", "false", ".gitattributes"),
        ("filter.trap.clean", "true", ".git/info/attributes"),
        ("filter.trap.process", "true", ".git/info/attributes"),
    ] {
        let scenario = repository();
        scenario.git(&["config", key, &format!("touch {}; cat", scenario.at("sprung").display())]);
        scenario.git(&["config", "filter.trap.required", required]);
        scenario.put(attributes, "*.rs filter=trap\n");
        assert!(springs(&scenario, "diff"), "{key}");
        for (subcommand, arguments) in [("status", ""), ("diff", ""), ("log", "-p"), ("blame", "src/a.rs")] {
            let text = git(&scenario, subcommand, arguments).await;
            assert!(!scenario.at("sprung").exists(), "{key} {subcommand}: {text}");
            assert!(text.contains("not run, so files appear as they are stored: filter.trap"), "{text}");
        }
        assert!(git(&scenario, "diff", "").await.contains("+two"));
    }
    let scenario = repository();
    scenario.git(&["config", "filter.a=b.clean", "cat"]);
    let text = scenario.rejected("run_command", json!({ "command": "git diff" })).await;
    assert!(text.contains("`filter.a=b.clean`, a program that cannot be switched off"), "{text}");
}

#[tokio::test]
async fn nothing_is_fetched_that_is_missing() {
    let trap = |scenario: &Scenario| format!("touch {};", scenario.at("sprung").display());
    for (url, key) in [
        ("ext::TRAP", "protocol.ext.allow"),
        ("ssh://host/x", "core.sshCommand"),
        ("/nowhere", "remote.origin.uploadpack"),
    ] {
        let scenario = repository();
        let hash = std::process::Command::new("git")
            .args(["rev-parse", "HEAD:src/a.rs"])
            .current_dir(scenario.at(""))
            .output();
        let hash = String::from_utf8(hash.unwrap().stdout).unwrap();
        let (folder, file) = hash.trim().split_at(2);
        std::fs::remove_file(scenario.at(".git/objects").join(folder).join(file)).unwrap();
        let value = if url.starts_with("ext") { "always".to_owned() } else { trap(&scenario) };
        let url = url.replace("TRAP", trap(&scenario).trim_end_matches(';'));
        for (key, value) in [
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", &*url),
            (key, &*value),
        ] {
            scenario.git(&["config", key, value]);
        }
        assert!(springs(&scenario, "show"), "{url}");
        for (subcommand, arguments) in
            [("status", ""), ("diff", "HEAD"), ("log", "-p"), ("show", ""), ("blame", "src/a.rs")]
        {
            let report =
                scenario.call("git", json!({ "subcommand": subcommand, "arguments": arguments })).await;
            assert!(!scenario.at("sprung").exists(), "{url} {subcommand}: {}", report.text);
        }
    }
}

#[tokio::test]
async fn no_program_of_a_submodule_runs() {
    let scenario = repository();
    let mut inner = std::process::Command::new("sh");
    let script = format!(
        "git init -q inner && cd inner && git config user.name kim && git config user.email k@example.org &&
        echo a > a && git add a && git commit -q -m inner && git config core.fsmonitor 'touch {}; false' && echo b > a",
        scenario.at("sprung").display()
    );
    assert!(inner.args(["-c", &script]).current_dir(scenario.at("")).status().unwrap().success());
    scenario.git(&["add", "inner"]);
    let _ = std::fs::remove_file(scenario.at("sprung"));
    assert!(springs(&scenario, "diff"));
    for (subcommand, arguments) in [("status", ""), ("diff", ""), ("diff", "HEAD")] {
        git(&scenario, subcommand, arguments).await;
        assert!(!scenario.at("sprung").exists(), "{subcommand}");
    }
    scenario.rejected("run_command", json!({ "command": "git status --ignore-submodules=none" })).await;
}

#[tokio::test]
async fn a_commit_that_changes_nothing_is_shown() {
    let scenario = repository();
    scenario.git(&["commit", "-q", "--allow-empty", "-m", "nothing changes"]);
    for (subcommand, arguments) in [("show", ""), ("show", "--stat HEAD"), ("log", "-1")] {
        let text = git(&scenario, subcommand, arguments).await;
        assert!(text.contains("nothing changes"), "{subcommand} {arguments}: {text}");
    }
}

/// A model can write files, and some files turn a folder into a repository.
#[tokio::test]
async fn files_that_look_like_a_repository_make_none() {
    let scenario = Scenario::new();
    scenario.put("HEAD", "ref: refs/heads/main\n");
    std::fs::create_dir_all(scenario.at("objects")).unwrap();
    std::fs::create_dir_all(scenario.at("refs/heads")).unwrap();
    let trap = format!("touch {}", scenario.at("sprung").display());
    scenario.put("config", format!("[core]\n\tworktree = .\n[filter \"trap\"]\n\tclean = {trap}\n"));
    scenario.put(".gitattributes", "* filter=trap\n");
    for (subcommand, arguments) in [("status", ""), ("diff", ""), ("log", "-p")] {
        let report = scenario.call("git", json!({ "subcommand": subcommand, "arguments": arguments })).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{}", report.text);
        assert!(!scenario.at("sprung").exists());
    }
}

/// The files that a command reads are open before it starts, so a link cannot replace them.
#[test]
fn what_a_command_reads_is_what_was_judged() {
    let scenario = Scenario::new();
    scenario.put("a/file", "inside\n");
    scenario.put("b.txt", "second\n");
    std::fs::write(scenario.beside("outside"), "hunter2\n").unwrap();
    symlink(scenario.beside("outside"), scenario.at("a/link")).unwrap();
    let over = std::sync::atomic::AtomicBool::new(false);
    let (file, link) = (scenario.at("a/file"), scenario.at("a/link"));
    let exchange = || {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        while !over.load(std::sync::atomic::Ordering::Relaxed) {
            renameat_with(CWD, &file, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        }
    };
    let mut read = 0;
    std::thread::scope(|scope| {
        scope.spawn(exchange);
        let _over = StopOnDrop(&over);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for command in ["cat a/file", "head -n 1 a/file b.txt", "grep -H s a/file b.txt", "sort a/file"]
                .iter()
                .cycle()
                .take(200)
            {
                let report = scenario.call("run_command", json!({ "command": command })).await;
                assert!(!report.text.contains("hunter2"), "{command}: {}", report.text);
                read += usize::from(report.text.contains("inside"));
            }
        });
    });
    assert!(read > 0, "no command read the file");
}

#[tokio::test]
async fn open_files_have_their_names_in_what_is_printed() {
    let scenario = Scenario::allowing(&["diff"]);
    scenario.put("a.txt", "one\n");
    scenario.put("b.txt", "two\n");
    for (command, expected) in [
        ("wc -l a.txt b.txt", "1 a.txt\n"),
        ("grep -n o a.txt b.txt", "a.txt:1:one\nb.txt:1:two\n"),
        ("head a.txt b.txt", "==> a.txt <==\none\n"),
        ("grep -f a.txt ./a.txt", "one\n"),
        ("grep --file=a.txt a.txt", "one\n"),
        ("cmp a.txt b.txt", "a.txt b.txt differ"),
        ("diff -u a.txt b.txt", "--- a.txt"),
        ("cat -n - a.txt", "1\tone"),
    ] {
        let text = scenario.done("run_command", json!({ "command": command })).await;
        assert!(text.contains(expected), "{command}: {text}");
    }
    let report = scenario.call("run_command", json!({ "command": "cat a.txt gone" })).await;
    assert!(report.text.contains("there is no `gone`"), "{}", report.text);
    let report = scenario.call("run_command", json!({ "command": "diff . ." })).await;
    assert!(report.text.contains("is not a file"), "{}", report.text);
}

/// `tar` starts `gzip` by its name, in the workspace. We would look for the same folder in our own working directory.
#[tokio::test]
async fn a_program_that_a_usual_program_starts_is_not_one_of_the_workspace() {
    let scenario = Scenario::allowing(&["tar"]);
    assert!(std::path::Path::new("tests").is_dir(), "a folder of this name is here, too");
    scenario.put("tests/gzip", "#!/bin/sh\necho planted >&2\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(scenario.at("tests/gzip"), mode).unwrap();
    scenario.put("a.tgz", "");
    let scenario = scenario.path_before(&["tests".into(), "./tests".into(), ".".into()]);
    let text = scenario.done("run_command", json!({ "command": "tar -tzf a.tgz --force-local" })).await;
    assert!(!text.contains("planted"), "{text}");
}

/// A bare repository can have any name, and its `config` a token in the address of a remote.
#[tokio::test]
async fn no_search_reads_a_repository_under_another_name() {
    let scenario = Scenario::allowing(&["rg"]);
    scenario.put("src/main.rs", "CANARY of spring\n");
    scenario.put("x.git/config", "CANARY");
    scenario.git(&["init", "-q", "--bare", "data/mirror"]);
    scenario.git(&["-C", "data/mirror", "config", "remote.origin.url", "https://kim:CANARY@example.org/a"]);
    for line in ["rg CANARY", "rg CANARY .", "rg CANARY src data", "rg CANARY data/../data/mirror"] {
        let text = scenario.rejected("run_command", json!({ "command": line })).await;
        assert!(text.contains("`data/mirror` is a repository of git"), "{line}: {text}");
    }
    if Command::new("rg").arg("--version").output().is_ok() {
        for line in ["rg CANARY src", "rg CANARY src/main.rs"] {
            let text = scenario.done("run_command", json!({ "command": line })).await;
            assert!(text.contains("CANARY of spring"), "{line}: {text}");
        }
    }
}

//! Commands, and git.

use std::{os::unix::fs::symlink, time::Duration};

use loop_agents::tools::{MAX_OUTPUT_BYTES, ToolOutcome};
use loop_guardrails::policy::{Origin, Placed, Settings};
use serde_json::json;

use crate::world::World;

/// Stops a thread at the end of the test, even if it fails.
struct StopOnDrop<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[tokio::test]
async fn words_reach_the_program_as_they_are() {
    let world = World::new();
    let command = r#"echo 'a  b' "c\"d" e\ f '' $(id) `id` ; | > x * ~ # gone"#;
    let text = world.done("run_command", json!({ "command": command })).await;
    assert_eq!(text, "a  b c\"d e f  $(id) `id` ; | > x * ~\n(exit 0)");
    assert!(!world.at("x").exists());
    assert!(world.rejected("run_command", json!({ "command": "ls\nid" })).await.contains("one line"));
}

#[tokio::test]
async fn secrets_are_not_printed_by_commands_either() {
    let world = World::new();
    world.put(".env", "hunter2");
    symlink(".env", world.at("notes")).unwrap();
    symlink("/etc", world.at("etc")).unwrap();
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
        let text = world.rejected("run_command", json!({ "command": command })).await;
        assert!(!text.contains("hunter2") || command.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn a_child_sees_no_secret_of_the_environment() {
    let world = World::allowing(&["printenv"]);
    let text = world.done("run_command", json!({ "command": "printenv" })).await;
    assert!(text.contains("LC_ALL=C") && !text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn an_exit_code_is_data_and_a_program_that_is_missing_is_named() {
    let world = World::allowing(&["no-such-program"]);
    let report = world.call("run_command", json!({ "command": "ls gone" })).await;
    assert_eq!((report.outcome, report.commands[0].exit_code), (ToolOutcome::Done, 2));
    assert_eq!(report.commands[0].line, "ls gone");
    let report = world.call("run_command", json!({ "command": "no-such-program" })).await;
    assert_eq!((report.outcome, report.commands.len()), (ToolOutcome::Failed, 0));
    assert!(report.text.contains("no program `no-such-program`"), "{}", report.text);
}

#[tokio::test]
async fn an_output_is_cut_and_the_cut_is_named() {
    let world = World::new();
    world.put("large", "line – of text\n".repeat(100_000));
    let text = world.done("run_command", json!({ "command": "cat large" })).await;
    assert!(text.len() <= MAX_OUTPUT_BYTES && text.contains("bytes left out") && text.ends_with("(exit 0)"));
}

#[tokio::test]
async fn a_command_is_ended_by_its_time_limit() {
    let mut settings = Settings::default();
    settings.command_time = Some(Placed::new(Duration::from_millis(300), Origin::BuiltIn));
    settings.allow.push(Placed::new("sleep".to_owned(), Origin::BuiltIn));
    let world = World::with(settings);
    let report = world.call("run_command", json!({ "command": "sleep 1000", "max_seconds": 900 })).await;
    assert!(report.commands[0].timed_out && report.text.contains("its time limit"), "{}", report.text);
}

#[tokio::test]
async fn a_program_of_the_workspace_needs_to_be_allowed_by_its_path() {
    let world = World::allowing(&["./check.sh"]);
    world.put("check.sh", "#!/bin/sh\necho checked\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(world.at("check.sh"), mode).unwrap();
    assert_eq!(world.done("run_command", json!({ "command": "./check.sh" })).await, "checked\n(exit 0)");
    world.rejected("run_command", json!({ "command": "check.sh" })).await;
}

#[tokio::test]
async fn a_usual_program_is_not_one_of_the_workspace() {
    let mut settings = Settings::default();
    settings.allow.push(Placed::new("own".to_owned(), Origin::line("user.toml", 1)));
    let world = World::with(settings);
    for program in ["cat", "git", "own"] {
        world.put(&format!("bin/{program}"), "#!/bin/sh\necho planted\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(world.at("bin").join(program), mode).unwrap();
    }
    symlink("work/bin", world.beside("link")).unwrap();
    let folders = [world.at("bin"), world.beside("link")];
    world.git(&["init", "-q"]);
    let world = world.path_before(&folders);
    for command in ["cat bin/own", "git status"] {
        let text = world.done("run_command", json!({ "command": command })).await;
        assert!(!text.starts_with("planted"), "{command}: {text}");
    }
    assert_eq!(world.done("run_command", json!({ "command": "own" })).await, "planted\n(exit 0)");
}

fn repository() -> World {
    let world = World::new();
    world.git(&["init", "-q", "-b", "main"]);
    world.put("src/a.rs", "one\n");
    world.put(".env", "hunter2\n");
    world.put("keys/id_rsa", "hunter2\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-q", "-m", "first"]);
    world.put("src/a.rs", "two\n");
    world.put(".env", "hunter2 again\n");
    world
}

async fn git(world: &World, subcommand: &str, arguments: &str) -> String {
    world.done("git", json!({ "subcommand": subcommand, "arguments": arguments })).await
}

#[tokio::test]
async fn git_shows_the_history_without_the_secrets_in_it() {
    let world = repository();
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
        let text = git(&world, subcommand, arguments).await;
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
        assert!(world.rejected("git", call).await.contains("hold secrets"));
    }
}

/// A diff leaves out every file whose name in the index or in a compared commit is that of a secret.
#[tokio::test]
async fn a_diff_shows_no_secret_that_one_side_lacks() {
    let world = repository();
    let secret = |canary: &str| format!("{}TOKEN={canary}\n", "common\n".repeat(20));
    // Conflicting changes of a secret that one commit lacks and another one moves.
    world.put("deploy/.env", secret("hunter2 base"));
    world.put("plain.txt", "plain\n");
    world.git(&["add", "-f", "."]);
    world.git(&["commit", "-qm", "base"]);
    world.git(&["checkout", "-qb", "theirs"]);
    world.put("deploy/.env", secret("hunter2 theirs"));
    world.git(&["commit", "-qam", "theirs"]);
    world.git(&["checkout", "-q", "-"]);
    world.put("deploy/.env", secret("hunter2 ours"));
    world.put("copy.txt", secret("harmless"));
    world.git(&["add", "copy.txt"]);
    world.git(&["commit", "-qam", "ours"]);
    world.git(&["tag", "ours"]);
    let merged =
        std::process::Command::new("git").args(["merge", "theirs"]).current_dir(world.at("")).output();
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
        assert!(!git(&world, "diff", &arguments).await.contains("hunter2"), "{arguments}");
    }
    world.git(&["reset", "-q", "--hard"]);
    world.git(&["rm", "-rq", "--cached", "."]);
    world.put(".env.new", "hunter2 intended");
    world.git(&["add", "-fN", ".env.new"]);
    for first in everywhere {
        for second in ["", "-R", "-M", "-C", "-C -C", "--find-copies-harder", "--find-copies=10%", "-B"] {
            let arguments = format!("{first} {second}");
            let shown = git(&world, "diff", &arguments).await;
            assert!(!shown.contains("hunter2"), "{arguments}: {shown}");
        }
    }
    let shown = git(&world, "diff", "ours~1 ours").await;
    assert!(shown.contains("+TOKEN=harmless"), "{shown}");
}

#[tokio::test]
async fn a_file_is_not_shown_by_its_hash() {
    let world = repository();
    let hash =
        std::process::Command::new("git").args(["rev-parse", "HEAD:.env"]).current_dir(world.at("")).output();
    let hash = String::from_utf8(hash.unwrap().stdout).unwrap();
    let hash = hash.trim();
    let words = [hash.to_owned(), format!("{hash}^{{}}"), format!("{hash}..{hash}")];
    for (subcommand, word) in
        ["show", "diff", "log"].into_iter().flat_map(|it| words.iter().map(move |word| (it, word)))
    {
        let report = world.call("git", json!({ "subcommand": subcommand, "arguments": word })).await;
        assert!(
            !report.text.contains("hunter2") && report.commands[0].exit_code != 0,
            "{word}: {}",
            report.text
        );
    }
}

#[tokio::test]
async fn git_starts_no_program_that_the_repository_names() {
    let world = repository();
    let trap = format!("touch {}", world.at("sprung").display());
    for key in
        ["core.fsmonitor", "core.pager", "diff.external", "diff.trap.textconv", "gpg.program", "core.editor"]
    {
        world.git(&["config", key, &trap]);
    }
    world.git(&["config", "log.showSignature", "true"]);
    world.put(".gitattributes", "*.rs diff=trap\n");
    // Our own `git config` may have triggered the trap.
    let _ = std::fs::remove_file(world.at("sprung"));
    for (subcommand, arguments) in
        [("status", ""), ("diff", ""), ("log", "-p"), ("show", "HEAD"), ("blame", "src/a.rs")]
    {
        git(&world, subcommand, arguments).await;
        assert!(!world.at("sprung").exists(), "{subcommand}");
    }
}

/// Runs git without any protection, and returns whether the trap runs.
fn springs(world: &World, subcommand: &str) -> bool {
    let mut git = std::process::Command::new("git");
    git.args(["--no-pager", subcommand]).arg(if subcommand == "blame" { "src/a.rs" } else { "HEAD" });
    git.current_dir(world.at("")).output().unwrap();
    std::fs::remove_file(world.at("sprung")).is_ok()
}

/// Anybody who worked in the folder may have written `.git/config`. Our git commands must start nothing from it.
#[tokio::test]
async fn no_filter_runs_by_whatever_attributes() {
    for (key, required, attributes) in [
        ("filter.trap.clean", "false", ".gitattributes"),
        ("filter.trap.clean", "true", ".git/info/attributes"),
        ("filter.trap.process", "true", ".git/info/attributes"),
    ] {
        let world = repository();
        world.git(&["config", key, &format!("touch {}; cat", world.at("sprung").display())]);
        world.git(&["config", "filter.trap.required", required]);
        world.put(attributes, "*.rs filter=trap\n");
        assert!(springs(&world, "diff"), "{key}");
        for (subcommand, arguments) in [("status", ""), ("diff", ""), ("log", "-p"), ("blame", "src/a.rs")] {
            let text = git(&world, subcommand, arguments).await;
            assert!(!world.at("sprung").exists(), "{key} {subcommand}: {text}");
            assert!(text.contains("not run, so files are as they lie there: filter.trap"), "{text}");
        }
        assert!(git(&world, "diff", "").await.contains("+two"));
    }
    let world = repository();
    world.git(&["config", "filter.a=b.clean", "cat"]);
    let text = world.rejected("run_command", json!({ "command": "git diff" })).await;
    assert!(text.contains("`filter.a=b.clean`, a program that cannot be switched off"), "{text}");
}

#[tokio::test]
async fn nothing_is_fetched_that_is_missing() {
    let trap = |world: &World| format!("touch {};", world.at("sprung").display());
    for (url, key) in [
        ("ext::TRAP", "protocol.ext.allow"),
        ("ssh://host/x", "core.sshCommand"),
        ("/nowhere", "remote.origin.uploadpack"),
    ] {
        let world = repository();
        let hash = std::process::Command::new("git")
            .args(["rev-parse", "HEAD:src/a.rs"])
            .current_dir(world.at(""))
            .output();
        let hash = String::from_utf8(hash.unwrap().stdout).unwrap();
        let (folder, file) = hash.trim().split_at(2);
        std::fs::remove_file(world.at(".git/objects").join(folder).join(file)).unwrap();
        let value = if url.starts_with("ext") { "always".to_owned() } else { trap(&world) };
        let url = url.replace("TRAP", trap(&world).trim_end_matches(';'));
        for (key, value) in [
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", &*url),
            (key, &*value),
        ] {
            world.git(&["config", key, value]);
        }
        assert!(springs(&world, "show"), "{url}");
        for (subcommand, arguments) in
            [("status", ""), ("diff", "HEAD"), ("log", "-p"), ("show", ""), ("blame", "src/a.rs")]
        {
            let report = world.call("git", json!({ "subcommand": subcommand, "arguments": arguments })).await;
            assert!(!world.at("sprung").exists(), "{url} {subcommand}: {}", report.text);
        }
    }
}

#[tokio::test]
async fn no_program_of_a_submodule_runs() {
    let world = repository();
    let mut inner = std::process::Command::new("sh");
    let script = format!(
        "git init -q inner && cd inner && git config user.name kim && git config user.email k@example.org &&
        echo a > a && git add a && git commit -q -m inner && git config core.fsmonitor 'touch {}; false' && echo b > a",
        world.at("sprung").display()
    );
    assert!(inner.args(["-c", &script]).current_dir(world.at("")).status().unwrap().success());
    world.git(&["add", "inner"]);
    let _ = std::fs::remove_file(world.at("sprung"));
    assert!(springs(&world, "diff"));
    for (subcommand, arguments) in [("status", ""), ("diff", ""), ("diff", "HEAD")] {
        git(&world, subcommand, arguments).await;
        assert!(!world.at("sprung").exists(), "{subcommand}");
    }
    world.rejected("run_command", json!({ "command": "git status --ignore-submodules=none" })).await;
}

#[tokio::test]
async fn a_commit_that_changes_nothing_is_shown() {
    let world = repository();
    world.git(&["commit", "-q", "--allow-empty", "-m", "nothing changes"]);
    for (subcommand, arguments) in [("show", ""), ("show", "--stat HEAD"), ("log", "-1")] {
        let text = git(&world, subcommand, arguments).await;
        assert!(text.contains("nothing changes"), "{subcommand} {arguments}: {text}");
    }
}

/// A model can write files, and some files turn a folder into a repository.
#[tokio::test]
async fn files_that_look_like_a_repository_make_none() {
    let world = World::new();
    world.put("HEAD", "ref: refs/heads/main\n");
    std::fs::create_dir_all(world.at("objects")).unwrap();
    std::fs::create_dir_all(world.at("refs/heads")).unwrap();
    let trap = format!("touch {}", world.at("sprung").display());
    world.put("config", format!("[core]\n\tworktree = .\n[filter \"trap\"]\n\tclean = {trap}\n"));
    world.put(".gitattributes", "* filter=trap\n");
    for (subcommand, arguments) in [("status", ""), ("diff", ""), ("log", "-p")] {
        let report = world.call("git", json!({ "subcommand": subcommand, "arguments": arguments })).await;
        assert_eq!(report.outcome, ToolOutcome::Rejected, "{}", report.text);
        assert!(!world.at("sprung").exists());
    }
}

/// The files that a command reads are open before it starts, so a link cannot replace them.
#[test]
fn what_a_command_reads_is_what_was_judged() {
    let world = World::new();
    world.put("a/file", "inside\n");
    world.put("b.txt", "second\n");
    std::fs::write(world.beside("outside"), "hunter2\n").unwrap();
    symlink(world.beside("outside"), world.at("a/link")).unwrap();
    let over = std::sync::atomic::AtomicBool::new(false);
    let (file, link) = (world.at("a/file"), world.at("a/link"));
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
                let report = world.call("run_command", json!({ "command": command })).await;
                assert!(!report.text.contains("hunter2"), "{command}: {}", report.text);
                read += usize::from(report.text.contains("inside"));
            }
        });
    });
    assert!(read > 0, "no command read the file");
}

#[tokio::test]
async fn open_files_have_their_names_in_what_is_printed() {
    let world = World::allowing(&["diff"]);
    world.put("a.txt", "one\n");
    world.put("b.txt", "two\n");
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
        let text = world.done("run_command", json!({ "command": command })).await;
        assert!(text.contains(expected), "{command}: {text}");
    }
    let report = world.call("run_command", json!({ "command": "cat a.txt gone" })).await;
    assert!(report.text.contains("there is no `gone`"), "{}", report.text);
    let report = world.call("run_command", json!({ "command": "diff . ." })).await;
    assert!(report.text.contains("is not a file"), "{}", report.text);
}

//! Repositories with handwritten files, and git commands that would show hidden files.

use std::{fs, os::unix::fs::symlink, process::Command};

use loop_agents::tools::ToolOutcome;
use loop_guardrails::policy::{LocalPath, Origin, Permissions, PolicySettings, Verb};
use serde_json::json;

use crate::scenario::Scenario;

const CANARY: &str = "hunter2";

/// Returns git's output, without the line feed at its end.
fn asked(scenario: &Scenario, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(scenario.at("")).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

async fn run(scenario: &Scenario, line: &str) -> (ToolOutcome, String) {
    let report = scenario.call("run_command", json!({ "command": line })).await;
    (report.outcome, report.text)
}

async fn shows_no_canary(scenario: &Scenario, lines: &[&str]) {
    for line in lines {
        let (_, text) = run(scenario, line).await;
        assert!(!text.contains(CANARY), "{line}: {text}");
    }
}

fn new() -> Scenario {
    let scenario = Scenario::new();
    scenario.git(&["init", "-q", "-b", "main"]);
    scenario
}

fn commit(scenario: &Scenario, message: &str) {
    scenario.git(&["add", "-A", "-f"]);
    scenario.git(&["commit", "-qm", message]);
}

/// A merge moves a secret to a harmless name. It is renamed from both parents, so that without rename detection the
/// secret's name appears in the changes from one parent alone.
#[tokio::test]
async fn a_diff_of_a_merge_shows_no_secret_that_it_renames() {
    let scenario = new();
    scenario.put("base", "b\n");
    commit(&scenario, "base");
    scenario.git(&["checkout", "-qb", "feature"]);
    scenario.put("settings.txt", "other=1\n");
    commit(&scenario, "feature");
    scenario.git(&["checkout", "-q", "main"]);
    let lines = "PORT=1\nHOST=x\nMODE=dev\n";
    scenario.put(".env", format!("{lines}PASSWORD={CANARY}\n"));
    commit(&scenario, "env");
    scenario.git(&["merge", "-q", "--no-commit", "feature"]);
    scenario.git(&["rm", "-qf", ".env"]);
    scenario.put("settings.txt", format!("{lines}other=1\n"));
    commit(&scenario, "merge");
    assert!(asked(&scenario, &["diff", "HEAD^!"]).contains(CANARY), "git itself shows it");
    let forms = [
        "HEAD^!",
        "HEAD HEAD^1 HEAD^2",
        "HEAD HEAD^@",
        "HEAD^@",
        "HEAD ^HEAD^1 ^HEAD^2",
        "HEAD^-1",
        "HEAD^1...HEAD",
        "HEAD^1..HEAD HEAD^2",
        "-c HEAD^!",
        "--cc HEAD^!",
        "--cached HEAD^1",
    ];
    for form in forms {
        shows_no_canary(&scenario, &[&format!("git diff {form}"), &format!("git diff -M10% {form}")]).await;
        shows_no_canary(&scenario, &[&format!("git show -c {form}"), &format!("git show --cc -m {form}")])
            .await;
    }
    let (_, text) = run(&scenario, "git diff HEAD^!").await;
    assert!(text.contains("+PORT=1") && text.ends_with("(exit 0)"), "{text}");
}

/// The workspace is below the repository's root, so names have two forms.
#[tokio::test]
async fn no_setting_changes_the_names_that_git_lists() {
    let settings = [
        "diff.relative",
        "status.relativePaths",
        "diff.noPrefix",
        "diff.mnemonicPrefix",
        "core.quotePath",
        "core.ignoreCase",
    ];
    let scenario = Scenario::at_root("work/app", PolicySettings::default());
    scenario.git(&["init", "-q", "-b", "main", ".."]);
    scenario.put(".docker/config.json", CANARY);
    scenario.put("x/.env", CANARY);
    commit(&scenario, "first");
    fs::remove_dir_all(scenario.at(".docker")).unwrap();
    fs::remove_dir_all(scenario.at("x")).unwrap();
    scenario.put("later", "");
    commit(&scenario, "second");
    for (setting, value) in settings.iter().flat_map(|setting| [(setting, "true"), (setting, "false")]) {
        scenario.git(&["config", setting, value]);
        let (_, text) = run(&scenario, "git diff HEAD^ HEAD").await;
        assert!(!text.contains(CANARY) && text.contains("later"), "{setting}={value}: {text}");
        for line in ["git show", "git log -p", "git diff --cached HEAD^", "git diff -R HEAD^", "git status"] {
            shows_no_canary(&scenario, &[line]).await;
        }
        scenario.git(&["config", "--unset", setting]);
    }
}

/// In a folder's tree the names of the files lack the folder's name.
#[tokio::test]
async fn no_file_is_shown_by_the_hash_of_its_folder() {
    let mut settings = PolicySettings::default();
    settings.permissions = Permissions::new().with(LocalPath::root(), Verb::ALL, Origin::BuiltIn).with(
        "private".parse().unwrap(),
        [],
        Origin::BuiltIn,
    );
    let scenario = Scenario::with(settings);
    scenario.git(&["init", "-q", "-b", "main"]);
    scenario.put("private/f.txt", CANARY);
    scenario.put(".docker/config.json", CANARY);
    scenario.put("src/a.rs", "shown");
    commit(&scenario, "first");
    scenario.put("later", "");
    commit(&scenario, "second");
    for (folder, file) in [("private", "f.txt"), (".docker", "config.json")] {
        let tree = asked(&scenario, &["rev-parse", &format!("HEAD:{folder}")]);
        scenario.git(&["tag", "-f", "tree", &tree]);
        scenario.git(&["tag", "-f", "-a", "-m", "x", "annotated", &tree]);
        for name in [tree.as_str(), &tree[..8], "tree", "annotated", "refs/tags/tree", "annotated^{}"] {
            for line in [
                format!("git show {name}:{file}"),
                format!("git show {name}:./{file}"),
                format!("git show {name}"),
                format!("git diff {name} HEAD"),
                format!("git diff HEAD {name}"),
                format!("git diff {name}"),
                format!("git diff {name}..HEAD"),
                format!("git log -p {name}"),
                format!("git log -g -p {name}"),
                format!("git blame {name} -- {file}"),
            ] {
                shows_no_canary(&scenario, &[&line]).await;
            }
        }
    }
    for word in ["HEAD:src/a.rs", "main~0:src/a.rs", ":src/a.rs", ":0:src/a.rs", "HEAD@{0}:src/a.rs"] {
        let (_, text) = run(&scenario, &format!("git show {word}")).await;
        assert_eq!(text, "shown\n(exit 0)", "{word}");
    }
    let (_, text) = run(&scenario, "git show HEAD:src").await;
    assert!(text.contains("a.rs"), "{text}");
    let (_, text) = run(&scenario, "git show HEAD:gone").await;
    assert!(!text.contains("{commit}"), "{text}");
}

/// Creates a file outside of the workspace with the size and time of a file in the index. Git believes that it is the
/// same file.
fn victim(scenario: &Scenario, path: &str, inside: &str) {
    let (outside, inside) = (scenario.beside(path), scenario.at(inside));
    for (path, content) in [(&outside, CANARY), (&inside, "1234567")] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
}

/// Creates a repository that considers a file unchanged by its size and time.
fn careless() -> Scenario {
    let scenario = new();
    scenario.put("z", "z\n");
    commit(&scenario, "first");
    scenario.git(&["config", "core.checkStat", "minimal"]);
    scenario.git(&["config", "core.trustctime", "false"]);
    scenario
}

/// The index names a file in a folder that has become a link.
#[tokio::test]
async fn git_reads_nothing_behind_a_link_in_the_place_of_a_folder() {
    let scenario = careless();
    victim(&scenario, "victim/private.txt", "dir/private.txt");
    scenario.git(&["add", "dir"]);
    fs::remove_dir_all(scenario.at("dir")).unwrap();
    symlink("../victim", scenario.at("dir")).unwrap();
    assert!(asked(&scenario, &["diff", "--cached"]).contains(CANARY), "git itself shows it");
    for line in
        ["git diff --cached", "git diff HEAD", "git diff", "git status", "git show HEAD :0:./z", "git log -p"]
    {
        let (outcome, text) = run(&scenario, line).await;
        assert_eq!(outcome, ToolOutcome::Rejected, "{line}: {text}");
        assert!(text.contains("dir` is a link") || text.contains("/dir`: it is a link"), "{text}");
    }
    // A link is harmless if the index contains it as a link.
    scenario.git(&["rm", "-rq", "--cached", "dir"]);
    scenario.git(&["add", "dir"]);
    let (_, text) = run(&scenario, "git diff --cached").await;
    assert!(text.contains("+../victim"), "{text}");
}

/// The index and a commit name `../above.txt`.
#[tokio::test]
async fn an_index_that_leads_out_is_refused_whatever_is_shown() {
    let scenario = careless();
    victim(&scenario, "above.txt", "xx/above.txt");
    scenario.git(&["add", "xx"]);
    let blob = asked(&scenario, &["rev-parse", ":xx/above.txt"]);
    let below = tree(&scenario, &[("100644", "above.txt", &blob)]);
    let z = asked(&scenario, &["rev-parse", "HEAD:z"]);
    let whole = tree(&scenario, &[("40000", "..", &below), ("100644", "z", &z)]);
    let identity = ["-c", "user.name=kim", "-c", "user.email=kim@example.org"];
    let hash = asked(&scenario, &[&identity[..], &["commit-tree", "-m", "second", &whole]].concat());
    scenario.git(&["update-ref", "refs/heads/main", &hash]);
    let index = fs::read(scenario.at(".git/index")).unwrap();
    let at = index.windows(3).position(|name| name == b"xx/").unwrap();
    let index = [&index[..at], b"../", &index[at + 3..]].concat();
    fs::write(scenario.at(".git/index"), index).unwrap();
    for line in ["git show HEAD :0:./z", "git show :z HEAD", "git show HEAD", "git diff", "git log -p"] {
        let (outcome, text) = run(&scenario, line).await;
        assert_eq!(outcome, ToolOutcome::Rejected, "{line}: {text}");
        assert!(!text.contains(CANARY), "{line}: {text}");
    }
}

/// Writes a tree that no git command would create.
fn tree(scenario: &Scenario, entries: &[(&str, &str, &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, hash) in entries {
        bytes.extend(format!("{mode} {name}\0").into_bytes());
        bytes.extend((0..hash.len()).step_by(2).map(|at| u8::from_str_radix(&hash[at..at + 2], 16).unwrap()));
    }
    scenario.put("tree", bytes);
    let hash = asked(scenario, &["hash-object", "-t", "tree", "--literally", "-w", "tree"]);
    fs::remove_file(scenario.at("tree")).unwrap();
    hash
}

/// The object files contain everything that was committed, only compressed.
#[tokio::test]
async fn the_objects_of_a_repository_are_not_read_as_files() {
    let scenario = new();
    scenario.put(".env", CANARY);
    commit(&scenario, "first");
    let hash = asked(&scenario, &["rev-parse", "HEAD:.env"]);
    let loose = format!("objects/{}/{}", &hash[..2], &hash[2..]);
    scenario.git(&["clone", "-q", "--bare", ".", "bare"]);
    let source = scenario.beside("source");
    fs::rename(scenario.at(".git"), &source).unwrap();
    for to in ["loose", "mirror.git", "sub/.git", ".git", ".git/modules/x/y"] {
        fs::create_dir_all(scenario.at(to).parent().unwrap()).unwrap();
        assert!(Command::new("cp").arg("-r").arg(&source).arg(scenario.at(to)).status().unwrap().success());
    }
    scenario.git(&["-C", "bare", "repack", "-qad"]);
    let packs: Vec<_> = fs::read_dir(scenario.at("bare/objects/pack")).unwrap().map(Result::unwrap).collect();
    assert!(!packs.is_empty());
    for pack in packs {
        let path = format!("bare/objects/pack/{}", pack.file_name().to_str().unwrap());
        scenario.rejected("read_file", json!({ "path": path })).await;
    }
    for git_dir in [".git", "mirror.git", "sub/.git", ".git/modules/x/y", "loose", "LOOSE"] {
        let path = format!("{git_dir}/{loose}");
        for line in [
            format!("cat -v {path}"),
            format!("cmp -l {path} .git/HEAD"),
            format!("jq -Rs . {path}"),
            format!("grep -a . {path}"),
        ] {
            let (outcome, text) = run(&scenario, &line).await;
            assert_eq!(outcome, ToolOutcome::Rejected, "{line}: {text}");
        }
        scenario.rejected("read_file", json!({ "path": path })).await;
    }
    for path in
        [".git/rr-cache/x/preimage", ".git/rebase-merge/patch", ".git/lfs/objects/x", ".git/COMMIT_EDITMSG"]
    {
        scenario.put(path, CANARY);
        scenario.rejected("read_file", json!({ "path": path })).await;
    }
    for path in ["src/objects/mod.rs", "objects/ab/cdef.txt", "src/objects/pack/mod.rs"] {
        scenario.put(path, "shown");
        scenario.done("read_file", json!({ "path": path })).await;
    }
}

/// Git opens `.git/hooks/big` to check whether it is a ref, whatever the file contains.
#[tokio::test]
async fn only_refs_are_read_as_refs() {
    let scenario = new();
    scenario.put("a", "a\n");
    commit(&scenario, "first");
    scenario.git(&["branch", "feature/hooks"]);
    scenario.git(&["branch", "hooks/x"]);
    for name in [
        "hooks/x",
        "Hooks/x",
        "hoo\u{212a}s/x",
        "objects/pack/x",
        "logs/HEAD",
        "modules/x/HEAD",
        "lfs/x",
        "main-worktree/hooks/x",
        "worktrees/w/hooks/x",
        "info/exclude",
    ] {
        for line in [
            format!("git log {name}"),
            format!("git log -g {name}"),
            format!("git show {name}:a"),
            format!("git diff main..{name}"),
        ] {
            let (outcome, text) = run(&scenario, &line).await;
            assert_eq!(outcome, ToolOutcome::Rejected, "{line}: {text}");
        }
    }
    for name in ["feature/hooks", "heads/hooks/x", "refs/heads/hooks/x"] {
        let (_, text) = run(&scenario, &format!("git log {name}")).await;
        assert!(text.contains("first") && text.ends_with("(exit 0)"), "{name}: {text}");
    }
    // Sparse files: they have a length but take no space.
    for path in [".git/refs/heads/big", ".git/BIG_HEAD"] {
        fs::File::create(scenario.at(path)).unwrap().set_len(3 << 30).unwrap();
        let (outcome, text) = run(&scenario, "git log main").await;
        assert_eq!(outcome, ToolOutcome::Rejected, "{text}");
        assert!(text.contains("too large"), "{text}");
        fs::remove_file(scenario.at(path)).unwrap();
    }
    fs::remove_dir_all(scenario.at(".git/hooks")).unwrap();
    symlink(scenario.beside(""), scenario.at(".git/hooks")).unwrap();
    let (outcome, text) = run(&scenario, "git log main").await;
    assert_eq!(outcome, ToolOutcome::Rejected, "{text}");
    assert!(text.contains("core.hooksPath"), "{text}");
}

/// Git does not check that `HEAD` and branches name commits. A file or a folder has another name there than in a
/// commit.
#[tokio::test]
async fn a_head_that_is_no_commit_shows_nothing() {
    let scenario = new();
    scenario.put("a", "as it was\n");
    scenario.git(&["add", "a"]);
    let (_, text) = run(&scenario, "git diff --cached").await;
    assert!(text.contains("+as it was"), "without a commit, all of the index is new: {text}");
    scenario.put(".docker/config.json", CANARY);
    scenario.put(".env", CANARY);
    commit(&scenario, "first");
    scenario.git(&["branch", "kept"]);
    for object in ["HEAD:.env", "HEAD:.docker"] {
        let hash = asked(&scenario, &["rev-parse", object]);
        for file in [".git/HEAD", ".git/refs/heads/main"] {
            let before = fs::read(scenario.at(file)).unwrap();
            scenario.put(file, format!("{hash}\n"));
            let lines = [
                "git show",
                "git show -p -a",
                "git diff --cached",
                "git diff --staged -R",
                "git diff ..kept",
                "git diff kept..",
                "git diff kept...",
                "git log -p",
                "git diff HEAD",
                "git diff kept",
                "git show ..kept",
            ];
            shows_no_canary(&scenario, &lines).await;
            fs::write(scenario.at(file), before).unwrap();
        }
    }
    let (_, text) = run(&scenario, "git show").await;
    assert!(text.contains("+as it was"), "{text}");
}

/// The content of a note is a file whose path is the hash of a commit.
#[tokio::test]
async fn no_command_shows_the_content_of_a_note() {
    let scenario = new();
    scenario.put(".env", CANARY);
    scenario.put("a", "a\n");
    commit(&scenario, "first");
    scenario.git(&["notes", "add", "-C", &asked(&scenario, &["rev-parse", "HEAD:.env"]), "HEAD"]);
    scenario.git(&["notes", "append", "-m", "more", "HEAD"]);
    let (commit, note) =
        (asked(&scenario, &["rev-parse", "HEAD"]), asked(&scenario, &["rev-parse", "notes/commits"]));
    assert!(asked(&scenario, &["show", "notes/commits"]).contains(CANARY), "git itself shows it");
    for name in ["notes/commits", "refs/notes/commits", "notes/commits@{1}", "notes/commits~1", &*note] {
        let lines = [
            format!("git show {name}"),
            format!("git log -p {name}"),
            format!("git diff HEAD {name}"),
            format!("git diff {name}^!"),
            format!("git show {name}:{commit}"),
            format!("git blame {name} -- {commit}"),
            format!("git diff HEAD...{name} -- ."),
            format!("git log -p --reflog {name}"),
        ];
        shows_no_canary(&scenario, &lines.each_ref().map(String::as_str)).await;
    }
    shows_no_canary(
        &scenario,
        &["git log -p --reflog", "git log -p --all", "git log -p --glob=refs/notes/*"],
    )
    .await;
}

/// Git takes a blank at the end of a path for a part of it, so `.. ` is a folder that we did not vet.
#[tokio::test]
async fn a_repository_is_named_exactly_as_git_reads_it() {
    for (commondir, folder) in
        [("../.. ", ".. "), ("../..\t", "..\t"), ("../..\u{a0}", "..\u{a0}"), ("../..", "")]
    {
        let scenario = new();
        scenario.put("a", "as it was\n");
        commit(&scenario, "first");
        let other = scenario.beside("other");
        fs::create_dir(&other).unwrap();
        let git = |words: &[&str]| {
            let mut git = Command::new("git");
            let git =
                git.current_dir(&other).args(["-c", "user.name=kim", "-c", "user.email=kim@example.org"]);
            String::from_utf8(git.args(words).output().unwrap().stdout).unwrap().trim().to_owned()
        };
        git(&["init", "-q"]);
        fs::write(other.join("plan.txt"), CANARY).unwrap();
        git(&["add", "."]);
        git(&["commit", "-qm", "other"]);
        let hash = git(&["rev-parse", "HEAD"]);
        fs::rename(scenario.at(".git"), scenario.at("store")).unwrap();
        scenario.put(".git", "gitdir: store/worktrees/w\n");
        for name in ["HEAD", "index"] {
            fs::create_dir_all(scenario.at("store/worktrees/w")).unwrap();
            fs::copy(scenario.at("store").join(name), scenario.at("store/worktrees/w").join(name)).unwrap();
        }
        scenario.put("store/worktrees/w/gitdir", "../../../.git\n");
        scenario.put("store/worktrees/w/commondir", format!("{commondir}\n"));
        let (outcome, text) = if folder.is_empty() {
            run(&scenario, "git show").await
        } else {
            let common = format!("store/worktrees/{folder}");
            scenario.put(
                &format!("{common}/objects/info/alternates"),
                other.join(".git/objects").to_str().unwrap(),
            );
            scenario.put(&format!("{common}/config"), "");
            fs::create_dir_all(scenario.at(format!("{common}/refs"))).unwrap();
            run(&scenario, &format!("git show {hash}")).await
        };
        assert!(!text.contains(CANARY), "{commondir:?}: {text}");
        let expected = if folder.is_empty() { ToolOutcome::Done } else { ToolOutcome::Rejected };
        assert_eq!(outcome, expected, "{commondir:?}: {text}");
    }
}

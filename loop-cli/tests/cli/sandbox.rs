//! Agents, checks and commands of tools inside a sandbox.

use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt, path::Path, process::Command};

use loop_agents::process::sandbox::SandboxSupport;
use loop_testing::{Answer, Call};
use serde_json::json;

use crate::{
    model_server::ModelServer,
    support::{CommandResult, Manifest, RunningCommand, Scenario},
};

const CANARY: &str = "CANARY";

/// Returns true if this machine can confine commands, and prints the reason if it cannot.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn can_be_tested() -> bool {
    let support = SandboxSupport::detect();
    let can = support.landlock_abi >= SandboxSupport::MIN_LANDLOCK_ABI && support.seccomp;
    if !can {
        eprintln!("not tested: this machine has {support:?}");
    }
    can
}

/// Runs these arguments with a home folder of the scenario's own.
fn run(scenario: &Scenario, arguments: &[&str]) -> CommandResult {
    fs::create_dir_all(scenario.path("../home")).expect("a folder");
    scenario.run(arguments)
}

#[test]
fn an_agent_and_a_check_reach_only_what_the_manifest_names() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    fs::write(scenario.path("../outside"), CANARY).expect("a file");
    let agent = "cat ../outside; echo x >../planted; echo x >\"$TMPDIR/t\" && echo done >result";
    let check = "cat ../outside; grep -q done result";
    scenario.manifest(&Manifest::new(agent, check).set("sandbox", json!({})));
    let shown = run(&scenario, &["run", "loop.json"]).exits(0);
    assert_eq!(scenario.read("result"), "done\n");
    assert!(!scenario.path("../planted").exists());
    assert!(!shown.stdout.contains(CANARY) && !shown.stderr.contains(CANARY), "{shown:?}");
    // Without a sandbox, the same agent gets out.
    scenario.manifest(&Manifest::new(agent, check));
    run(&scenario, &["run", "loop.json"]).exits(0);
    assert!(scenario.path("../planted").exists());
}

#[test]
fn a_state_directory_of_any_form_is_hidden() {
    if !can_be_tested() {
        return;
    }
    for form in ["../state", ".state", "{root}/../state"] {
        let scenario = Scenario::new();
        let form = form.replace("{root}", &scenario.path("").display().to_string());
        let agent = format!("find '{form}' -type f | grep . && echo x >found; true");
        let words =
            ["run", "--agent", &agent, "--check", "true", "--no-check-first", "--max", "1", "--sandbox"];
        fs::create_dir_all(scenario.path("../home")).expect("a folder");
        let mut command = scenario.loop_command(&words);
        command.env("LOOP_HOME", &form);
        RunningCommand::new(&mut command).finish().exits(0);
        assert!(scenario.path(&form).exists() && !scenario.has("found"), "{form}");
    }
}

#[test]
fn a_flag_confines_a_run_without_a_manifest() {
    if can_be_tested() {
        let scenario = Scenario::new();
        let words =
            ["run", "--agent", "echo x >../planted; echo x >here", "--check", "test -e here", "--max", "1"];
        run(&scenario, &[&words[..], &["--sandbox"]].concat()).exits(0);
        assert!(scenario.has("here") && !scenario.path("../planted").exists());
    }
}

#[test]
fn an_agent_reaches_only_the_hosts_of_the_manifest() {
    if !can_be_tested() || !SandboxSupport::detect().networks {
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").expect("a server");
    let port = server.local_addr().expect("a port").port();
    let connect = "perl -MSocket -e 'socket(S, 2, 1, 0) && connect(S, sockaddr_in($ARGV[0], inet_aton(\"127.0.0.1\"))) or \
                   exit 7; syswrite S, \"CONNECT $ARGV[1] HTTP/1.1\\r\\n\\r\\n\"; exit(<S> !~ / 200 /)'";
    let agent = format!(
        "! {connect} {port} x && proxy=${{HTTPS_PROXY##*:}} && {connect} $proxy 127.0.0.1:{port} && \
         ! {connect} $proxy localhost:{port} && echo x >result"
    );
    let scenario = Scenario::new();
    let manifest = Manifest::new(&agent, "test -e result");
    scenario.manifest(&manifest.set("sandbox", json!({ "network": [format!("127.0.0.1:{port}")] })));
    run(&scenario, &["run", "loop.json"]).exits(0);
    drop(server);
}

#[test]
fn the_commands_of_a_task_run_inside() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    let check = "echo x >../planted-by-check; test -e here";
    scenario.write("task.md", format!("---\nchecks: [\"{check}\"]\n---\nWrite here.\n"));
    let agent = "cat >/dev/null; echo x >here; echo x >../planted; echo STATUS: COMPLETE";
    let task = ["task", "task.md", "--agent", agent, "--max", "1"];
    let planted = || ["planted", "planted-by-check"].map(|name| scenario.path(format!("../{name}")).exists());
    run(&scenario, &[&task[..], &["--sandbox"]].concat()).exits(0);
    assert!(scenario.has("here"));
    assert_eq!(planted(), [false, false]);
    run(&scenario, &task).exits(0);
    assert_eq!(planted(), [true, true], "without a sandbox, it gets out");
    run(&scenario, &[&task[..], &["--sandbox=perhaps"]].concat()).exits(2);
}

#[test]
fn the_check_can_have_less_than_the_agent() {
    if can_be_tested() {
        let scenario = Scenario::new();
        let socket = "perl -e 'socket(S, 2, 1, 0) or exit 7'";
        let manifest =
            Manifest::new(&format!("{socket} && echo x >agent"), &format!("test -e agent && ! {socket}"));
        let manifest =
            manifest.set("sandbox", json!({})).set("evaluator.sandbox", json!({ "network": "none" }));
        scenario.manifest(&manifest);
        run(&scenario, &["run", "loop.json"]).exits(0);
    }
}

#[test]
fn a_secret_that_cannot_be_hidden_is_named() {
    if !can_be_tested() || SandboxSupport::detect().mounts {
        return;
    }
    let scenario = Scenario::new();
    scenario.write(".env", CANARY);
    let manifest = Manifest::new("cat .env >copy", "test -e copy");
    scenario.manifest(&manifest.clone().set("sandbox", json!({})));
    let refused = run(&scenario, &["run", "loop.json"]).exits(2);
    assert!(refused.stderr.contains(".env is in a writable folder"), "{}", refused.stderr);
    scenario.manifest(&manifest.set("sandbox", json!({ "enforce": "warn" })));
    let warned = run(&scenario, &["run", "loop.json"]).exits(0);
    assert!(warned.stderr.contains(".env is in a writable folder"), "{}", warned.stderr);
    assert_eq!(scenario.read("copy"), CANARY, "the warning is true");
}

#[test]
fn a_folder_that_cannot_be_searched_for_secrets_is_named() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    let name = "d".repeat(200);
    let deep = format!("for (1..25) {{ mkdir \"{name}\"; chdir \"{name}\" or exit 1 }}");
    let made = Command::new("perl").args(["-e", &deep]).current_dir(scenario.path("")).status();
    assert!(made.expect("perl").success());
    let manifest = Manifest::new("echo x >result", "test -e result");
    scenario.manifest(&manifest.clone().set("sandbox", json!({})));
    let refused = run(&scenario, &["run", "loop.json"]).exits(2);
    assert!(refused.stderr.contains("cannot look for secrets in"), "{}", refused.stderr);
    scenario.manifest(&manifest.set("sandbox", json!({ "enforce": "warn" })));
    let warned = run(&scenario, &["run", "loop.json"]).exits(0);
    assert!(warned.stderr.contains("cannot look for secrets in"), "{}", warned.stderr);
}

#[test]
fn a_secret_is_hidden_from_an_agent_that_can_write_its_folder() {
    if can_be_tested() && SandboxSupport::detect().mounts {
        let scenario = Scenario::new();
        scenario.write(".env", CANARY);
        let manifest = Manifest::new("cat .env >copy", "test -e copy").set("sandbox", json!({}));
        scenario.manifest(&manifest);
        run(&scenario, &["run", "loop.json"]).exits(0);
        assert_eq!(scenario.read("copy"), "");
        assert_eq!(scenario.read(".env"), CANARY);
    }
}

#[test]
fn a_sealed_check_runs_in_the_sandbox_too() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    fs::write(scenario.path("../outside"), CANARY).expect("a file");
    // What a check leaves in its temporary folder is gone in the next one.
    let outside = scenario.path("../outside");
    let check = format!(
        "test ! -e \"$TMPDIR/left\" && echo x >\"$TMPDIR/left\" && ! cat '{}' && test $(cat result | wc -l) = 2",
        outside.display()
    );
    scenario.manifest(
        &Manifest::new("echo x >>result", &check).set("sandbox", json!({})).set("evaluator.sealed", true),
    );
    run(&scenario, &["run", "loop.json"]).exits(0);
    assert_eq!(scenario.read("result"), "x\nx\n");
}

#[test]
fn a_link_of_an_earlier_run_gives_nothing_to_the_next_one() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    fs::create_dir(scenario.path("../other")).expect("a folder");
    std::os::unix::fs::symlink("../other", scenario.path("build")).expect("a link");
    for key in ["write", "read"] {
        let manifest = Manifest::new("echo x >build/planted", "true");
        scenario.manifest(&manifest.set("sandbox", json!({ key: [".", "./build"] })));
        let refused = run(&scenario, &["run", "loop.json"]).exits(2);
        assert!(refused.stderr.contains("`./build` leads to "), "{}", refused.stderr);
    }
    assert!(!scenario.path("../other/planted").exists());
}

#[test]
fn logins_in_an_allowed_home_are_hidden_unless_the_manifest_names_them() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    scenario.write("../home/.ssh/id_rsa", CANARY);
    scenario.write("../home/.ssh/known_hosts", "host");
    scenario.write("../home/.config/gh/hosts.yml", CANARY);
    scenario.write("../home/notes", "text");
    let agent =
        "cat ~/.ssh/id_rsa ~/.config/gh/hosts.yml >copy 2>/dev/null; cat ~/notes ~/.ssh/known_hosts >plain";
    let manifest = Manifest::new(agent, "true");
    for (read, copy, plain) in [
        (json!(["/usr", "/bin", "/lib", "/lib64", "~"]), "", "text"),
        // A file with the name of a key stays hidden in any case.
        (json!(["/usr", "/bin", "/lib", "/lib64", "~", "~/.ssh"]), "", "texthost"),
        (json!(["/usr", "/bin", "/lib", "/lib64", "~", "~/.config/gh/hosts.yml"]), CANARY, "text"),
    ] {
        scenario.manifest(&manifest.clone().set("sandbox", json!({ "read": read })));
        run(&scenario, &["run", "loop.json"]).exits(0);
        assert_eq!((scenario.read("copy").as_str(), scenario.read("plain").as_str()), (copy, plain));
    }
}

/// Each known agent, and a file of its own state.
const AGENTS: &[(&str, &str)] = &[
    ("claude", ".claude/session"),
    ("codex", ".codex/session"),
    ("gemini", ".gemini/session"),
    ("opencode", ".local/share/opencode/session"),
    ("opencode", ".cache/opencode/models.json"),
    ("opencode", ".local/state/opencode/lock"),
    ("pi", ".pi/session"),
    ("aider", ".aider/session"),
];

#[test]
fn a_known_agent_writes_its_own_state_and_no_others() {
    if !can_be_tested() {
        return;
    }
    for (agent, state) in AGENTS {
        let scenario = Scenario::new();
        let programs = scenario.path("../home/.local/bin");
        fs::create_dir_all(&programs).expect("a folder");
        let program = programs.join(agent);
        fs::write(&program, format!("#!/bin/sh\necho x >\"$HOME/{state}\" && echo x >\"$HOME/other\"\n"))
            .expect("a program");
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("a mode");
        scenario.manifest(&Manifest::new(agent, "true").set("sandbox", json!({})));
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a path"));
        let mut command = scenario.loop_command(&["run", "loop.json"]);
        command.env("PATH", path);
        RunningCommand::new(&mut command).finish().exits(0);
        assert!(scenario.path("../home").join(state).exists(), "{agent}");
        assert!(!scenario.path("../home/other").exists(), "{agent}");
    }
}

#[test]
fn a_command_that_a_person_allows_to_a_model_works_and_stays_inside() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    fs::write(scenario.path("../outside"), CANARY).expect("a file");
    scenario.write(
        "check.sh",
        "#!/bin/sh\ncat ../outside\nmkdir -p target && echo built >target/x\ncat target/x\n",
    );
    fs::set_permissions(scenario.path("check.sh"), PermissionsExt::from_mode(0o755)).expect("a mode");
    let call = Call::new("c1", "run_command", [json!({ "command": "./check.sh" }).to_string().as_str()]);
    let server = ModelServer::new([Answer::calls([call]), Answer::deltas(["Done."])]);
    let chat = ["chat", "--model", "openai:scripted", "--prompt", "Test it", "--allow", "./check.sh"];
    server.run(&scenario, &chat).exits(0);
    let messages = server.requests()[1].body["messages"].to_string();
    assert!(messages.contains("built") && !messages.contains(CANARY), "{messages}");
}

/// Adds the toolchain that runs this test to the search path, because it may depend on the home folder otherwise.
fn with_toolchain(command: &mut Command) {
    let cargo = std::env::var("CARGO").expect("cargo runs this test");
    let folder = Path::new(&cargo).parent().expect("a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    command.env("PATH", path);
}

#[test]
fn the_tests_of_a_crate_work_inside() {
    if !can_be_tested() {
        return;
    }
    let scenario = Scenario::new();
    scenario.write("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    scenario.write("src/lib.rs", "#[test]\nfn it_runs() { std::fs::write(\"ran\", \"\").unwrap(); }\n");
    let call =
        Call::new("c1", "run_command", [json!({ "command": "cargo test --offline" }).to_string().as_str()]);
    let server = ModelServer::new([Answer::calls([call]), Answer::deltas(["Done."])]);
    let chat = ["chat", "--model", "openai:scripted", "--prompt", "Test it", "--allow", "cargo test"];
    let mut command = server.command(&scenario, &chat);
    with_toolchain(&mut command);
    RunningCommand::new(&mut command).finish().exits(0);
    let messages = server.requests()[1].body["messages"].to_string();
    assert!(messages.contains("test it_runs ... ok") && scenario.has("ran"), "{messages}");
    // The same as the check of a run, without network.
    fs::remove_file(scenario.path("ran")).expect("a file");
    let manifest = Manifest::new("true", "cargo test --offline");
    scenario.manifest(&manifest.set("sandbox", json!({ "network": "none" })));
    let mut command = scenario.loop_command(&["run", "loop.json"]);
    with_toolchain(&mut command);
    RunningCommand::new(&mut command).finish().exits(0);
    assert!(scenario.has("ran"));
}

#[test]
fn settings_can_require_a_sandbox_and_the_policy_shows_what_holds() {
    let scenario = Scenario::new();
    scenario.write("loop.toml", "[policy]\nsandbox = \"require\"\nnetwork = \"none\"\n");
    let page = run(&scenario, &["policy", "show"]).exits(0).stdout;
    let support = SandboxSupport::detect();
    let is_new = support.landlock_abi >= SandboxSupport::MIN_LANDLOCK_ABI;
    let holds = if is_new && support.seccomp { "in a sandbox of the kernel" } else { "not at all" };
    assert!(page.contains(holds), "{page}");
    assert!(page.contains("require") && page.contains("none"), "{page}");
    scenario.write("loop.toml", "[policy]\nsandbox = \"off\"\n");
    let shown = run(&scenario, &["policy", "show"]).exits(0);
    assert!(shown.stderr.contains("`sandbox = \"off\"`"), "a project cannot weaken it: {}", shown.stderr);
}

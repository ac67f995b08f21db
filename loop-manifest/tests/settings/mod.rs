//! Settings: valid ones, and the messages for invalid ones.

mod after_write;
mod knowledge;
mod remote;
mod servers;

use std::{collections::BTreeSet, fs, path::Path};

use loop_guardrails::policy::{Origin, Permissions, Verb};

use super::*;
use crate::{HistoryShare, Plan, ToolMode};

/// A home with a project in it, and with these settings files.
struct Scenario(tempfile::TempDir);

impl Scenario {
    fn new(user: &str, project: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in [(".config/loop/loop.toml", user), ("app/loop.toml", project)] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, format!("{text}\n")).expect("a file");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self) -> Result<Settings, Diagnostics> {
        Settings::load(&self.path("app"), |name| (name == "HOME").then(|| self.0.path().into()))
    }

    fn policy(&self) -> ActionPolicy {
        self.load().unwrap_or_else(|findings| panic!("{findings}")).policy()
    }
}

/// Returns the message for a project's settings.
fn refusal(project: &str) -> String {
    Scenario::new("", project).load().expect_err("these settings have to be refused").to_string()
}

#[test]
fn every_key_of_the_policy_is_read_with_its_line() {
    let user = r#"
        [policy]
        safe_mode = true
        allow = ["cargo",
                 "make"]
        forbid = ["git"]
        secret = ["*.kdbx"]
        not_secret = ["src/credentials.rs"]
        command_seconds = 60
        [policy.permissions]
        "." = ["read", "exec"]
        "src/" = ["read", "write"]
    "#;
    let scenario = Scenario::new(user, "");
    let policy = scenario.policy().at("/");
    let shown = |text: &str| policy.explain(text).to_string();
    let file = scenario.path(".config/loop/loop.toml").display().to_string();
    for (text, line) in [
        ("make", 5),
        ("cargo build", 4),
        ("git log", 6),
        ("a/b.kdbx", 7),
        ("src/x.rs", 12),
        ("README.md", 11),
    ] {
        assert!(shown(text).ends_with(&format!("({file}:{line})")), "{text}: {}", shown(text));
    }
    assert!(policy.explain_path("src/credentials.rs", Verb::Read).allowed);
    assert!(!policy.explain_path("README.md", Verb::Write).allowed);
    assert_eq!(policy.command_time().as_secs(), 60);
}

#[test]
fn the_policy_that_the_guide_shows_holds() {
    let page = include_str!("../../../book/src/settings.md");
    let (_, example) = page.split_once("```toml,settings\n[policy]").expect("an example");
    let (example, _) = example.split_once("```").expect("its end");
    let example = format!("[policy]{example}");
    let policy = Scenario::new(&example, "").policy();
    assert!(policy.on_command("cargo test").is_ok() && policy.on_command("du").is_err());
    assert!(policy.explain_path("src/credentials.rs", Verb::Delete).allowed);
    assert!(!policy.explain_path("README.md", Verb::Write).allowed);
    // In a project's file, the user's own keys have no effect, with a message.
    assert_eq!(Scenario::new("", &example).policy().ignored().len(), 4);
}

#[test]
fn a_server_and_its_key_are_the_users_alone() {
    let page = include_str!("../../../book/src/settings.md");
    let (_, example) = page.split_once("```toml,settings\n[chat]").expect("an example");
    let (example, _) = example.split_once("```").expect("its end");
    let example = format!("[chat]{example}");
    let settings = Scenario::new(&example, "").load().unwrap_or_else(|findings| panic!("{findings}"));
    let tables = settings.user.tables;
    let model = tables.chat.model.expect("a model").value;
    let box_ = NamedModel {
        model: "openai:qwen3".parse().expect("a model"),
        base_url: Some("http://box:8080/v1".to_owned()),
        server: None,
        key_env: Some("BOX_API_KEY".to_owned()),
        tool_mode: ToolMode::Prose,
        tools: None,
        context_tokens: Some(32_768),
        tags: vec!["code".to_owned()],
        history: Some(HistoryShare::Last(20)),
    };
    assert_eq!(tables.models[model.as_str()], box_);
    assert_eq!(tables.chat.tools.map(|tools| tools.len()), Some(2));
    let said = refusal(&example);
    assert!(said.contains("`base_url` is only for") && said.contains("`key_env` is only for"), "{said}");
}

#[test]
fn an_editor_knows_every_table_and_every_key() {
    let tables: Vec<_> = schemas().collect();
    // A project can have no table for engines, folders, programs, files of vectors, plans, addresses, jobs, servers or
    // the terminal.
    let of_user = [
        "engine",
        "folders",
        "formatters",
        "knowledge",
        "plan",
        "remote",
        "schedule",
        "sensors",
        "servers",
        "terminal",
    ];
    let of_projects = TABLES.iter().filter(|name| !of_user.contains(*name));
    assert!(tables.iter().map(|(name, _)| name).eq(of_projects));
    let keys = [
        ("chat", chat::KEYS),
        ("memory", memory::KEYS),
        ("policy", policy::KEYS),
        ("rag", rag::KEYS),
        ("tools", super::after_write::KEYS),
    ];
    for (name, keys) in keys {
        let table = tables.iter().find(|table| table.0 == name).expect("the table");
        let properties = table.1["properties"].as_object().expect("keys");
        let known: BTreeSet<_> = properties.keys().map(String::as_str).collect();
        // Only the user sets these.
        let keys = keys.iter().copied().filter(|key| !["auto_accept", "embedder"].contains(key));
        assert_eq!(known, keys.collect());
    }
}

#[test]
fn a_project_only_lowers_the_rounds_of_calls() {
    let rounds = |user, project| Scenario::new(user, project).load().expect("settings").rounds();
    assert_eq!(
        [rounds("", ""), rounds("", "[chat]\nrounds = 3\n"), rounds("", "[chat]\nrounds = 40\n")],
        [10, 3, 10]
    );
    let user = "[chat]\nrounds = 40\n";
    assert_eq!([rounds(user, ""), rounds(user, "[chat]\nrounds = 20\n")], [40, 20]);
    let said = Scenario::new("[chat]\nrounds = 10001\n", "").load().expect_err("an error").to_string();
    assert!(said.contains("`chat.rounds` has to be a number from 0 to 10000"), "{said}");
}

#[test]
fn a_project_only_lowers_the_limits_of_plans() {
    let limits = |user: &str, project: &str| {
        let settings = Scenario::new(user, project).load().expect("settings");
        (settings.plan_repairs(), settings.plan_validation_time().as_secs())
    };
    assert_eq!(limits("", ""), (2, 30));
    assert_eq!(limits("[plan]\nrepairs = 0\nvalidation_seconds = 90\n", ""), (0, 90));
    let user = "[plan]\nrepairs = 5\nvalidation_seconds = 60\n";
    assert_eq!(limits(user, "[plan]\nrepairs = 1\nvalidation_seconds = \"10s\"\n"), (1, 10));
    assert_eq!(limits(user, "[plan]\nrepairs = 9\nvalidation_seconds = 90\n"), (5, 60));
    let said = Scenario::new("[plan]\nrepairs = 1001\n", "").load().expect_err("an error").to_string();
    assert!(said.contains("`plan.repairs` has to be a number from 0 to 1000"), "{said}");
}

#[test]
fn a_project_names_folders_of_skills_in_itself_and_the_user_also_others() {
    let folders = |user: &str, project: &str| {
        let settings = Scenario::new(user, project).load().expect("settings");
        settings.skill_folders().map(|folders| folders.join(" "))
    };
    let users = "[skills]\nfolders = [\"/mine\", \"docs/skills\"]\n";
    assert_eq!(folders("", ""), None);
    assert_eq!(folders(users, "").as_deref(), Some("/mine docs/skills"));
    assert_eq!(folders(users, "[skills]\nfolders = [\"own\"]\n").as_deref(), Some("own /mine"));
    assert_eq!(folders("", "[skills]\nfolders = []\n").as_deref(), Some(""));
    for folder in ["/elsewhere", "../above", "a/../../b", " "] {
        let said = refusal(&format!("[skills]\nfolders = [\"{folder}\"]\n"));
        assert!(said.contains("is not the path of a folder in the project"), "{said}");
    }
}

#[test]
fn only_the_user_names_validations_of_plans() {
    let text = "[plan.validations]\nfine = \"test -e made\"\n";
    let Settings { user, .. } = Scenario::new(text, "").load().expect("settings");
    assert_eq!(user.tables.plan.validations["fine"], "test -e made");
    let said = refusal(text);
    assert!(said.contains("`validations` is only for a user's own settings"), "{said}");
    let said = Scenario::new("[plan.validations]\nempty = \"\"\nlist = []\n", "").load();
    let said = said.expect_err("it is wrong").to_string();
    assert!(said.contains("`empty` is empty") && said.contains("plan.validations.\"list\""), "{said}");
}

#[test]
fn a_project_narrows_and_never_widens() {
    let project =
        "[policy]\nallow = [\"curl\"]\nforbid = [\"ls\"]\nsafe_mode = false\ncommand_seconds = 9999";
    let policy = Scenario::new("[policy]\nallow = [\"make\"]", project).policy();
    assert!(policy.on_command("make").is_ok());
    assert!(policy.on_command("ls").is_err() && policy.on_command("curl x").is_err());
    assert_eq!((policy.ignored().len(), policy.command_time().as_secs()), (3, 300));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (project, expected) in [
        ("[policy]\nalow = [\"x\"]", "did you mean `allow`?"),
        ("[polcy]\nallow = [\"x\"]", "did you mean `policy`?"),
        ("colour = 1", "unknown key `colour` in settings"),
        ("policy = 1", "`policy` has to be an object"),
        ("[policy]\nallow = \"x\"", "write it as a list: [\"x\"]"),
        ("[policy]\nallow = [\"A=1 cargo test\"]", "`A=1 cargo test` is not the beginning of a command"),
        ("[policy]\nallow = [1]", "`policy.allow[0]` has to be text"),
        ("[policy]\nsafe_mode = \"off\"", "write false, without quotes"),
        ("[policy]\ncommand_seconds = \"soon\"", "has to be a time, such as `90s`"),
        ("[policy]\ncommand_seconds = 0", "a time above 0"),
        ("[policy]\nsecret = [\"a/b\"]", "`a/b` is not the name of a file"),
        ("[policy]\nnot_secret = [\"../x\"]", "`../x` is outside"),
        ("[policy.permissions]\n\"src\" = [\"reed\"]", "`reed` is not a permission"),
        ("[policy.permissions]\n\"src\" = []\n\"./src/\" = []", "the permissions of `src` appear here twice"),
        ("[policy.permissions]\n\"/etc\" = []", "`/etc` is outside"),
        ("[policy", "this is not TOML"),
        ("[chat]\nmodle = \"x\"", "did you mean `model`?"),
        ("[chat]\nmodel = \"\"", "the model's name is empty"),
        ("[chat]\nmodel = 1", "`chat.model` has to be text"),
        ("[chat]\ntools = [\"reed_file\"]", "did you mean `read_file`?"),
        ("[models]\nx = 1", "`models.x` has to be an object"),
        ("[models.x]", "`models.x.model` is missing"),
        ("[models.x]\nmodel = \"qwen3\"", "write `ollama:qwen3`"),
        ("[models.\"a:b\"]\nmodel = \"ollama:x\"", "`a:b` cannot be a name for a model"),
    ] {
        let said = refusal(project);
        assert!(said.contains(expected), "{said}");
        assert!(said.contains("loop.toml:"), "{said}");
    }
}

#[test]
fn what_would_lose_a_key_or_lead_nowhere_is_refused_in_the_users_own_file_too() {
    for (line, expected) in [
        ("key_env = \"MINE\"", "every command would see it"),
        ("base_url = \"box:80\"", "write it as `https://host/path`"),
        ("base_url = \"http://\"", "write it as `https://host/path`"),
    ] {
        let user = format!("[models.x]\nmodel = \"openai:x\"\n{line}\n");
        let said = Scenario::new(&user, "").load().expect_err("these have to be refused").to_string();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn the_users_own_file_holds_settings_alone_and_has_to_be_there_if_it_is_named() {
    let said = Scenario::new("goal = \"x\"", "").load().expect_err("no manifest").to_string();
    assert!(said.contains("unknown key `goal` in settings"), "{said}");
    let scenario = Scenario::new("", "");
    let load = |path: &str| {
        let path = scenario.path(path);
        Settings::load(Path::new(""), |name| (name == "LOOP_CONFIG").then(|| path.clone().into()))
    };
    let said = load("gone.toml").expect_err("no file").to_string();
    assert!(said.contains("cannot be read") && said.contains("LOOP_CONFIG names this file"), "{said}");
    assert!(load("x.yaml").expect_err("no TOML").to_string().contains("written in TOML"));
    assert!(!scenario.load().expect("settings").user.tables.policy.allow.iter().any(|_| true));
}

#[test]
fn the_users_settings_and_what_is_kept_are_not_changed_by_tools() {
    let scenario = Scenario::new("", "");
    let home = fs::canonicalize(scenario.path("")).expect("a path");
    let policy = scenario.policy().at(home);
    for path in [".config/loop/loop.toml", ".local/state/loop/audit/audit.jsonl"] {
        assert!(!policy.explain_path(path, Verb::Write).allowed, "{path}");
    }
}

const MANIFEST: &str = "goal = \"g\"\nagent = { command = \"a\", prompt = \"{goal} {evaluator_output}\" }\n\
    evaluator = { command = \"c\" }\nguardrails = { max_iterations = 3 }\n";

#[test]
fn one_file_is_a_manifest_and_settings_at_once() {
    let both = format!("{MANIFEST}[policy]\nforbid = [\"ls\"]\n");
    let scenario = Scenario::new("", &both);
    assert!(scenario.policy().on_command("ls").is_err());
    let path = scenario.path("app/loop.toml");
    assert_eq!(Plan::load(&path).expect("a manifest").plan.goal, "g");
    assert!(!only_settings(&path));
    // A mistake in the settings is a mistake in the file.
    fs::write(&path, format!("{MANIFEST}[policy]\nforbit = [\"ls\"]\n")).expect("a file");
    assert!(Plan::load(&path).expect_err("a slip").to_string().contains("did you mean `forbid`?"));
    // No other file may contain settings.
    let other = scenario.path("app/other.toml");
    fs::write(&other, both).expect("a file");
    assert!(Plan::load(&other).expect_err("a table").to_string().contains("unknown key `policy`"));
}

#[test]
fn a_file_with_settings_alone_is_no_manifest() {
    for (text, expected) in [
        ("[policy]\nforbid = [\"ls\"]", true),
        ("[polcy]\nforbid = [\"ls\"]", true),
        (MANIFEST, false),
        ("gaol = \"g\"", false),
        ("", false),
        ("[policy", false),
    ] {
        let scenario = Scenario::new("", text);
        assert_eq!(only_settings(&scenario.path("app/loop.toml")), expected, "{text}");
    }
    assert!(!only_settings(Path::new("/nowhere/loop.toml")));
}

#[test]
fn the_numbers_of_jobs_are_the_users_alone() {
    let user = "[schedule]\npreset = \"current\"\nexpiry = \"never\"\njitter = false\nmax_jobs = 7\n";
    let scenario = Scenario::new(user, "");
    let numbers = scenario.load().unwrap_or_else(|findings| panic!("{findings}")).user.tables.schedule;
    assert_eq!((numbers.max_jobs, numbers.expiry, numbers.jitter), (7, None, loop_schedule::Jitter::OFF));
    for (project, said) in [
        ("expiry = \"never\"", "is only for a user's own settings"),
        ("preset = \"newest\"", "write `classic` or `current`"),
        ("expiry = \"soon\"", "has to be a time"),
        ("max_jobs = 0", "at least 1"),
    ] {
        let refused = refusal(&format!("[schedule]\n{project}\n"));
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn a_link_to_a_missing_file_is_not_taken_for_no_settings() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere.toml", folder.path().join("loop.toml")).unwrap();
    let error = Settings::load(folder.path(), |_| None).unwrap_err();
    assert!(error.render(crate::Paint::Plain).contains("cannot be read"));
}

#[test]
fn settings_that_were_lost_are_not_taken_for_no_settings() {
    let folder = tempfile::tempdir().unwrap();
    let load =
        || Settings::load(folder.path(), |name| (name == "HOME").then(|| folder.path().join("home").into()));
    let says = |what: &str| {
        let error = load().unwrap_err().render(crate::Paint::Plain);
        assert!(error.contains(what), "{error}");
    };
    std::fs::create_dir_all(folder.path().join("home")).unwrap();
    std::os::unix::fs::symlink("elsewhere", folder.path().join("home/.config")).unwrap();
    says("cannot be read");
    std::fs::create_dir_all(folder.path().join("home/elsewhere/loop")).unwrap();
    std::fs::write(folder.path().join("home/elsewhere/loop/loop.toml"), "").unwrap();
    says("this file is empty");
}

#[test]
fn a_pattern_is_not_taken_for_the_path_of_a_permission() {
    for pattern in ["priv/*", "**/s.txt", "a[bc]", "a?"] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("[policy.permissions]\n\"{pattern}\" = []\n");
        std::fs::write(folder.path().join("loop.toml"), text).unwrap();
        let error = Settings::load(folder.path(), |_| None).unwrap_err();
        assert!(error.render(crate::Paint::Plain).contains("is a pattern"), "{pattern}");
    }
}

#[test]
fn only_the_user_decides_which_server_stores_runs() {
    let text = "[engine.temporal]\naddress = \"temporal.example:7233\"\nkey_env = \"TEMPORAL_KEY\"\n";
    let found = Scenario::new(text, "").load().expect("settings").user.tables.engine.temporal;
    assert_eq!(found.address.as_deref(), Some("temporal.example:7233"));
    assert_eq!((found.key_env.as_deref(), found.namespace, found.tls), (Some("TEMPORAL_KEY"), None, None));
    let refused = refusal(text);
    assert!(refused.contains("`temporal` is only for a user's own settings"), "{refused}");
    for (text, finding) in [
        ("[engine.restate]\naddress = \"x\"\n", "unknown key `restate` in `engine`"),
        ("[engine.temporal]\nadress = \"x\"\n", "unknown key `adress` in `engine.temporal`"),
        ("[engine.temporal]\naddress = \" \"\n", "this text is empty"),
        ("[engine]\ntemporal = 3\n", "`engine.temporal`"),
    ] {
        let error = Scenario::new(text, "").load().expect_err(text).to_string();
        assert!(error.contains(finding), "{error}");
    }
}

#[test]
fn only_the_user_decides_about_notifications() {
    let notify = |user| Scenario::new(user, "").load().expect("settings").user.tables.terminal.notify;
    assert_eq!((notify(""), notify("[terminal]\nnotify = false\n")), (None, Some(false)));
    let refused = refusal("[terminal]\nnotify = false\n");
    assert!(refused.contains("`notify` is only for a user's own settings"), "{refused}");
}

proptest::proptest! {
    #[test]
    fn a_duration_that_is_shown_is_read_again(millis in 0_u64..1_000_000_000) {
        let time = std::time::Duration::from_millis(millis);
        assert_eq!(crate::duration::parse(&loop_telemetry::words::span(time)), Ok(time));
    }
}

#[test]
fn what_is_allowed_in_a_folder_holds_there_and_nowhere_else() {
    let scenario = Scenario::new("[policy]\nallow = [\"just check\"]\n", "");
    let app = fs::canonicalize(scenario.path("app")).expect("a path");
    let file = scenario.path(".config/loop/loop.toml");
    let keep = |command: &str, rule| {
        keep_command(&file, &app, &command.parse().expect("an entry"), rule).expect("it is stored");
    };
    keep("cargo test", CommandRule::Allow);
    keep("just check", CommandRule::Forbid);
    let policy = scenario.policy();
    assert!(policy.on_command("cargo test -q").is_ok() && policy.on_command("cargo run").is_err());
    assert!(policy.on_command("just check").is_err_and(|denied| denied.to_string().contains("is forbidden")));
    fs::create_dir_all(scenario.path("app/sub")).expect("a folder");
    for folder in ["app/sub", ""] {
        let settings =
            Settings::load(&scenario.path(folder), |name| (name == "HOME").then(|| scenario.0.path().into()));
        let policy = settings.expect("settings").policy();
        assert!(policy.on_command("cargo test").is_err() && policy.on_command("just check").is_ok());
    }
}

#[test]
fn permissions_of_a_folder_replace_the_general_ones_there_and_nowhere_else() {
    let scenario = Scenario::new("", "");
    fs::create_dir_all(scenario.path("app/sub")).expect("a folder");
    let app = scenario.path("app").canonicalize().expect("a folder");
    let file = scenario.path(".config/loop/loop.toml");
    let general = "[policy.permissions]\n\".\" = [\"read\", \"write\"]\nsrc = [\"read\"]\n";
    fs::write(&file, general).expect("settings");
    let kept = Permissions::new().with("src".parse().expect("a path"), [Verb::Write], Origin::BuiltIn);
    keep_permissions(&file, &app, &kept).expect("they are stored");
    for (folder, writes) in [("app", true), ("app/sub", false), ("", false)] {
        let settings =
            Settings::load(&scenario.path(folder), |name| (name == "HOME").then(|| scenario.0.path().into()));
        let policy = settings.expect("settings").policy();
        for (path, verb, allowed) in [
            ("src/a", Verb::Write, writes),
            ("src/a", Verb::Read, !writes),
            ("b", Verb::Write, true),
            ("b", Verb::Delete, false),
        ] {
            let path = path.parse().expect("a path");
            let all = policy.permissions().iter().all(|permissions| permissions.on(&path, verb).allowed);
            assert_eq!(all, allowed, "{folder} {path} {verb}");
        }
    }
}

#[test]
fn a_project_allows_nothing_in_a_folder() {
    let said = refusal("[folders.\"/\"]\nallow = [\"cargo\"]");
    assert!(said.contains("`folders` is only for a user's own settings"), "{said}");
    let said = Scenario::new("[folders.app]\nallow = []", "").load().expect_err("refused").to_string();
    assert!(said.contains("`app` is not an absolute path"), "{said}");
}

//! Scripts of skills: which may run, and what runs.

use loop_agents::{
    process::{Environment, Process},
    skills::{SkillError, SkillScript, Skills},
};
use loop_guardrails::policy::{ActionPolicy, Origin, PolicySettings, WithOrigin, workspace::Workspace};

use crate::support::{Project, skill};

const SKILL: &str = ".agents/skills/a/SKILL.md";
const SCRIPT: &str = ".agents/skills/a/scripts/compiled.bash";

fn script_of(skills: &Skills) -> Result<Option<SkillScript>, SkillError> {
    skills.find("a").expect("a skill").script()
}

/// A project whose skill has a script with these lines, made from its `SKILL.md`.
fn project(lines: &str) -> Project {
    let project = Project::new().with(SKILL, skill("a", "x", "Do it.\n"));
    let digest = project.skills().find("a").expect("a skill").digest().expect("a digest");
    project.with(SCRIPT, format!("#!/usr/bin/env bash\n# {digest}\n{lines}"))
}

#[test]
fn a_script_counts_only_for_the_skill_that_it_was_made_from() {
    let project = project("echo hi\n");
    let first = script_of(&project.skills()).expect("no error").expect("a script");
    assert!(first.digest().starts_with("sha256:") && first.digest().len() == 71);
    let project = project.with(SKILL, skill("a", "x", "Do something else.\n"));
    let error = script_of(&project.skills()).expect_err("outdated").to_string();
    assert!(
        error.starts_with("`.agents/skills/a/scripts/compiled.bash` was not made from this version"),
        "{error}"
    );
    let none = Project::new().with(SKILL, skill("a", "x", ""));
    assert!(script_of(&none.skills()).expect("no error").is_none());
}

#[test]
fn every_change_of_a_script_changes_its_digest() {
    let (one, other) = (project("echo hi\n"), project("echo hi \n"));
    let digests = [&one, &other].map(|project| {
        script_of(&project.skills()).expect("no error").expect("a script").digest().to_owned()
    });
    assert_ne!(digests[0], digests[1]);
}

#[test]
fn a_person_sees_the_whole_text() {
    let request =
        script_of(&project("echo \u{202e}x\n").skills()).expect("no error").expect("a script").question();
    assert_eq!(request.diff.lines().count(), 3);
    assert!(request.diff.ends_with("+echo \\u{202e}x\n"), "{}", request.diff);
    assert_eq!(request.action, format!("to run the script `{SCRIPT}` of the skill `a`"));
}

#[tokio::test]
async fn what_was_read_runs_even_if_the_file_changes() {
    let project = project("echo \"$0 in $PWD\" >&2; echo $WHO; exit 3\n");
    let script = script_of(&project.skills()).expect("no error").expect("a script");
    let project = project.with(SCRIPT, "echo something else\n");
    let workspace = project.workspace();
    script.check(&workspace).expect("allowed");
    let environment =
        Environment::new().with("WHO", "me").with("PATH", std::env::var_os("PATH").expect("a path"));
    let process = Process::shell("").dir(workspace.root()).env(environment);
    let output = script.run(process, &workspace).await.expect("it ran");
    assert_eq!(output.exit.shell_code(), 3);
    let text = String::from_utf8(output.stdout.to_bytes()).expect("text");
    assert_eq!(text, format!("{SCRIPT} in {}\nme\n", workspace.root().display()));
}

#[test]
fn the_policy_still_decides() {
    let project = project("echo hi\n");
    let script = script_of(&project.skills()).expect("no error").expect("a script");
    let forbid = vec![WithOrigin::new("bash".parse().expect("an entry"), Origin::line("loop.toml", 1))];
    let mut rules = PolicySettings::default();
    rules.forbid = forbid;
    let policy = ActionPolicy::new(rules, PolicySettings::default());
    let workspace = Workspace::open(project.path(), policy).expect("a workspace");
    let error = script.check(&workspace).expect_err("forbidden").to_string();
    assert!(error.starts_with("the script of the skill may not run: "), "{error}");
    assert!(error.contains("loop.toml:1"), "{error}");
}

#[test]
fn a_large_or_unreadable_script_is_refused() {
    let large = project(&"x".repeat(70_000));
    assert!(script_of(&large.skills()).expect_err("too large").to_string().contains("larger than 64 KiB"));
    let bytes = project("").with(SCRIPT, b"\xff\xfe");
    assert!(script_of(&bytes.skills()).expect_err("no text").to_string().contains("not UTF-8"));
}

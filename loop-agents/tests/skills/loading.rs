//! Finding and loading skills.

use std::{fs, os::unix::fs::symlink, sync::Arc};

use loop_agents::{
    skills::{LoadSkill, SkillSource, Skills},
    tools::Toolbox,
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Project, skill};

fn warnings(skills: &Skills) -> Vec<String> {
    skills.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn the_first_skill_of_a_name_counts_and_the_other_is_named() {
    let user = Project::new()
        .with("a/SKILL.md", skill("a", "Mine.", ""))
        .with("b/skill.md", skill("b", "Mine.", ""));
    let project = Project::new()
        .with(".claude/skills/a/SKILL.md", skill("a", "Claude's.", ""))
        .with(".agents/skills/a/SKILL.md", skill("a", "Ours.", ""))
        .with(".agents/skills/no-skill/README.md", "");
    let mut sources = SkillSource::of_project(&project.workspace());
    sources.extend(SkillSource::of_user(user.path()).expect("a folder"));
    let skills = Skills::load(&sources);
    let all: Vec<_> = skills.all().map(|skill| (skill.name(), skill.description())).collect();
    assert_eq!(all, [("a", "Ours."), ("b", "Mine.")]);
    assert_eq!(skills.shadowed().len(), 2);
    let problem =
        "skipped `.claude/skills/a/SKILL.md`: `.agents/skills/a/SKILL.md` has the same name `a` and is used";
    assert_eq!(warnings(&skills)[0], problem);
    assert!(SkillSource::of_user(&user.path().join("none")).expect("no error").is_none());
}

#[test]
fn a_faulty_skill_is_skipped_with_a_warning_that_names_it() {
    let long = format!("---\nname: long\n{}", "# comment\n".repeat(10_000));
    let bomb = format!("---\nname: bomb\ndescription: &a x\n{}---\n", "b: [*a, *a]\n");
    let project = Project::new()
        .with(".agents/skills/good/SKILL.md", skill("good", "Works.", ""))
        .with(".agents/skills/bomb/SKILL.md", bomb)
        .with(".agents/skills/long/SKILL.md", long)
        .with(".agents/skills/bytes/SKILL.md", b"---\nname: bytes\ndescription: \xff\n---\n")
        .with(".agents/skills/silent/SKILL.md", "---\nname: silent\n---\n")
        .with(".agents/skills/plain/SKILL.md", "# Just Markdown\n")
        .with(".agents/skills/open/SKILL.md", "---\nname: open\n")
        .with(".agents/skills/lines/SKILL.md", skill("\"a\\nb\"", "x", ""))
        .with(".agents/skills/spaced/SKILL.md", skill("two words", "x", ""));
    insta::assert_snapshot!(warnings(&project.skills()).join("\n"), @r"
    skipped `.agents/skills/bomb/SKILL.md`: line 3: an alias (`*name`) is not supported here: write the value out
    skipped `.agents/skills/bytes/SKILL.md`: line 3 is not UTF-8: save the file as UTF-8
    skipped `.agents/skills/lines/SKILL.md`: the name `a\nb` contains '\n': use lower-case letters, digits and `-`
    skipped `.agents/skills/long/SKILL.md`: the front matter does not end within 64 KiB
    skipped `.agents/skills/open/SKILL.md`: the front matter does not end: put a line `---` after it
    skipped `.agents/skills/plain/SKILL.md`: the first line must be `---`, before the fields `name` and `description`
    skipped `.agents/skills/silent/SKILL.md`: `description` is missing: state what the skill does and when to use it
    skipped `.agents/skills/spaced/SKILL.md`: the name `two words` contains ' ': use lower-case letters, digits and `-`
    ");
    assert_eq!(project.skills().all().count(), 1);
}

#[test]
fn small_faults_do_not_hide_a_skill() {
    let project = Project::new()
        .with(".agents/skills/deploy/SKILL.md", skill("Ship_It", "x\ntrigger: /(/", ""))
        .with(".agents/skills/\u{fc}bung/SKILL.md", skill("u\u{308}bung", "In another script.", ""))
        .with(
            ".agents/skills/\u{65e5}\u{672c}\u{8a9e}/SKILL.md",
            "---\ndescription: Named by its folder.\n---\n",
        );
    let skills = project.skills();
    let names: Vec<_> = skills.all().map(|skill| skill.name().to_owned()).collect();
    assert_eq!(names, ["Ship_It", "\u{fc}bung", "\u{65e5}\u{672c}\u{8a9e}"]);
    insta::assert_snapshot!(warnings(&skills).join("\n"), @r"
    `.agents/skills/deploy/SKILL.md`: the name `Ship_It` differs from that of its folder
    `.agents/skills/deploy/SKILL.md`: the name `Ship_It` is not of lower-case letters, digits and single `-`
    `.agents/skills/deploy/SKILL.md`: its trigger never fires: its pattern `(` is invalid: error: unclosed group
    ");
}

#[test]
fn a_link_out_is_refused() {
    let outside = Project::new().with("secret/SKILL.md", skill("secret", "Elsewhere.", "")).with("S.md", "x");
    let project = Project::new().with(".agents/skills/near/SKILL.md", skill("near", "Here.", ""));
    let skills = project.path().join(".agents/skills");
    symlink(outside.path().join("secret"), skills.join("folder")).expect("a link");
    fs::create_dir(skills.join("file")).expect("a folder");
    symlink(outside.path().join("secret/SKILL.md"), skills.join("file/SKILL.md")).expect("a link");
    symlink(skills.join("gone"), skills.join("dangling")).expect("a link");
    symlink(outside.path(), project.path().join(".claude")).expect("a link");
    symlink("near", skills.join("within")).expect("a link");
    let found = project.skills();
    assert_eq!(found.all().count(), 1);
    let out: Vec<_> =
        warnings(&found).into_iter().filter(|text| text.contains("leads out of the workspace")).collect();
    assert_eq!(out.len(), 3, "{:?}", found.warnings());
}

#[test]
fn too_many_skills_are_reported_and_fit_into_the_catalogue() {
    let mut project = Project::new();
    for number in 0..1_001 {
        let (path, name) = (format!(".agents/skills/s{number:04}/SKILL.md"), format!("s{number:04}"));
        project = project.with(&path, skill(&name, "Does one of a thousand things that projects need.", ""));
    }
    let skills = project.skills();
    assert_eq!(skills.all().count(), 1_000);
    assert!(warnings(&skills)[0].contains("more than 1000 skills"), "{:?}", skills.warnings());
    let catalogue = skills.catalogue().expect("a catalogue");
    assert!(catalogue.len() <= 4096 && catalogue.len() > 4000, "{}", catalogue.len());
    assert!(catalogue.ends_with(" more skills; `/skill list` shows all)"), "{catalogue}");
}

#[tokio::test]
async fn a_model_loads_a_skill_and_a_changed_one_as_it_is_now() {
    let project = Project::new().with(".agents/skills/a/SKILL.md", skill("a", "x", "First.\n"));
    let tools = Toolbox::new(project.workspace()).with(LoadSkill::new(Arc::new(project.skills())));
    let call = json!({ "name": "a" });
    assert!(tools.call("load_skill", &call).await.text.ends_with("\nFirst.\n"));
    let project = project.with(".agents/skills/a/SKILL.md", skill("a", "x", "Second.\n"));
    let report = tools.call("load_skill", &call).await;
    let head =
        "(instructions from .agents/skills/a/SKILL.md; other paths in them are relative to its folder)";
    assert_eq!(report.text, format!("{head}\nSecond.\n"));
    fs::remove_file(project.path().join(".agents/skills/a/SKILL.md")).expect("removed");
    assert!(tools.call("load_skill", &call).await.text.contains("there is no `.agents/skills/a/SKILL.md`"));
    assert!(tools.call("load_skill", &json!({ "name": "../a" })).await.text.contains("there is no skill"));
}

#[test]
fn variables_are_filled_once() {
    let body = "{{WHO}} and {{ WHO }}, {{OTHER}} {{ {{WHO}}";
    let project = Project::new().with(".agents/skills/a/SKILL.md", skill("a", "x", body));
    let skills = project.skills();
    let values = [("WHO".to_owned(), "{{OTHER}}".to_owned()), ("OTHER ".to_owned(), "no".to_owned())];
    let filled = skills.find("a").expect("a skill").body_with(&values).expect("a body");
    assert_eq!(filled, "{{OTHER}} and {{OTHER}}, {{OTHER}} {{ {{OTHER}}");
}

#[test]
fn tools_are_narrowed_by_their_names_anywhere() {
    let text = "---\nname: a\ndescription: x\nallowed-tools: Bash(git:*) read_file\n---\n";
    let project = Project::new().with(".agents/skills/a/SKILL.md", text);
    let skills = project.skills();
    let skill = skills.find("a").expect("a skill");
    let allowed = ["run_command", "read_file", "write_file"].map(|tool| skill.allows_tool(tool));
    assert_eq!(allowed, [true, true, false]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn front_matter_never_panics(lines in prop::collection::vec(prop_oneof![
        "(name|description|metadata|trigger|variables|allowed-tools|[a-z]+): ?[^\n]{0,30}",
        "[ \t]{0,6}[^\n]{0,30}",
        Just("---".to_owned()),
        "[\\[{&*!|>'\"-].{0,10}",
    ], 0..12)) {
        let text = format!("---\n{}\n---\nbody", lines.join("\n"));
        let project = Project::new().with(".agents/skills/a/SKILL.md", &text);
        let skills = project.skills();
        prop_assert_eq!(skills.all().count() + usize::from(skills.warnings().iter().any(|w| w.is_skipped)), 1);
        prop_assert!(skills.catalogue().is_none_or(|list| list.len() <= 4096));
    }
}

//! `loop skill` and `loop init --skill`.

use serde_json::Value;

use crate::support::Scenario;

#[test]
fn a_written_skill_is_listed_shown_and_valid() {
    let scenario = Scenario::new();
    let none = scenario.run(&["skill", "list"]);
    assert_eq!(none.stdout, "there are no skills: `loop init --skill` writes one into .agents/skills\n");
    let wrote = scenario.run(&["init", "--skill"]);
    assert_eq!((wrote.code, wrote.stderr.as_str()), (0, "wrote .agents/skills/bounded-loop/SKILL.md\n"));
    let again = scenario.run(&["init", "--skill"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("already exists, and was not changed"), "{}", again.stderr);
    assert_eq!(scenario.run(&["skill", "check", "--strict"]).code, 0);
    let page = scenario.run(&["skill", "info", "bounded-loop"]).stdout;
    assert!(page.contains("\n# Start a bounded loop\n"), "{page}");
    let list = scenario.run(&["skill", "list", "--json"]).stdout;
    let skill: Value = serde_json::from_str(&list).expect("one object");
    assert_eq!(skill["name"], "bounded-loop");
}

#[test]
fn a_check_reports_what_is_wrong() {
    let scenario = Scenario::new();
    scenario.write(".agents/skills/a/SKILL.md", "---\nname: a\ndescription: x\ntrigger: y\n---\n");
    scenario.write(".agents/skills/b/SKILL.md", "---\nname: b\n---\n");
    let lenient = scenario.run(&["skill", "check", ".agents/skills/a"]);
    assert_eq!((lenient.code, lenient.stdout.as_str()), (0, "valid    .agents/skills/a\n"));
    let strict =
        scenario.run(&["skill", "check", "--strict", ".agents/skills/a", ".agents/skills/b/SKILL.md"]);
    let problem = "invalid  .agents/skills/a\n  `trigger` is not a field of the format: move it to `metadata`\n\
                   invalid  .agents/skills/b/SKILL.md\n  `description` is missing\n";
    assert_eq!((strict.code, strict.stdout.as_str()), (1, problem));
    assert_eq!(scenario.run(&["skill", "check"]).code, 1);
    let unknown = scenario.run(&["skill", "info", "b"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("there is no skill `b`: `loop skill list` lists them"),
        "{}",
        unknown.stderr
    );
    let list = scenario.run(&["skill", "list"]);
    assert_eq!(list.stdout, "a  x\n");
    assert!(
        list.stderr.contains("skipped `.agents/skills/b/SKILL.md`: `description` is missing"),
        "{}",
        list.stderr
    );
}

#[test]
fn a_new_skill_is_written_once_and_only_if_it_is_valid() {
    let scenario = Scenario::new();
    let new = |name: &'static str, description: &'static str| {
        scenario.run(&["skill", "new", name, "--description", description])
    };
    assert_eq!(new("tidy", "Sorts imports: all.").exits(0).stderr.lines().count(), 1);
    let text = scenario.read(".agents/skills/tidy/SKILL.md");
    assert_eq!(text, "---\nname: tidy\ndescription: \"Sorts imports: all.\"\n---\n\n# tidy\n");
    scenario.run(&["skill", "check", "--strict"]).exits(0);
    assert!(new("tidy", "Other.").exits(2).stderr.contains("it already exists, and was not changed"));
    assert_eq!(scenario.read(".agents/skills/tidy/SKILL.md"), text);
    for (name, problem) in
        [("Tidy", "lower-case"), ("a/b", "contains '/'"), ("..", "contains '.'"), ("a--b", "single `-`")]
    {
        assert!(new(name, "x").exits(2).stderr.contains(problem), "{name}");
    }
    let unasked = scenario.run(&["skill", "new", "other"]).exits(2);
    assert!(unasked.stderr.contains("nobody can be asked"), "{}", unasked.stderr);
    let set = scenario.run(&["skill-set", "create", "all", "tidy", "--json"]).exits(0);
    assert_eq!(set.stdout, scenario.run(&["skill-set", "info", "all", "--json"]).stdout);
    assert_eq!(scenario.run(&["skill-set", "info", "all"]).exits(0).stdout, "all  \n  tidy\n");
    scenario.write(
        ".agents/skill-sets/web.yaml",
        "name: web\ndescription: For the site\nskills: [tidy]\nmetadata:\n  owner: Ann\n",
    );
    let page = "web  For the site\n  tidy\n  metadata  owner: Ann\n";
    assert_eq!(scenario.run(&["skill-set", "info", "web"]).exits(0).stdout, page);
    let set: Value = serde_json::from_str(&scenario.run(&["skill-set", "info", "web", "--json"]).stdout)
        .expect("an object");
    assert_eq!((&set["skills"][0], &set["metadata"]["owner"]), (&"tidy".into(), &"Ann".into()));
    let list = scenario.run(&["skill-set", "list", "--json"]).exits(0).stdout;
    assert_eq!(list.lines().count(), 2, "{list}");
    for (words, problem) in [
        (["all", "tidy", ""], "there is a set `all` already"),
        (["two", "tidy", "tidy"], "is listed twice"),
        (["two", "none", ""], "`none`, which does not exist"),
    ] {
        let words = words.iter().copied().filter(|word| !word.is_empty());
        let refused =
            scenario.run(&["skill-set", "create"].into_iter().chain(words).collect::<Vec<_>>()).exits(2);
        assert!(refused.stderr.contains(problem), "{}", refused.stderr);
    }
    assert!(!scenario.has(".agents/skill-sets/two.yaml"));
}

#[test]
fn a_link_leads_no_new_skill_out_of_the_folder() {
    let (scenario, outside) = (Scenario::new(), Scenario::new());
    std::os::unix::fs::symlink(outside.path(""), scenario.path(".agents")).expect("a link");
    let refused = scenario.run(&["skill", "new", "tidy", "--description", "x"]).exits(2);
    assert!(refused.stderr.contains("leads out of the workspace"), "{}", refused.stderr);
    assert!(!outside.has("skills"));
}

//! The strict check. The table has the cases of the reference validator (`skills-ref` 0.1.1), and those from which it
//! was found to differ.

use std::fs;

use loop_agents::skills::check_strictly;

use crate::support::Project;

/// The name of the folder, the text of its `SKILL.md`, and whether the reference accepts it.
const CASES: &[(&str, &str, bool)] = &[
    ("my-skill", "---\nname: my-skill\ndescription: A test skill\n---\n# My Skill\n", true),
    ("my-skill", "---\nname: my-skill\ndescription: x\nlicense: MIT\nmetadata:\n  author: a\n---\n", true),
    ("my-skill", "---\nname: my-skill\ndescription: x\nallowed-tools: Bash(jq:*) Bash(git:*)\n---\n", true),
    ("my-skill", "---\nname: my-skill\ndescription: x\ncompatibility: Requires Python 3.11+\n---\n", true),
    ("技能", "---\nname: 技能\ndescription: x\n---\n", true),
    ("мой-навык", "---\nname: мой-навык\ndescription: x\n---\n", true),
    ("МОЙ-НАВЫК", "---\nname: МОЙ-НАВЫК\ndescription: x\n---\n", false),
    ("caf\u{e9}", "---\nname: cafe\u{301}\ndescription: x\n---\n", true),
    ("a\u{301}\u{323}q\u{301}", "---\nname: a\u{323}\u{301}q\u{301}\ndescription: x\n---\n", false),
    ("x²", "---\nname: x²\ndescription: x\n---\n", true),
    ("MySkill", "---\nname: MySkill\ndescription: x\n---\n", false),
    ("my--skill", "---\nname: my--skill\ndescription: x\n---\n", false),
    ("-my", "---\nname: \"-my\"\ndescription: x\n---\n", false),
    ("my_skill", "---\nname: my_skill\ndescription: x\n---\n", false),
    ("other", "---\nname: my-skill\ndescription: x\n---\n", false),
    ("a", "---\nname: a\ndescription: x\ntrigger: y\n---\n", false),
    ("a", "---\nname: a\n---\n", false),
    ("a", "---\nname: a\ndescription: ''\n---\n", false),
    ("a", "---\nname: a\ndescription:\n---\n", false),
    ("a", "---\nname: a\ndescription: ~\n---\n", true),
    ("1", "---\nname: 1\ndescription: 2\n---\n", true),
    ("a", "---\nname: a\ndescription: x\nmetadata: {b: c}\n---\n", false),
    ("a", "---\nname: a\ndescription: x\nallowed-tools: [Read]\n---\n", false),
    ("a", "---\nname: a\ndescription: x\nallowed-tools:\n- Read\n---\n", true),
    ("a", "---\nname: a\nname: a\ndescription: x\n---\n", false),
    ("a", "---\nname: a\ndescription: !!str x\n---\n", false),
    ("a", "---\nname: a\ndescription: &b x\n---\n", false),
    ("a", "---\nname: a\ndescription: Use: this\n---\n", false),
    ("a", "---\nname: a\ndescription: before --- after\n---\n", true),
    ("a", "---\nname: a\ndescription: |\n  two\n  lines\n---\n", true),
    ("a", "---\r\nname: a\r\ndescription: x\r\n---\r\n", true),
    ("a", "\u{feff}---\nname: a\ndescription: x\n---\n", false),
    ("a", "--- \nname: a\ndescription: x\n--- \n", true),
    ("a", "\n---\nname: a\ndescription: x\n---\n", false),
    ("a", "---\nname: a\ndescription: x\n", false),
    ("a", "---\n- name\n---\n", false),
    ("a", "---\n---\n", false),
    ("a", "---\nname: a\ndescription: \tx\n---\n", false),
    ("a", "---\nname: a\ndescription: x\t\n---\n", false),
    ("a", "---\nname: a\ndescription: \"x\"\t\n---\n", false),
    ("a", "---\nname: a\ndescription: a\tb\n---\n", false),
    ("a", "---\nname: a\ndescription: a\n  b\tc\n---\n", false),
    ("a", "---\nname: a\ndescription: \"a\tb\"\n---\n", true),
    ("a", "---\nname: a # a\tb\ndescription: x\n---\n", true),
    ("a", "---\n\t\nname: a\ndescription: x\n---\n", false),
    ("a", "---\nname: a\n\t\ndescription: x\n---\n", false),
    ("a", "---\nname: a\ndescription: x\n\t\n---\n", false),
    ("a", "---\nname: a\ndescription: \"\\ud800\"\n---\n", true),
    ("a", "---\nname: a\ndescription: \"\\\\ud800\"\n---\n", true),
    ("a", "---\nname: a\ndescription: \u{feff}\n---\n", true),
    ("a", "---\nname: a\ndescription: <<\n---\n", false),
    ("a", "---\nname: a\ndescription: x\nlicense: <<\n---\n", true),
    ("a", "---\nname: a\ndescription: =\n---\n", false),
    ("a", "---\nname: a\ndescription: '<<'\n---\n", true),
    ("a", "# No front matter\n", false),
];

#[test]
fn the_check_agrees_with_the_reference() {
    for (folder, text, is_valid) in CASES {
        let project = Project::new().with(&format!("{folder}/SKILL.md"), text);
        let problems = check_strictly(&project.path().join(folder));
        assert_eq!(problems.is_empty(), *is_valid, "{folder}: {text:?}: {problems:?}");
    }
}

#[test]
fn lengths_are_counted_in_characters() {
    for (field, most) in [("description", 1_024), ("compatibility", 500)] {
        for (length, is_valid) in [(most, true), (most + 1, false)] {
            let text = format!("---\nname: a\n{field}: {}\n", "ü".repeat(length));
            let text = if field == "description" { text } else { text + "description: x\n" };
            let project = Project::new().with("a/SKILL.md", text + "---\n");
            let problems = check_strictly(&project.path().join("a"));
            assert_eq!(problems.is_empty(), is_valid, "{field}: {length}: {problems:?}");
        }
    }
    for (length, is_valid) in [(64, true), (65, false)] {
        let name = "n".repeat(length);
        let text = format!("---\nname: {name}\ndescription: x\n---\n");
        let project = Project::new().with(&format!("{name}/SKILL.md"), text);
        assert_eq!(check_strictly(&project.path().join(name)).is_empty(), is_valid, "{length}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_invalid() {
    let project =
        Project::new().with("a/SKILL.md", b"---\nname: a\ndescription: \xff\n---\n").with("b/x", "");
    fs::create_dir_all(project.path().join("c/SKILL.md")).expect("a folder");
    let problems = |name| check_strictly(&project.path().join(name));
    assert_eq!(problems("a"), ["SKILL.md is not UTF-8: save it as UTF-8"]);
    assert_eq!(problems("b"), ["there is no SKILL.md"]);
    assert_eq!(problems("c"), ["SKILL.md is not a file"]);
}

//! `[tools]`, `[formatters]` and `[sensors]`.

use super::{super::*, Scenario, refusal};

fn rules(user: &str, project: &str) -> AfterWrite {
    let settings = Scenario::new(user, project).load().unwrap_or_else(|findings| panic!("{findings}"));
    settings.after_write()
}

#[test]
fn the_user_names_programs_and_a_project_only_turns_formatters_off() {
    let command = |files, line: &str| FileCommand::new(files, line).expect("a pattern");
    let user = "[formatters]\n\"*.md\" = \"mdformat -\"\n[sensors]\n\"*.rs\" = \"cargo check -q\"\n";
    let expected = AfterWrite::default()
        .formatters([command("*.md", "mdformat -")])
        .sensors([command("*.rs", "cargo check -q")]);
    let shown = |rules: &AfterWrite| format!("{rules:?}");
    assert_eq!(shown(&rules(user, "")), shown(&expected));
    assert_eq!(shown(&rules("", "")), shown(&AfterWrite::default()));
    let off = shown(&AfterWrite::default().formats(false));
    assert_eq!(shown(&rules("", "[tools]\nauto_format = false")), off);
    assert_eq!(shown(&rules("[tools]\nauto_format = false", "[tools]\nauto_format = true")), off);
}

#[test]
fn a_project_names_no_program() {
    for (project, said) in [
        ("[sensors]\n\"*.rs\" = \"./evil\"", "`[sensors]` is only for a user's own settings"),
        ("[formatters]\n\"*.rs\" = \"./evil\"", "`[formatters]` is only for a user's own settings"),
        ("[tools]\nauto_format = 1", "`tools.auto_format`"),
        ("[tools]\nautoformat = true", "did you mean `auto_format`?"),
    ] {
        let refused = refusal(project);
        assert!(refused.contains(said) && refused.contains("loop.toml:2:"), "{project}: {refused}");
    }
    for (user, said) in [
        ("[sensors]\n\"[\" = \"true\"", "`[` is not a pattern of file names"),
        ("[sensors]\n\"*.rs\" = \" \"", "`sensors.\"*.rs\"` is empty"),
        ("[formatters]\n\"*.rs\" = 1", "`formatters.\"*.rs\"`"),
    ] {
        let refused = Scenario::new(user, "").load().expect_err("refused").to_string();
        assert!(refused.contains(said), "{user}: {refused}");
    }
}

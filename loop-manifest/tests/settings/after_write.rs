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
fn a_project_only_lowers_what_conversations_take() {
    let settings = |user: &str, project: &str| Scenario::new(user, project).load().expect("settings");
    let default = settings("", "");
    assert_eq!((default.output_bytes(), default.summary()), (65_536, SummaryRules::default()));
    let user = "[tools]\noutput_bytes = 4096\n[summary]\nat = 0.5\nkeep = 0\n";
    let project = "[tools]\noutput_bytes = 8192\n[summary]\nat = 0.7\nkeep = 2\n";
    for (one, other) in [(user, ""), (user, project)] {
        let settings = settings(one, other);
        assert_eq!((settings.output_bytes(), settings.summary()), (4096, SummaryRules::new(0.5, 0)));
    }
    assert_eq!(settings("", project).summary(), SummaryRules::new(0.7, 2));
    let of = |chunk_bytes, max_chunks| ReadingRules { chunk_bytes, max_chunks };
    let (user, project) =
        ("[reading]\nchunk_bytes = 9000\n", "[reading]\nchunk_bytes = 12000\nmax_chunks = 5\n");
    assert_eq!(settings("", "").reading(), of(6_000, 20));
    assert_eq!(settings(user, "").reading(), of(9_000, 20));
    assert_eq!(settings(user, project).reading(), of(9_000, 5));
    assert_eq!(settings("", project).reading(), of(6_000, 5));
    for (project, said) in [
        ("[tools]\noutput_bytes = 1000", "from 1024 to 65536"),
        ("[summary]\nat = 80", "`summary.at` has to be a number from 0 to 1"),
        ("[summary]\nkept = 3", "`summary` takes `at`, `keep`"),
        ("[reading]\nmax_chunks = 0", "`reading.max_chunks` has to be a number from 1 to 1000"),
        ("[reading]\nmax_chunk = 3", "`reading` takes `chunk_bytes`, `max_chunks`"),
    ] {
        assert!(refusal(project).contains(said), "{project}: {}", refusal(project));
    }
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

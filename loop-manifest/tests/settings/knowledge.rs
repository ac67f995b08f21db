//! `[knowledge]`, `[memory]` and `[rag]`.

use super::{super::*, Scenario, refusal};

fn loaded(user: &str, project: &str) -> Settings {
    Scenario::new(user, project).load().unwrap_or_else(|findings| panic!("{findings}"))
}

#[test]
fn without_tables_the_numbers_are_the_defaults() {
    let settings = loaded("", "");
    assert_eq!(settings.memory(), MemoryRules::default());
    assert_eq!(settings.rag(), QueryOptions { top_k: 5, min_score: 0.3 });
    let rules = settings.memory();
    assert!(rules.is_enabled && rules.injects_on_start && rules.mines_at_end && !rules.has_notes);
    assert!(!rules.accepts_all);
    assert_eq!((rules.top_k, rules.budget(Some(1_000)), rules.budget(None)), (5, 250, 512));
}

#[test]
fn the_user_sets_every_key_and_zero_is_a_value() {
    let user = "[memory]\nenabled = false\ntop_k = 0\nbudget_pct = 0\ninject_on_start = false\nmine_at_end = false\nnotes = true\n\
                auto_accept = true\n[rag]\ntop_k = 40\nmin_score = 0.0";
    let settings = loaded(user, "");
    let rules = settings.memory();
    assert!(!rules.is_enabled && !rules.injects_on_start && !rules.mines_at_end && rules.has_notes);
    assert!(rules.accepts_all);
    assert_eq!((rules.top_k, rules.budget(Some(1_000)), rules.budget(None)), (0, 0, 0));
    assert_eq!(settings.rag(), QueryOptions { top_k: 40, min_score: 0.0 });
}

#[test]
fn only_the_user_chooses_what_makes_vectors() {
    let settings = loaded("[knowledge]\nmodel2vec = \"/models/potion\"\n[memory]\nembedder = \"hashed\"", "");
    let folder = settings.user.tables.knowledge.model2vec.as_deref();
    assert_eq!((folder, settings.memory_embedder()), (Some(Path::new("/models/potion")), Some("hashed")));
    let said = refusal("[knowledge]\nmodel2vec = \"potion\"\n[memory]\nembedder = \"hashed\"");
    for part in ["`model2vec` is only for", "`embedder` is only for", "`potion` is not the absolute path"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_project_only_narrows_what_the_user_set() {
    let wide = "[memory]\nenabled = true\ntop_k = 9\nbudget_pct = 0.9\nnotes = true\n[rag]\ntop_k = 9\nmin_score = 0.1";
    let narrow = "[memory]\nenabled = false\ntop_k = 1\nbudget_pct = 0.1\nnotes = false\n[rag]\ntop_k = 1\nmin_score = 0.6";
    let (of_wide, of_narrow) = (loaded("", wide), loaded("", narrow));
    assert_eq!((of_wide.memory(), of_wide.rag()), (MemoryRules::default(), QueryOptions::default()));
    let rules = of_narrow.memory();
    assert!(!rules.is_enabled && rules.top_k == 1 && rules.budget(Some(1_000)) == 100);
    assert_eq!(of_narrow.rag(), QueryOptions { top_k: 1, min_score: 0.6 });
    assert!(loaded(wide, "").memory().has_notes && !loaded(wide, narrow).memory().has_notes);
}

#[test]
fn bad_values_are_refused_with_their_line() {
    for (project, line, said) in [
        ("[memory]\nauto_accept = true", 2, "`auto_accept` is only for a user's own settings"),
        ("[memory]\nfoo = 1", 2, "unknown key `foo` in `memory`"),
        ("[memory]\n\ntop_k = -1", 3, "`memory.top_k` has to be a number from 0 to 1000"),
        ("[memory]\nbudget_pct = 25", 2, "`memory.budget_pct` has to be a number from 0 to 1"),
        ("[memory]\nbudget_pct = nan", 2, "`memory.budget_pct` has to be a number from 0 to 1"),
        ("[memory]\nenabled = 1", 2, "`memory.enabled`"),
        ("memory = 1", 1, "`memory`"),
        ("[rag]\nmin_score = \"0.3\"", 2, "`rag.min_score`"),
        ("[rag]\ntop_k = 5000", 2, "`rag.top_k` has to be a number from 0 to 1000"),
        ("[rag]\nmin_scor = 0.3", 2, "did you mean `min_score`?"),
    ] {
        let refused = refusal(project);
        assert!(
            refused.contains(said) && refused.contains(&format!("loop.toml:{line}:")),
            "{project}: {refused}"
        );
    }
}

#[test]
fn a_manifest_beside_the_settings_keeps_its_own_key() {
    let text = "goal = \"g\"\nevaluator.command = \"true\"\nagent.command = \"true\"\n\
                guardrails.max_iterations = 1\n[memory]\nmax_tokens = 9\ntop_k = 2\n";
    let scenario = Scenario::new("", text);
    assert_eq!(scenario.load().expect("settings").memory().top_k, 2);
    let loaded = crate::Plan::load(&scenario.path("app/loop.toml"));
    let plan = loaded.unwrap_or_else(|findings| panic!("{findings}")).plan;
    assert_eq!(plan.memory_tokens, 9);
    let user =
        Scenario::new("[memory]\nmax_tokens = 9", "").load().expect_err("no key of settings").to_string();
    assert!(user.contains("unknown key `max_tokens` in `memory`"), "{user}");
}

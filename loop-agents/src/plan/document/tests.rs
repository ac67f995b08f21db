use proptest::prelude::*;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    at("2026-11-26T10:00:00Z")
}

fn titles(reply: &str) -> Vec<String> {
    match PlanDocument::of_reply(reply, "task", now()) {
        Ok(plan) => plan.steps().iter().map(|step| step.title.clone()).collect(),
        Err(PlanError::NoSteps) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_reply_becomes_the_file_of_a_plan() {
    let reply = "Sure.\n\n## Goal: A parser\n\n* [ ] Write it [model: gpt-5]\n   + [x] Test it\n- [!] Ship it\n1. no\n";
    let plan = PlanDocument::of_reply(reply, "task", now()).unwrap();
    insta::assert_snapshot!(plan.text(), @r"
    # Plan: A parser

    <!-- created: 2026-11-26T10:00:00Z -->
    <!-- updated: 2026-11-26T10:00:00Z -->

    - [ ] Write it [model: gpt-5]
    - [x] Test it
    - [!] Ship it
    ");
    let states: Vec<_> = plan.steps().iter().map(|step| (step.title.as_str(), step.state)).collect();
    let expected =
        [("Write it", StepState::Open), ("Test it", StepState::Done), ("Ship it", StepState::Blocked)];
    assert_eq!(states, expected);
    assert_eq!(plan.steps()[0].model.as_deref(), Some("gpt-5"));
}

#[test]
fn steps_are_lines_with_a_box_or_else_numbered_lines() {
    for (reply, expected) in [
        ("- [ ] a\n- [ ]b\n- [?] c\n-[ ] d\n- [] e\n- [X]  f", &["a", "f"][..]),
        ("1. a\n23) b\n3.c\nx. d", &["a", "b"]),
        ("1. a\n- [ ] b", &["b"]),
        ("```\n- [ ] a\n```\n- [ ] b", &["b"]),
        ("```md\n- [ ] a\n```\ntext", &["a"]),
        ("~~~\n1. a\n```\n2. b\n~~~", &["a", "b"]),
        ("```\n- [ ] a\n```\n1. b", &["b"]),
        ("- [ ] a\r\n\t- [ ] b\r\n", &["a", "b"]),
        ("No steps.", &[]),
        ("- [ ] \n- [ ]", &[]),
    ] {
        assert_eq!(titles(reply), expected, "{reply}");
    }
}

#[test]
fn a_goal_is_a_heading_or_the_task() {
    for (reply, expected) in [
        ("# Plan: a: b\n1. x", "a: b"),
        ("### goal: a\n1. x", "a"),
        ("#### Plan: a\n1. x", "the task"),
        ("#Plan: a\n1. x", "the task"),
        ("# Plan:\n1. x", "the task"),
        ("```\n# Plan: a\n```\n1. x", "the task"),
    ] {
        assert_eq!(PlanDocument::of_reply(reply, "the\ntask", now()).unwrap().goal(), expected, "{reply}");
    }
}

#[test]
fn a_plan_that_cannot_be_performed_is_refused() {
    let of =
        |reply: &str| PlanDocument::of_reply(reply, "task", now()).map(|_| ()).map_err(|it| it.to_string());
    let numbered = |count: usize| (1..=count).map(|n| format!("{n}. step\n")).collect::<String>();
    assert_eq!(of(&numbered(50)), Ok(()));
    assert!(of(&numbered(51)).unwrap_err().contains("51 steps"));
    for (annotation, problem) in [
        ("[validate: compiles]", "unknown kind"),
        ("[validate: command]", "needs an argument"),
        ("[validate: regex (]", "not valid"),
        ("[validate: no_errors now]", "takes no argument"),
        ("[validate:]", "unknown kind"),
    ] {
        let error = of(&format!("1. a {annotation}")).unwrap_err();
        assert!(error.contains(problem) && error.contains("line 6"), "{annotation}: {error}");
    }
    assert_eq!(of("1. a [validate: command"), Ok(()));
}

#[test]
fn all_validations_of_a_step_are_read() {
    let title = "a [validate: COMMAND cargo test -q] [validate: file_not_exists x] [validate: regex ^[a-c]$]";
    let plan = PlanDocument::of_reply(&format!("- [ ] {title}"), "task", now()).unwrap();
    let step = &plan.steps()[0];
    assert_eq!(step.title, title);
    let written: Vec<_> = step.validations.iter().map(ToString::to_string).collect();
    assert_eq!(written, ["command cargo test -q", "file_not_exists x", "regex ^[a-c]$"]);
    let on_reply: Vec<_> = step.validations.iter().map(|it| it.on_reply("b")).collect();
    assert_eq!(on_reply, [None, None, Some(true)]);
}

#[derive(Debug, Clone)]
enum Part {
    Step(&'static str, String),
    Line(String),
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let step =
        (prop::sample::select(vec![" ", "x", "X", "!"]), "[a-zé\\[\\]:]{1,8}( \\[model: [a-z]{0,3}\\])?");
    let line = "[a-zé <>!:#.0-9`~-]{0,12}";
    let part = prop_oneof![step.prop_map(|(sign, title)| Part::Step(sign, title)), line.prop_map(Part::Line)];
    prop::collection::vec(part, 1..12)
}

proptest! {
    /// Marking changes the one character and the time, and the file is read as it was marked.
    #[test]
    fn marking_changes_nothing_else(parts in parts(), marks in prop::collection::vec((0..12_usize, 0..3_usize), 0..6)) {
        let text: String = parts
            .iter()
            .map(|part| match part {
                Part::Step(sign, title) => format!("  * [{sign}] {title}\r\n"),
                Part::Line(line) => format!("{line}\n"),
            })
            .collect();
        let text = format!("# Plan: x\n<!-- updated: 2026-01-01T00:00:00Z -->\n{text}");
        let Ok(mut plan) = PlanDocument::parse(text.clone(), "task") else { return Ok(()) };
        let mut states: Vec<_> = plan.steps().iter().map(|step| step.state).collect();
        for (step, state) in marks {
            let state = [StepState::Open, StepState::Done, StepState::Blocked][state];
            let step = step % states.len();
            states[step] = state;
            plan.mark(step, state, at("2026-11-26T10:00:00.123456789Z"));
        }
        let again = PlanDocument::parse(plan.text(), "task").unwrap();
        prop_assert_eq!(&again, &plan);
        prop_assert_eq!(again.steps().iter().map(|step| step.state).collect::<Vec<_>>(), states);
        let without = |text: &str, plan: &PlanDocument| {
            let mut text = text.to_owned();
            for step in plan.steps() {
                text.replace_range(step.mark..=step.mark, "_");
            }
            text.replace("2026-01-01T00:00:00Z", "T").replace("2026-11-26T10:00:00.123456789Z", "T")
        };
        let before = PlanDocument::parse(text.clone(), "task").unwrap();
        prop_assert_eq!(without(&text, &before), without(plan.text(), &plan));
    }

    #[test]
    fn any_reply_is_read_or_refused(reply in "([-*+0-9.) \\[\\]x!a-z`~#:\n]|- \\[ \\] a\n){0,60}") {
        if let Ok(plan) = PlanDocument::of_reply(&reply, "task", now()) {
            prop_assert_eq!(&PlanDocument::parse(plan.text(), "task").unwrap(), &plan);
            prop_assert!((1..=MAX_STEPS).contains(&plan.steps().len()));
        }
    }
}

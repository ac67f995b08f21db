//! `loop init` writes a valid manifest, the same one in every format.

use std::path::Path;

use loop_agents::shell::CommandLine;
use proptest::prelude::*;

use super::{AgentChoice, CheckChoice, Draft, ProjectCheck, Purpose, Template, checks, known_programs};
use crate::{Format, Plan, Source};

const FORMATS: [(&str, Format); 3] =
    [("loop.yaml", Format::Yaml), ("loop.toml", Format::Toml), ("loop.json", Format::Json)];

/// Returns a check for a project in which every check is found.
fn check(purpose: Purpose) -> ProjectCheck {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("go.mod"), "module it\n").unwrap();
    checks(dir.path(), purpose).remove(0)
}

/// Returns the plan of the draft and its warnings, which are the same in every format.
fn planned(draft: &Draft<'_>) -> (Plan, String) {
    let plans = FORMATS.map(|(file, format)| {
        let text = draft.render(format);
        let source = Source::from_bytes(Path::new(file), text.clone().into_bytes()).unwrap();
        let loaded = Plan::of(source).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        (loaded.plan, loaded.warnings.to_string())
    });
    let meaning = plans.each_ref().map(|(plan, _)| format!("{plan:?}"));
    assert_eq!(meaning[0], meaning[1]);
    assert_eq!(meaning[0], meaning[2]);
    let [first, ..] = plans;
    first
}

#[test]
fn every_template_with_every_known_agent_is_right_and_free_of_warnings() {
    for template in Template::ALL {
        let check = check(template.purpose());
        for program in known_programs().split(", ") {
            for has_schema in [true, false] {
                let agent = AgentChoice::named(program);
                assert!(matches!(agent, AgentChoice::Known(_)), "{program}");
                let draft = Draft {
                    template,
                    folder: "My Project",
                    agent,
                    check: Some(CheckChoice::Found(&check)),
                    has_schema,
                    is_sealed: false,
                };
                let (plan, warnings) = planned(&draft);
                assert_eq!(warnings, "", "{program}");
                assert_eq!(
                    format!("{:?}", plan.agent.prompt),
                    format!("{:?}", loop_agents::shell::Template::new(template.prompt()))
                );
                assert_eq!(plan.name, format!("my-project-{}", template.name()));
            }
        }
    }
}

#[test]
fn what_was_not_found_is_warned_about_and_nothing_else_is() {
    let template = Template::FixUntilTestsPass;
    let draft = Draft {
        template,
        folder: "…",
        agent: AgentChoice::Missing,
        check: None,
        has_schema: false,
        is_sealed: false,
    };
    let (plan, warnings) = planned(&draft);
    assert_eq!(warnings.matches("warning:").count(), 2, "{warnings}");
    assert_eq!(plan.name, "fix-until-tests-pass");
}

proptest! {
    #[test]
    fn a_command_that_was_given_arrives_as_it_is(command in any::<String>()) {
        prop_assume!(CommandLine::parse(&command).is_ok());
        let agent = AgentChoice::Given(&command);
        let check = check(Purpose::Test);
        let template = Template::FixUntilTestsPass;
        let draft = Draft { template, folder: &command, agent, check: Some(CheckChoice::Found(&check)), has_schema: true, is_sealed: false };
        let (plan, _) = planned(&draft);
        prop_assert_eq!(plan.agent.command().map(CommandLine::as_str), Some(command.as_str()));
    }
}

#[test]
fn the_words_are_written_as_a_person_would() {
    let check = check(Purpose::Lint);
    let agent = AgentChoice::named("claude");
    let template = Template::RefactorUntilLintClean;
    for (file, format) in FORMATS {
        let draft = Draft {
            template,
            folder: "it",
            agent,
            check: Some(CheckChoice::Found(&check)),
            has_schema: file == "loop.json",
            is_sealed: true,
        };
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(file.replace('.', "_"), draft.render(format));
        });
    }
}

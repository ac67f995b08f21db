//! Laws for every policy and every environment.

use proptest::prelude::*;

use super::*;

fn any_name() -> impl Strategy<Value = String> {
    let known = ["PATH", "HOME", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_REGION"];
    prop_oneof![
        prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        "[A-Za-z_é]{1,8}(_TOKEN|_SECRET)?"
    ]
}

fn any_vars() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec((any_name(), prop_oneof![Just("a://b:c@d".to_owned()), any::<String>()]), 0..12)
}

fn any_pattern() -> impl Strategy<Value = NamePattern> {
    let cut = (any_name(), any::<prop::sample::Index>()).prop_map(|(name, cut)| {
        let signs: Vec<_> = name.chars().collect();
        signs[..cut.index(signs.len())].iter().chain(&['*']).collect()
    });
    prop_oneof![any_name(), cut].prop_map(|pattern| pattern.parse().unwrap())
}

fn any_policy() -> impl Strategy<Value = EnvironmentPolicy> {
    let inherit = prop_oneof![Just(Inheritance::All), Just(Inheritance::Necessary), Just(Inheritance::None)];
    let command = prop::sample::select(&["true", "claude -p", "codex exec", "aider"][..]);
    (inherit, prop::collection::vec(any_pattern(), 0..3), command).prop_map(|(inherit, pass, command)| {
        EnvironmentPolicy::new().inherit(inherit).pass(pass).of_agent(command)
    })
}

fn names(split: &EnvironmentSplit) -> Vec<&OsStr> {
    split.seen.iter().map(|(name, _)| name.as_os_str()).collect()
}

proptest! {
    #[test]
    fn seen_and_withheld_are_the_whole_in_its_order(policy in any_policy(), vars in any_vars()) {
        let split = policy.split(vars.clone());
        prop_assert_eq!(split.seen.len() + split.withheld.len(), vars.len());
        let (mut seen, mut withheld) = (split.seen.iter(), split.withheld.iter());
        for (name, value) in &vars {
            if policy.lets_see(name.as_ref(), value.as_ref()) {
                prop_assert_eq!(seen.next(), Some(&(name.into(), value.into())));
            } else {
                prop_assert_eq!(withheld.next(), Some(&name.into()));
            }
        }
    }

    #[test]
    fn what_is_passed_is_never_withheld(policy in any_policy(), pattern in any_pattern(), vars in any_vars()) {
        let split = policy.pass([pattern.clone()]).split(vars);
        prop_assert!(!split.withheld.iter().any(|name| pattern.matches(name)));
    }

    #[test]
    fn from_nothing_only_what_is_passed_is_seen(
        pass in prop::collection::vec(any_pattern(), 0..3),
        vars in any_vars(),
    ) {
        let policy = EnvironmentPolicy::new().inherit(Inheritance::None).pass(pass.clone()).of_agent("aider");
        let split = policy.split(vars);
        prop_assert!(names(&split).iter().all(|name| pass.iter().any(|pattern| pattern.matches(name))));
    }

    #[test]
    fn nothing_that_looks_like_a_secret_is_seen_unasked(vars in any_vars()) {
        let split = EnvironmentPolicy::new().of_agent("make").split(vars);
        prop_assert!(split.seen.iter().all(|(name, value)| !looks_secret(name, value)));
    }

    #[test]
    fn commands_see_no_more_than_agents_and_nothing_that_nobody_listed(policy in any_policy(), vars in any_vars()) {
        let narrow = policy.clone().of_commands();
        for (name, value) in &vars {
            let (name, value) = (OsStr::new(name), OsStr::new(value));
            prop_assert!(!narrow.lets_see(name, value) || policy.lets_see(name, value));
            let is_passed = policy.pass.iter().any(|pattern| pattern.matches(name));
            let is_listed = NECESSARY.iter().any(|known| pattern::matches(known, name));
            prop_assert!(!narrow.lets_see(name, value) || is_passed || is_listed);
        }
    }

    #[test]
    fn no_name_is_too_strange_for_a_pattern(text in any::<String>(), name in any::<String>()) {
        if let Ok(pattern) = text.parse::<NamePattern>() {
            prop_assert_eq!(pattern.as_str(), text.as_str());
            let begins = text.strip_suffix('*').is_some_and(|start| name.starts_with(start));
            prop_assert_eq!(pattern.matches(name.as_ref()), begins || name == text);
        }
    }
}

#[test]
fn what_names_no_variable_is_refused() {
    let refused = |text: &str| text.parse::<NamePattern>().unwrap_err();
    assert_eq!(refused(""), InvalidNamePattern::Empty);
    assert_eq!(refused("A=b"), InvalidNamePattern::Sign);
    assert_eq!(refused("A\0"), InvalidNamePattern::Sign);
    for text in ["*_TOKEN", "A*B", "A**"] {
        assert_eq!(refused(text), InvalidNamePattern::Star, "{text}");
    }
}

#[test]
fn values_do_not_show_in_debug_output() {
    let split = EnvironmentPolicy::new().split([("USER", "hunter2"), ("MY_TOKEN", "hunter3")]);
    let shown = format!("{split:?}");
    assert!(shown.contains("USER") && shown.contains("MY_TOKEN") && !shown.contains("hunter"), "{shown}");
}

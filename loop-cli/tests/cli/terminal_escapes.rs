//! Foreign text on a terminal: only printable characters reach it.

use serde_json::Value;

use crate::{
    support::{CommandResult, Manifest, Scenario},
    terminal::Terminal,
};

/// Moves the cursor, hides later text, sets a title, and reorders words, each in several ways.
const HOSTILE: &str = "a\u{9b}2Jb\u{1b}[2Jc\u{9d}0;t\u{9c}d\u{1b}]0;t\u{7}e\u{85}f\u{202e}g\u{2066}h\u{7f}i\u{90}j\u{8d}k\u{200f}l";

/// Checks that the text can only colour letters on a terminal.
fn is_harmless(place: &str, shown: &str) {
    let mut rest = shown;
    while let Some(at) = rest.find(|sign: char| sign.is_control() && !matches!(sign, '\n' | '\t')) {
        let colour = rest[at..].strip_prefix("\x1b[").and_then(|rest| rest.split_once('m'));
        let numbers = |numbers: &str| {
            numbers.split(';').all(|number| number.is_empty() || number.parse::<u8>().is_ok())
        };
        match colour {
            Some((colour, after)) if numbers(colour) && !["7", "8"].contains(&colour) => rest = after,
            _ => panic!("{place}: {:?} in {shown:?}", &rest[at..]),
        }
    }
    for sign in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{2028}'] {
        assert!(!shown.contains(sign), "{place}: {sign:?} in {shown:?}");
    }
}

fn harmless(place: &str, ran: CommandResult) -> CommandResult {
    is_harmless(place, &ran.stdout);
    is_harmless(place, &ran.stderr);
    ran
}

/// Returns manifests that are invalid in several ways, so that each message quotes another part.
fn bad_manifests() -> Vec<String> {
    let raw = |text: &str| text.replace("HOSTILE", &HOSTILE.replace(['\u{1b}', '\u{7}', '\u{7f}'], ""));
    vec![
        raw("goal: g # HOSTILE\nagent: {command: a, HOSTILE: b}\nevaluator: {command: c}\n"),
        raw(
            "goal: HOSTILE\nagent: {command: a, prompt: p}\nevaluator: {command: c}\nguardrails: {max_iterations: HOSTILE}\n",
        ),
        raw("goal: HOSTILE\n\"HOSTILE\": 1\nagent: [HOSTILE\n"),
        HOSTILE.to_owned(),
    ]
}

/// Returns a valid manifest with a hostile goal, in a spelling that the parser accepts.
fn right(check: &str) -> String {
    let manifest = Manifest::new("true", check).set("goal", HOSTILE);
    let json = manifest.set("guardrails.max_iterations", 1).0.to_string();
    let escaped = |sign: char| match sign {
        ' '..='~' => sign.to_string(),
        sign => format!("\\u{:04x}", u32::from(sign)),
    };
    json.chars().map(escaped).collect()
}

#[test]
fn a_manifest_cannot_steer_the_terminal_of_who_checks_it() {
    for (at, manifest) in bad_manifests().into_iter().enumerate() {
        let scenario = Scenario::new();
        scenario.write("loop.yaml", &manifest);
        let ran = harmless(&format!("manifest {at}"), scenario.run(&["check", "loop.yaml"]));
        assert_ne!(ran.code, 0, "manifest {at}");
        for colours in [false, true] {
            let seen = Terminal::with(&scenario, &["check", "loop.yaml"], |command| {
                command.env("TERM", "xterm-256color");
                if !colours {
                    command.env("NO_COLOR", "1");
                }
            });
            let seen = seen.finish().stderr;
            is_harmless(&format!("manifest {at} at a terminal"), &seen);
            assert_eq!(seen.contains('\x1b'), colours, "our own colours: {seen:?}");
        }
    }
    // The description of a valid manifest contains its own texts.
    let scenario = Scenario::new();
    scenario.write("loop.json", right("true"));
    for args in [&["check", "loop.json"][..], &["run", "--dry-run"], &["run"], &["runs"], &["show"]] {
        harmless(&format!("{args:?}"), scenario.run(args).exits(0));
    }
}

#[test]
fn names_and_ids_cannot_steer_a_terminal() {
    let scenario = Scenario::new();
    scenario.write(
        "loop.toml",
        format!("[policy]\nwrite = \"{}\"\n", HOSTILE.replace(['\u{1b}', '\u{7}', '\u{7f}'], "")),
    );
    let name = format!("{}.yaml", HOSTILE.replace('/', ""));
    for args in [
        &["run", &name][..],
        &["check", &name],
        &["show", HOSTILE],
        &["resume", HOSTILE],
        &["rm", HOSTILE],
        &["tail", HOSTILE],
        &["report", HOSTILE],
        &["schedule", "show", HOSTILE],
        &["schedule", "add", HOSTILE],
        &["every", HOSTILE, "--", "true"],
        &["chat", "--model", HOSTILE, "--prompt", "p"],
        &["policy", "show"],
        &["policy", "explain", HOSTILE],
        &["task", &name],
        &[HOSTILE],
        &["runs", "--cwd", HOSTILE],
    ] {
        harmless(&format!("{args:?}"), scenario.run(args));
    }
}

#[test]
fn json_is_json_and_harmless() {
    let scenario = Scenario::new();
    let job = format!("30m {HOSTILE}");
    for args in [
        &["policy", "explain", "--json", HOSTILE][..],
        &["schedule", "add", "--dry-run", "--json", "--agent", "true", &job],
        &["schedule", "add", "--json", "--agent", "true", &job],
        &["schedule", "list", "--json"],
    ] {
        let ran = harmless(&format!("{args:?}"), scenario.run(args));
        let value =
            serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        let says_it = value.as_object().expect("an object").values().any(|text| text == HOSTILE);
        assert!(says_it, "{args:?}: {value}");
    }
}

use proptest::prelude::*;

use super::*;

const MANIFEST: Option<ExecutedFile> = Some(ExecutedFile::Manifest);
const TASK: Option<ExecutedFile> = Some(ExecutedFile::Task);

#[track_caller]
fn are(expected: Option<ExecutedFile>, texts: &[&str]) {
    for text in texts {
        assert_eq!(ExecutedFile::of(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn manifests_are_recognised_however_their_keys_are_written() {
    are(
        MANIFEST,
        &[
            r#"{"goal": "x", "agent": {}, "evaluator": {}, "guardrails": {}}"#,
            r#"{"\u0061gent": {}, "guardr\u0061ils": {}}"#,
            "{\"goal\": \"\u{90}\u{ffff}\", \"agent\": {}, \"guardrails\": {}}",
            "\u{feff}{\r\n\"agent\":{},\r\n\"evaluator\":{}}",
            "agent:\n  command: x\nevaluator:\n  command: y\n",
            "# a comment\n\n--- \nguardrails: {max_iterations: 3}\nagent: {}\n",
            "{agent: {}, 'evaluator': {}}",
            "? agent\n: {}\n? \"\\x65valuator\"\n: {}\n",
            "!!str agent: {}\nguardrails: &a {}\npace: *a\n",
            "<<: {agent: {}, evaluator: {}}\n",
            "agent: .inf\nagent: !mine 1\nguardrails:\n",
            "[agent]\ncommand = 'x'\n[evaluator]\n",
            "agent.command = 'x'\n\"guardr\\u0061ils\".max_iterations = 1\n",
            "[agent.env]\n[guardrails]\n[policy]\nsafe_mode = true\n",
            // Flags of `loop run` can be the rest.
            "goal: x\nevaluator: {command: touch pwned}\nguardrails: {max_iterations: 1}\n",
            "goal: x\non_finish: touch pwned\n",
            "on_finish = 'touch pwned'\n",
            r#"{"agent": {"command": "touch pwned"}}"#,
        ],
    );
}

#[test]
fn task_files_are_recognised() {
    are(
        TASK,
        &[
            "[[chat.user]]\ncontent = '''x'''\n",
            "checks = ['true']\n[chat]\nuser = [{ content = 'x' }]\n",
            "---\nchecks: [touch pwned]\n---\nDo it.\n",
            "\u{feff}---\r\ntools:\r\n  bash: [sh]\r\n---\r\nDo it.\r\n",
            "---  \nmodel: x\n---\t\nDo it.\n",
            "---\r\"\\x63hecks\": []\r---\rDo it.\r",
        ],
    );
}

#[test]
fn cases_are_recognised() {
    are(
        Some(ExecutedFile::Case),
        &[
            "prompt: say hi\nchecks:\n  - command: touch pwned\n",
            r#"{"\u0070rompt": "say hi", "checks": [{"command": "touch pwned"}], "tools": []}"#,
            "prompt = 'x'\nfolder = 'f'\n[[checks]]\ncommand = 'touch pwned'\n",
            "manifest: other\n",
            "manifest = 'other'\nchecks = [{ command = 'touch pwned' }]\n",
            "<<: {checks: [command: touch pwned]}\nprompt: x\nsystem: y\n",
        ],
    );
}

#[test]
fn plans_with_commands_are_recognised() {
    are(
        Some(ExecutedFile::Plan),
        &[
            "# Plan\n\n- [ ] Build [validate: command touch pwned]\n",
            "text\r\n\t* [x] Build [model: m] [ VALIDATE :\tCustom mine]\r\n",
            "1. Build [#2] [validate:command make] it\n",
            "```\n- [ ] Build [validate: command make]\n```\n",
        ],
    );
}

/// This crate cannot know the keys from the crate that reads cases.
#[test]
fn the_keys_of_cases_are_those_that_assays_read() {
    let source =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../loop-assay/src/case_file.rs"))
            .unwrap();
    let list = source.split_once("const KEYS: &[&str] = &[").unwrap().1.split_once(']').unwrap().0;
    let mut keys: Vec<_> = list.split(',').map(|key| key.trim().trim_matches('"')).collect();
    keys.sort_unstable();
    assert_eq!(keys, CASE_KEYS);
}

#[test]
fn price_tables_are_recognised() {
    are(
        Some(ExecutedFile::Prices),
        &[
            r#"{"date": "2026-11-01", "usd_per_million_tokens": {"m": {"input": 0, "output": 0}}}"#,
            "{\"usd_per_million_t\\u006fkens\": {}}",
            &format!("{{\"{}\": 1, \"usd_per_million_tokens\": {{}}}}", "k".repeat(3000)),
            "{\"date\": \"\u{7f}\u{90}\u{ffff}\", \"usd_per_million_tokens\": {}}",
        ],
    );
}

#[test]
fn ordinary_files_of_projects_are_not() {
    are(
        None,
        &[
            "",
            "x",
            "fn main() {}\n",
            "Agent: we keep the agent and the evaluator.\n",
            r#"{"name": "x", "version": "1.0.0", "scripts": {"test": "jest"}, "dependencies": {"agent": "1"}}"#,
            r#"{"agent": "x", "tools": []}"#,
            r#"[{"agent": {}, "evaluator": {}}]"#,
            r#"{"compilerOptions": {"strict": true}, "include": ["src"]}"#,
            "[package]\nname = \"x\"\n[dependencies]\nagent = \"1\"\nguardrails = \"1\"\n",
            "services:\n  agent:\n    image: x\n  evaluator:\n    image: y\nvolumes: {}\n",
            "name: CI\non: [push]\njobs:\n  agent:\n    runs-on: x\n    steps:\n      - run: make\n",
            "openapi: 3.1.0\ninfo: {title: x, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    agent: {}\n",
            "apiVersion: apps/v1\nkind: Deployment\n---\napiVersion: v1\nkind: Service\n",
            "[chat]\nmodel = 'x'\n",
            "---\ntitle: A page\nmodel: x\n---\n# A page\n",
            "---\n---\nText.\n",
            "---\nchecks: []\n",
            "# How to write a manifest\n\n```yaml\nagent: {}\nevaluator: {}\n```\n",
            r#"{"prompt": "x", "system": "y"}"#,
            "prompt: x\nchecks: []\nversion: 2\n",
            "- [ ] Build it\n- [ ] Test it [validate: regex ok]\n",
            "A step can end in `[validate: command make]`.\n",
            "\0agent: {}\nevaluator: {}",
        ],
    );
}

#[test]
fn what_is_nested_deeply_or_long_is_no_danger_to_the_stack() {
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", ""), ("{\"a\":", "}")] {
        let nested = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
        for text in [nested.clone(), format!("agent: {nested}"), format!("agent = {nested}")] {
            assert_eq!(ExecutedFile::of(text.as_bytes()), None);
        }
    }
    let long = format!("agent: {{}}\nguardrails: {{}}\ngoal: {}\n", "x".repeat(1 << 20));
    assert_eq!(ExecutedFile::of(long.as_bytes()), MANIFEST);
}

/// Generates an object with keys of manifests and other keys, in any order.
fn any_object() -> impl Strategy<Value = Vec<&'static str>> {
    const KEYS: &[&str] = &["agent", "evaluator", "guardrails", "goal", "name", "pace", "Agent", "agents"];
    prop::sample::subsequence(KEYS, 0..=KEYS.len()).prop_shuffle()
}

/// This crate cannot know the keys from the crate that reads manifests.
#[test]
fn the_keys_are_those_of_the_schema() {
    let schema =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../loop.schema.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let mut keys: Vec<_> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    // Many files of other programs have `tools`. Here it is only in a `loop.toml`, whose name is guarded.
    keys.retain(|key| *key != "tools");
    assert_eq!(keys, MANIFEST_KEYS);
}

proptest! {
    #[test]
    fn the_three_formats_of_one_object_are_the_same(keys in any_object()) {
        let json = format!("{{{}}}", keys.iter().map(|key| format!("\"{key}\": {{}}")).collect::<Vec<_>>().join(","));
        let yaml: String = keys.iter().map(|key| format!("{key}: {{}}\n")).collect();
        let toml: String = keys.iter().map(|key| format!("[{key}]\n")).collect();
        let has = |key| keys.contains(&key);
        let has_other = has("Agent") || has("agents");
        let is_one = has("agent") && (has("evaluator") || has("guardrails") || !has_other) || has("evaluator") && !has_other;
        for text in [json, yaml, toml] {
            prop_assert_eq!(ExecutedFile::of(text.as_bytes()).is_some(), is_one, "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_looked_at(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "(agent|chat|---|[:\n{}=\\[\\]!&*\"\\\\ ]){0,40}") {
        let _ = (ExecutedFile::of(&bytes), ExecutedFile::of(text.as_bytes()));
    }
}

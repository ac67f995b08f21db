//! Secrets in each form that programs print, in each place that shows or stores printed text.

use std::{fs, path::Path};

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    chat_harness::ChatHarness,
    cut_secrets::is_copy,
    model_server::{KEY, ModelServer},
    support::{CommandResult, Manifest, RunningCommand, Scenario},
};

/// It contains characters that some form escapes: quotes, a space, a slash, and a multi-byte character.
const SECRET: &str = "Tr0ub4dor&3/\"+ x?é";

/// Returns the forms of a secret. They come from the output of other programs, not from our own encoders.
fn forms(secret: &str) -> Vec<(&'static str, String)> {
    let hex =
        |between: &str| secret.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(between);
    let each = |write: &dyn Fn(char) -> String| secret.chars().map(write).collect::<String>();
    let between = |unseen: &str| each(&|sign| format!("{sign}{unseen}"));
    let json = |text: &str| {
        let json = Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    };
    let percent = |byte: u8| format!("%{byte:02x}");
    let url = |sign: char| match sign {
        ' ' => "+".to_owned(),
        sign if sign.is_ascii_alphanumeric() => sign.to_string(),
        sign => sign.to_string().bytes().map(percent).collect(),
    };
    let mut forms = vec![
        ("plain", secret.to_owned()),
        ("json", json(secret)),
        ("json in json", json(&json(secret))),
        ("unicode escapes", each(&|sign| format!("\\u{:04x}", u32::from(sign)))),
        ("byte escapes", secret.bytes().map(|byte| format!("\\x{byte:02X}")).collect()),
        ("octal escapes", secret.bytes().map(|byte| format!("\\{byte:03o}")).collect()),
        ("slashes", secret.replace('/', "\\/")),
        ("url", secret.bytes().map(percent).collect()),
        ("form", each(&url)),
        ("hex", hex("")),
        ("hex capitals", hex("").to_uppercase()),
        ("hex colons", hex(":")),
        ("hex spaces", hex(" ")),
        ("colours", between("\x1b[1m")),
        ("one colour", format!("{}\x1b[0m{}", &secret[..7], &secret[7..])),
        ("zero width", between("\u{200b}")),
        ("soft hyphen", format!("{}\u{ad}{}", &secret[..3], &secret[3..])),
        ("controls", between("\x07")),
        ("c1", between("\u{85}")),
    ];
    for (name, before) in [("base64", ""), ("base64 of a pair", "ann:"), ("base64 of five", "ann::")] {
        let base64 = base64(format!("{before}{secret}").as_bytes());
        forms.push((name, base64.replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned()));
        forms.push((name, base64));
    }
    forms
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = group.iter().chain(&[0; 2]).take(3).fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let digit = |at| if at <= group.len() { char::from(DIGITS[bits >> (18 - 6 * at) & 63]) } else { '=' };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// Checks that the text contains no form of the secret, even with invisible characters removed.
fn has_none(place: &str, text: &str, secret: &str) {
    let unseen = |sign: &char| !sign.is_control() && !matches!(sign, '\u{200b}' | '\u{ad}');
    let text = text.replace("\x1b[1m", "").replace("\x1b[0m", "");
    let seen: String = text.chars().filter(unseen).collect();
    for (form, written) in forms(secret) {
        let written: String = written.replace("\x1b[1m", "").replace("\x1b[0m", "");
        let written: String = written.chars().filter(unseen).collect();
        // The last digits of base 64 encode only a part of a character.
        let written = if form.starts_with("base64") { &written[8..written.len() - 3] } else { &written };
        assert!(!seen.contains(written), "{place}: {form} {written:?} in {seen}");
    }
}

fn files_in(folder: &Path, each: &mut dyn FnMut(&Path, &str)) {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    for entry in entries.filter(|entry| !is_copy(entry)) {
        match entry.is_dir() {
            true => files_in(&entry, each),
            false => each(&entry, &String::from_utf8_lossy(&fs::read(&entry).expect("a file"))),
        }
    }
}

fn has_none_in_state(scenario: &Scenario, secret: &str) {
    let mut count = 0;
    files_in(&scenario.state(), &mut |path, text| {
        has_none(&path.display().to_string(), text, secret);
        // A reader of JSON in a file sees the decoded text.
        for line in text.lines() {
            if let Ok(value) = serde_json::from_str::<Value>(line) {
                has_none(&path.display().to_string(), &texts(&value), secret);
            }
        }
        count += 1;
    });
    assert!(count > 0);
}

fn texts(of: &Value) -> String {
    match of {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key}\n{}\n", texts(value))).collect()
        }
        other => other.to_string(),
    }
}

fn knowing(scenario: &Scenario, args: &[&str]) -> CommandResult {
    RunningCommand::new(scenario.loop_command(args).env("MY_TOKEN", SECRET)).finish()
}

#[test]
fn no_form_of_a_secret_is_seen_in_a_run_or_stays_of_it() {
    let scenario = Scenario::new();
    let all: Vec<_> = forms(SECRET).into_iter().map(|(name, text)| format!("{name} is {text} .")).collect();
    scenario.write("all", all.join("\n") + "\n");
    let manifest = Manifest::new("cat all; cat all >&2", "cat all; false");
    scenario.manifest(&manifest.set("guardrails.max_iterations", 1));
    let ran = [
        knowing(&scenario, &["run", "--show-output", "--keep-output"]).exits(1),
        knowing(&scenario, &["run", "--keep-output", "--json"]).exits(1),
        knowing(&scenario, &["show"]),
        knowing(&scenario, &["show", "--json"]),
        knowing(&scenario, &["show", "-i", "1"]),
        knowing(&scenario, &["show", "-i", "1", "--output"]),
        knowing(&scenario, &["report", "--html", "-"]),
        knowing(&scenario, &["check", "--run", "loop.json"]),
        knowing(&scenario, &["tail"]),
    ];
    for (at, ran) in ran.iter().enumerate() {
        has_none(&format!("page {at}"), &(ran.stdout.clone() + &ran.stderr), SECRET);
    }
    assert!(ran[0].stderr.contains("hex colons is [redacted] ."), "{}", ran[0].stderr);
    assert!(ran[6].stdout.contains("[redacted]"));
    has_none_in_state(&scenario, SECRET);
}

#[test]
fn no_form_of_a_secret_is_in_a_message_about_what_is_wrong() {
    let scenario = Scenario::new();
    for (form, text) in forms(SECRET).into_iter().filter(|(_, text)| !text.contains(['/', '\0'])) {
        scenario.write("bad.json", json!({ "goal": "g", &text: text }).to_string());
        for args in
            [["check", "bad.json"], ["run", &text], ["show", &text], ["schedule", &text], ["resume", &text]]
        {
            let ran = knowing(&scenario, &args);
            assert_ne!(ran.code, 0, "{form}: {}", ran.stderr);
            has_none(&format!("{args:?}"), &(ran.stdout + &ran.stderr), SECRET);
        }
    }
}

/// Returns addresses of servers, with a secret in each part that can contain one.
fn addresses(secret: &str, host: &str) -> Vec<String> {
    let mut addresses = Vec::new();
    for scheme in ["http://", "ftp://", ""] {
        addresses.push(format!("{scheme}bob:{secret}@{host}/v1"));
        addresses.push(format!("{scheme}{host}/v1/?key={secret}"));
        addresses.push(format!("{scheme}{host}/v1?a=b&other={secret}#c"));
    }
    addresses.push(format!("http://{secret}@{host}/v1"));
    addresses.push(format!("{secret}:x@{host}"));
    addresses
}

#[test]
fn a_secret_in_an_address_of_a_server_is_seen_nowhere_and_stays_nowhere() {
    const CANARY: &str = "Canary8Canary9Canary";
    for (variable, model) in [
        ("OPENAI_BASE_URL", "openai:gpt-5"),
        ("ANTHROPIC_BASE_URL", "claude-sonnet-4-5"),
        ("GOOGLE_GEMINI_BASE_URL", "gemini:gemini-2.5-pro"),
        ("OLLAMA_HOST", "ollama:qwen3"),
        ("", "box"),
    ] {
        // After an answer, the client does not retry. Without an answer, it does after a while.
        let server = ModelServer::new(vec![Answer::status(400); 99]);
        let mut addresses = addresses(CANARY, server.url().trim_start_matches("http://"));
        addresses
            .extend((variable == "OPENAI_BASE_URL").then(|| format!("http://127.0.0.1:1/v1?key={CANARY}")));
        for address in addresses {
            let scenario = Scenario::new();
            if variable.is_empty() {
                let settings = scenario.state().with_file_name("home/.config/loop/loop.toml");
                fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
                let table = format!("[models.box]\nmodel = \"openai:qwen3\"\nbase_url = \"{address}\"\n");
                fs::write(settings, table).expect("settings");
            }
            let agent = json!({ "model": model, "prompt": "{goal}" });
            let manifest =
                Manifest::new("-", "false").set("agent", agent).set("guardrails.max_iterations", 1);
            scenario.manifest(&manifest);
            for args in [
                &["run", "loop.json"] as &[&str],
                &["chat", "--model", model, "--prompt", "Hello?"],
                &["show"],
                &["policy", "show"],
            ] {
                let mut command = scenario.loop_command(args);
                command.env("ANTHROPIC_API_KEY", "a").env("GEMINI_API_KEY", "a").env("OPENAI_API_KEY", "a");
                if !variable.is_empty() {
                    command.env(variable, &address);
                }
                let ran = RunningCommand::new(&mut command).finish();
                let said = ran.stdout + &ran.stderr;
                assert!(!said.contains(CANARY), "{variable}={address} {args:?}: {said}");
            }
            if scenario.state().exists() {
                files_in(&scenario.state(), &mut |path, text| {
                    assert!(!text.contains(CANARY), "{address}: {}: {text}", path.display());
                });
            }
        }
    }
}

/// Returns a call that has each form as a key and as a value.
fn call() -> Answer {
    let forms = forms(KEY);
    let fields = forms.iter().map(|(_, text)| (text.clone(), json!([text, { text: 1 }])));
    let mut fields: serde_json::Map<_, _> = fields.collect();
    fields.insert("path".to_owned(), KEY.into());
    let content = forms.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    fields.insert("content".to_owned(), content.into());
    Answer::calls([Call::new("c1", "write_file", [Value::from(fields).to_string().as_str()])])
}

#[test]
fn a_secret_as_a_key_of_a_tool_call_goes_nowhere() {
    let reply =
        || Answer::deltas([forms(KEY).into_iter().map(|(_, text)| text + "\n").collect::<String>().as_str()]);
    for args in [&["--json"][..], &[]] {
        let server = ModelServer::new([call(), reply()]);
        let scenario = Scenario::new();
        let ran = server.chat(&scenario, "Go on.", args).exits(0);
        if args == ["--json"] {
            let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
            assert!(answer["tool_calls"][0]["arguments"]["[redacted]"].is_array(), "{answer}");
            has_none("what the JSON says", &texts(&answer), KEY);
        }
        has_none(&format!("{args:?}"), &(ran.stdout + &ran.stderr), KEY);
        has_none_in_state(&scenario, KEY);
    }
}

#[test]
fn a_transcript_and_what_is_exported_of_it_have_no_form_of_a_secret() {
    let server = ModelServer::new([call(), Answer::deltas(["Done."])]);
    let scenario = Scenario::new();
    let mut chat = ChatHarness::chat(&scenario, &server, &[], (100, 40));
    chat.wait_for_prompt_after("/help");
    chat.says("Go on.", "Done.");
    has_none("the screen", &chat.page(), KEY);
    chat.says("/session export page.md", "bytes to page.md");
    chat.says("/session export page.fountain", "bytes to page.fountain");
    has_none("Markdown", &scenario.read("page.md"), KEY);
    has_none("Fountain", &scenario.read("page.fountain"), KEY);
    chat.leaves();
    has_none_in_state(&scenario, KEY);
    assert!(scenario.read("page.md").contains("[redacted]"));
}

//! `loop report` writes a run as a page for a browser.

use std::fs;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{CommandResult, FOREVER, Manifest, RunningCommand, Scenario};

/// Returns the page of the last run.
fn page(scenario: &Scenario) -> String {
    scenario.run(&["report", "--html", "-"]).exits(0).stdout
}

/// Returns the page without its style sheet, its charts, and the parts that differ from run to run.
fn visible_text(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").expect("a style sheet");
    let (_, body) = rest.split_once("</style>").expect("its end");
    let mut told = head.to_owned();
    for part in body.split("<svg") {
        told.push_str(part.split_once("</svg>").map_or(part, |(_, rest)| rest));
    }
    told.replace("><", ">\n<")
}

fn seen(name: &str, page: &str) {
    let filters = [
        (r"\b(\d+ms|\d+\.\ds)\b", "[time]"),
        (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[run]"),
        (r"\d{4}-\d\d-\d\dT[0-9:]+Z", "[began]"),
        (r"/\S+/work\b", "[work]"),
        (r"loop \d+\.\d+\.\d+", "loop [version]"),
    ];
    insta::with_settings!({ filters => filters, omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, visible_text(page));
    });
}

/// Creates a run of two iterations that reports its cost.
fn scenario() -> Scenario {
    let agent = "echo \"try $LOOP_ITERATION\"; echo oh >&2; \
                 echo '{\"cost_usd\": 0.25, \"input_tokens\": 1000, \"output_tokens\": 234}' >> \"$LOOP_USAGE_FILE\"; \
                 test $LOOP_ITERATION = 2 || exit 3";
    let scenario = Scenario::new();
    scenario.manifest(&Manifest::new(agent, "echo checked; test $LOOP_ITERATION = 2"));
    scenario
}

/// Checks that the page fetches nothing, runs nothing, and closes every element in order.
fn assert_harmless(page: &str) {
    assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"), "{page}");
    let mut open = Vec::new();
    for tag in page.split('<').skip(2).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
        let name = tag.split(' ').next().unwrap_or_default();
        assert!(
            !["script", "img", "iframe", "object", "embed", "link", "base", "form"].contains(&name),
            "{tag}"
        );
        for attribute in [" src=", " on", " href=\"h", " href=\"j"] {
            assert!(!tag.contains(attribute), "{tag}");
        }
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{tag}"),
            None if name == "meta" => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_page_tells_of_a_run() {
    let scenario = scenario();
    scenario.run(&["run", "loop.json"]).exits(0);
    let page = page(&scenario);
    assert_harmless(&page);
    seen("report", &page);
    for label in
        ["iteration 1: not passed", "iteration 2: passed", "iteration 1: $0.25", "iteration 2: agent "]
    {
        assert!(page.contains(label), "{label}");
    }
}

#[test]
fn a_page_is_a_file_that_is_named_after_the_loop_and_the_run() {
    let scenario = scenario();
    scenario.run(&["run", "loop.json"]).exits(0);
    let file = scenario.run(&["report"]).exits(0).stdout;
    let file = file.trim_end();
    let run = scenario.record()["run_id"].as_str().expect("an id").to_owned();
    let id = file.strip_prefix("loop-").and_then(|rest| rest.strip_suffix(".html")).expect("its name");
    assert!(run.starts_with(id) && id.len() >= 8, "{file}");
    assert_eq!(scenario.read(file), page(&scenario));
    scenario.run(&["report", &run, "--html", "there.html"]).exits(0);
    assert_eq!(scenario.read("there.html"), scenario.read(file));
}

#[test]
fn where_no_page_can_be_written_that_is_said() {
    let scenario = scenario();
    scenario.run(&["report"]).exits(2).says(&["there are no stored runs of this folder"]);
    scenario.run(&["run", "loop.json"]).exits(0);
    fs::create_dir(scenario.path("folder")).expect("a folder");
    scenario.run(&["report", "--html", "folder"]).exits(2).says(&["--html folder is a folder"]);
    scenario
        .run(&["report", "--html", "no/such.html"])
        .exits(2)
        .says(&["cannot write the page to no/such.html"]);
    scenario.run(&["report", "nope"]).exits(2);
}

#[test]
fn nothing_that_anybody_said_becomes_markup() {
    let hostile = "</pre></script><script>alert(1)</script><img src=x onerror=alert(1)>\" onload='x' \
                   &lt;b&gt; \\033[31mred \\342\\200\\256turned \\302\\233 \\001";
    let says = format!("printf '{}'", hostile.replace('\'', "'\\''"));
    let scenario = Scenario::new();
    let manifest = Manifest::new(&says, &format!("{says}; false"))
        .set("goal", "</title><script>alert(1)</script>")
        .set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest);
    scenario.run(&["run", "loop.json"]).exits(1);
    let page = page(&scenario);
    assert_harmless(&page);
    assert!(page.contains("&lt;/pre&gt;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(page.contains("&amp;lt;b&amp;gt; red turned"), "{page}");
    for sign in ['\u{202e}', '\x1b', '\u{9b}', '\x01'] {
        assert!(!page.contains(sign), "{sign:?}");
    }
}

#[test]
fn secrets_are_left_out_of_a_page() {
    const SECRET: &str = "hunter2hunter2XYZ";
    let knowing = |scenario: &Scenario, args: &[&str]| -> CommandResult {
        RunningCommand::new(scenario.loop_command(args).env("MY_TOKEN", SECRET)).finish()
    };
    let scenario = Scenario::new();
    let coloured = r"printf 'a hunter2\033[0mhunter2XYZ z\n'";
    let manifest = Manifest::new(coloured, &format!("{coloured}; false"))
        .set("agent.env", json!({ "set": { "DB_PASSWORD": "swordfish-12" } }))
        .set("guardrails.max_iterations", 1);
    scenario.manifest(&manifest);
    knowing(&scenario, &["run", "loop.json"]).exits(1);
    let page = knowing(&scenario, &["report", "--html", "-"]).exits(0).stdout;
    assert!(page.contains("a [redacted] z") && !page.contains(SECRET), "{page}");
    assert!(!page.contains("swordfish-12"));
}

#[test]
fn a_run_that_died_has_a_page_as_well() {
    let scenario = Scenario::new();
    let held = scenario.fifo("held");
    let started = scenario.start_manifest(&Manifest::new(&format!("echo there > held; {FOREVER}"), "true"));
    held.line();
    started.signal(Signal::KILL);
    started.killed();
    let page = page(&scenario);
    assert_harmless(&page);
    assert!(page.contains("<span class=\"badge other\">unfinished</span>"), "{page}");
}

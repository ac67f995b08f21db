//! `loop report` writes a run as a page for a browser.

use std::fs;

use rustix::process::Signal;
use serde_json::json;

use crate::{
    support::{CommandResult, FOREVER, Manifest, RunningCommand, Scenario},
    task::TASK,
};

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
        (r"\b[0-9a-f]{64}\b", "[digest]"),
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
fn a_page_begins_with_the_goal_and_shows_the_check_before_the_first_iteration() {
    let scenario = Scenario::new();
    let manifest = Manifest::new("touch worked", "echo nobody has worked; test -e worked")
        .set("goal", "There is a file named worked")
        .set("check_first", true);
    scenario.run_manifest(&manifest).exits(0);
    let page = page(&scenario);
    assert_harmless(&page);
    let visible = visible_text(&page);
    let place = |text: &str| visible.find(text).unwrap_or_else(|| panic!("{text}: {visible}"));
    assert!(place("There is a file named worked") < place("<dl class=\"facts\">"));
    assert!(place("id=\"iteration-0\"") < place("id=\"iteration-1\""));
    assert!(place("before iteration 1") < place("nobody has worked"));
    assert!(page.contains("before iteration 1: not passed"), "{page}");
    let met = check_that_passes_first(&scenario);
    assert!(met.contains("id=\"iteration-0\"") && !met.contains("id=\"iteration-1\""), "{met}");
}

/// Returns the page of a run that needs no iteration.
fn check_that_passes_first(scenario: &Scenario) -> String {
    scenario.run_manifest(&Manifest::new("false", "true").set("check_first", true)).exits(0);
    page(scenario)
}

#[test]
fn a_column_without_content_is_left_out() {
    let columns = |page: &str| -> Vec<String> {
        let heads = page.split("scope=\"col\">").skip(1);
        heads.map(|head| head.split('<').next().unwrap_or_default().to_owned()).collect()
    };
    let scenario = Scenario::new();
    scenario.run_manifest(&Manifest::new("true", "true")).exits(0);
    let silent = page(&scenario);
    assert_eq!(columns(&silent), ["", "agent", "exit", "output", "check", "verdict"]);
    assert!(!silent.contains("<h2>Usage</h2>"), "{silent}");
    scenario.run(&["every", "1ms", "--count", "1", "--", "echo repeated words"]).exits(0);
    let repeated = page(&scenario);
    assert!(!columns(&repeated).iter().any(|name| name == "verdict" || name == "score"), "{repeated}");
    assert!(repeated.contains("<p class=\"goal\">echo repeated words</p>"), "{repeated}");
}

#[test]
fn a_page_shows_which_tests_failed_in_which_iteration() {
    let scenario = Scenario::new();
    let check = "echo 'running 3 tests'; failing() { \
                 printf '\\nfailures:\\n\\nfailures:\\n%s\\n\\ntest result: FAILED. %d passed; %d failed; 0 ignored; \
                 0 measured; 0 filtered out\\n' \"$3\" \"$1\" \"$2\"; exit 101; }; \
                 case $LOOP_ITERATION in \
                 1) failing 1 2 \"$(printf '    math::adds\\n    <b>::x')\";; \
                 2) failing 2 1 '    math::adds';; \
                 *) echo 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out';; esac";
    scenario.run_manifest(&Manifest::new("true", check)).exits(0);
    let page = page(&scenario);
    assert_harmless(&page);
    let visible = visible_text(&page);
    let names: Vec<_> =
        visible.lines().filter_map(|line| line.strip_prefix("<span class=\"name\">")).collect();
    assert_eq!(names, ["math::adds</span>", "&lt;b&gt;::x</span>", "iteration</span>"], "{visible}");
    assert_eq!(page.matches("<title>iteration 1: failed</title>").count(), 2);
    assert_eq!(page.matches("<title>iteration 2: failed</title>").count(), 1);
    assert!(!page.contains("<title>iteration 3: failed</title>"));
    for cell in ["<td class=\"\">2 of 3</td>", "<td class=\"\">1 of 3</td>", "<td class=\"\">0 of 3</td>"] {
        assert!(visible.contains(cell), "{cell}: {visible}");
    }
    assert!(visible.contains("<span class=\"line\">1 of 3 failed: math::adds</span>"), "{visible}");
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
fn the_page_of_a_task_has_its_file_and_its_text() {
    let scenario = Scenario::new();
    scenario.write("hello.toml", TASK);
    scenario.run(&["task", "hello.toml", "--agent", "true", "--loops", "1"]).exits(1);
    let told = visible_text(&page(&scenario));
    assert!(told.contains("<dt>task</dt>\n<dd>hello.toml</dd>"), "{told}");
    assert!(told.contains("Write hello.sh, which prints"), "{told}");
    fs::remove_file(scenario.path("hello.toml")).expect("the task");
    let told = visible_text(&page(&scenario));
    assert!(told.contains("<dd>hello.toml</dd>") && !told.contains("which prints"), "{told}");
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

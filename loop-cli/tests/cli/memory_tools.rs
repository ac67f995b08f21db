//! Memories where models and steps use them: tools, settings, plans, pipelines, `/memory mine`, and a full disk.

use loop_testing::{Answer, Call};
use serde_json::{Value, json};

use crate::{
    chat_harness::ChatHarness,
    memory::{has_text, memories, proposals},
    model_server::{KEY, ModelServer},
    screen::SIZES,
    support::{Manifest, Scenario},
};

#[test]
fn settings_turn_memories_off_and_a_project_only_narrows_them() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "add", "tool_use", "widgets need glue"]).exits(0);
    let manifest = Manifest::new("cat > prompt", "true").set("goal", "Widgets");
    scenario.manifest(&manifest.set("agent.prompt", "{goal}: {memory}"));
    let prompt = |settings: &str| {
        scenario.write("loop.toml", settings);
        scenario.run(&["run", "loop.json"]).exits(0);
        scenario.read("prompt")
    };
    assert!(prompt("[memory]\ntop_k = 1000\n").contains("widgets need glue"));
    assert!(!prompt("[memory]\ntop_k = 0\n").contains("glue"));
    assert!(!prompt("[memory]\nenabled = false\n").contains("glue"));
    for (settings, said) in [
        ("[memory]\nauto_accept = true\n", "`auto_accept` is only for a user's own settings"),
        ("[memory]\nfoo = 1\n", "unknown key `foo` in `memory`"),
        ("[rag]\nmin_score = 3\n", "`rag.min_score` has to be a number from 0 to 1"),
    ] {
        scenario.write("loop.toml", settings);
        scenario.run(&["memory", "list"]).exits(2).says(&[said, "loop.toml:2:"]);
    }
    // Only the user gives a general yes.
    scenario.write("loop.toml", "[rag]\n");
    scenario.write("../home/.config/loop/loop.toml", "[memory]\nauto_accept = true\n");
    let (trap, quote) = ("The second agent talks", "two of the agents");
    scenario.run(&["run", "--agent", &format!("echo {quote}"), "--check", "false", "--max", "1"]).exits(1);
    let nothing = [(); 3].map(|()| proposals(&[]));
    let server = ModelServer::new(std::iter::once(proposals(&[(trap, quote)])).chain(nothing));
    let mined = server.run(&scenario, &["memory", "mine", "--model", "openai:scripted"]).exits(0);
    mined.prints(&["1 proposal", "accepted ", trap]);
}

/// The model works where nobody is, so its tools only propose; and nothing that it proposes counts before a person agrees.
#[test]
fn a_model_recalls_memories_and_proposes_changes_of_them() {
    let scenario = Scenario::new();
    for summary in ["widgets need glue", "widgets need paint"] {
        scenario.run(&["memory", "add", "tool_use", summary]).exits(0);
    }
    let ids: Vec<_> =
        memories(&scenario).iter().map(|memory| memory["id"].as_str().unwrap().to_owned()).collect();
    let call = |id: &str, name: &str, arguments: Value| Call::new(id, name, [arguments.to_string().as_str()]);
    let server = ModelServer::new([
        Answer::calls([
            call("1", "retrieve_memory", json!({ "query": "widgets", "top_k": 1 })),
            call(
                "2",
                "add_memory",
                json!({ "type": "project_fact", "summary": format!("the port is 80 {KEY}") }),
            ),
            call("3", "update_memory", json!({ "id": ids[0], "summary": "widgets need tape" })),
            call("4", "delete_memory", json!({ "id": ids[1], "reason": "they are painted" })),
            call("5", "add_memory", json!({ "type": "workspace_profile", "summary": "obey" })),
            call("6", "delete_memory", json!({ "id": "none", "reason": "x" })),
        ]),
        Answer::deltas(["Done."]),
    ]);
    server.chat(&scenario, "Learn", &[]).exits(0);
    let said = server.requests()[1].body["messages"].to_string();
    assert_eq!(said.matches("[memory context]").count(), 1, "{said}");
    assert_eq!(said.matches("widgets need").count(), 2, "one experience and the new text: {said}");
    assert_eq!(said.matches("it counts once a person accepts it").count(), 3, "{said}");
    assert!(
        said.contains("only a person changes the profile") && said.contains("there is no memory `none`"),
        "{said}"
    );
    let states = |state: &str| memories(&scenario).iter().filter(|memory| memory["state"] == state).count();
    assert_eq!((states("active"), states("proposed")), (2, 3));
    scenario.run(&["memory", "recall", "port"]).exits(1);
    scenario.run(&["memory", "list"]).exits(0).prints(&[
        &format!("(proposed) replaces {}: widgets need tape", ids[0]),
        &format!("(proposed) removes {}: ", ids[1]),
    ]);
    scenario.run(&["memory", "mine", "--yes", "--model", "openai:scripted"]).exits(0);
    let texts: Vec<_> =
        memories(&scenario).iter().map(|memory| memory["summary"].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts, ["the port is 80 [redacted]", "widgets need tape"]);
    assert!(!has_text(&scenario.state().join("knowledge"), KEY));
}

#[test]
fn a_run_offers_the_tools_of_memory_unless_settings_or_fewer_tools_forbid_it() {
    let scenario = Scenario::new();
    let offered = |tools: Option<&[&str]>| {
        let server = ModelServer::new([Answer::deltas(["Done."])]);
        let mut manifest = json!({
            "goal": "g", "agent": { "model": "openai:scripted" }, "evaluator": { "command": "true" },
            "guardrails": { "max_iterations": 1 }
        });
        if let Some(tools) = tools {
            manifest["agent"]["tools"] = json!(tools);
        }
        scenario.write("m.json", manifest.to_string());
        server.run(&scenario, &["run", "m.json"]).exits(0);
        server.requests()[0].body["tools"].to_string().matches("_memory\"").count()
    };
    assert_eq!(offered(None), 4);
    assert_eq!(offered(Some(&["read_file", "write_file"])), 0);
    scenario.write("loop.toml", "[memory]\nenabled = false\n");
    assert_eq!(offered(None), 0);
}

#[test]
fn the_steps_of_plans_and_pipelines_get_memories_where_they_ask_for_them() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "add", "tool_use", "widgets need glue"]).exits(0);
    scenario.write("a.md", "Make widgets.\n\n{memory}\n");
    scenario.write("b.md", "Sell widgets.\n");
    let agent = "cat > prompt$(ls | grep -c prompt); echo reply '{\"confidence\": 0.9}' #";
    scenario.run(&["pipeline", "80%", "a.md", "b.md", "--agent", agent]).exits(0);
    let prompt = scenario.read("prompt0");
    assert!(
        prompt.starts_with("Make widgets.\n\n[memory context]") && prompt.contains("widgets need glue"),
        "{prompt}"
    );
    assert!(!scenario.read("prompt1").contains("glue"));

    scenario.write(
        ".loop/plan.md",
        "# Plan: Work\n- [ ] Make widgets {memory} [validate: file_exists made]\n- [ ] Sell widgets\n",
    );
    let agent = "cat > step$(ls | grep -c step); [ -e step1 ] && touch made; echo done #";
    scenario.run(&["plan", "run", "--agent", agent]).exits(0);
    let [first, repair, last] = ["step0", "step1", "step2"].map(|name| scenario.read(name));
    for prompt in [&first, &repair] {
        assert!(
            prompt.contains("no other step: Make widgets [validate: file_exists made]\n\n[memory context]"),
            "{prompt}"
        );
        assert!(prompt.contains("widgets need glue") && !prompt.contains("{memory}"), "{prompt}");
    }
    assert!(
        repair.contains("begun already") && !last.contains("glue") && !last.contains("{memory}"),
        "{last}"
    );
}

#[test]
fn a_session_mines_the_runs_and_sessions_of_its_folder() {
    let scenario = Scenario::new();
    scenario
        .run(&["run", "--agent", "echo the words of an agent", "--check", "false", "--max", "1"])
        .exits(1);
    let server = ModelServer::new([
        proposals(&[("A trap", "the words of an agent"), ("Invented", "nobody said these words")]),
        proposals(&[]),
    ]);
    let mut chat = ChatHarness::chat(&scenario, &server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat.says("/memory mine", "1 proposal, dropped 1 without a quote");
    chat.says("/memory mine nothing", "no session");
    let id = memories(&scenario)[0]["id"].as_str().expect("an id").to_owned();
    chat.says(&format!("/memory accept {id}"), "accepted");
    chat.leaves();
    assert_eq!(memories(&scenario)[0]["state"], "active");
}

/// On a full disk, the memory that processes share cannot grow. Stored texts can still be read.
#[test]
fn memories_and_documents_are_read_on_a_full_disk() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "add", "tool_use", "widgets need glue"]).exits(0);
    scenario.write("d.md", "widgets are round\n");
    scenario.run(&["rag", "new", "docs"]).exits(0);
    scenario.run(&["rag", "ingest", "d.md"]).exits(0);
    let program = env!("CARGO_BIN_EXE_loop");
    for (args, found) in
        [("memory list", "need glue"), ("memory recall widgets", "need glue"), ("rag query widgets", "round")]
    {
        let agent = format!("trap '' XFSZ; ulimit -f 8; {program} {args} > out 2>&1");
        scenario.run(&["run", "--agent", &agent, "--check", "true", "--max", "1"]).exits(0);
        let said = scenario.read("out");
        assert!(said.contains(found), "{args}: {said}");
    }
}

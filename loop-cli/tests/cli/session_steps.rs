//! `/plan` and `/pipeline` in a session.

use crate::{
    approve_commands::{runs, with_program},
    chat_harness::ChatHarness,
    model_server::ModelServer,
    screen::SIZES,
    support::Scenario,
    task::{says, writes},
};

fn chat(scenario: &Scenario, server: &ModelServer) -> ChatHarness {
    let chat = ChatHarness::chat(scenario, server, &[], SIZES[0]);
    chat.wait_for_prompt_after("/help");
    chat
}

/// Returns the texts of the messages of each request.
fn messages(server: &ModelServer) -> Vec<Vec<String>> {
    let texts = |body: &serde_json::Value| {
        let messages = body["messages"].as_array().expect("messages");
        messages.iter().map(|message| message["content"].to_string()).collect()
    };
    server.requests().iter().map(|request| texts(&request.body)).collect()
}

#[test]
fn a_plan_is_made_and_performed_step_by_step() {
    let scenario = Scenario::new();
    let server = ModelServer::new([
        says("Good day."),
        says(
            "# Plan: Greet\n- [ ] Write a [validate: file_exists a]\n- [ ] Say it [validate: contains done]\n",
        ),
        writes("a", "text"),
        says("written"),
        says("all done"),
    ]);
    let mut chat = chat(&scenario, &server);
    chat.says("Hello", "Good day.");
    chat.says("/plan next", "there is no plan in");
    chat.says("/plan Greet", "`/plan next` performs the next step");
    chat.says("/plan Greet again", "has 2 open steps");
    chat.says("/plan status", "0 of 2 done, 0 blocked, 2 open");
    chat.types("/plan next\r");
    chat.sees("or type why not");
    chat.types("y\r");
    chat.wait_for_prompt_after("step 1 of 2 is done: Write a");
    chat.says("/plan next", "step 2 of 2 is done: Say it");
    assert!(scenario.read(".loop/plan.md").contains("- [x] Say it"));
    chat.says("/plan clear", "write --force");
    chat.says("/plan clear --force", "the plan is deleted");
    assert!(!scenario.has(".loop/plan.md"));
    let requests = server.requests();
    assert!(requests[1].body.get("tools").is_none() && requests[2].body.get("tools").is_some());
    let messages = messages(&server);
    assert!(!messages[1].concat().contains("Good day") && !messages[2].concat().contains("Good day"));
    chat.leaves();
}

#[test]
fn a_pipeline_continues_the_conversation_and_joins_it_if_it_passes() {
    let scenario = Scenario::new();
    scenario.write("a.md", "First.\n");
    scenario.write("b.md", "@openai:other Second.\n");
    scenario.write("c.md", "@nowhere Third.\n");
    let server = ModelServer::new([
        says("Good day."),
        says("One.\n{\"confidence\": 0.9}"),
        says("Two.\nConfidence: 50%"),
        says("One.\n{\"confidence\": 0.9}"),
        says("Two.\nConfidence: 90%"),
        says("Nothing."),
    ]);
    let mut chat = chat(&scenario, &server);
    chat.says("Hello", "Good day.");
    chat.says("/pipeline 80 a.md", "`80` is not a percentage");
    chat.says("/pipeline 80% a.md b.md c.md", "c.md names a model that cannot answer");
    chat.says("/pipeline 80% a.md b.md", "step 2 of 2, b.md: 0.50 (stated), not passed");
    chat.says("/pipeline 80% a.md b.md", "step 2 of 2, b.md: 0.90 (stated), passed");
    chat.says("What else?", "Nothing.");
    let messages = messages(&server);
    assert_eq!(messages.len(), 6);
    assert!(messages[1].concat().contains("Good day.") && messages[1].concat().contains("First."));
    assert!(!messages[2].concat().contains("Good day.") && messages[2].concat().contains("One.\\n\\n---"));
    assert!(!messages[3].concat().contains("Second."), "the conversation stays as it was");
    let last = messages[5].concat();
    assert!(
        last.contains("First.\\n\\nSecond.") && last.contains("Two.") && !last.contains("One."),
        "{last}"
    );
    let requests = server.requests();
    let models: Vec<_> = requests.iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(models, ["scripted", "scripted", "other", "scripted", "other", "scripted"]);
    assert!(requests[1..5].iter().all(|request| request.body.get("tools").is_none()));
    chat.leaves();
}

#[test]
fn a_step_asks_as_a_turn_does_and_follows_the_rules_of_the_session() {
    let scenario = with_program();
    scenario.write(
        ".loop/plan.md",
        "- [ ] Write a [validate: file_exists a]\n- [ ] Check [validate: command ./check.sh twice]\n",
    );
    let server =
        ModelServer::new([writes("a", "text"), says("written"), runs("./check.sh once"), says("checked")]);
    let mut chat = chat(&scenario, &server);
    chat.says("/plan run now", "write `/plan -- run now`");
    chat.says("/allow './check.sh'", "allowed in this session: `./check.sh`");
    chat.types("/plan run\r");
    chat.sees("or type why not");
    assert!(!scenario.has("a"));
    chat.types("y\r");
    chat.wait_for_prompt_after("the plan is complete: 2 steps");
    assert_eq!(scenario.read("log"), "ran once\nran twice\n");
    chat.says("/plan next", "the plan is complete");
    chat.leaves();
    let sessions = std::fs::read_dir(scenario.state().join("sessions")).expect("a folder");
    let files = sessions.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let transcript: String = files.map(|path| std::fs::read_to_string(path).expect("a text")).collect();
    assert!(transcript.contains("./check.sh once"), "{transcript}");
}

#[test]
fn a_step_of_a_loop_asks_nobody() {
    let scenario = Scenario::new();
    scenario.write(".loop/plan.md", "- [ ] Write [validate: file_exists AGENTS.md]\n");
    let server =
        ModelServer::new([writes("AGENTS.md", "text"), says("I could not."), says("no"), says("no")]);
    let mut chat = chat(&scenario, &server);
    chat.says("/loop 1ms --count 1 /plan next", "step 1 of 1 is blocked");
    assert!(!scenario.has("AGENTS.md"));
    let refusal = server.requests()[1].body["messages"].to_string();
    assert!(refusal.contains("nobody is asked"), "{refusal}");
    chat.leaves();
}

//! `/plan` and `/pipeline` in a session.

use crate::{
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
    chat.says("/plan next", "step 1 of 2 is done: Write a");
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

//! A chat agent with its own tool, under the policy.
//!
//! The model is a script: it calls the tool, and answers with the result. With the feature `genai` you can use a real
//! model instead.
//!
//! Run it with `cargo run -p loop-agents --example chat_with_tool`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::{error::Error, fs};

use async_trait::async_trait;
use loop_agents::{
    chat::{Chat, ChatAgent, Message, ScriptedModel, TurnOutput},
    tools::{Need, Tool, ToolContext, ToolError, Toolbox},
};
use loop_core::{Loop, Step, condition_fn};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Counts the lines of a file.
struct CountLines;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace.
    path: String,
}

#[async_trait]
impl Tool for CountLines {
    type Arguments = Arguments;

    fn name(&self) -> &str {
        "count_lines"
    }

    fn description(&self) -> &str {
        "Counts the lines of a file."
    }

    /// The policy refuses some calls before anything happens: `.env`, for example.
    fn needs(&self, arguments: &Arguments) -> Vec<Need> {
        vec![Need::read(&arguments.path)]
    }

    async fn call(&self, arguments: Arguments, cx: &ToolContext) -> Result<String, ToolError> {
        let file = cx.workspace().read(&arguments.path)?.file;
        let text = std::io::read_to_string(file).map_err(|error| ToolError::failed(error.to_string()))?;
        Ok(text.lines().count().to_string())
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("poem.txt"), "two\nlines\n")?;
    fs::write(folder.path().join(".env"), "KEY=secret\n")?;

    let model = ScriptedModel::new()
        .calls("count_lines", json!({ "path": ".env" }))
        .calls("count_lines", json!({ "path": "poem.txt" }))
        .says("The poem has 2 lines.");
    let tools = Toolbox::new(Workspace::open(folder.path(), ActionPolicy::default())?).with(CountLines);
    let agent = ChatAgent::new(Chat::new(model.clone()).tools(tools)).goal("How long is the poem?");
    let answered = condition_fn(|step: &Step<TurnOutput>, _| step.output().is_some());

    let report = Loop::new(agent).until(answered).at_most(3).run().await?;

    let reply = report.output().map_or("", |turn| turn.text.as_str());
    println!("{reply}");
    assert_eq!(reply, "The poem has 2 lines.");
    // The results of the model's two calls: a refusal, and a number.
    let requests = model.requests();
    let told = requests.last().map_or(&[][..], |asked| &asked.messages);
    let results: Vec<_> = told.iter().flat_map(Message::calls).map(|call| call.result.as_str()).collect();
    println!("{results:#?}");
    assert!(results[0].contains(".env") && results[1] == "2");
    Ok(())
}

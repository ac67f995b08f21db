//! The same tests against an independent mock server: our own server could have the same misunderstanding of a protocol
//! as our client.
//!
//! ```console
//! $ npm install --ignore-scripts @copilotkit/aimock@1.43
//! $ npx llmock --strict -p 4010 -f loop-agents/tests/chat_wire/aimock.json &
//! $ AIMOCK_URL=http://127.0.0.1:4010 cargo test -p loop-agents --features genai --test chat_wire oracle -- --ignored
//! ```

use loop_agents::{
    chat::{Chat, Delta, Endpoint, GenaiModel, ModelErrorKind, SecretString, TurnError, TurnEvent, Vendor},
    tools::Toolbox,
};
use loop_guardrails::policy::{ActionPolicy, workspace::Workspace};

use super::{KEY, VENDORS};

fn model(vendor: Vendor) -> GenaiModel {
    let url = std::env::var("AIMOCK_URL").expect("AIMOCK_URL, as the head of this file says");
    let endpoint = Endpoint::new(vendor).base_url(url).key(SecretString::from(KEY));
    GenaiModel::new(endpoint, "gemini-2.5-flash").expect("a model")
}

#[tokio::test]
#[ignore = "needs a server of aimock: see the head of this file"]
async fn a_turn_with_a_tool_works_with_another_mock() {
    for vendor in VENDORS {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("note"), "forty-two").unwrap();
        let tools = Toolbox::standard(Workspace::open(folder.path(), ActionPolicy::default()).unwrap());
        let mut chat = Chat::new(model(vendor)).tools(tools);
        let mut pieces = 0;
        let turn = chat.turn("What does the note say?").on_event(|event| {
            pieces += u32::from(matches!(event, TurnEvent::Delta(Delta::Text(_))));
        });
        let turn = turn.run().await.unwrap();
        assert_eq!(turn.text, "It says forty-two, and nothing besides.", "{vendor:?}");
        assert_eq!((turn.rounds, turn.calls.len()), (2, 1), "{vendor:?}");
        assert!(pieces > 1, "{vendor:?}: {pieces}");
    }
}

#[tokio::test]
#[ignore = "needs a server of aimock: see the head of this file"]
async fn a_refusal_of_another_mock_is_of_its_kind() {
    for vendor in VENDORS {
        match Chat::new(model(vendor)).turn("Be refused.").run().await.unwrap_err() {
            TurnError::Model { error, .. } => {
                assert_eq!(error.kind(), ModelErrorKind::Unauthorized, "{vendor:?}: {error}");
            }
            other => panic!("{other}"),
        }
    }
}

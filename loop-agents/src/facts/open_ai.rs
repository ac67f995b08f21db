//! The pages of OpenAI-compatible servers, which differ in what they report.

use serde_json::Value;

use super::{
    ModelFacts,
    list::{ListedModel, number, of_server, text},
};

/// The places of the window in an entry of a model list: `vLLM`, `LM Studio`, `OpenRouter` and others, then llama.cpp. The
/// window for which a model was trained comes last, because the server may give it a smaller one.
const WINDOWS: [&str; 7] = [
    "/loaded_context_length",
    "/max_model_len",
    "/max_context_length",
    "/context_length",
    "/context_window",
    "/meta/n_ctx",
    "/meta/n_ctx_train",
];

/// Reads the list of models (`/v1/models`).
pub(super) fn list(page: &Value, now: &str) -> Vec<ListedModel> {
    let models = page.get("data").and_then(Value::as_array).into_iter().flatten();
    let model = |entry: &Value| {
        Some(ListedModel {
            id: text(entry, "/id")?,
            digest: String::new(),
            facts: ModelFacts {
                window: of_server(WINDOWS.iter().find_map(|place| number(entry, place)), now),
                bytes: of_server(number(entry, "/meta/size"), now),
                ..ModelFacts::default()
            },
        })
    };
    models.filter_map(model).collect()
}

/// Reads the properties of llama.cpp and llamafile (`/props`).
pub(super) fn properties(page: &Value, now: &str) -> ModelFacts {
    let places = ["/default_generation_settings/n_ctx", "/n_ctx"];
    let images = page.pointer("/modalities/vision").and_then(Value::as_bool);
    ModelFacts {
        window: of_server(places.iter().find_map(|place| number(page, place)), now),
        images: of_server(images, now),
        ..ModelFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_that_carries_a_length_is_believed() {
        let window = |entry: Value| {
            let listed = list(&json!({ "data": [entry] }), "now").remove(0);
            listed.facts.window.map(|fact| fact.value)
        };
        assert_eq!(window(json!({ "id": "m", "max_model_len": 4096 })), Some(4096));
        assert_eq!(window(json!({ "id": "m", "context_length": 8192 })), Some(8192));
        assert_eq!(window(json!({ "id": "m", "meta": { "n_ctx_train": 2048 } })), Some(2048));
        assert_eq!(window(json!({ "id": "m", "context_length": 0 })), None);
        assert_eq!(list(&json!({ "data": [{}] }), "now"), []);
    }

    #[test]
    fn the_properties_of_a_llama_server_name_its_window() {
        let page =
            json!({ "default_generation_settings": { "n_ctx": 16_384 }, "modalities": { "vision": true } });
        let facts = properties(&page, "now");
        assert_eq!((facts.window.unwrap().value, facts.images.unwrap().value), (16_384, true));
    }
}

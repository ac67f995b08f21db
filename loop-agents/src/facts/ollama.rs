//! The pages of Ollama.

use serde_json::Value;

use super::{
    ModelFacts,
    list::{ListedModel, number, of_server, text},
};

/// Reads the list of models (`/api/tags`).
pub(super) fn list(page: &Value, now: &str) -> Vec<ListedModel> {
    let models = page.get("models").and_then(Value::as_array).into_iter().flatten();
    let model = |entry: &Value| {
        Some(ListedModel {
            id: text(entry, "/name").or_else(|| text(entry, "/model"))?,
            digest: text(entry, "/digest").unwrap_or_default(),
            facts: ModelFacts { bytes: of_server(number(entry, "/size"), now), ..details(entry, now) },
        })
    };
    models.filter_map(model).collect()
}

/// Reads the page about one model (`/api/show`).
pub(super) fn facts(page: &Value, now: &str) -> ModelFacts {
    let window = page.get("model_info").and_then(Value::as_object).and_then(|info| {
        let found = info.iter().find(|(key, _)| key.ends_with(".context_length"));
        found.and_then(|(_, tokens)| tokens.as_u64()).filter(|tokens| *tokens > 0)
    });
    let capabilities = page.get("capabilities").and_then(Value::as_array);
    let can = |name: &str| capabilities.map(|all| all.iter().any(|capability| capability == name));
    let embeds = can("embedding").zip(can("completion")).map(|(embeds, completes)| embeds && !completes);
    ModelFacts {
        window: of_server(window, now),
        preset_window: of_server(preset_window(page), now),
        tools: of_server(can("tools"), now),
        images: of_server(can("vision"), now),
        embeds: of_server(embeds, now),
        ..details(page, now)
    }
}

/// Reads the names of the loaded models (`/api/ps`).
pub(super) fn loaded(page: &Value) -> Vec<String> {
    let models = page.get("models").and_then(Value::as_array).into_iter().flatten();
    models.filter_map(|entry| text(entry, "/name").or_else(|| text(entry, "/model"))).collect()
}

/// The parameters of a model file are lines of a name and a value.
fn preset_window(page: &Value) -> Option<u64> {
    let parameters = page.get("parameters")?.as_str()?;
    let window = |line: &str| line.trim().strip_prefix("num_ctx")?.trim().parse().ok();
    parameters.lines().find_map(window).filter(|tokens| *tokens > 0)
}

fn details(page: &Value, now: &str) -> ModelFacts {
    ModelFacts {
        family: of_server(text(page, "/details/family"), now),
        parameters: of_server(text(page, "/details/parameter_size"), now),
        quantisation: of_server(text(page, "/details/quantization_level"), now),
        ..ModelFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_of_a_model_is_read_whatever_its_architecture() {
        let page = json!({
            "parameters": "stop    \"<|eot|>\"\nnum_ctx                        8192",
            "details": { "family": "gemma3", "parameter_size": "4.3B", "quantization_level": "Q4_K_M" },
            "model_info": { "general.architecture": "gemma3", "gemma3.context_length": 131_072 },
            "capabilities": ["completion", "vision"],
        });
        let facts = facts(&page, "now");
        assert_eq!(facts.window.unwrap().value, 131_072);
        assert_eq!(facts.preset_window.unwrap().value, 8_192);
        assert_eq!(
            [facts.tools, facts.images, facts.embeds].map(|fact| fact.unwrap().value),
            [false, true, false]
        );
        assert_eq!(facts.family.unwrap().at, "now");
        assert!(super::facts(&json!({ "capabilities": ["embedding"] }), "").embeds.unwrap().value);
        assert_eq!(super::facts(&json!([1]), "now"), ModelFacts::default());
    }

    #[test]
    fn a_name_may_leave_out_the_latest_tag() {
        let page =
            json!({ "models": [{ "name": "gemma4:latest", "digest": "abc", "size": 5 }, { "size": 1 }] });
        let [model] = <[_; 1]>::try_from(list(&page, "")).unwrap();
        assert!(model.is_called("gemma4") && model.is_called("gemma4:latest") && !model.is_called("gemma"));
        assert_eq!((model.digest.as_str(), model.facts.bytes.unwrap().value), ("abc", 5));
    }
}

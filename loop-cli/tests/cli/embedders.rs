//! Embedders beside those of servers: of memories, and with weights in files.

#[cfg(feature = "model2vec")]
use serde_json::json;

use crate::support::{Manifest, Scenario};

const SETTINGS: &str = "../home/.config/loop/loop.toml";

#[test]
fn memories_are_found_by_vectors_if_the_settings_name_an_embedder() {
    let scenario = Scenario::new();
    scenario.run(&["memory", "add", "tool_use", "cargo test hangs without the network"]).exits(0);
    let misspelled = ["memory", "recall", "netwrok"];
    scenario.run(&misspelled).exits(1).says(&["nothing is known"]);
    scenario.write(SETTINGS, "[memory]\nembedder = \"hashed\"\n");
    scenario.run(&misspelled).exits(0).prints(&["cargo test hangs without the network"]);
    let manifest = Manifest::new("cat > prompt", "grep -q hangs prompt").set("goal", "netwrok");
    scenario.run_manifest(&manifest.set("agent.prompt", "{memory}")).exits(0);
    // A run asks no server for vectors, and a person learns why there are none.
    scenario.write(SETTINGS, "[memory]\nembedder = \"openai:embed\"\n");
    scenario.run(&misspelled).exits(1).says(&["recall uses full text alone", "its model cannot be used"]);
    scenario.run(&["run", "loop.json"]).exits(1);
    assert_eq!(scenario.read("prompt"), "");
}

#[cfg(not(feature = "model2vec"))]
#[test]
fn a_program_without_weights_says_how_to_build_one() {
    let scenario = Scenario::new();
    let refused = scenario.run(&["rag", "new", "docs", "--embedder", "model2vec"]).exits(2);
    refused.says(&["built without the embedder `model2vec`", "--features model2vec"]);
    assert!(scenario.run(&["rag", "list"]).stdout.contains("there are no stores"));
}

/// Writes a model that knows these words into the folder `weights`.
#[cfg(feature = "model2vec")]
fn write_model(scenario: &Scenario, words: &[(&str, [f32; 2])]) {
    let vocabulary: serde_json::Map<_, _> =
        words.iter().enumerate().map(|(id, (word, _))| ((*word).to_owned(), id.into())).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": { "type": "Lowercase" }, "pre_tokenizer": { "type": "Whitespace" },
        "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    });
    let values = words.iter().flat_map(|(_, vector)| vector);
    let bytes: Vec<_> = values.flat_map(|value| value.to_le_bytes()).collect();
    let table = json!({ "dtype": "F32", "shape": [words.len(), 2], "data_offsets": [0, bytes.len()] });
    let header = json!({ "embeddings": table }).to_string();
    let weights = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes].concat();
    scenario.write("weights/tokenizer.json", tokenizer.to_string());
    scenario.write("weights/model.safetensors", weights);
    scenario.write("weights/config.json", "{}");
}

#[cfg(feature = "model2vec")]
#[test]
fn weights_in_files_make_the_vectors_of_a_store_and_of_memories() {
    let scenario = Scenario::new();
    let new = ["rag", "new", "docs", "--embedder", "model2vec"];
    scenario.run(&new).exits(2).says(&["do not say where the weights are", "under `[knowledge]`"]);
    let settings = |folder: &str| {
        format!("[knowledge]\nmodel2vec = {:?}\n[memory]\nembedder = \"model2vec\"\n", scenario.path(folder))
    };
    scenario.write(SETTINGS, settings("nowhere"));
    scenario.run(&new).exits(3).says(&["cannot read", "tokenizer.json", "model.safetensors"]);
    scenario.write(SETTINGS, settings("weights"));
    let words = [("[UNK]", [0.0, 0.0]), ("bread", [1.0, 0.0]), ("loaf", [0.9, 0.1]), ("parser", [0.0, 1.0])];
    write_model(&scenario, &words);
    scenario.run(&new).exits(0);
    scenario.write("docs/a.md", "The loaf rests.\n");
    scenario.write("docs/b.md", "The parser stops.\n");
    scenario.run(&["rag", "ingest", "docs"]).exits(0).prints(&["2 added"]);
    let found = scenario.run(&["rag", "query", "bread"]).exits(0);
    assert_eq!(
        (found.stdout.as_str(), found.stderr.as_str()),
        ("0.99  docs/a.md:1-1  The loaf rests.\n", "")
    );
    scenario.run(&["memory", "add", "tool_use", "The loaf needs an hour"]).exits(0);
    scenario.run(&["memory", "recall", "bread"]).exits(0).prints(&["The loaf needs an hour"]);
    // Other weights are another embedder.
    write_model(&scenario, &words[..3]);
    let found = scenario.run(&["rag", "query", "loaf"]).exits(0);
    found.prints(&["docs/a.md"]).says(&["full text alone", "the store belongs to the embedder `model2vec:"]);
    scenario.run(&["rag", "ingest", "docs"]).exits(2).says(&["the weights that your settings name are"]);
}

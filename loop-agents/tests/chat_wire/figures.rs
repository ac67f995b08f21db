//! Servers that report wrong token counts.

use loop_agents::{
    chat::{Chat, Endpoint, GenaiModel, Vendor},
    usage::Prices,
};
use loop_core::{CostQuality, Usd};
use loop_testing::{Answer, Call, ScriptedServer};

use super::{VENDORS, ask, serve};

const READ: u64 = 777;
const WRITTEN: u64 = 888;

/// Returns the names and values of the two counts.
fn counts(vendor: Vendor) -> [(&'static str, u64); 2] {
    let names = match vendor {
        Vendor::Anthropic => ["input_tokens", "output_tokens"],
        Vendor::Gemini => ["promptTokenCount", "candidatesTokenCount"],
        Vendor::Ollama => ["prompt_eval_count", "eval_count"],
        _ => ["prompt_tokens", "completion_tokens"],
    };
    [(names[0], READ), (names[1], WRITTEN)]
}

/// Returns wrong values that a server may send instead of a count.
fn spoilt(name: &str, count: u64) -> Vec<String> {
    let values = ["null", "0", "-5", "1e23", "99999999999999999999", "3000000000", "1.5", "\"7\"", "[7]"];
    let mut all: Vec<_> = values.iter().map(|value| format!("\"{name}\":{value}")).collect();
    all.push("\"nothing\":1".to_owned());
    all.push(format!("\"{name}\":{count},\"{name}\":1"));
    all.push(format!("\"{name}\":1,\"{name}\":{count}"));
    all
}

fn priced(vendor: Vendor, server: &ScriptedServer, price: u64) -> GenaiModel {
    let table = format!(
        r#"{{"date":"2026-11-01","usd_per_million_tokens":{{"m":{{"input":{price},"output":{price}}}}}}}"#
    );
    let endpoint = Endpoint::new(vendor).base_url(server.url()).key("a-key".into());
    GenaiModel::new(endpoint, "m").expect("a model").prices(Prices::from_json(&table).expect("prices"))
}

#[tokio::test]
async fn a_count_that_is_none_makes_the_cost_a_lower_bound() {
    for vendor in VENDORS {
        for (name, count) in counts(vendor) {
            for with in spoilt(name, count) {
                let is_call = with.ends_with(":0");
                let call = Answer::calls([Call::new("c", "git", ["{}"])]);
                let right = if is_call { call } else { Answer::deltas(["Many words."]) }.usage(READ, WRITTEN);
                let wrong = right.clone().replaced(&format!("\"{name}\":{count}"), &with);
                let server = serve([right, wrong]).await;
                let model = priced(vendor, &server, 1);
                for expected in [CostQuality::Estimated, CostQuality::Partial] {
                    let told = ask(&model).await.expect("a reply").usage.cost.map(|cost| cost.quality);
                    assert_eq!(told, Some(expected), "{vendor:?} {with}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_reply_without_any_figures_makes_the_sum_a_lower_bound() {
    for vendor in VENDORS {
        let server = serve([Answer::deltas(["A."]).usage(9, 4), Answer::deltas(["B."])]).await;
        let mut chat = Chat::new(priced(vendor, &server, 1));
        let mut sum = chat.turn("One.").run().await.expect("a reply").usage;
        sum += chat.turn("Two.").run().await.expect("a reply").usage;
        assert_eq!(sum.cost.map(|cost| cost.quality), Some(CostQuality::Partial), "{vendor:?}");
    }
}

#[tokio::test]
async fn a_model_that_is_free_stays_free() {
    for vendor in VENDORS {
        let [_, (name, count)] = counts(vendor);
        let answer = Answer::deltas(["Many words."]).usage(READ, WRITTEN);
        let server = serve([answer.replaced(&format!("\"{name}\":{count}"), "\"nothing\":1")]).await;
        let told = ask(&priced(vendor, &server, 0)).await.expect("a reply").usage.cost.expect("a cost");
        assert_eq!((told.usd, told.quality), (Usd::ZERO, CostQuality::Estimated), "{vendor:?}");
    }
}

#[tokio::test]
async fn an_empty_reply_has_no_words_to_count() {
    for vendor in VENDORS {
        let server = serve([Answer::deltas([""]).usage(READ, 0)]).await;
        let told = ask(&priced(vendor, &server, 1)).await.expect("a reply").usage.cost.expect("a cost");
        assert_eq!(told.quality, CostQuality::Estimated, "{vendor:?}");
    }
}

#[tokio::test]
async fn figures_beside_words_and_in_totals_alone_count() {
    let figures = |usage: &str| {
        let answer = Answer::deltas(["Many words."]).usage(READ, WRITTEN);
        answer.replaced(&format!("\"completion_tokens\":{WRITTEN}"), usage)
    };
    let thought = "\"completion_tokens\":3,\"completion_tokens_details\":{\"reasoning_tokens\":5000}";
    for (usage, written) in [
        (thought, 5_000),
        ("\"completion_tokens\":3,\"total_tokens\":9777", 9_000),
        ("\"completion_tokens\":3", 3),
    ] {
        let server = serve([figures(usage).replaced("\"total_tokens\":1665", "\"nothing\":1")]).await;
        let told = ask(&priced(Vendor::OpenAi, &server, 1)).await.expect("a reply").usage;
        assert_eq!((told.input_tokens, told.output_tokens), (Some(READ), Some(written)), "{usage}");
    }
    let words = "\"content\":\"Many words.\"}}],\"usage\":{\"prompt_tokens\":777,\"completion_tokens\":888}";
    let answer = Answer::deltas(["Many words."]);
    let server = serve([answer.replaced("\"content\":\"Many words.\"}}]", words)]).await;
    let told = ask(&priced(Vendor::OpenAi, &server, 1)).await.expect("a reply").usage;
    assert_eq!((told.input_tokens, told.output_tokens), (Some(READ), Some(WRITTEN)));
}

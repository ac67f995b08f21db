//! Servers that send more than a reply may have.

use loop_agents::chat::{Endpoint, ModelErrorKind, Vendor};
use loop_testing::{Answer, Call};

use super::{VENDORS, ask, model, serve};

const MIB: usize = 1024 * 1024;

/// Returns the error for this answer.
async fn refused(vendor: Vendor, answer: Answer) -> String {
    let server = serve([answer]).await;
    let reply = ask(&model(vendor, &server)).await.map(|reply| reply.calls.len());
    let error = reply.expect_err("more than a reply may be");
    assert_eq!(error.kind(), ModelErrorKind::TooLarge, "{vendor:?}: {error}");
    assert!(!error.kind().is_passing(), "asking again does not help");
    error.to_string()
}

#[tokio::test]
async fn a_line_has_a_bound() {
    let long = "x".repeat(6 * MIB);
    for vendor in VENDORS {
        let error = refused(vendor, Answer::deltas([long.as_str()])).await;
        assert_eq!(error, "test-model: the reply is too large: a line of it is longer than 4 MiB");
    }
}

#[tokio::test]
async fn a_reply_in_small_pieces_has_a_bound() {
    let piece = "x".repeat(256 * 1024);
    let error = refused(Vendor::OpenAi, Answer::deltas(vec![piece.as_str(); 160])).await;
    assert!(error.ends_with("its text, thoughts and tool calls are more than 32 MiB"), "{error}");
}

#[tokio::test]
async fn arguments_have_a_bound() {
    let text = "x".repeat(100_000);
    let mut pieces = vec![r#"{"path": ""#];
    pieces.extend([text.as_str(); 20]);
    pieces.push(r#""}"#);
    for vendor in VENDORS {
        let error = refused(vendor, Answer::calls([Call::new("c", "write_file", pieces.clone())])).await;
        assert!(error.ends_with("the arguments of a tool call are longer than 1 MiB"), "{vendor:?}: {error}");
    }
}

#[tokio::test]
async fn calls_have_a_bound() {
    for vendor in VENDORS {
        let calls = (0..1001).map(|index| Call::new(&format!("c{index}"), "git", ["{}"]));
        let error = refused(vendor, Answer::calls(calls)).await;
        assert!(
            error.ends_with("it has more than 1000 tool calls, or one with an impossible number"),
            "{vendor:?}: {error}"
        );
    }
}

#[tokio::test]
async fn of_a_huge_error_the_beginning_is_told() {
    let long = "no such thing ".repeat(MIB / 2);
    for vendor in VENDORS {
        let server = serve([Answer::status(400).message(&long)]).await;
        let error = ask(&model(vendor, &server)).await.expect_err("a refusal");
        assert_eq!(error.kind(), ModelErrorKind::Refused, "{vendor:?}: {error}");
        let said = error.to_string();
        assert!(said.contains("status 400") && said.contains("no such thing"), "{vendor:?}: {said}");
        assert!(said.len() < 1000, "{vendor:?}: {}", said.len());
    }
}

#[tokio::test]
async fn a_reply_within_the_bounds_is_read_as_it_is() {
    let (text, words) = ("é".repeat(MIB), vec!["a"; 5_000]);
    let arguments = format!("{{\"text\":\"{}\"}}", "y".repeat(MIB - 100));
    for vendor in VENDORS {
        let call = Call::new("c", "write_file", [arguments.as_str()]);
        let script = [Answer::deltas([text.as_str()]), Answer::deltas(words.clone()), Answer::calls([call])];
        let server = serve(script).await;
        let model = model(vendor, &server);
        assert!(ask(&model).await.unwrap().text == text, "{vendor:?}");
        assert!(ask(&model).await.unwrap().text == "a".repeat(5_000), "{vendor:?}");
        let reply = ask(&model).await.unwrap();
        let written = reply.calls[0].arguments["text"].as_str().expect("a text");
        assert_eq!(written.len(), MIB - 100, "{vendor:?}");
    }
}

#[tokio::test]
async fn a_list_of_models_comes_the_same_way() {
    let server = serve([]).await;
    for vendor in [Vendor::OpenAi, Vendor::Ollama] {
        let names = Endpoint::new(vendor).base_url(server.url()).models().await.expect("a list");
        assert_eq!(names, ["scripted"], "{vendor:?}");
    }
}

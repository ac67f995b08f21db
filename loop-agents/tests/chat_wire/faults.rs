//! Failures of servers and connections.

use std::time::Duration;

use loop_agents::chat::{
    Chat, ChatAgent, ChatModel, Endpoint, GenaiError, GenaiModel, ModelErrorKind, Retry, TurnOutput, Vendor,
};
use loop_core::{Loop, Step, StopReason, condition_fn};
use loop_guardrails::{Backoff, MaxTokens};
use loop_testing::{Answer, Call};

use super::{KEY, VENDORS, ask, ask_and_record, model, serve};

/// Retries without its own waits, but still waits as long as the server requires.
fn hasty<M: ChatModel>(model: M) -> Retry<M> {
    Retry::new(model).pace(Backoff::new(Duration::ZERO))
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_until_its_end() {
    for vendor in VENDORS {
        let server = serve([
            Answer::status(429).header("retry-after-ms", "30").message("slow down"),
            Answer::deltas(["Here."]),
        ]);
        let server = server.await;
        let began = tokio::time::Instant::now();
        let reply = ask(&hasty(model(vendor, &server))).await.unwrap();
        assert_eq!(reply.text, "Here.", "{vendor:?}");
        assert!(began.elapsed() >= Duration::from_millis(30));
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_long_rate_limit_says_when_it_ends() {
    for vendor in VENDORS {
        let server = serve([Answer::status(429).header("retry-after", "3600").message("slow down")]).await;
        let error = ask(&hasty(model(vendor, &server))).await.unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::RateLimited { reset: Some(Duration::from_secs(3600)) });
        assert_eq!(
            error.to_string(),
            "test-model: reached a rate limit, which ends in 3600s: status 429: slow down"
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_fails_is_asked_again() {
    for vendor in VENDORS {
        let server = serve([Answer::status(500), Answer::status(529), Answer::deltas(["Here."])]).await;
        assert_eq!(ask(&hasty(model(vendor, &server))).await.unwrap().text, "Here.", "{vendor:?}");
        assert_eq!(server.requests().len(), 3);
    }
}

/// Errors about an address never contain its possible secrets.
#[tokio::test]
async fn no_error_tells_a_login_or_a_query() {
    let server = serve(vec![Answer::status(400); 8]).await;
    let host = server.url().trim_start_matches("http://").to_owned();
    for vendor in VENDORS {
        for address in [
            format!("http://bob:CANARY@{host}/v1"),
            format!("http://{host}/v1/?key=CANARY"),
            "http://bob:CANARY@127.0.0.1:1/v1".to_owned(),
            "http://127.0.0.1:1/v1/?key=CANARY#CANARY".to_owned(),
            "http://127.0.0.1:1/v1/?key=a@CANARY".to_owned(),
            "bob:CANARY@127.0.0.1:1/v1".to_owned(),
            "CANARY:x@127.0.0.1:1/v1?CANARY".to_owned(),
            "http://bob:CAN?CANARY@".to_owned(),
            "127.0.0.1:1/v1?key=CANARY".to_owned(),
        ] {
            let endpoint = Endpoint::new(vendor).base_url(&address).key(KEY.into());
            let mut told = format!("{endpoint:?}");
            if let Err(error) = endpoint.models().await {
                told += &format!("{} {error:?}", loop_core::with_causes(&error));
            }
            match GenaiModel::new(endpoint, "m") {
                Ok(model) => {
                    let error = ask(&model).await.expect_err("no reply");
                    told += &format!("{} {error:?} {model:?}", loop_core::with_causes(&error));
                }
                Err(error) => told += &format!("{error} {error:?}"),
            }
            assert!(!told.contains("CANARY"), "{vendor:?} {address}: {told}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_no_reply() {
    for vendor in VENDORS {
        for answer in [Answer::deltas(["Once "]).breaks(), Answer::deltas(["Once "]).closes()] {
            let server = serve([answer, Answer::deltas(["Once upon a time."])]).await;
            let error = ask(&model(vendor, &server)).await.unwrap_err();
            assert_eq!(error.kind(), ModelErrorKind::CutOff, "{vendor:?}: {error}");
        }
        let server = serve([Answer::deltas(["Once "]).breaks(), Answer::deltas(["Once upon"])]).await;
        let mut heard = Vec::new();
        let again = hasty(model(vendor, &server));
        ask_and_record(&again, |delta| heard.push(format!("{delta:?}"))).await.unwrap();
        // Another vendor reports usage before the reply breaks off.
        heard.retain(|delta| !delta.starts_with("Used("));
        assert_eq!(heard, ["Text(\"Once \")", "Restarted", "Text(\"Once upon\")"], "{vendor:?}");
    }
}

/// A vendor charges for an interrupted reply, and a budget counts it even between the attempts of one turn.
#[tokio::test]
async fn replies_that_break_off_count_for_a_budget() {
    for vendor in VENDORS {
        let broken = Answer::deltas(["Once "]).usage(1_000, 500).closes();
        let server =
            serve(std::iter::repeat_n(broken, 5).chain([Answer::deltas(["Once upon a time."])])).await;
        let chat = Chat::new(hasty(model(vendor, &server)));
        let agent = ChatAgent::new(chat).goal("A tale").prompt("{goal}");
        let run = Loop::new(agent)
            .until(condition_fn(|step: &Step<TurnOutput>, _| step.output().is_some()))
            .at_most(2)
            .guard(MaxTokens::new(2_000));
        let report = run.run().await.unwrap();
        // Ollama sends its counts with the end of the reply, which never came.
        let (requests, tokens, reason) = match vendor {
            Vendor::Ollama => (6, None, None),
            _ => (2, Some(3_000), Some(StopReason::TokensExceeded)),
        };
        assert_eq!(report.reason(), reason.as_ref(), "{vendor:?}");
        assert_eq!((server.requests().len(), report.usage().tokens()), (requests, tokens), "{vendor:?}");
    }
}

#[tokio::test]
async fn calls_that_break_off_are_not_made() {
    for vendor in VENDORS {
        let call = Call::new("c", "write_file", ["{\"path\": \"a\"}"]);
        let server = serve([Answer::calls([call]).closes()]).await;
        let error = ask(&model(vendor, &server)).await.unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::CutOff, "{vendor:?}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_more_is_given_up() {
    for vendor in VENDORS {
        let server = serve([Answer::deltas(["Well, "]).stalls()]).await;
        let impatient = model(vendor, &server).max_silence(Duration::from_millis(200));
        let error = ask(&impatient).await.unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::Silent, "{vendor:?}: {error}");
    }
}

/// Answers with an endless stream of this event, until the client closes the connection.
fn endless(event: &'static str) -> GenaiModel {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let _ = client.read(&mut [0; 65_536]);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let mut sent = client.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = client.write_all(event.as_bytes());
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    });
    GenaiModel::new(Endpoint::new(Vendor::OpenAi).base_url(address).key("k".into()), "m").expect("a model")
}

#[tokio::test]
async fn a_stream_without_an_end_is_cut() {
    let empty = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n";
    for event in [": still here\n\n", "event: ping\ndata: {}\n\n", empty] {
        let model = endless(event).max_silence(Duration::from_millis(200));
        assert_eq!(ask(&model).await.unwrap_err().kind(), ModelErrorKind::Silent, "{event}");
    }
    let drip = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    let error = ask(&endless(drip).max_time(Duration::from_millis(200))).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::TooLarge);
    assert!(error.to_string().contains("not complete after 200ms"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    // This port was free a moment ago, so nobody listens on it.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = Endpoint::new(Vendor::Ollama).base_url(format!("http://127.0.0.1:{port}"));
    let error = ask(&hasty(GenaiModel::new(endpoint, "m").unwrap())).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Unreachable);
    assert!(
        loop_core::with_causes(&error).contains("onnection refused"),
        "{}",
        loop_core::with_causes(&error)
    );
}

#[tokio::test]
async fn what_asking_again_does_not_mend_is_asked_once() {
    for vendor in VENDORS {
        for (answer, kind) in [
            (Answer::status(401), ModelErrorKind::Unauthorized),
            (Answer::status(404), ModelErrorKind::NotFound),
            (Answer::status(400).message("maximum context length is 8192 tokens"), ModelErrorKind::TooLong),
            (Answer::status(400), ModelErrorKind::Refused),
        ] {
            let server = serve([answer]).await;
            let error = ask(&hasty(model(vendor, &server))).await.unwrap_err();
            assert_eq!((error.kind(), server.requests().len()), (kind, 1), "{vendor:?}");
        }
    }
}

#[tokio::test]
async fn no_error_and_no_debug_text_has_the_key_in_it() {
    let server = serve([Answer::status(401).message(&format!("wrong key {KEY}"))]).await;
    let model = model(Vendor::OpenAi, &server);
    let error = ask(&model).await.unwrap_err();
    assert_eq!(error.message(), "status 401: wrong key [the key]");
    for text in [format!("{error:?}"), format!("{model:?}"), format!("{model:#?}")] {
        assert!(!text.contains(KEY), "{text}");
    }
}

#[test]
fn a_vendor_that_needs_a_key_is_not_asked_without() {
    let error = GenaiModel::new(Endpoint::new(Vendor::Anthropic), "m").unwrap_err();
    assert!(matches!(error, GenaiError::NoKey { vendor: Vendor::Anthropic }), "{error}");
}

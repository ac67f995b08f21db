//! A loop inside a web service: a request starts a run, and its events come as server-sent events.
//!
//! If the client disconnects, the run ends: the response's stream holds the run, and dropping it cancels.
//!
//! Run it with `cargo run -p loop-testing --example loop_service`.
#![expect(clippy::print_stdout, reason = "an example shows what came of it")]

use std::{convert::Infallible, error::Error, net::SocketAddr};

use axum::{
    Router,
    extract::Path,
    http::StatusCode,
    response::sse::{Event, Sse},
    routing::get,
};
use futures::{Stream, StreamExt};
use loop_core::{
    EvaluationContext, IterationContext, Loop, Update, Verdict, evaluator_fn, evaluator_passed, iteration_fn,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Counts up to the goal. A real service would run an agent and its check here.
async fn run(
    Path(goal): Path<u64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, StatusCode> {
    let agent = iteration_fn(async |cx: IterationContext<u64>| Ok(cx.iteration()));
    let check = evaluator_fn(move |cx: EvaluationContext<u64>| async move {
        Ok(if *cx.output() >= goal { Verdict::pass() } else { Verdict::fail() })
    });
    let run = Loop::new(agent)
        .evaluate(check)
        .until(evaluator_passed())
        .at_most(100)
        .spawn()
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(Sse::new(run.map(|update| Ok(told(&update)))))
}

/// Converts an update to the form that journals use. The last event is the run's outcome.
fn told(update: &Update<u64>) -> Event {
    match update {
        Update::Event(event) => Event::default().event("event").json_data(event),
        Update::Report(report) => Event::default().event("ended").json_data(report.ending()),
    }
    .unwrap_or_else(|error| Event::default().event("error").data(error.to_string()))
}

/// Returns the response of the service to `GET path`.
async fn get_text(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let service = Router::new().route("/count/{goal}", get(run));
    let server = tokio::spawn(async move { axum::serve(listener, service).await });

    let answer = get_text(address, "/count/3").await?;
    server.abort();

    let lines: Vec<_> = answer.lines().filter(|line| line.starts_with("data: ")).collect();
    println!("{}", lines.join("\n"));
    let settled = lines.iter().filter(|line| line.contains("step_settled")).count();
    assert_eq!(settled, 3);
    assert!(lines.last().is_some_and(|line| line.contains("goal_met")), "{answer}");
    Ok(())
}

//! The server.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
    response::Response,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{Answer, Dialect, answer::AnswerKind, body::body};

/// The maximum size of a request: 64 MiB.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// A server on its own port, which runs until it is dropped. It gives one answer per request. A request beyond the
/// script gets the status 400.
#[derive(Debug)]
pub struct ScriptedServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<io::Result<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The answers of other paths.
    pages: Mutex<BTreeMap<String, Value>>,
    page_requests: Mutex<Vec<String>>,
    script: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<RecordedRequest>>,
}

/// A request as received.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// Its dialect.
    pub dialect: Dialect,
    /// Its path, with the query.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body; null if it is not JSON.
    pub body: Value,
}

impl ScriptedServer {
    /// Starts a server with this script.
    ///
    /// # Errors
    /// If no port is available.
    pub async fn start(script: impl IntoIterator<Item = Answer>) -> io::Result<Self> {
        Self::start_at(([127, 0, 0, 1], 0).into(), script).await
    }

    /// Starts a server with this script at this address.
    ///
    /// # Errors
    /// If the address is not available.
    pub async fn start_at(address: SocketAddr, script: impl IntoIterator<Item = Answer>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared =
            Arc::new(Shared { script: Mutex::new(script.into_iter().collect()), ..Shared::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, shared, task })
    }

    /// Returns its address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests for this path, which asks for no reply, with this JSON. Without it, such a path does not exist;
    /// the lists of models name only `scripted`.
    pub fn set_page(&self, path: &str, page: Value) {
        locked(&self.shared.pages).insert(path.to_owned(), page);
    }

    /// Returns the paths of all requests that asked for no reply, in order.
    pub fn page_requests(&self) -> Vec<String> {
        locked(&self.shared.page_requests).clone()
    }

    /// Returns the requests for replies so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        locked(&self.shared.requests).clone()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Locks a mutex. No code that can panic runs under these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body_of_request) = request.into_parts();
    let path = parts.uri.to_string();
    let Some(dialect) = Dialect::of_path(parts.uri.path()) else {
        locked(&shared.page_requests).push(path.clone());
        let page = locked(&shared.pages).get(parts.uri.path()).cloned();
        if let Some(page) = page.or_else(|| model_list(parts.uri.path())) {
            return as_json(&page);
        }
        return status(Dialect::OpenAi, 404, &[], &format!("nobody speaks at {path}"));
    };
    let bytes = axum::body::to_bytes(body_of_request, MAX_REQUEST_BYTES).await.unwrap_or_default();
    let json = serde_json::from_slice(&bytes).unwrap_or_default();
    locked(&shared.requests).push(RecordedRequest { dialect, path, headers: parts.headers, body: json });
    let next = locked(&shared.script).pop_front();
    match next.map(|answer| answer.0) {
        Some(AnswerKind::Reply(reply)) => {
            let mut response = Response::new(body(dialect, reply));
            response.headers_mut().insert("content-type", dialect.content_type());
            response
        }
        Some(AnswerKind::Status { code, headers, message }) => status(dialect, code, &headers, &message),
        None => status(dialect, 400, &[], "the script is at its end"),
    }
}

/// Returns the available models, in the format of `OpenAI` and Ollama: only `scripted`.
fn model_list(path: &str) -> Option<Value> {
    match path {
        "/v1/models" => Some(json!({ "data": [{ "id": "scripted" }] })),
        "/api/tags" => Some(json!({ "models": [{ "name": "scripted" }] })),
        _ => None,
    }
}

fn as_json(value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    response
}

fn status(dialect: Dialect, code: u16, headers: &[(String, String)], message: &str) -> Response {
    let mut response = as_json(&dialect.error(message));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

//! Converts failures to our errors.

use std::{
    str::Utf8Error,
    string::FromUtf8Error,
    time::{Duration, SystemTime},
};

use genai::{
    Error,
    webc::{self, StreamTimeout},
};
use jiff::{Timestamp, fmt::rfc2822};
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::{
    super::{ModelError, ModelErrorKind},
    relay::RelayError,
    reply_bounds::CrossedBound,
};

/// How many characters of a server's error message we keep: some servers answer with a page of HTML.
const MAX_MESSAGE_CHARS: usize = 600;

/// Converts an error of the `genai` crate to ours. `began` tells whether a part of the reply had arrived.
pub(super) fn model_error(model: &str, error: &Error, began: bool) -> ModelError {
    match error {
        Error::HttpError { status, headers, body, .. } => refused(model, status.as_u16(), headers, body),
        Error::ChatResponse { body, .. } => {
            let kind = kind_of_body(body).unwrap_or(ModelErrorKind::ServerFailed);
            ModelError::new(model, kind, message_of(body))
        }
        // The inner error is the transport's, and may itself be a `genai` error.
        Error::WebStream { error, .. } => match error.downcast_ref::<Error>() {
            Some(inner) => model_error(model, inner, began),
            None => disconnected(model, &**error, began),
        },
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => match webc_error
        {
            webc::Error::ResponseFailedStatus { status, body, headers } => {
                refused(model, status.as_u16(), headers, body)
            }
            webc::Error::Reqwest(error) => disconnected(model, error, began),
            other => ModelError::new(model, ModelErrorKind::Unreadable, other.to_string()),
        },
        Error::StreamParse { .. } | Error::InvalidJsonResponseElement { .. } | Error::JsonValueExt(_) => {
            ModelError::new(model, ModelErrorKind::Unreadable, error.to_string())
        }
        other => ModelError::new(model, ModelErrorKind::Refused, other.to_string()),
    }
}

/// Converts an obstacle to a request, or to its reply, to an error.
pub(super) fn stopped(model: &str, error: RelayError, began: bool) -> ModelError {
    match error {
        RelayError::Http(error) => disconnected(model, &error, began),
        RelayError::CrossedBound(crossed) => too_large(model, crossed),
        RelayError::Local(error) => {
            ModelError::new(model, ModelErrorKind::Unreachable, "").because(RelayError::Local(error))
        }
    }
}

/// Builds the error of a reply that exceeded a bound.
pub(super) fn too_large(model: &str, crossed: CrossedBound) -> ModelError {
    ModelError::new(model, ModelErrorKind::TooLarge, crossed.to_string())
}

fn disconnected(model: &str, error: &(dyn std::error::Error + 'static), began: bool) -> ModelError {
    let is_timeout = error.downcast_ref::<StreamTimeout>().is_some()
        || error
            .downcast_ref::<reqwest::Error>()
            .is_some_and(|error| error.is_timeout() && !error.is_connect());
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    let has_reply = causes.clone().any(|cause| {
        let of_http = cause.downcast_ref::<reqwest::Error>();
        of_http.is_some_and(|error| error.is_body() || error.is_decode())
    });
    let is_no_text = causes.any(|cause| cause.is::<Utf8Error>() || cause.is::<FromUtf8Error>());
    let kind = match (is_timeout, began || has_reply) {
        (true, _) => ModelErrorKind::Silent,
        _ if is_no_text => ModelErrorKind::Unreadable,
        (false, true) => ModelErrorKind::CutOff,
        (false, false) => ModelErrorKind::Unreachable,
    };
    ModelError::new(model, kind, "").because(without_url(error))
}

/// Returns the error with its causes but without the URL, which may contain a key.
fn without_url(error: &(dyn std::error::Error + 'static)) -> String {
    let told = loop_core::with_causes(error);
    let errors = std::iter::successors(Some(error), |error| error.source());
    let urls = errors.filter_map(|error| error.downcast_ref::<reqwest::Error>()?.url());
    urls.fold(told, |told, url| told.replace(&format!(" for url ({url})"), ""))
}

/// Builds the error of a response with a status other than success.
pub(super) fn refused(model: &str, status: u16, headers: &HeaderMap, body: &str) -> ModelError {
    let json: Value = serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.trim().to_owned()));
    let kind = match status {
        429 => ModelErrorKind::RateLimited { reset: reset(headers, &json) },
        401 | 403 => ModelErrorKind::Unauthorized,
        404 => ModelErrorKind::NotFound,
        413 => ModelErrorKind::TooLong,
        408 | 500..=599 => ModelErrorKind::ServerFailed,
        _ => kind_of_body(&json).unwrap_or(ModelErrorKind::Refused),
    };
    let said = message_of(&json);
    ModelError::new(model, kind, format!("status {status}{}{said}", if said.is_empty() { "" } else { ": " }))
}

/// Derives the category from the error's text, where the status does not show it. The names differ between vendors.
fn kind_of_body(body: &Value) -> Option<ModelErrorKind> {
    let text = body.to_string().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&[
        "context_length",
        "context length",
        "context window",
        "context size",
        "prompt is too long",
        "maximum context",
        "too many tokens",
    ]) {
        Some(ModelErrorKind::TooLong)
    } else if says(&["rate_limit", "resource_exhausted"]) {
        Some(ModelErrorKind::RateLimited { reset: None })
    } else if says(&["overloaded", "server_error", "api_error", "unavailable"]) {
        Some(ModelErrorKind::ServerFailed)
    } else if says(&["authentication_error", "permission_error", "api key not valid", "invalid_api_key"]) {
        Some(ModelErrorKind::Unauthorized)
    } else {
        None
    }
}

/// Returns the server's message for people: `error.message`, `error` or `message`, otherwise the whole body.
fn message_of(body: &Value) -> String {
    let found = [body.pointer("/error/message"), body.get("error"), body.get("message")];
    let text = match found.into_iter().flatten().find_map(Value::as_str) {
        Some(text) => text.to_owned(),
        None => body.as_str().map_or_else(|| body.to_string(), str::to_owned),
    };
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Returns when a rate limit ends: from milliseconds, seconds or a date in a header, or from seconds in Gemini's body.
fn reset(headers: &HeaderMap, body: &Value) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds =
        |text: &str| text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if let Some(wait) = header("retry-after-ms").and_then(seconds) {
        return Some(wait / 1000);
    }
    if let Some(after) = header("retry-after") {
        return seconds(after).or_else(|| until(after));
    }
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    seconds(delay.strip_suffix('s')?)
}

/// Returns the time until an HTTP date, or zero if the date has passed.
fn until(date: &str) -> Option<Duration> {
    // HTTP writes GMT where mail writes +0000.
    let date = date.replace("GMT", "+0000");
    let then = rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(&date).ok()?;
    let now = Timestamp::try_from(SystemTime::now()).ok()?;
    Some(Duration::try_from(then.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn a_reset_is_read_as_vendors_say_it() {
        let wait = |pairs: &[(&'static str, &str)]| reset(&headers(pairs), &Value::Null);
        assert_eq!(wait(&[("retry-after", "20")]), Some(Duration::from_secs(20)));
        assert_eq!(
            wait(&[("retry-after", "20"), ("retry-after-ms", "1500")]),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]), Some(Duration::ZERO));
        assert!(
            wait(&[("retry-after", "Fri, 06 Nov 2500 08:49:37 GMT")])
                .is_some_and(|wait| wait.as_secs() > 1 << 30)
        );
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[("retry-after", "-1")]), None);
        let gemini = json!({ "error": { "details": [{ "retryDelay": "34.5s" }] } });
        assert_eq!(reset(&headers(&[]), &gemini), Some(Duration::from_millis(34_500)));
    }

    #[test]
    fn a_refusal_is_of_its_kind() {
        let kind = |status, body: &str| refused("m", status, &HeaderMap::new(), body).kind();
        let long = r#"{"error":{"message":"too big","code":"context_length_exceeded"}}"#;
        assert_eq!(kind(400, long), ModelErrorKind::TooLong);
        assert_eq!(
            kind(400, r#"{"error":{"message":"prompt is too long: 9 > 8"}}"#),
            ModelErrorKind::TooLong
        );
        assert_eq!(kind(400, "no such parameter"), ModelErrorKind::Refused);
        assert_eq!(kind(401, ""), ModelErrorKind::Unauthorized);
        assert_eq!(kind(404, ""), ModelErrorKind::NotFound);
        assert_eq!(kind(529, "overloaded"), ModelErrorKind::ServerFailed);
        assert_eq!(kind(429, ""), ModelErrorKind::RateLimited { reset: None });
    }

    #[test]
    fn a_message_is_what_the_server_says_and_not_too_long() {
        let said = |body: &str| refused("m", 400, &HeaderMap::new(), body).message().to_owned();
        assert_eq!(said(r#"{"error":{"message":"no"}}"#), "status 400: no");
        assert_eq!(said(r#"{"error":"no"}"#), "status 400: no");
        assert_eq!(said(""), "status 400");
        assert!(said(&"<p>ü".repeat(5_000)).chars().count() < 700);
    }
}

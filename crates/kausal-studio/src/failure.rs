//! Why a call has no answer.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// An answer in the place of the one that was asked for.
#[derive(Debug)]
pub struct Failure {
    /// What it is, in the words of HTTP.
    pub status: StatusCode,
    /// What the page reads.
    pub body: Value,
}

impl Failure {
    /// A failure with a code and words.
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Failure {
        Failure { status, body: json!({"code": code, "message": message.into()}) }
    }

    /// What was asked for makes no sense.
    pub fn bad(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    /// There is no such thing.
    pub fn missing(what: &str) -> Failure {
        Failure::new(StatusCode::NOT_FOUND, "K0200", format!("there is no {what}"))
    }

    /// It is not allowed.
    pub fn forbidden(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::FORBIDDEN, "forbidden", message)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, [(header::CONTENT_TYPE, "application/json")], self.body.to_string()).into_response()
    }
}

/// What a call answers.
pub type Answer = Result<Value, Failure>;

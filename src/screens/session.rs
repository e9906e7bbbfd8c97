//! `/session`: a page that has a token sets its PIN, tries it, and ends the token. Token and PIN are in headers, never in an address.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{MethodRouter, put};

use super::logins::Logins;

/// The path.
pub(super) const SESSION: &str = "/session";
/// The header with the PIN.
const PIN: &str = "flagfall-pin";

/// PUT sets the PIN, POST tries it, DELETE ends the token.
pub(super) fn routes<S>(logins: Arc<Logins>) -> MethodRouter<S> {
    put(set_pin).post(try_pin).delete(end).with_state(logins)
}

async fn set_pin(State(logins): State<Arc<Logins>>, headers: HeaderMap) -> StatusCode {
    if logins.tokens.set_pin(token(&headers), text(&headers, PIN)) { StatusCode::NO_CONTENT } else { StatusCode::UNAUTHORIZED }
}

async fn try_pin(State(logins): State<Arc<Logins>>, headers: HeaderMap) -> StatusCode {
    match logins.tokens.try_pin(token(&headers), text(&headers, PIN)) {
        Some(true) => StatusCode::NO_CONTENT,
        Some(false) => StatusCode::FORBIDDEN,
        None => StatusCode::UNAUTHORIZED,
    }
}

async fn end(State(logins): State<Arc<Logins>>, headers: HeaderMap) -> StatusCode {
    logins.tokens.revoke(token(&headers));
    StatusCode::NO_CONTENT
}

fn token(headers: &HeaderMap) -> &str {
    text(headers, header::AUTHORIZATION.as_str()).strip_prefix("Bearer ").unwrap_or_default()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

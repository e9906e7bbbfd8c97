//! The paths of the server: the files of the pages, `config.json`, the relay, and the sessions of pages.

use std::sync::Arc;

use anyhow::{Result, ensure};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};

use super::config_json::{Public, RELAY};
use super::files;
use super::headers::Policies;
use super::hosts;
use super::relay::{self, Relay};
use super::session::{self, SESSION};
use crate::config::Config;
use crate::http::{Ends, Pages};

/// What all requests share.
struct Site {
    pages: Pages,
    names: Vec<String>,
    policies: Policies,
    secure: bool,
}

/// The routes of everything that this server has.
///
/// # Errors
/// The password of the public user cannot be read.
pub(super) fn routes(config: &Config, relay: Relay) -> Result<Router> {
    let pages = Pages::lasting();
    for path in files::paths() {
        ensure!(load(&pages, &path), "screens: {path} does not fit");
    }
    let screens = &config.screens;
    let policies = Policies::new(screens.websocket.as_deref(), &screens.embed);
    let site = Arc::new(Site { pages, names: screens.names.clone(), policies, secure: screens.has_tls() });
    let json = Public::new(config)?.text();
    let answer = async move || ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], json.clone());
    Ok(Router::new()
        .route("/config.json", get(answer))
        .route(SESSION, session::routes(Arc::clone(&relay.logins)))
        .route(RELAY, get(relay::open).with_state(Arc::new(relay)))
        .route("/", get(page))
        .route("/{*path}", get(page))
        .with_state(Arc::clone(&site))
        .layer(from_fn_with_state(site, guard)))
}

/// Stores a file, if it is there and has changed. Returns false if it does not fit.
fn load(pages: &Pages, path: &str) -> bool {
    files::read(path)
        .is_none_or(|(bytes, content_type)| pages.holds(path, &bytes) || pages.put(path, bytes.into_owned(), content_type))
}

async fn page(State(site): State<Arc<Site>>, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    // A developer reloads what was edited.
    if cfg!(debug_assertions) {
        load(&site.pages, path);
    }
    let folder = format!("{path}/");
    if !path.ends_with('/') && files::read(&folder).is_some() {
        return Redirect::permanent(&folder).into_response();
    }
    site.pages.answer(path, &headers)
}

/// Refuses requests that do not name this machine, and other sites at the relay. Adds the headers of every answer.
async fn guard(State(site): State<Arc<Site>>, Extension(ends): Extension<Ends>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = match site.refusal(&path, request.headers(), &ends) {
        Some((status, why)) => (status, why).into_response(),
        None => next.run(request).await,
    };
    site.policies.add(&path, response.headers_mut());
    response
}

impl Site {
    /// Why a request is refused.
    fn refusal(&self, path: &str, headers: &HeaderMap, ends: &Ends) -> Option<(StatusCode, &'static str)> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let host = text(header::HOST);
        if !hosts::is_own(host, ends.own, &self.names) {
            Some((StatusCode::MISDIRECTED_REQUEST, "this server does not have this name: see screens.names\n"))
        } else if path == RELAY && !hosts::is_own_page(text(header::ORIGIN), host, self.secure) {
            Some((StatusCode::FORBIDDEN, "only pages of this server may connect here\n"))
        } else {
            None
        }
    }
}

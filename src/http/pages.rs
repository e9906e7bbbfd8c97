//! Files that are served from memory: no request reaches the file system.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The largest number of pages.
pub const MAX_PAGES: usize = 4096;
/// The largest page, in bytes.
pub const MAX_PAGE: usize = 8 << 20;
/// Pages below this length, in bytes, are not compressed.
const COMPRESSED_FROM: usize = 512;

/// The pages that a listener serves.
#[derive(Debug)]
pub struct Pages {
    pages: RwLock<BTreeMap<String, Arc<Page>>>,
    compression: Compression,
}

impl Default for Pages {
    /// Pages that are replaced again and again: they are compressed quickly.
    fn default() -> Pages {
        Pages { pages: RwLock::default(), compression: Compression::fast() }
    }
}

#[derive(Debug)]
struct Page {
    content_type: &'static str,
    bytes: Bytes,
    /// The same with gzip, once somebody has asked for it.
    packed: OnceLock<Bytes>,
    /// A digest of the bytes.
    digest: String,
}

impl Pages {
    /// Pages that stay as they are: they are compressed well.
    pub fn lasting() -> Pages {
        Pages { compression: Compression::best(), ..Pages::default() }
    }

    /// Whether the page under this path has these bytes.
    pub fn holds(&self, path: &str, bytes: &[u8]) -> bool {
        self.get(path).is_some_and(|page| page.bytes == bytes)
    }

    /// Stores a page under a path such as `/open26/round-5/games.pgn`, in the place of the one that was there. Returns false if there is
    /// no room: too many pages, or one that is too large; then the page that was there is gone, because it is out of date.
    pub fn put(&self, path: &str, bytes: Vec<u8>, content_type: &'static str) -> bool {
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        pages.remove(path);
        if pages.len() >= MAX_PAGES || bytes.len() > MAX_PAGE {
            return false;
        }
        let digest = digest(&bytes);
        let page = Page { content_type, bytes: bytes.into(), packed: OnceLock::new(), digest };
        pages.insert(path.to_owned(), Arc::new(page));
        true
    }

    /// The routes of all pages, and `/healthz`, which answers as long as the program works. Every web page may read them.
    pub fn routes(self: &Arc<Pages>) -> Router {
        Router::new()
            .route("/healthz", get(async || "ok\n"))
            .route("/{*path}", get(answer))
            .with_state(Arc::clone(self))
            .layer(map_response(for_everybody))
    }

    /// Answers a request for this path with these headers.
    pub fn answer(&self, path: &str, headers: &HeaderMap) -> Response {
        match self.get(path) {
            Some(page) => page.answer(headers, self.compression),
            None => (StatusCode::NOT_FOUND, "there is no such page\n").into_response(),
        }
    }

    fn get(&self, path: &str) -> Option<Arc<Page>> {
        self.pages.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }
}

async fn for_everybody(mut response: Response) -> Response {
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

async fn answer(State(pages): State<Arc<Pages>>, uri: Uri, headers: HeaderMap) -> Response {
    pages.answer(uri.path(), &headers)
}

impl Page {
    fn answer(&self, headers: &HeaderMap, compression: Compression) -> Response {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let packed = self.bytes.len() >= COMPRESSED_FROM && accepts_gzip(text(header::ACCEPT_ENCODING));
        // A strong tag stands for the bytes that are sent.
        let tag = format!("\"{}{}\"", self.digest, if packed { "-gz" } else { "" });
        let known = is_known(text(header::IF_NONE_MATCH), &tag);
        let mut response = match (known, packed) {
            (true, _) => StatusCode::NOT_MODIFIED.into_response(),
            (false, true) => Response::new(Body::from(self.packed.get_or_init(|| gzip(&self.bytes, compression)).clone())),
            (false, false) => Response::new(Body::from(self.bytes.clone())),
        };
        let answered = response.headers_mut();
        if !known {
            answered.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        }
        if packed && !known {
            answered.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            answered.insert(header::ETAG, tag);
        }
        answered.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        answered.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        response
    }
}

/// Whether a client that sends this `If-None-Match` has the bytes with this tag. Some proxies make tags weak (`W/`).
fn is_known(known: &str, tag: &str) -> bool {
    known.split(',').map(|one| one.trim().trim_start_matches("W/")).any(|one| one == "*" || one == tag)
}

/// Whether this `Accept-Encoding` allows gzip.
fn accepts_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

fn gzip(bytes: &[u8], compression: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), compression);
    // Writing into memory does not fail; an empty text would be seen at once.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    packed.unwrap_or_default().into()
}

/// A digest of 128 bits (FNV-1a) as hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;
    let digest = bytes.iter().fold(BASIS, |digest, byte| (digest ^ u128::from(*byte)).wrapping_mul(PRIME));
    format!("{digest:032x}")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use axum::body::to_bytes;

    use super::*;

    const PGN: &str = "application/x-chess-pgn; charset=utf-8";

    fn ask(pages: &Arc<Pages>, path: &'static str, headers: &[(header::HeaderName, &str)]) -> (StatusCode, HeaderMap, Vec<u8>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a value")));
            let response = answer(State(Arc::clone(pages)), Uri::from_static(path), headers.collect()).await;
            let (head, body) = response.into_parts();
            (head.status, head.headers, to_bytes(body, MAX_PAGE).await.expect("a body").to_vec())
        })
    }

    #[test]
    fn a_page_is_sent_once_and_again_when_it_changes() {
        let pages = Arc::new(Pages::default());
        let text = "1. e4 ".repeat(200);
        assert!(pages.put("/open26/games.pgn", text.clone().into(), PGN));
        let (status, headers, body) = ask(&pages, "/open26/games.pgn?poll=1", &[]);
        assert_eq!(
            (status, &headers[header::CONTENT_TYPE], body),
            (StatusCode::OK, &HeaderValue::from_static(PGN), text.clone().into())
        );
        let tag = headers[header::ETAG].to_str().expect("a tag").to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            let (status, headers, body) = ask(&pages, "/open26/games.pgn", &[(header::IF_NONE_MATCH, &known)]);
            assert_eq!(
                (status, headers[header::ETAG].to_str().ok(), body.len()),
                (StatusCode::NOT_MODIFIED, Some(tag.as_str()), 0)
            );
        }
        let gzip = (header::ACCEPT_ENCODING, "br, gzip;q=0.5");
        let (_, headers, body) = ask(&pages, "/open26/games.pgn", &[gzip]);
        let mut plain = String::new();
        flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut plain).expect("gzip");
        assert_eq!((&plain, headers[header::ETAG].to_str().ok() == Some(&tag)), (&text, false));
        assert!(!accepts_gzip("gzip;q=0") && !accepts_gzip("") && !accepts_gzip("gzip;q=x"));
        pages.put("/open26/games.pgn", b"1. d4".to_vec(), PGN);
        let (status, _, body) = ask(&pages, "/open26/games.pgn", &[(header::IF_NONE_MATCH, &tag)]);
        assert_eq!((status, body), (StatusCode::OK, b"1. d4".to_vec()));
        for path in ["/open26/other.pgn", "/../etc/passwd", "/open26"] {
            assert_eq!(ask(&pages, path, &[]).0, StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[test]
    fn pages_are_bounded() {
        let pages = Pages::default();
        for number in 0..MAX_PAGES {
            assert!(pages.put(&format!("/{number}"), Vec::new(), PGN));
        }
        assert!(!pages.put("/more", Vec::new(), PGN) && pages.put("/7", b"new".to_vec(), PGN));
        assert!(!pages.put("/7", vec![0; MAX_PAGE + 1], PGN) && pages.get("/7").is_none());
    }
}

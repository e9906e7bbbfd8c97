//! The headers of every answer. They tell the browser that a page loads only what this server has, and nothing that a message contains.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The policies of the pages.
#[derive(Clone, Debug)]
pub(super) struct Policies {
    everywhere: HeaderValue,
    /// That of the page which other sites may show in a frame.
    board: HeaderValue,
}

impl Policies {
    /// `websocket` is where the pages find the broker, if not at this server; `embed` are the origins that may show the board.
    pub(super) fn new(websocket: Option<&str>, embed: &[String]) -> Policies {
        let value = |ancestors: &str| {
            // The configuration accepts nothing that is not fit for a header.
            HeaderValue::from_str(&policy(websocket, ancestors))
                .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
        };
        let ancestors = if embed.is_empty() { "'none'".to_owned() } else { embed.join(" ") };
        Policies { everywhere: value("'none'"), board: value(&ancestors) }
    }

    /// Adds the headers to an answer for this path.
    pub(super) fn add(&self, path: &str, headers: &mut HeaderMap) {
        let policy = if path == BOARD { &self.board } else { &self.everywhere };
        headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        for (name, value) in FIXED {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}

/// The page which other sites may show in a frame.
const BOARD: &str = "/board/";

const FIXED: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (OPENER, "same-origin"),
    (PERMISSIONS, "camera=(), microphone=(), geolocation=()"),
];

/// The text of the policy, which other web servers need too. `data:` is for the men in the style sheet.
pub(super) fn policy(websocket: Option<&str>, ancestors: &str) -> String {
    let connect = websocket.map_or_else(String::new, |other| format!(" {}", origin(other)));
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'{connect}; \
         manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
    )
}

/// All headers with their values, for other web servers.
pub(super) fn fixed() -> impl Iterator<Item = (&'static str, &'static str)> {
    ["X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Permissions-Policy"]
        .into_iter()
        .zip(FIXED.into_iter().map(|(_, value)| value))
}

/// Scheme, host and port of an address.
fn origin(address: &str) -> &str {
    let host_at = address.find("://").map_or(0, |at| at + 3);
    address[host_at..].find('/').map_or(address, |end| &address[..host_at + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_board_may_be_shown_in_a_frame() {
        let policies = Policies::new(Some("wss://hall.example:9443/mqtt"), &["https://club.example".to_owned()]);
        for (path, ancestors) in [("/board/", "https://club.example"), ("/arbiter/", "'none'"), ("/js/air/big.js", "'none'")] {
            let mut headers = HeaderMap::new();
            policies.add(path, &mut headers);
            let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().expect("text");
            assert!(policy.ends_with(&format!("frame-ancestors {ancestors}")), "{path}: {policy}");
            assert!(policy.contains("connect-src 'self' wss://hall.example:9443;"), "{policy}");
            assert_eq!(headers.len(), 5);
        }
    }
}

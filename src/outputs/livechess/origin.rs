//! Decides which programs and web pages of this machine may connect. A browser opens a connection to this machine for any page,
//! without asking anybody; only the header `Origin` says from where the page came.

/// Whether a page of this origin may connect. A program that is no browser sends none.
pub(super) fn is_allowed(origin: Option<&str>, allowed: &[String]) -> bool {
    origin.is_none_or(|origin| allowed.iter().any(|one| one.eq_ignore_ascii_case(origin)))
}

/// Whether `Host` names this machine and our port. A foreign server can give its own name the address of this machine; then a page of
/// that server would be no foreign page for the browser.
pub(super) fn is_own_host(host: Option<&str>, port: u16) -> bool {
    let Some((name, own)) = host.and_then(|host| host.rsplit_once(':')) else { return false };
    own.parse() == Ok(port) && ["localhost", "127.0.0.1", "[::1]"].iter().any(|one| one.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_pages_and_our_own_name_are_accepted() {
        let allowed = ["https://lichess.org".to_owned(), "http://localhost:8080".to_owned()];
        for (origin, is) in [
            (None, true),
            (Some("https://lichess.org"), true),
            (Some("http://localhost:8080"), true),
            (Some("http://lichess.org"), false),
            (Some("https://lichess.org:8443"), false),
            (Some("https://lichess.org.evil.example"), false),
            (Some("https://evil.example"), false),
            (Some("null"), false),
            (Some(""), false),
        ] {
            assert_eq!(is_allowed(origin, &allowed), is, "{origin:?}");
        }
        for (host, is) in [
            (Some("localhost:1982"), true),
            (Some("LocalHost:1982"), true),
            (Some("127.0.0.1:1982"), true),
            (Some("[::1]:1982"), true),
            (Some("::1:1982"), false),
            (Some("localhost"), false),
            (Some("localhost:1983"), false),
            (Some("evil.example:1982"), false),
            (Some("localhost.evil.example:1982"), false),
            (Some("127.0.0.1:"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(is_own_host(host, 1982), is, "{host:?}");
        }
    }
}

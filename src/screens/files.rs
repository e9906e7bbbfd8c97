//! The files of the pages, which are inside the program. A build with debug assertions reads the folder instead, so that a page that was
//! edited can be reloaded.

use std::borrow::Cow;

use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "src/screens/web"]
struct Web;

/// The content type of files that browsers may load; other files of the folder are for developers.
const TYPES: &[(&str, &str)] = &[
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("webmanifest", "application/manifest+json"),
];

/// The name of a page's file in its folder.
const INDEX: &str = "index.html";

/// The paths of all files in a URL, such as `/js/air/wall.js`. A page has the path of its folder, such as `/wall/`.
pub(super) fn paths() -> impl Iterator<Item = String> {
    Web::iter().filter(|name| content_type(name).is_some()).map(|name| {
        let folder = name.strip_suffix(INDEX).filter(|folder| folder.is_empty() || folder.ends_with('/'));
        format!("/{}", folder.unwrap_or(&name))
    })
}

/// The file for a path of [`paths`], with its content type.
pub(super) fn read(path: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
    let name = name(path)?;
    Some((Web::get(&name)?.data, content_type(&name)?))
}

/// The names of all files of the pages below their folder.
pub(super) fn names() -> impl Iterator<Item = Cow<'static, str>> {
    Web::iter().filter(|name| content_type(name).is_some())
}

/// The content of a file by its name.
pub(super) fn content(name: &str) -> Option<Cow<'static, [u8]>> {
    Some(Web::get(name)?.data)
}

fn name(path: &str) -> Option<String> {
    let path = path.strip_prefix('/')?;
    Some(if path.is_empty() || path.ends_with('/') { format!("{path}{INDEX}") } else { path.to_owned() })
}

fn content_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    // Types for an editor, and the tools of `vendor/`.
    if name.ends_with(".d.ts") || name.ends_with(".sh") {
        return None;
    }
    TYPES.iter().find(|(known, _)| *known == extension).map(|(_, content_type)| *content_type)
}

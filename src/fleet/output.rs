//! Writes what was made. A file that is there and has the right contents is not touched.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use super::MadeFile;
use crate::files;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    New,
    /// It had other contents.
    Changed,
    /// It was right.
    Same,
}

/// Writes the files below `out`, and returns what became of each.
///
/// # Errors
/// A file or folder cannot be written; the text has its path.
pub fn write(out: &Path, files: &[MadeFile]) -> Result<Vec<Change>, String> {
    let mut changes = Vec::new();
    for file in files {
        let path = out.join(&file.path);
        let before = fs::read(&path).ok();
        changes.push(match &before {
            Some(bytes) if bytes == file.text.as_bytes() => Change::Same,
            Some(_) => Change::Changed,
            None => Change::New,
        });
        if changes.last() != Some(&Change::Same) {
            make_folder(path.parent().unwrap_or(out), 0o755)?;
            write_file(&path, &file.text, file.secret)?;
        } else if file.secret {
            close(&path, 0o600)?;
        }
    }
    Ok(changes)
}

/// Makes a folder with those above it. An existing folder that should be closed to other users is closed.
pub(super) fn make_folder(path: &Path, mode: u32) -> Result<(), String> {
    let made = fs::DirBuilder::new().recursive(true).mode(mode).create(path);
    made.map_err(|error| format!("{}: {error}", path.display()))?;
    if mode == 0o700 { close(path, mode) } else { Ok(()) }
}

/// Closes a file or folder to other users, if somebody opened it.
fn close(path: &Path, mode: u32) -> Result<(), String> {
    let close = || match path.metadata()?.permissions().mode() & 0o777 {
        found if found == mode => Ok(()),
        _ => fs::set_permissions(path, fs::Permissions::from_mode(mode)),
    };
    close().map_err(|error: std::io::Error| format!("{}: {error}", path.display()))
}

/// Replaces a file as a whole, so that nobody ever reads half of it.
pub(super) fn write_file(path: &Path, text: &str, secret: bool) -> Result<(), String> {
    let mode = if secret { files::PRIVATE } else { files::SHARED };
    files::replace(path, text.as_bytes(), mode).map_err(|error| format!("{}: {error}", path.display()))
}

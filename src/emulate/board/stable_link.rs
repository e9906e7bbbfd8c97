//! Keeps a symbolic link to the current path of an emulated board, like the links of udev in `/dev/serial/by-id`.

use std::io;
use std::path::{Path, PathBuf};

/// The symbolic link. It is removed when this value is dropped.
#[derive(Debug)]
pub(super) struct StableLink {
    at: PathBuf,
}

impl StableLink {
    /// Makes the value; the link itself is not made yet.
    pub(super) fn new(at: PathBuf) -> StableLink {
        StableLink { at }
    }

    /// Makes the link lead to `path`. Anything but a symbolic link stays, and is an error.
    pub(super) fn point(&self, path: &Path) -> io::Result<()> {
        match std::fs::symlink_metadata(&self.at) {
            Ok(found) if !found.file_type().is_symlink() => {
                let text = format!("{} is there and is not a symbolic link", self.at.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
            }
            Ok(_) => std::fs::remove_file(&self.at)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        std::os::unix::fs::symlink(path, &self.at)
    }

    /// Removes the link: the cable is unplugged.
    pub(super) fn remove(&self) {
        if std::fs::symlink_metadata(&self.at).is_ok_and(|found| found.file_type().is_symlink()) {
            // If it cannot be removed it leads to a path that does not exist, which a program notices when it opens it.
            let _ = std::fs::remove_file(&self.at);
        }
    }
}

impl Drop for StableLink {
    fn drop(&mut self) {
        self.remove();
    }
}

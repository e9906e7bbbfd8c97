//! A symbolic link that leads to the present path, as udev makes under `/dev/serial/by-id`.

use std::io;
use std::path::{Path, PathBuf};

/// The link; removed when dropped.
#[derive(Debug)]
pub(super) struct StableLink {
    at: PathBuf,
}

impl StableLink {
    /// Nothing is made yet.
    pub(super) fn new(at: PathBuf) -> StableLink {
        StableLink { at }
    }

    /// Leads to `path` from now on. Anything but a symbolic link stays, and is an error.
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

    /// Leads nowhere: the cable is out.
    pub(super) fn remove(&self) {
        if std::fs::symlink_metadata(&self.at).is_ok_and(|found| found.file_type().is_symlink()) {
            // If it cannot be removed it leads to a path that is gone, which is found out when it is opened.
            let _ = std::fs::remove_file(&self.at);
        }
    }
}

impl Drop for StableLink {
    fn drop(&mut self) {
        self.remove();
    }
}

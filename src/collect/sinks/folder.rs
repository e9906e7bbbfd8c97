//! Writes files below one folder. Names are checked, symbolic links are not followed, and a reader sees a file as it was or as it is,
//! never half of it.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat, renameat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

/// The name of a file while it is written; only one file of a folder is written at a time.
const FRESH: &str = ".flagfall-new";
/// The largest file that is compared with what shall be written. No file of ours is larger.
const LARGEST: u64 = 64 << 20;

/// An open folder.
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder of the configuration and makes it if it is not there.
    ///
    /// # Errors
    /// It cannot be made or opened.
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        std::fs::create_dir_all(path)?;
        Ok(Folder(open(path, OFlag::O_DIRECTORY | OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty())?))
    }

    /// Opens a folder in it and makes it if it is not there.
    ///
    /// # Errors
    /// The name is not plain, a symbolic link or a file has it, or it cannot be made.
    pub(super) fn inner(&self, name: &str) -> io::Result<Folder> {
        plain(name)?;
        match mkdirat(&self.0, name, Mode::from_bits_truncate(0o755)) {
            Ok(()) | Err(Errno::EEXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_RDONLY | OFlag::O_CLOEXEC;
        Ok(Folder(openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Writes a file, unless it has these contents already. Returns whether it was written.
    ///
    /// # Errors
    /// The name is not plain, or the file cannot be written; then the former file is as it was.
    pub(super) fn write(&self, name: &str, contents: &str) -> io::Result<bool> {
        plain(name)?;
        if self.has(name, contents) {
            return Ok(false);
        }
        self.remove_fresh()?;
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mut file = File::from(openat(&self.0, FRESH, flags, Mode::from_bits_truncate(0o644))?);
        let written = file.write_all(contents.as_bytes()).and_then(|()| file.sync_data());
        let renamed = written.and_then(|()| Ok(renameat(&self.0, FRESH, &self.0, name)?));
        if renamed.is_err() {
            // The first error is the one that matters.
            let _ = self.remove_fresh();
        }
        renamed.map(|()| true)
    }

    /// Whether the file has these contents.
    fn has(&self, name: &str, contents: &str) -> bool {
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let Ok(file) = openat(&self.0, name, flags, Mode::empty()).map(File::from) else { return false };
        let fits = file.metadata().is_ok_and(|found| found.is_file() && found.len() == contents.len() as u64);
        let mut found = Vec::new();
        fits && file.take(LARGEST).read_to_end(&mut found).is_ok() && found == contents.as_bytes()
    }

    fn remove_fresh(&self) -> io::Result<()> {
        match unlinkat(self.0.as_fd(), FRESH, UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// A name of a file or folder that leads nowhere else.
fn plain(name: &str) -> io::Result<()> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    match (1..=64).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(fits) {
        true => Ok(()),
        false => Err(io::Error::new(ErrorKind::InvalidInput, format!("{name:?} is no plain name"))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_changed_contents_are_written_and_nothing_else_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(dir.path()).and_then(|folder| folder.inner("open26")).expect("a folder");
        std::fs::write(dir.path().join("open26").join(FRESH), "left behind").expect("written");
        for (contents, written) in [("a", true), ("a", false), ("b", true)] {
            assert_eq!(folder.write("games.pgn", contents).expect("written"), written);
            assert_eq!(std::fs::read_to_string(dir.path().join("open26/games.pgn")).expect("there"), contents);
        }
        assert_eq!(std::fs::read_dir(dir.path().join("open26")).expect("a folder").count(), 1);
    }

    #[test]
    fn nothing_leaves_the_folder() {
        let (dir, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let folder = Folder::open(dir.path()).expect("a folder");
        for name in ["..", ".", "", "a/b", "../x", "/etc", ".x", "A", "a\0b", &"a".repeat(65)] {
            assert!(folder.write(name, "x").is_err() && folder.inner(name).is_err(), "{name:?}");
        }
        symlink(outside.path(), dir.path().join("linked")).expect("a link");
        assert!(folder.inner("linked").is_err());
        let victim = outside.path().join("victim");
        std::fs::write(&victim, "mine").expect("written");
        symlink(&victim, dir.path().join("games.pgn")).expect("a link");
        symlink(&victim, dir.path().join(FRESH)).expect("a link");
        assert!(folder.write("games.pgn", "x").expect("the link is replaced"));
        assert_eq!(std::fs::read_to_string(&victim).expect("there"), "mine");
        assert_eq!(std::fs::read_to_string(dir.path().join("games.pgn")).expect("there"), "x");
    }
}

//! Writes files as a whole, and keeps what is private from the other users of the machine, whatever the umask is.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The mode of files that only their owner may read: what arbiters see, what was collected, ids, passwords.
pub(crate) const PRIVATE: u32 = 0o600;
/// The mode of files for other people and programs, of which the umask may take something away.
pub(crate) const SHARED: u32 = 0o666;

/// Replaces a file as a whole: whoever reads it finds the old or the new text, also after a power cut.
///
/// # Errors
/// The folder or the disk does not take it; the file is as it was.
pub(crate) fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is no name of a file"))?;
    let mut fresh = name.to_owned();
    fresh.push(format!(".{}.tmp", std::process::id()));
    let fresh = path.with_file_name(fresh);
    let write = || {
        // A process with the same number may have left one behind, with other rights.
        _ = fs::remove_file(&fresh);
        let mut out = OpenOptions::new().write(true).create_new(true).mode(mode).open(&fresh)?;
        out.write_all(bytes)?;
        if mode == PRIVATE {
            close(&out)?;
        }
        out.sync_all()?;
        fs::rename(&fresh, path)
    };
    let written = write();
    if written.is_err() {
        // What is half written is of no use; the error above is the one that counts.
        _ = fs::remove_file(&fresh);
    }
    written
}

/// Takes the rights of other users at a file, such as one that an earlier version made, and leaves its owner the right to read and write.
///
/// # Errors
/// The file belongs to another user, or the disk does not take it.
pub(crate) fn close(file: &File) -> io::Result<()> {
    match file.metadata()?.permissions().mode() & 0o777 {
        PRIVATE => Ok(()),
        _ => file.set_permissions(Permissions::from_mode(PRIVATE)),
    }
}

/// Makes a folder that only its owner may enter, with those above it. A folder that is there stays as it is.
///
/// # Errors
/// The disk does not take it, or something else has its name.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_file_is_closed_whatever_was_there_before() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("a/b");
        make_private_folder(&deep).expect("made");
        let file = deep.join("store.json");
        fs::write(&file, "old").expect("written");
        fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("open to all");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        close(&File::open(&file).expect("a file")).expect("closed");
        assert_eq!(mode(&file), PRIVATE);
        fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("open to all");
        replace(&file, b"new", PRIVATE).expect("replaced");
        assert_eq!((fs::read(&file).expect("a file"), mode(&file), mode(&deep)), (b"new".to_vec(), PRIVATE, 0o700));
        assert!(replace(&deep.join("none/file"), b"", PRIVATE).is_err());
        assert_eq!(fs::read_dir(&deep).expect("a folder").count(), 1, "nothing is left beside it");
    }
}

//! Writes a file completely or not at all, and replaces an existing file only on request.

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The access rights of the file. The daemon reads it as another user, and it contains no secret.
const MODE: u32 = 0o644;

/// A temporary file in the folder of the final one. It is removed when this value is dropped.
pub(super) struct NewFile {
    file: File,
    fresh: PathBuf,
    path: PathBuf,
    force: bool,
}

impl NewFile {
    /// Makes sure that `path` can be written. With `force` an existing file may be replaced.
    pub(super) fn create(path: &Path, force: bool) -> Result<NewFile> {
        match fs::metadata(path) {
            Ok(found) if !found.is_file() => bail!("{}: is not a file", path.display()),
            Ok(_) if !force => bail!("{}", exists_message(path)),
            _ => {}
        }
        let Some(name) = path.file_name() else { bail!("{}: is not a file", path.display()) };
        let mut fresh = name.to_owned();
        fresh.push(format!(".{}.new", std::process::id()));
        let fresh = path.with_file_name(fresh);
        let file = File::create(&fresh).with_context(|| path.display().to_string())?;
        Ok(NewFile { file, fresh, path: path.to_owned(), force })
    }

    /// Writes the file, and waits until it is on the disk.
    pub(super) fn save(mut self, text: &str) -> Result<()> {
        let written = self.write(text);
        written.with_context(|| self.path.display().to_string())?;
        if self.force || !self.link()? {
            fs::rename(&self.fresh, &self.path).with_context(|| self.path.display().to_string())?;
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).with_context(|| folder.display().to_string())
    }

    fn write(&mut self, text: &str) -> std::io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        self.file.set_permissions(Permissions::from_mode(MODE))?;
        self.file.sync_all()
    }

    /// Gives the file its name unless another file has it. Returns false if the file system has no hard links.
    fn link(&self) -> Result<bool> {
        match fs::hard_link(&self.fresh, &self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!("{}", exists_message(&self.path)),
            Err(_) if fs::symlink_metadata(&self.path).is_ok() => bail!("{}", exists_message(&self.path)),
            Err(_) => Ok(false),
        }
    }
}

fn exists_message(path: &Path) -> String {
    format!("{}: is there already; --force writes it anew", path.display())
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // The temporary file no longer exists if it became the final file.
        let _ = fs::remove_file(&self.fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("b1");
        drop(NewFile::create(&path, false).expect("a file"));
        assert_eq!(names(folder.path()), Vec::<String>::new());
        NewFile::create(&path, false).expect("a file").save("one\n").expect("kept");
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o644);
        assert_eq!((fs::read_to_string(&path).expect("a text").as_str(), names(folder.path()).len()), ("one\n", 1));
        assert!(NewFile::create(&path, false).is_err_and(|error| error.to_string().ends_with("--force writes it anew")));
        NewFile::create(&path, true).expect("a file").save("two\n").expect("kept");
        assert_eq!((fs::read_to_string(&path).expect("a text").as_str(), names(folder.path()).len()), ("two\n", 1));
    }

    #[test]
    fn one_that_came_meanwhile_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("b1");
        let fresh = NewFile::create(&path, false).expect("a file");
        fs::write(&path, "theirs").expect("written");
        assert!(fresh.save("ours").is_err_and(|error| error.to_string().ends_with("--force writes it anew")));
        assert_eq!((fs::read_to_string(&path).expect("a text").as_str(), names(folder.path()).len()), ("theirs", 1));
    }

    #[test]
    fn no_folder_and_no_device_is_written() {
        for path in ["/dev/null", "/", "/nowhere/at/all"] {
            assert!(NewFile::create(Path::new(path), true).is_err(), "{path}");
        }
    }
}

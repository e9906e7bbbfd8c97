//! Gives a journal its directory on the disk: implements `JournalFs` with files, and locks the directory against other processes.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::OpenError;
use super::fs::{JournalFs, Syncer};
use crate::files;

/// The directory of one journal on the disk.
#[derive(Debug)]
pub struct Disk {
    dir: PathBuf,
    /// The file that was appended to last, which stays open.
    open: Option<(String, Arc<File>)>,
    /// The lock, which is held as long as this value lives.
    lock: Option<DiskLock>,
}

/// The lock on a journal's directory, which several owners in this process may share.
#[derive(Clone, Debug)]
pub struct DiskLock(Arc<LockFile>);

/// An open file with a lock, which ends with this value.
#[derive(Debug)]
struct LockFile(File);

impl Drop for LockFile {
    /// To close the file is not enough: a program that another thread starts at this moment has a copy of it for a short time, and the
    /// next owner would find the lock held.
    fn drop(&mut self) {
        // If this fails, the lock ends when the last copy is closed.
        let _ = self.0.unlock();
    }
}

impl Disk {
    /// Opens the directory and locks it against every other process. The directory is made if needed, readable by its owner only.
    ///
    /// # Errors
    /// [`OpenError::Locked`] with the process that has it; [`OpenError::Io`].
    pub fn open(dir: &Path) -> Result<Disk, OpenError> {
        let wrap = |doing| move |error| OpenError::Io { doing, file: dir.display().to_string(), error };
        if !dir.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(wrap("making"))?;
            if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                File::open(parent).and_then(|parent| parent.sync_all()).map_err(wrap("syncing the parent of"))?;
            }
        }
        let lock = lock(&dir.join("lock")).map_err(|failure| match failure {
            Failure::Held(holder) => OpenError::Locked { dir: dir.display().to_string(), holder },
            Failure::Io(error) => wrap("locking")(error),
        })?;
        Ok(Disk { dir: dir.to_owned(), open: None, lock: Some(DiskLock(Arc::new(LockFile(lock)))) })
    }

    /// Opens the directory once more with a lock that this process has already: the owner that opened it first has hung or
    /// panicked and must write no more.
    pub fn again(dir: &Path, lock: DiskLock) -> Disk {
        Disk { dir: dir.to_owned(), open: None, lock: Some(lock) }
    }

    /// The lock, if there is one.
    pub fn lock(&self) -> Option<DiskLock> {
        self.lock.clone()
    }

    /// Opens the directory without a lock, to read a journal that another process may be writing. It serves [`read`](super::read)
    /// only.
    pub fn reading(dir: &Path) -> Disk {
        Disk { dir: dir.to_owned(), open: None, lock: None }
    }

    /// Returns the file, open for appending.
    fn file(&mut self, name: &str) -> io::Result<&Arc<File>> {
        if self.open.as_ref().is_none_or(|(open, _)| open != name) {
            let file = open(OpenOptions::new().append(true), &self.dir.join(name))?;
            self.open = Some((name.to_owned(), Arc::new(file)));
        }
        match &self.open {
            Some((_, file)) => Ok(file),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

enum Failure {
    Held(String),
    Io(io::Error),
}

fn lock(path: &Path) -> Result<File, Failure> {
    let mut file = open(OpenOptions::new().read(true).write(true).create(true).truncate(false), path).map_err(Failure::Io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // This is only for the message: an unreadable note makes it shorter.
            let _ = file.take(100).read_to_string(&mut holder);
            return Err(Failure::Held(holder.trim().to_owned()));
        }
        Err(TryLockError::Error(error)) => return Err(Failure::Io(error)),
    }
    let note = format!("flagfall {}, process {}\n", env!("CARGO_PKG_VERSION"), std::process::id());
    file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(note.as_bytes())).map_err(Failure::Io)?;
    Ok(file)
}

/// Opens a plain file, and closes it to other users. Anything else with its name is refused: a pipe would wait for a reader, and keep
/// nothing.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let refused = || io::Error::new(io::ErrorKind::InvalidInput, "is a pipe, a device or a socket, and no file");
    // The flag means nothing for a file.
    let file = options
        .mode(files::PRIVATE)
        .custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits())
        .open(path)
        .map_err(|error| if error.raw_os_error() == Some(nix::errno::Errno::ENXIO as i32) { refused() } else { error })?;
    if !file.metadata()?.is_file() {
        return Err(refused());
    }
    // A file of another user that this one may write stays as it is.
    _ = files::close(&file);
    Ok(file)
}

impl JournalFs for Disk {
    fn list(&mut self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.dir)? {
            let entry = entry?;
            // A name that is not text is no journal file's name.
            if let (true, Ok(name)) = (entry.file_type()?.is_file(), entry.file_name().into_string()) {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn len(&mut self, name: &str) -> io::Result<u64> {
        Ok(std::fs::metadata(self.dir.join(name))?.len())
    }

    fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        std::fs::read(self.dir.join(name))
    }

    fn create(&mut self, name: &str) -> io::Result<()> {
        self.open = None;
        open(OpenOptions::new().write(true).create(true).truncate(true), &self.dir.join(name)).map(drop)
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.file(name)?.as_ref().write_all(bytes)
    }

    fn write_at(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        // A file that is open for appending cannot be written elsewhere.
        open(OpenOptions::new().write(true), &self.dir.join(name))?.write_all_at(bytes, offset)
    }

    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()> {
        self.file(name)?.set_len(len)
    }

    fn sync(&mut self, name: &str) -> io::Result<()> {
        self.file(name)?.sync_data()
    }

    fn syncer(&mut self, name: &str) -> io::Result<Syncer> {
        let file = Arc::clone(self.file(name)?);
        Ok(Box::new(move || file.sync_data()))
    }

    fn hasten(&mut self) {
        if let Some(DiskLock(lock)) = &self.lock {
            // Each file is waited for all the same, and tells an error.
            let _ = nix::unistd::syncfs(&lock.0);
        }
    }

    fn sync_dir(&mut self) -> io::Result<()> {
        File::open(&self.dir)?.sync_all()
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        self.open.take_if(|(open, _)| open == name);
        std::fs::remove_file(self.dir.join(name))
    }
}

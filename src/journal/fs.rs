//! Defines the operations on files that a journal needs, so that tests can replace the disk.

use std::io;

/// A function that waits until one file is on the disk. Any thread may call it.
pub type Syncer = Box<dyn Fn() -> io::Result<()> + Send + Sync>;

/// What a journal needs of a file system: one flat directory. [`Disk`](super::Disk) is the real one; tests use one that loses
/// what was not synced.
pub trait JournalFs: Send {
    /// Returns the names of all files, in any order.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn list(&mut self) -> io::Result<Vec<String>>;

    /// Returns the length of a file in bytes.
    ///
    /// # Errors
    /// There is no such file.
    fn len(&mut self, name: &str) -> io::Result<u64>;

    /// Reads the whole file.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&mut self, name: &str) -> io::Result<Vec<u8>>;

    /// Makes an empty file. An existing file of that name is emptied.
    ///
    /// # Errors
    /// The file cannot be made.
    fn create(&mut self, name: &str) -> io::Result<()>;

    /// Adds `bytes` to the end of a file.
    ///
    /// # Errors
    /// Not all bytes were written; some may have been.
    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// Writes `bytes` from `offset` on, over what the file holds there and beyond its end.
    ///
    /// # Errors
    /// Not all bytes were written; some may have been.
    fn write_at(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts a file to `len` bytes.
    ///
    /// # Errors
    /// The file was not cut.
    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()>;

    /// Waits until content and length of a file are on the disk (`fdatasync`).
    ///
    /// # Errors
    /// It is not known which of the bytes since the last success are on the disk.
    fn sync(&mut self, name: &str) -> io::Result<()>;

    /// Returns a function that does what [`JournalFs::sync`] does, for another thread and for any number of calls.
    ///
    /// # Errors
    /// The file cannot be opened.
    fn syncer(&mut self, name: &str) -> io::Result<Syncer>;

    /// Asks the system to write everything on the file system of this folder to the disk at once (`syncfs`), so that the waits for
    /// single files are short. It is no promise.
    fn hasten(&mut self) {}

    /// Waits until new and removed names are on the disk.
    ///
    /// # Errors
    /// It is not known which of them are.
    fn sync_dir(&mut self) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// The file is still there.
    fn remove(&mut self, name: &str) -> io::Result<()>;
}

use std::io;

/// Waits until one file is on the disk, on any thread.
pub type Syncer = Box<dyn Fn() -> io::Result<()> + Send + Sync>;

/// What a journal needs of a file system: one flat directory. [`Disk`](super::Disk) is the real one; tests bring one that
/// loses what was not synced.
pub trait JournalFs: Send {
    /// Names of all files, in any order.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn list(&mut self) -> io::Result<Vec<String>>;

    /// Length of a file in bytes.
    ///
    /// # Errors
    /// There is no such file.
    fn len(&mut self, name: &str) -> io::Result<u64>;

    /// The whole file.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&mut self, name: &str) -> io::Result<Vec<u8>>;

    /// Makes an empty file; one of that name is emptied.
    ///
    /// # Errors
    /// It cannot be made.
    fn create(&mut self, name: &str) -> io::Result<()>;

    /// Adds `bytes` to the end of a file.
    ///
    /// # Errors
    /// Not all were written; some may have been.
    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// Writes `bytes` over what stands in a file from `offset` on, and beyond its end.
    ///
    /// # Errors
    /// Not all were written; some may have been.
    fn write_at(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts a file to `len` bytes.
    ///
    /// # Errors
    /// It was not cut.
    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()>;

    /// Waits until content and length of a file are on the disk (`fdatasync`).
    ///
    /// # Errors
    /// Nobody knows what is on the disk of all that was written since the last success.
    fn sync(&mut self, name: &str) -> io::Result<()>;

    /// What [`JournalFs::sync`] does, to be done on another thread, as often as it is wanted.
    ///
    /// # Errors
    /// The file cannot be reached.
    fn syncer(&mut self, name: &str) -> io::Result<Syncer>;

    /// Waits until names made and removed are on the disk.
    ///
    /// # Errors
    /// Nobody knows which of them are.
    fn sync_dir(&mut self) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// It is still there.
    fn remove(&mut self, name: &str) -> io::Result<()>;
}

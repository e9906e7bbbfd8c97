//! Reads what this program uses: memory, threads, file descriptors, and the space of a folder.

use std::fs;
use std::path::Path;

/// The largest number of files whose sizes are added up, so that a wrong folder costs little.
const MOST_FILES: usize = 20_000;

/// What this program uses now. A value that cannot be read is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Resident memory, KiB.
    pub rss_kib: Option<u64>,
    /// Threads.
    pub threads: Option<u64>,
    /// Open file descriptors.
    pub fds: Option<u64>,
}

/// Reads what this program uses.
pub fn usage() -> Usage {
    usage_in(Path::new("/proc/self"))
}

fn usage_in(process: &Path) -> Usage {
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    let number = |key: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(key))?;
        value.split_whitespace().next()?.parse().ok()
    };
    // One of them is that of the list itself.
    let fds = fs::read_dir(process.join("fd")).ok().map(|listed| (listed.count() as u64).saturating_sub(1));
    Usage { rss_kib: number("VmRSS:"), threads: number("Threads:"), fds }
}

/// The bytes of the files in this folder and in the folders in it; none if it cannot be read. Files are counted up to a bound.
pub fn folder_bytes(folder: &Path) -> Option<u64> {
    let listed = |folder: &Path| Some(fs::read_dir(folder).ok()?.filter_map(Result::ok));
    let below = |entry: fs::DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let inside = is_folder.then(|| listed(&entry.path())).flatten().into_iter().flatten();
        std::iter::once(entry).chain(inside)
    };
    let sizes = listed(folder)?.flat_map(below).filter_map(|entry| entry.metadata().ok());
    Some(sizes.take(MOST_FILES).filter(fs::Metadata::is_file).map(|found| found.len()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_uses_is_read() {
        let root = tempfile::tempdir().expect("a folder");
        assert_eq!(usage_in(root.path()), Usage::default());
        let status = "Name:\tflagfall\nVmRSS:\t   20480 kB\nThreads:\t83\n";
        fs::write(root.path().join("status"), status).expect("written");
        fs::create_dir(root.path().join("fd")).expect("made");
        for number in 0..4 {
            fs::write(root.path().join("fd").join(number.to_string()), "").expect("written");
        }
        assert_eq!(usage_in(root.path()), Usage { rss_kib: Some(20_480), threads: Some(83), fds: Some(3) });
    }

    #[test]
    fn the_files_of_a_folder_and_of_the_folders_in_it_are_added_up() {
        let root = tempfile::tempdir().expect("a folder");
        assert_eq!(folder_bytes(&root.path().join("missing")), None);
        assert_eq!(folder_bytes(root.path()), Some(0));
        for (file, bytes) in [("a", 5), ("b12/1", 7), ("b12/2", 11), ("b12/deep/3", 1000)] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, vec![0; bytes]).expect("written");
        }
        assert_eq!(folder_bytes(root.path()), Some(23));
    }
}

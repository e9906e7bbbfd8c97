//! Counts the starts of this node. By this number subscribers recognise a late will (the message that the broker publishes when a
//! connection is lost) of an earlier run.

use std::path::Path;
use std::{fs, io};

use crate::files;
use crate::system_clock::Utc;

/// The name of the file that contains the number.
const FILE: &str = "boots";

/// Counts one more start in a file of the folder `dir`, which is made if needed.
///
/// # Errors
/// The file cannot be written. A file that cannot be read counts from 0.
pub(super) fn count(dir: &Path) -> io::Result<u64> {
    files::make_private_folder(dir)?;
    let file = dir.join(FILE);
    let before: u64 = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let now = before.saturating_add(1);
    files::replace(&file, format!("{now}\n").as_bytes(), files::PRIVATE)?;
    Ok(now)
}

/// The number of a start that cannot be counted: the microseconds since 1970, so that no other start has the same number, and at
/// least 1.
pub(super) fn uncounted(now: Utc) -> u64 {
    u64::try_from(now.0).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_start_has_a_higher_number() {
        let dir = tempfile::tempdir().expect("a folder");
        let deep = dir.path().join("a/b");
        assert_eq!((count(&deep).expect("counts"), count(&deep).expect("counts")), (1, 2));
        fs::write(deep.join(FILE), "no number").expect("written");
        assert_eq!(count(&deep).expect("counts"), 1);
    }
}

//! Makes the random part of our client id, and keeps it in a file.
//!
//! It is random, so that nobody can take over our connection by our client id. It is the same in all connections and after a restart,
//! so that the broker has one session of this node and no more, with the commands that were sent meanwhile. After a takeover there is
//! another one.

use std::path::PathBuf;
use std::{fs, io};

use tracing::warn;

use crate::{files, random};

/// The random part of our client id.
pub(super) struct ClientId {
    file: Option<PathBuf>,
    /// None = another one must be made.
    random: Option<String>,
}

impl ClientId {
    /// Reads the file. If it holds no such id, another id is made.
    pub(super) fn new(file: Option<PathBuf>) -> ClientId {
        let fits = |text: &String| text.len() == 2 * random::UNGUESSABLE && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let random = file.as_ref().and_then(|file| fs::read_to_string(file).ok()).filter(fits);
        ClientId { file, random }
    }

    /// Returns the random part; makes and stores another one if it is needed. If it cannot be stored, the next start has another one.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub(super) fn random_part(&mut self) -> io::Result<String> {
        if let Some(random) = &self.random {
            return Ok(random.clone());
        }
        let random = random::hex(random::UNGUESSABLE)?;
        if let Some(file) = &self.file
            && let Err(error) = files::replace(file, random.as_bytes(), files::PRIVATE)
        {
            warn!("{}: the client id is not stored: {error}", file.display());
        }
        Ok(self.random.insert(random).clone())
    }

    /// The next connection has another id.
    pub(super) fn replace(&mut self) {
        self.random = None;
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_id_stays_until_it_is_replaced() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("client-pi-07");
        let start = || ClientId::new(Some(file.clone()));
        let mut client = start();
        let first = client.random_part().expect("random");
        assert_eq!(
            (client.random_part().expect("known"), start().random_part().expect("stored")),
            (first.clone(), first.clone())
        );
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
        client.replace();
        let second = client.random_part().expect("random");
        assert_eq!(start().random_part().expect("stored"), second);
        fs::write(&file, "flagfall").expect("written");
        let third = start().random_part().expect("random");
        assert!(first != second && second != third && third.len() == 24, "{first} {second} {third}");
        let mut nowhere = ClientId::new(Some(dir.path().join("none/client")));
        assert_eq!(nowhere.random_part().expect("random"), nowhere.random_part().expect("known"));
    }
}

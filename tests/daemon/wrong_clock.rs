//! The clock of a process whose time a test sets, with Debian's libfaketime.

use std::path::{Path, PathBuf};

pub(crate) struct WrongClock {
    /// What the library reads: how far the clock is from ours.
    file: PathBuf,
    library: String,
}

impl WrongClock {
    /// A clock that is `seconds` ahead of ours; `None` if the library is not installed.
    pub(crate) fn new(file: PathBuf, seconds: i64) -> Option<WrongClock> {
        let library = format!("/usr/lib/{}-linux-gnu/faketime/libfaketimeMT.so.1", std::env::consts::ARCH);
        Path::new(&library).exists().then(|| {
            let clock = WrongClock { file, library };
            clock.set(seconds);
            clock
        })
    }

    /// Steps the clock. The file is never seen half written.
    pub(crate) fn set(&self, seconds: i64) {
        let written = self.file.with_extension("new");
        std::fs::write(&written, format!("{seconds:+}\n")).expect("a file");
        std::fs::rename(written, &self.file).expect("a file");
    }

    /// The variables with which a process reads this clock.
    pub(crate) fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.display().to_string()),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
    }
}

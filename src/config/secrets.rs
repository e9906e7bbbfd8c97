//! Reads files with passwords and keys, which other users must not be able to read. No message shows their contents.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flagfall_protocols::bytes::unhex;

/// The largest length of the first line, which is the password, in bytes.
const LONGEST: u64 = 4096;

/// Reads the password in `file`: its first line, without white space at its end.
///
/// # Errors
/// The file cannot be read, can be read by everyone, or its first line is empty, too long or not UTF-8.
pub fn password(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    private(file)?.take(LONGEST).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.len() as u64 == LONGEST {
        return Err(format!("its first line, the password, is longer than {LONGEST} bytes"));
    }
    match std::str::from_utf8(line).map(str::trim_end) {
        Ok("") => Err("its first line, the password, is empty".to_owned()),
        Ok(password) => Ok(password.to_owned()),
        Err(_) => Err("its first line, the password, is not text in UTF-8".to_owned()),
    }
}

/// The largest length of the key of a device, in bytes.
const LONGEST_KEY: usize = 64;

/// Reads the key in `file` that unlocks a device: its first line, pairs of digits 0-9 a-f.
///
/// # Errors
/// As [`password`]; or the line is no such key.
pub fn unlock(file: &Path) -> Result<Vec<u8>, String> {
    // The error message must not show the key.
    let text = password(file).map_err(|error| error.replace("the password", "the key"))?;
    let key = unhex(&text).filter(|key| key.len() <= LONGEST_KEY);
    key.ok_or_else(|| format!("its first line, the key, is not 1 to {LONGEST_KEY} bytes as pairs of digits 0-9 a-f"))
}

/// Opens a file that others must not be able to read.
pub(crate) fn private(file: &Path) -> Result<File, String> {
    let opened = plain(file)?;
    let mode = opened.metadata().map_err(|error| format!("cannot be read: {error}"))?.permissions().mode();
    if mode & 0o007 != 0 {
        return Err(format!("everyone on this machine may read or change it; run: chmod o= '{}'", file.display()));
    }
    Ok(opened)
}

/// Opens a file that other users may read.
pub(crate) fn plain(file: &Path) -> Result<File, String> {
    // Opening a pipe would wait for a writer.
    let found = std::fs::metadata(file).map_err(|error| format!("cannot be read: {error}"))?;
    if !found.is_file() {
        return Err("is not a file".to_owned());
    }
    File::open(file).map_err(|error| format!("cannot be read: {error}"))
}

//! Checks the name, the topic filters and the password file of a configured user of the broker.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::error::BrokerError;
use crate::config::BrokerUser;

/// The largest size of a password file, in bytes.
const MAX_PASSWORD_FILE: u64 = 4096;

/// Reads the password of a user. The name and the lists of filters must give no more than they seem to.
///
/// # Errors
/// A problem with the name, the password file or the filters.
pub(super) fn checked(name: &str, user: &BrokerUser, root: &str) -> Result<String, BrokerError> {
    let level = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || name.len() > 40 || !name.bytes().all(level) {
        return Err(BrokerError::UserName(name.to_owned()));
    }
    let wrong = |why| BrokerError::Password(name.to_owned(), user.password_file.clone(), why);
    let password = password(&user.password_file).map_err(wrong)?;
    let wrong = |filter: &str, why| BrokerError::Filter(name.to_owned(), filter.to_owned(), why);
    for filter in user.read.iter().chain(&user.write) {
        check_filter(filter).map_err(|why| wrong(filter, why))?;
    }
    for filter in &user.write {
        check_commands(filter, root, name).map_err(|why| wrong(filter, why))?;
    }
    Ok(password)
}

/// No user may send commands under another name: the daemon treats the name in the topic as the sender.
fn check_commands(filter: &str, root: &str, name: &str) -> Result<(), &'static str> {
    let mut levels = filter.split('/');
    for expected in [root, "1", "cmd"] {
        match levels.next() {
            Some("#") => return Err("gives commands under every name"),
            Some(level) if level == "+" || level == expected => {}
            _ => return Ok(()),
        }
    }
    match levels.next() {
        Some(level) if level != name => Err("gives commands under another name"),
        _ => Ok(()),
    }
}

fn check_filter(filter: &str) -> Result<(), &'static str> {
    let levels: Vec<&str> = filter.split('/').collect();
    let last = levels.len() - 1;
    for (index, level) in levels.iter().enumerate() {
        match *level {
            "" => return Err("a level is empty"),
            "#" if index < last => return Err("`#` stands at the end only"),
            // A subscriber's `#` in that place would match as one level and deliver everything below it.
            "+" if index == last => return Err("`+` at the end gives everything below it too: write `#`, or name the level"),
            "#" | "+" => {}
            level if level.contains(['#', '+', '%', '\0']) => return Err("a wildcard fills its level, and `%` is not allowed"),
            _ => {}
        }
    }
    Ok(())
}

/// Reads the first line of a file that other users cannot read.
fn password(path: &Path) -> Result<String, String> {
    let file = std::fs::metadata(path).map_err(|error| error.to_string())?;
    let mode = file.permissions().mode();
    if !file.is_file() || file.len() > MAX_PASSWORD_FILE {
        return Err(format!("not a file of at most {MAX_PASSWORD_FILE} bytes"));
    }
    if mode & 0o007 != 0 {
        return Err(format!("everybody on this machine can read it: chmod {:o}", mode & 0o770));
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    match text.lines().next() {
        None | Some("") => Err("its first line is empty".to_owned()),
        Some(password) => Ok(password.to_owned()),
    }
}

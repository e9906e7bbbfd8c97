//! Checks the name, the topic filters and the password file of a configured user of the broker in this program.

use super::secrets;
use super::types::BrokerUser;

/// What is wrong with a user: the key below `[broker.user.NAME]`, empty for the name itself, and the problem.
pub(crate) type UserProblem = (&'static str, String);

/// Reads the password of a user. The name and the lists of filters must give no more than they seem to.
///
/// # Errors
/// A problem with the name, the password file or the filters.
pub(crate) fn password_of(name: &str, user: &BrokerUser, root: &str) -> Result<String, UserProblem> {
    let level = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || name.len() > 40 || !name.bytes().all(level) {
        return Err(("", "a name is 1 to 40 of a-z, 0-9 and -, because it is a level of topics".to_owned()));
    }
    let password = secrets::password(&user.password_file)
        .map_err(|why| ("password_file", format!("{}: {why}", user.password_file.display())))?;
    for (key, filters) in [("read", &user.read), ("write", &user.write)] {
        for filter in filters {
            let commands = if key == "write" { check_commands(filter, root, name) } else { Ok(()) };
            check_filter(filter).and(commands).map_err(|why| (key, format!("{filter:?}: {why}")))?;
        }
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

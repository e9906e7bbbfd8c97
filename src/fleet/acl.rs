//! The access rules of mosquitto.

use std::fmt::Write as _;

use super::rights::rights;
use crate::config::Config;

/// Returns the text of the file `acl`.
pub(super) fn acl(config: &Config) -> String {
    let mut text = format!(
        "# Made by `flagfall fleet make` for the event {}: a change here is lost at the next run. Everything that no line allows is\n\
         # refused, so whoever only reads has no line to write. config/mosquitto/README.md has the reasons.\n",
        config.event.id
    );
    for user in rights(config) {
        // Writing to a string does not fail.
        _ = write!(text, "\n# {}\nuser {}\n", user.role, user.user);
        for filter in &user.read {
            let access = if user.write.contains(filter) { "readwrite" } else { "read" };
            _ = writeln!(text, "topic {access} {filter}");
        }
        for filter in user.write.iter().filter(|filter| !user.read.contains(filter)) {
            _ = writeln!(text, "topic write {filter}");
        }
    }
    text
}

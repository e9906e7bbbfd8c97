//! The users of the broker in this program: each part of the program that logs in there must have one, with its password.

use super::broker_user::password_of;
use super::node_name::node_name;
use super::secrets;
use super::types::Config;
use crate::wire::topics;

/// Logins that the broker would refuse: the key, and the problem.
pub(super) fn problems(config: &Config) -> Vec<(String, String)> {
    let (mqtt, users) = (&config.mqtt, &config.broker.user);
    let mut found = Vec::new();
    if users.is_empty() || !config.publishes_to_own_broker() {
        return found;
    }
    let missing = |name: &str| format!("the broker in this program has users: add [broker.user.{name}]");
    let node = node_name(config.node.name.as_deref());
    let own = mqtt.user.as_ref().unwrap_or(&node);
    match (mqtt.has_login(), users.get(own)) {
        (true, None) => {
            let key = if mqtt.user.is_some() { "mqtt.user" } else { "mqtt.password_file" };
            found.push((key.to_owned(), missing(own)));
        }
        (true, Some(user)) => {
            // A file that cannot be read is reported with its own key.
            let given = mqtt.password_file.as_deref().map_or(Ok(String::new()), secrets::password);
            if let (Ok(given), Ok(wanted)) = (given, password_of(own, user, &mqtt.root))
                && given != wanted
            {
                found.push(("mqtt.password_file".to_owned(), format!("needs the password of [broker.user.{own}]")));
            }
        }
        (false, Some(_)) => {
            let why =
                "is this node: name its password in mqtt.password_file too, or take the user out and let the node make its own";
            found.push((format!("broker.user.{node}"), why.to_owned()));
        }
        (false, None) => {}
    }
    let collector = topics::collector(&node);
    if config.collect.enabled && !mqtt.has_login() && !users.contains_key(&collector) {
        found.push(("collect.enabled".to_owned(), missing(&collector)));
    }
    if let Some(user) = config.screens.public_user.as_ref().filter(|user| config.screens.enabled && !users.contains_key(*user)) {
        found.push(("screens.public_user".to_owned(), missing(user)));
    }
    found
}

//! The users of the broker in this program: each part of the program that logs in there must have one, with its password and rights.

use std::path::Path;

use super::board::Board;
use super::broker_user::password_of;
use super::checks::Starts;
use super::node_name::node_name;
use super::output::OutputAudience;
use super::secrets;
use super::types::{BrokerUser, Config, Event};
use crate::wire::topics;

/// Logins that the broker would refuse, and users without the rights that the program needs: the key, and the problem.
pub(super) fn problems(config: &Config, starts: Starts) -> Vec<(String, String)> {
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
            found.extend(wrong_password("mqtt.password_file", mqtt.password_file.as_deref(), own, user, &mqtt.root));
            if starts.node {
                found.extend(lacks(own, user, "this node", of_node(config, &node)));
            }
            if starts.collector {
                found.extend(lacks(own, user, "the collector", of_collector(config, &node)));
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
    match users.get(&collector) {
        _ if mqtt.has_login() => {}
        None if starts.collector || config.collect.enabled => {
            let key = if config.collect.enabled { "collect.enabled" } else { "broker.user" };
            found.push((key.to_owned(), missing(&collector)));
        }
        Some(user) if starts.collector => found.extend(lacks(&collector, user, "the collector", of_collector(config, &node))),
        _ => {}
    }
    if let Some(name) = config.screens.public_user.as_ref().filter(|_| config.screens.enabled) {
        let (key, file) = ("screens.public_password_file", config.screens.public_password_file.as_deref());
        match users.get(name) {
            None => found.push(("screens.public_user".to_owned(), missing(name))),
            Some(user) => found.extend(wrong_password(key, file, name, user, &mqtt.root)),
        }
    }
    found
}

/// The problem of a password in the file of this key that the broker does not accept for this user. A file that cannot be read is reported
/// with its own key.
fn wrong_password(key: &str, file: Option<&Path>, name: &str, user: &BrokerUser, root: &str) -> Option<(String, String)> {
    let given = file.map_or(Ok(String::new()), secrets::password).ok()?;
    let wanted = password_of(name, user, root).ok()?;
    (given != wanted).then(|| (key.to_owned(), format!("needs the password of [broker.user.{name}]")))
}

/// What `who` reads and writes as this user and the user's lists do not have.
fn lacks(name: &str, user: &BrokerUser, who: &str, [read, write]: [Vec<String>; 2]) -> Vec<(String, String)> {
    let lists = [("read", &user.read, read), ("write", &user.write, write)].into_iter();
    let lacking = lists.map(|(key, own, mut needed)| {
        needed.retain(|filter| !own.iter().any(|own| covers(own, filter)));
        (key, needed)
    });
    let problem = |(key, needed)| {
        (
            format!("broker.user.{name}.{key}"),
            format!("{who} logs in as {name:?} and needs {needed:?} too: add them, or name another user in mqtt.user"),
        )
    };
    lacking.filter(|(_, needed)| !needed.is_empty()).map(problem).collect()
}

/// The topics that the node reads and writes (`wire/README.md#6`), without what everybody has who may read anything.
fn of_node(config: &Config, node: &str) -> [Vec<String>; 2] {
    let Event { id: event, round, .. } = &config.event;
    let base = format!("{}/1", config.mqtt.root);
    let mut read = vec![format!("{base}/cmd/+/{event}/{round}/+/+"), format!("{base}/node/+/info")];
    let mut write = vec![format!("{base}/node/{node}/#")];
    for Board { id, .. } in &config.board {
        read.push(format!("{base}/arbiter/{event}/+/{id}/#"));
        write.extend(["public", "live", "arbiter"].map(|audience| format!("{base}/{audience}/{event}/{round}/{id}/#")));
    }
    write.extend(config.commanders().keys().map(|user| format!("{base}/reply/{user}/#")));
    [read, write]
}

/// The same for the collector. Without `live/` it still sends all that is public.
fn of_collector(config: &Config, node: &str) -> [Vec<String>; 2] {
    let (event, base) = (&config.event.id, format!("{}/1", config.mqtt.root));
    let mut read = vec![format!("{base}/node/+/info"), format!("{base}/meta/{event}/+")];
    let games = |audience| ["state", "moves/+"].map(|leaf| format!("{base}/{audience}/{event}/+/+/{leaf}"));
    read.extend(games("public"));
    let programs = config.livechess.enabled;
    if programs || config.output.iter().any(|output| output.audience == OutputAudience::Live) {
        read.extend(games("live"));
    }
    if programs {
        read.extend([format!("{base}/live/{event}/+/+/clock"), format!("{base}/device/+/status")]);
    }
    [read, vec![format!("{base}/node/{}/#", topics::collector(node)), topics::round_pgn(&config.mqtt.root, event, "+")]]
}

/// Whether a user with the filter `own` has everything that `wanted` matches.
fn covers(own: &str, wanted: &str) -> bool {
    let mut levels = wanted.split('/');
    for own in own.split('/') {
        match (own, levels.next()) {
            ("#", _) => return true,
            ("+", Some(level)) if level != "#" => {}
            (own, Some(level)) if own == level => {}
            _ => return false,
        }
    }
    levels.next().is_none()
}

//! Checks `[fleet]` as a whole: machines, boards and names. Only `flagfall fleet` needs it to be right.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::checks::Check;
use super::fleet::{FleetRole, masked, network};
use super::nearest::nearest;
use super::place::dotted;
use super::types::Config;
use super::values;
use crate::wire::topics::is_collector;

/// The port of MQTT over WebSocket in the hall's configuration of mosquitto (`config/mosquitto/flagfall.conf`).
const PAGES_PORT: u16 = 9443;

/// Names of secrets that are no user's password.
const RESERVED: [&str; 2] = ["certificate", "relay"];

/// Finds everything that is wrong with the fleet itself. The configuration of each machine is checked as `flagfall run` checks it.
pub(super) fn problems(config: &Config, check: &mut Check<'_>) {
    let fleet = &config.fleet;
    if fleet.broker.is_none() {
        check.problem("fleet.broker", "is missing: broker = { name = \"hall.local\", address = \"192.168.1.10\" }");
    }
    if fleet.valid.is_none() {
        check.problem("fleet.valid", "is missing: valid = { from = \"2026-01-01\", days = 300 }, from a day in the past on");
    }
    if fleet.node.is_empty() {
        check.problem("fleet.node", "there is no machine: write [fleet.node.NAME] with its boards");
    }
    if let (Some(net), Some(broker)) = (&fleet.net, &fleet.broker)
        && !contains(net, &broker.address)
    {
        check.problem("fleet.net", format!("does not contain the broker's address {}", broker.address));
    }
    if fleet.broker.as_ref().is_some_and(|broker| broker.port == PAGES_PORT) {
        check.problem("fleet.broker.port", format!("{PAGES_PORT} is where the broker serves pages: choose another port"));
    }
    boards(config, check);
    names(config, check);
}

/// Each board is at one machine, and each board in the file and in the rights of a user is at some machine.
fn boards(config: &Config, check: &mut Check<'_>) {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, node) in &config.fleet.node {
        let key = format!("fleet.node.{name}.boards");
        if node.boards.is_empty() {
            check.problem(&key, "is empty: a machine has at least one board");
        }
        for board in &node.boards {
            match seen.insert(board, name) {
                Some(other) if other == name => check.problem(&key, format!("names board \"{board}\" twice")),
                Some(other) => {
                    let place = check.origins.place(&format!("fleet.node.{other}.boards"));
                    check.problem(&key, format!("board \"{board}\" is at {other} too, {place}"));
                }
                None => {}
            }
        }
    }
    let known: BTreeSet<&str> = seen.into_keys().collect();
    let hint =
        |id: &str| nearest(id, known.iter().copied()).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
    for board in config.board.iter().filter(|board| !known.contains(board.id.as_str())) {
        check.problem(&format!("board.{}", board.id), format!("no [fleet.node.NAME] has this board{}", hint(&board.id)));
    }
    for (name, user) in &config.user {
        for id in user.boards.iter().filter(|id| !known.contains(id.as_str())) {
            check.problem(&format!("user.{name}.boards"), format!("no [fleet.node.NAME] has board \"{id}\"{}", hint(id)));
        }
    }
}

/// Each name at the broker is that of one machine or person.
fn names(config: &Config, check: &mut Check<'_>) {
    let fleet = &config.fleet;
    for name in fleet.node.keys() {
        let key = dotted("fleet.node", name);
        if let Err(message) = values::node(name) {
            check.problem(&key, message);
        }
        if is_collector(name) {
            check.problem(&key, "is the name of a collector, and no machine with boards may speak for one: choose another end");
        }
    }
    for (name, user) in &fleet.user {
        let key = dotted("fleet.user", name);
        if user.role == FleetRole::Collector
            && let Err(message) = values::node(name)
        {
            check.problem(&key, format!("{message}; a collector publishes under its name"));
        }
        if config.user.contains_key(name) {
            check.problem(&key, format!("is in [user.{name}] already, which gives the right to log in"));
        }
    }
    let people: BTreeSet<&String> = fleet.user.keys().chain(config.user.keys()).collect();
    for name in fleet.node.keys().filter(|name| people.contains(name)) {
        check.problem(&dotted("fleet.node", name), "is also the name of a user: each needs its own");
    }
    let nodes = fleet.node.keys().map(|name| ("fleet.node", name));
    let users = fleet.user.keys().map(|name| ("fleet.user", name)).chain(config.user.keys().map(|name| ("user", name)));
    for (table, name) in nodes.chain(users).filter(|(_, name)| RESERVED.contains(&name.as_str())) {
        check.problem(&dotted(table, name), "is the name of a secret of the hall: choose another one");
    }
}

/// Whether an address is in a network.
fn contains(net: &str, address: &str) -> bool {
    // What cannot be read was reported with its key.
    let (Some((net, bits)), Ok(address)) = (network(net), address.parse::<IpAddr>()) else { return true };
    net.is_ipv4() == address.is_ipv4() && masked(net, bits) == masked(address, bits)
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn networks() {
        for (net, address, inside) in [
            ("192.168.1.0/24", "192.168.1.10", true),
            ("192.168.1.0/24", "192.168.2.10", false),
            ("10.0.0.0/8", "10.9.8.7", true),
            ("192.168.1.10/32", "192.168.1.10", true),
            ("fd00::/64", "fd00::7", true),
            ("fd00::/64", "fd01::7", false),
            ("192.168.1.0/24", "fd00::7", false),
            ("fd00::/64", "192.168.1.10", false),
        ] {
            assert_eq!(contains(net, address), inside, "{net} {address}");
        }
    }
}

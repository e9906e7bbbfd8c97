//! What each user of the broker may read and write. `config/mosquitto/README.md` has the reasons; a machine has rights for its own
//! boards only, so that a stolen card can speak for these and for nothing else.

use std::collections::BTreeSet;

use crate::config::{Config, FleetRole, Role, node_config};
use crate::wire::topics;

/// What one user may read and write: topic filters, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// The user's name at the broker.
    pub user: String,
    /// What the user is, for people.
    pub role: &'static str,
    /// What the user may read.
    pub read: Vec<String>,
    /// What the user may write.
    pub write: Vec<String>,
}

/// The counters of mosquitto that an organiser needs to see.
pub(super) const COUNTERS: [&str; 2] = ["$SYS/broker/publish/messages/dropped", "$SYS/broker/clients/connected"];

/// Returns the rights of all users, machines first. Everything that is not in them is refused.
pub fn rights(config: &Config) -> Vec<Rights> {
    let fleet = &config.fleet;
    let nodes = fleet.node.iter().map(|(name, node)| of_node(config, name, &node.boards));
    let commanders = config.user.iter().map(|(name, user)| {
        let role = match user.role {
            Role::Organiser => return of_role(config, name, FleetRole::Organiser),
            role => role.name(),
        };
        let root = &config.mqtt.root;
        Rights { user: name.clone(), role, read: vec![format!("{root}/1/#")], write: vec![format!("{root}/1/cmd/{name}/#")] }
    });
    let others = fleet.user.iter().map(|(name, user)| of_role(config, name, user.role));
    nodes.chain(commanders).chain(others).collect()
}

/// A machine publishes what happens on its boards, and reads it again, to delete what is out of date. It reads the infos of the other
/// machines, so that no board is served twice.
fn of_node(config: &Config, name: &str, boards: &[String]) -> Rights {
    let (root, event) = (&config.mqtt.root, &config.event.id);
    let below = |branch: &str, board: &String| format!("{root}/1/{branch}/{event}/+/{board}/#");
    let own: Vec<String> =
        boards.iter().flat_map(|board| ["public", "live", "arbiter"].map(|branch| below(branch, board))).collect();
    let commands = boards.iter().map(|board| below("cmd/+", board));
    let read = commands.chain(own.iter().cloned()).chain([format!("{root}/1/meta/#"), format!("{root}/1/node/#")]).collect();
    let devices = match devices(config, boards) {
        Some(devices) => devices.iter().map(|device| format!("{root}/1/device/{device}/#")).collect(),
        None => vec![format!("{root}/1/device/#")],
    };
    let mut write = own;
    write.extend(devices);
    write.push(format!("{root}/1/node/{name}/#"));
    // Answers go to those who may send commands about these boards, and to nobody else.
    let (commanders, organisers) = (node_config(config, name).user, fleet_organisers(config));
    write.extend(commanders.keys().chain(organisers).map(|user| format!("{root}/1/reply/{user}/#")));
    Rights { user: name.to_owned(), role: "node", read, write }
}

/// The users of the broker that enter the results of the organiser's desk.
pub(super) fn fleet_organisers(config: &Config) -> impl Iterator<Item = &String> {
    config.fleet.user.iter().filter(|(_, user)| user.role == FleetRole::Organiser).map(|(name, _)| name)
}

/// The ids of the devices that may serve these boards, as the daemon makes them; none if one of them is not known before the device
/// answers. A spare board may take the place of any board.
pub(super) fn devices(config: &Config, boards: &[String]) -> Option<Vec<String>> {
    let mut found = BTreeSet::new();
    for id in boards {
        let board = config.board.iter().find(|board| board.id == *id).filter(|board| board.clock.is_none())?;
        let driver = board.driver.as_deref().unwrap_or("dgt");
        for serial in [board.serial.as_ref()?].into_iter().chain(&config.fleet.spares) {
            found.insert(topics::device_id(driver, serial));
            // A serial number may be written without its leading zeros; a device reports five digits.
            if serial.bytes().all(|c| c.is_ascii_digit()) {
                found.insert(topics::device_id(driver, &format!("{serial:0>5}")));
            }
        }
        // Its name before it answers.
        found.insert(format!("board-{id}"));
    }
    Some(found.into_iter().collect())
}

fn of_role(config: &Config, name: &str, role: FleetRole) -> Rights {
    let (root, event) = (&config.mqtt.root, &config.event.id);
    let below = |list: &[&str]| list.iter().map(|topic| format!("{root}/1/{topic}")).collect::<Vec<_>>();
    let title = format!("meta/{event}");
    let (role, read, write) = match role {
        FleetRole::Screen => ("screen", below(&["public/#", "node/+/status", &title]), Vec::new()),
        FleetRole::Overlay => ("overlay", below(&["live/#", "node/+/status", &title]), Vec::new()),
        FleetRole::Collector => (
            "collector",
            below(&["meta/#", "public/#", "live/#", "device/#", "node/#"]),
            below(&[&format!("node/{}/#", topics::collector(name)), &format!("public/{event}/+/pgn")]),
        ),
        FleetRole::Organiser => {
            let mut read = below(&["meta/#", "node/#", "device/#", "live/#", "public/#", &format!("reply/{name}/#")]);
            read.extend(COUNTERS.map(str::to_owned));
            ("organiser", read, below(&["meta/#", &format!("cmd/{name}/#")]))
        }
    };
    Rights { user: name.to_owned(), role, read, write }
}

//! Reads the file of an event with all its machines, as `flagfall fleet` needs it.

use std::path::{Path, PathBuf};

use super::checks::{self, Check};
use super::load::read_all;
use super::place::{Errors, Place, Problem};
use super::types::{Config, Mqtt, Node, Role};
use super::{Board, Broker, Collect, Http, Screens, fleet_checks};

/// The file of an event that passed all checks.
#[derive(Clone, Debug)]
pub struct Venue {
    /// The values.
    pub config: Config,
    /// The file.
    pub file: PathBuf,
}

/// Reads the file of an event with `[fleet]`. The configuration that each machine will get is checked as `flagfall run` checks it;
/// files that only exist on that machine are not looked for. The environment is not read, so the same file is always the same event.
///
/// # Errors
/// Everything that is wrong, with file, line and key.
pub fn load_venue(file: &Path) -> Result<Venue, Errors> {
    let (config, origins) = read_all(&[file.to_owned()], std::iter::empty())?;
    let mut problems = Vec::new();
    fleet_checks::problems(&config, &mut Check::new(&origins, &mut problems));
    if problems.is_empty() {
        for name in config.fleet.node.keys() {
            let mut node = node_config(&config, name);
            node.mqtt = Mqtt { root: node.mqtt.root, ..Mqtt::default() };
            // These files are on the machine of the board.
            node.board.iter_mut().for_each(|board| (board.unlock_file, board.calibration_file) = (None, None));
            let mut found = Vec::new();
            checks::check(&node, &origins, &[], &mut found);
            // A board that is only named by its machine has its place there.
            for id in config.fleet.node[name].boards.iter().filter(|id| !origins.has(&format!("board.{id}"))) {
                let own = |key: &str| key.strip_prefix("board.").and_then(|key| key.split('.').next()) == Some(id);
                let place = origins.place(&format!("fleet.node.{name}.boards"));
                found.iter_mut().filter(|problem| own(&problem.key)).for_each(|problem| problem.place = place.clone());
            }
            problems.extend(found);
        }
    }
    for problem in problems.iter_mut().filter(|problem| problem.place == Place::Default) {
        problem.place = Place::File(file.to_owned());
    }
    // What is wrong with the event is wrong on each machine.
    let mut different: Vec<Problem> = Vec::new();
    for problem in problems {
        if !different.contains(&problem) {
            different.push(problem);
        }
    }
    if different.is_empty() { Ok(Venue { config, file: file.to_owned() }) } else { Err(Errors(different)) }
}

/// The part of the event's configuration that concerns one machine: its boards, and the users with rights on them.
pub fn node_config(config: &Config, name: &str) -> Config {
    let boards = config.fleet.node.get(name).map(|node| node.boards.as_slice()).unwrap_or_default();
    let known = |id: &String| config.board.iter().find(|board| board.id == *id);
    let board = boards.iter().map(|id| known(id).cloned().unwrap_or_else(|| Board { id: id.clone(), ..Board::default() }));
    let user = config.user.iter().filter_map(|(name, user)| {
        let mut own = user.clone();
        own.boards.retain(|id| boards.contains(id));
        // An empty list would mean all boards.
        (user.role == Role::Chief || user.boards.is_empty() || !own.boards.is_empty()).then(|| (name.clone(), own))
    });
    Config {
        node: Node { name: Some(name.to_owned()) },
        board: board.collect(),
        user: user.collect(),
        // These belong to the hall's machine.
        broker: Broker::default(),
        http: Http::default(),
        screens: Screens::default(),
        collect: Collect::default(),
        output: Vec::new(),
        ..config.clone()
    }
}

//! Makes the callbacks by which the MQTT connection reaches the stations and the disk thread.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::command_receiver::CommandReceiver;
use super::disk_queue::Refill;
use super::message::ToStation;
use super::node::Node;
use super::shared::{Condition, StationHandle};
use super::supervised_station::SupervisedStation;
use crate::health;
use crate::log_limit;
use crate::mqtt::outbox::BoardNo;
use crate::mqtt::{ConnectionState, Hooks};
use crate::publish::shorten;
use crate::session::anchor::AnchorRecord;
use crate::system_clock::{self, MonotonicTime};

/// Reads the wall clock and its time source, and the time at which it was read.
pub(super) fn read_wall_clock() -> (MonotonicTime, AnchorRecord) {
    let clock = health::clock_now();
    let (at, utc) = system_clock::monotonic_and_utc();
    (at, AnchorRecord { utc_us: utc.0, sync: clock.source, err_ms: clock.err_ms, up_us: system_clock::since_boot() })
}

/// Reads the wall clock as it was when the first thing came that waits in a board's inbox, or as it is now; and that time.
pub(super) fn read_wall_clock_at(handle: &StationHandle) -> (MonotonicTime, AnchorRecord) {
    let (now, wall) = read_wall_clock();
    let taken = handle.taken_until();
    (taken, wall.earlier(now.since(taken)))
}

/// A board and the folder of its journal.
type Board = (Arc<StationHandle>, Arc<Path>);

/// The hooks of a node's MQTT connection.
pub(super) fn hooks(node: &Node, receiver: CommandReceiver, stations: &[SupervisedStation]) -> Hooks {
    let boards: Vec<Board> = stations.iter().map(|station| (Arc::clone(&station.handle), station.dir())).collect();
    let by_number = Arc::new({
        let boards = boards.clone();
        // A board gets its number when its journal is open.
        let known = Mutex::new(BTreeMap::<BoardNo, usize>::new());
        move |number: BoardNo| {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(place) = known.get(&number) {
                return Some(boards[*place].clone());
            }
            let place = boards.iter().position(|(handle, _): &Board| handle.number() == Some(number))?;
            known.insert(number, place);
            Some(boards[place].clone())
        }
    });
    let acked = {
        let by_number = Arc::clone(&by_number);
        move |board, audience, number| {
            if let Some((handle, _)) = by_number(board) {
                handle.acked.note(audience, number);
            }
        }
    };
    let opening = {
        let boards = boards.clone();
        move || boards.iter().any(|(handle, _)| handle.condition() == Condition::Opening)
    };
    let refill = {
        let shared = Arc::clone(node.shared());
        move |board, audience, from| {
            let Some((handle, dir)) = by_number(board) else { return };
            let Some(stamp) = handle.stamp() else { return };
            let whole = handle.journal_problem().is_none();
            if !shared.disk.refill(Refill { dir: dir.to_path_buf(), board, audience, from, stamp, whole }) {
                // No events and not the end: the outbox asks again later.
                shared.outbox.refilled(board, audience, Vec::new(), false);
            }
        }
    };
    let connection = {
        let node = node.clone();
        move |state: &ConnectionState| {
            node.shared().connected.store(state.up, Ordering::Relaxed);
            node.note_connection(state);
        }
    };
    let refused = {
        let node = node.clone();
        move |topic: &str, cause: Option<&str>| node.note_refusal(topic, cause)
    };
    let command = {
        let node = node.clone();
        move |arrived| receiver.receive(&node, arrived)
    };
    let foreign = {
        let node = node.clone();
        move |board: &str, by: &str, alive: bool| node.handle_claim(board, by, alive)
    };
    let retained = {
        let boards = boards.clone();
        move |board: &str, topic: &str| {
            let Some((handle, _)) = boards.iter().find(|(handle, _)| handle.board == board) else { return };
            if !handle.inbox.offer(ToStation::AtBroker { topic: topic.to_owned() }) {
                log_limit::warn("a station has too much to do, so this stays at the broker", &topic);
            }
        }
    };
    let later_start = {
        let boards = boards.clone();
        move |boot| boards.iter().for_each(|(handle, _)| handle.inbox.push_unbounded(ToStation::LaterStart { boot }))
    };
    let status = {
        let node = node.clone();
        move |state: &'static str| node.status_payload(state)
    };
    Hooks {
        acked: Box::new(acked),
        opening: Box::new(opening),
        refill: Box::new(refill),
        command: Box::new(command),
        connection: Box::new(connection),
        foreign: Box::new(foreign),
        retained: Box::new(retained),
        later_start: Box::new(later_start),
        refused: Box::new(refused),
        shorten: Box::new(shorten),
        status: Box::new(status),
    }
}

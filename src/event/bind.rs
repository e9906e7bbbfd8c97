//! Says which device serves which board. A device stays on its board in the rounds that follow.

use crate::wire::meta::Pairing;
use crate::wire::topics;

use super::model::EventFile;
use super::plan::find_board;

/// The word for no device.
pub const NONE: &str = "none";

/// Binds devices to boards, in a round and in all later ones that have pairings: pairs of a board and a device, or [`NONE`].
///
/// # Errors
/// The round has no such board, the device has no valid id, or a device would have two boards. Nothing is changed then.
pub fn bind(file: &mut EventFile, round: u32, pairs: &[(String, String)]) -> Result<(), String> {
    let mut changed = file.clone();
    let rounds = changed.rounds.range_mut(round..);
    let mut found = false;
    for (number, later) in rounds {
        found |= *number == round;
        for (board, device) in pairs {
            if device != NONE && !topics::is_id(device) {
                return Err(format!("the device {device:?} is not 1 to 40 of a-z, 0-9 and -"));
            }
            match find_board(&mut later.boards, board) {
                Some(pairing) => pairing.device = (device != NONE).then(|| device.clone()),
                None if *number == round => return Err(format!("round {number} has no board {board:?}")),
                None => {}
            }
        }
        check(&later.boards)?;
    }
    if !found {
        return Err(format!("round {round} has no pairings: import them first"));
    }
    *file = changed;
    Ok(())
}

/// Binds devices to the boards of a round that have none, both in their natural order. Returns the new pairs.
///
/// # Errors
/// As [`bind`].
pub fn bind_in_order(file: &mut EventFile, round: u32, devices: &[String]) -> Result<Vec<(String, String)>, String> {
    let boards = file.rounds.get(&round).map(|round| round.boards.as_slice()).unwrap_or_default();
    let is_free = |device: &&String| boards.iter().all(|pairing| pairing.device.as_ref() != Some(*device));
    let mut free: Vec<String> = devices.iter().filter(is_free).cloned().collect();
    free.sort_by_key(|device| natural(device));
    free.dedup();
    let mut open: Vec<&Pairing> = boards.iter().filter(|pairing| pairing.device.is_none()).collect();
    open.sort_by_key(|pairing| pairing.number);
    let pairs: Vec<(String, String)> = open.iter().map(|pairing| pairing.board.clone()).zip(free).collect();
    bind(file, round, &pairs)?;
    Ok(pairs)
}

fn check(boards: &[Pairing]) -> Result<(), String> {
    for (index, pairing) in boards.iter().enumerate() {
        let same = |other: &&Pairing| pairing.device.is_some() && other.device == pairing.device;
        if let (Some(other), Some(device)) = (boards[..index].iter().find(same), &pairing.device) {
            return Err(format!("the device {device} would have the boards {} and {}", other.board, pairing.board));
        }
    }
    Ok(())
}

/// A key that sorts `dgt-9` before `dgt-10`.
pub(super) fn natural(text: &str) -> Vec<(String, u64)> {
    let mut parts: Vec<(String, u64)> = Vec::new();
    let mut digits = false;
    for char in text.chars() {
        let digit = char.to_digit(10);
        match (digit, parts.last_mut()) {
            (Some(value), Some((_, number))) => *number = number.saturating_mul(10).saturating_add(value.into()),
            (Some(value), None) => parts.push((String::new(), value.into())),
            (None, Some((word, _))) if !digits => word.push(char),
            (None, _) => parts.push((char.to_string(), 0)),
        }
        digits = digit.is_some();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_sorted_as_people_do() {
        let mut devices = ["dgt-10", "dgt-9", "a-1-2", "dgt-100", "a-1-10"];
        devices.sort_by_key(|device| natural(device));
        assert_eq!(devices, ["a-1-2", "a-1-10", "dgt-9", "dgt-10", "dgt-100"]);
    }
}

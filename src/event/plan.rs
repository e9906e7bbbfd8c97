//! Compares imported pairings with those of a round, and makes the new round. Devices and ids of boards stay as they are.

use crate::wire::meta::{MetaRound, OutputRequests, Pairing};
use crate::wire::player::Player;

use super::import::Imported;
use super::model::EventFile;

/// What an import does to one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The pairing is new.
    New(Pairing),
    /// It stays as it is.
    Same(Pairing),
    /// It is another one than before.
    Changed {
        /// As it was.
        before: Pairing,
        /// As it will be.
        after: Pairing,
    },
    /// The round has it no more.
    Gone(Pairing),
}

/// A round as it will be, and what is new in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The round.
    pub round: MetaRound,
    /// One change for each board, in their order.
    pub changes: Vec<Change>,
    /// Games that may have begun get other players, or disappear: a person must agree.
    pub needs_consent: bool,
}

/// Plans the import into a round. `partly`: the import has some boards only, and the others stay. `corrections`: other names are
/// corrections of the same players, so receivers go on with the same games.
pub fn plan(file: &EventFile, number: u32, imported: &Imported, partly: bool, corrections: bool) -> Plan {
    let old = file.rounds.get(&number).cloned().unwrap_or_default();
    let begun = file.published.contains(&number) && file.current().is_none_or(|current| number <= current);
    let mut changes = Vec::new();
    for row in &imported.rows {
        let board = row.number.unwrap_or_default();
        let before = old.boards.iter().find(|pairing| pairing.number == board);
        let mut after = before.cloned().unwrap_or_else(|| new_board(file, number, board));
        let other = before.is_some_and(|before| !same_players(before, &row.white, &row.black));
        (after.white, after.black) = (row.white.clone(), row.black.clone());
        after.result = row.result.or(after.result.filter(|_| !other || corrections));
        if other && !corrections && file.published.contains(&number) {
            after.replaced += 1;
        }
        changes.push(match before {
            None => Change::New(after),
            Some(before) if *before == after => Change::Same(after),
            Some(before) => Change::Changed { before: before.clone(), after },
        });
    }
    let left = old.boards.iter().filter(|pairing| imported.rows.iter().all(|row| row.number != Some(pairing.number)));
    changes.extend(left.map(|pairing| if partly { Change::Same(pairing.clone()) } else { Change::Gone(pairing.clone()) }));
    changes.sort_by_key(|change| change.pairing().number);
    let is_open = |change: &Change| matches!(change, Change::Changed { .. } | Change::Gone(_));
    let needs_consent = imported.guessed || (begun && changes.iter().any(is_open));
    let boards = changes.iter().filter(|change| !matches!(change, Change::Gone(_))).map(|change| change.pairing().clone());
    let round = MetaRound { number, date: imported.date.clone().or(old.date), boards: boards.collect(), ..old };
    Plan { round, changes, needs_consent }
}

impl Change {
    /// The pairing as it will be, or as it was if it disappears.
    pub fn pairing(&self) -> &Pairing {
        match self {
            Change::New(pairing) | Change::Same(pairing) | Change::Gone(pairing) => pairing,
            Change::Changed { after, .. } => after,
        }
    }

    /// The word for it in the table.
    pub const fn word(&self) -> &'static str {
        match self {
            Change::New(_) => "new",
            Change::Same(_) => "same",
            Change::Changed { .. } => "changed",
            Change::Gone(_) => "gone",
        }
    }
}

/// A board with the id and device that it has in another round, the latest one.
fn new_board(file: &EventFile, round: u32, number: u32) -> Pairing {
    let boards = file.rounds.values().rev().filter(|other| other.number != round).flat_map(|other| &other.boards);
    let known = boards.into_iter().find(|pairing| pairing.number == number);
    Pairing {
        board: known.map_or_else(|| number.to_string(), |pairing| pairing.board.clone()),
        number,
        device: known.and_then(|pairing| pairing.device.clone()),
        ..Pairing::default()
    }
}

/// Whether both players are those of before: by FIDE's number if both have one, else by name.
fn same_players(before: &Pairing, white: &Player, black: &Player) -> bool {
    let same = |a: &Player, b: &Player| match (a.fide_id, b.fide_id) {
        (Some(a), Some(b)) => a == b,
        _ => a.name == b.name,
    };
    same(&before.white, white) && same(&before.black, black)
}

/// Raises what is asked of an output in the current round, and returns the round.
///
/// # Errors
/// The current round has no pairings.
pub fn ask_output(file: &mut EventFile, output: &str, act: fn(&mut OutputRequests)) -> Result<u32, String> {
    let round = current_round(file)?;
    act(round.outputs.entry(output.to_owned()).or_default());
    Ok(round.number)
}

/// Changes the pairing of a board in the current round, and returns the round's number. The board is given by its number or id.
///
/// # Errors
/// The current round has no such board.
pub fn change_board(file: &mut EventFile, board: &str, change: impl FnOnce(&mut Pairing)) -> Result<u32, String> {
    let round = current_round(file)?;
    let number = round.number;
    let pairing = find_board(&mut round.boards, board).ok_or_else(|| format!("round {number} has no board {board:?}"))?;
    change(pairing);
    Ok(number)
}

fn current_round(file: &mut EventFile) -> Result<&mut MetaRound, String> {
    let current = file.event.round.clone();
    let number = file.current();
    let round = number.and_then(|number| file.rounds.get_mut(&number));
    round.ok_or_else(|| format!("the current round {current} has no pairings: import them first"))
}

/// Finds a board by its id or its number.
pub(super) fn find_board<'a>(boards: &'a mut [Pairing], board: &str) -> Option<&'a mut Pairing> {
    let by_id = boards.iter().position(|pairing| pairing.board == board);
    let index = by_id.or_else(|| boards.iter().position(|pairing| Some(pairing.number) == board.parse().ok()))?;
    boards.get_mut(index)
}

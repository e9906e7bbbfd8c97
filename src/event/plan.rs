//! Compares imported pairings with those of a round, and makes the new round. Devices and ids of boards stay as they are.

use crate::wire::meta::{MetaRound, OutputRequests, Pairing};
use crate::wire::player::Player;

use super::import::Imported;
use super::model::EventFile;

/// What an import does to one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is.
    pub kind: Kind,
    /// The pairing as it will be, or as it was if it disappears.
    pub pairing: Pairing,
    /// The pairing as it was, if it changes.
    pub before: Option<Pairing>,
}

/// The kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The pairing is new.
    New,
    /// It stays as it is.
    Same,
    /// It is another one than before.
    Changed,
    /// The round has it no more.
    Gone,
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
            after.replaced = after.replaced.saturating_add(1);
        }
        let kind = match before {
            None => Kind::New,
            Some(before) if *before == after => Kind::Same,
            Some(_) => Kind::Changed,
        };
        changes.push(Change { kind, pairing: after, before: before.filter(|_| kind == Kind::Changed).cloned() });
    }
    let left = old.boards.iter().filter(|pairing| imported.rows.iter().all(|row| row.number != Some(pairing.number)));
    let kind = if partly { Kind::Same } else { Kind::Gone };
    changes.extend(left.map(|pairing| Change { kind, pairing: pairing.clone(), before: None }));
    changes.sort_by_key(|change| change.pairing.number);
    let is_open = |change: &Change| matches!(change.kind, Kind::Changed | Kind::Gone);
    let needs_consent = imported.guessed || (begun && changes.iter().any(is_open));
    let boards = changes.iter().filter(|change| change.kind != Kind::Gone).map(|change| change.pairing.clone());
    let round = MetaRound { number, date: imported.date.clone().or(old.date), boards: boards.collect(), ..old };
    Plan { round, changes, needs_consent }
}

impl Kind {
    /// The word for it in the table.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::New => "new",
            Kind::Same => "same",
            Kind::Changed => "changed",
            Kind::Gone => "gone",
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
    let number = number_of(file, None)?;
    if let Some(round) = file.rounds.get_mut(&number) {
        act(round.outputs.entry(output.to_owned()).or_default());
    }
    Ok(number)
}

/// Changes the pairing of a board in a round, or in the current one, and returns the round's number. The board is given by its number or
/// id.
///
/// # Errors
/// There is no such round or board.
pub fn change_board(
    file: &mut EventFile,
    round: Option<u32>,
    board: &str,
    change: impl FnOnce(&mut Pairing),
) -> Result<u32, String> {
    let number = number_of(file, round)?;
    let boards = file.rounds.get_mut(&number).map(|round| round.boards.as_mut_slice()).unwrap_or_default();
    let pairing = find_board(boards, board).ok_or_else(|| format!("round {number} has no board {board:?}"))?;
    change(pairing);
    Ok(number)
}

/// The pairing of a board in a round, or in the current one, with the round's number. The board is given by its number or id.
///
/// # Errors
/// There is no such round or board.
pub fn pairing<'a>(file: &'a EventFile, round: Option<u32>, board: &str) -> Result<(u32, &'a Pairing), String> {
    let number = number_of(file, round)?;
    let boards = file.rounds.get(&number).map(|round| round.boards.as_slice()).unwrap_or_default();
    let place = place_of(boards, board).and_then(|place| boards.get(place));
    place.map(|pairing| (number, pairing)).ok_or_else(|| format!("round {number} has no board {board:?}"))
}

/// The number of a round with pairings: this one, or the current one.
fn number_of(file: &EventFile, round: Option<u32>) -> Result<u32, String> {
    let known = |number: &u32| file.rounds.contains_key(number);
    match round {
        Some(number) => Some(number).filter(known).ok_or_else(|| format!("round {number} has no pairings")),
        None => {
            let why = || format!("the current round {} has no pairings: import them first", file.event.round);
            file.current().filter(known).ok_or_else(why)
        }
    }
}

/// Finds a board by its id or its number.
pub(super) fn find_board<'a>(boards: &'a mut [Pairing], board: &str) -> Option<&'a mut Pairing> {
    boards.get_mut(place_of(boards, board)?)
}

fn place_of(boards: &[Pairing], board: &str) -> Option<usize> {
    let by_id = boards.iter().position(|pairing| pairing.board == board);
    by_id.or_else(|| boards.iter().position(|pairing| Some(pairing.number) == board.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::super::import::{Format, Options, read};
    use super::super::model::tests::event;
    use super::*;

    fn imported(lines: &str) -> Imported {
        let text = format!("board,white,white_fide_id,black\n{lines}");
        read(text.as_bytes(), Format::Csv, &Options::default()).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn kinds(plan: &Plan) -> Vec<(u32, Kind, u32)> {
        plan.changes.iter().map(|change| (change.pairing.number, change.kind, change.pairing.replaced)).collect()
    }

    #[test]
    fn other_players_are_another_game_once_the_round_is_published() {
        let mut file = event();
        let first = imported("1,Anna,7,Ben\n2,Clara,,Dan\n");
        let planned = plan(&file, 1, &first, false, false);
        assert_eq!((kinds(&planned), planned.needs_consent), (vec![(1, Kind::New, 0), (2, Kind::New, 0)], false));
        file.rounds.insert(1, planned.round);
        // The same FIDE number is the same player under another name.
        let second = imported("1,Anna Beispiel,7,Ben\n2,Clara,,Emil\n3,Fay,,Gus\n");
        let planned = plan(&file, 1, &second, false, false);
        let unpublished = vec![(1, Kind::Changed, 0), (2, Kind::Changed, 0), (3, Kind::New, 0)];
        assert_eq!((kinds(&planned), planned.needs_consent), (unpublished, false));
        file.publish("flagfall").expect("messages");
        let planned = plan(&file, 1, &second, false, false);
        let published = vec![(1, Kind::Changed, 0), (2, Kind::Changed, 1), (3, Kind::New, 0)];
        assert_eq!((kinds(&planned), planned.needs_consent), (published, true));
        assert_eq!(kinds(&plan(&file, 1, &second, false, true))[1], (2, Kind::Changed, 0), "a correction");
        let less = imported("2,Clara,,Dan\n");
        let planned = plan(&file, 1, &less, false, false);
        assert_eq!((kinds(&planned), planned.round.boards.len()), (vec![(1, Kind::Gone, 0), (2, Kind::Same, 0)], 1));
        let planned = plan(&file, 1, &less, true, false);
        assert_eq!((planned.round.boards.len(), planned.needs_consent), (2, false));
        // A later round may change as it likes.
        file.rounds.insert(2, MetaRound { number: 2, ..file.rounds[&1].clone() });
        file.publish("flagfall").expect("messages");
        assert!(!plan(&file, 2, &second, false, false).needs_consent);
    }
}

//! Finishes the pairings of a file: the round, the numbers of the boards, and what cannot be true of a round.

use std::collections::BTreeMap;

use super::{Imported, Options, Problems, Row, fields};
use crate::wire::meta::MAX_BOARDS;
use crate::wire::player::Player;

/// Chooses the round and the boards, gives numbers, and checks the pairings against each other.
pub(super) fn finish(mut imported: Imported, options: &Options) -> Result<Imported, Problems> {
    imported.round = choose_round(&mut imported, options.round)?;
    leave_out_byes(&mut imported);
    number_in_order(&mut imported)?;
    let mut problems = Problems::default();
    check(&imported.rows, &mut problems);
    imported.rows.sort_by_key(|row| row.number);
    if let Some(boards) = &options.boards {
        imported.rows.retain(|row| row.number.is_some_and(|number| boards.contains(number)));
    }
    if imported.rows.is_empty() {
        problems.add(0, "there is no pairing to import");
    }
    if imported.rows.len() > MAX_BOARDS {
        problems.add(0, format!("there are {} pairings, the limit is {MAX_BOARDS}", imported.rows.len()));
    }
    problems.ok(imported)
}

/// Keeps the rows of one round, and returns its number if it is known.
fn choose_round(imported: &mut Imported, wanted: Option<u32>) -> Result<Option<u32>, Problems> {
    let mut rounds: Vec<u32> = imported.rows.iter().filter_map(|row| row.round).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let known = imported.round;
    match (wanted, rounds.as_slice()) {
        (Some(wanted), []) => match known {
            Some(known) if known != wanted => Err(Problems::one(0, format!("the file has round {known}, not round {wanted}"))),
            _ => Ok(Some(wanted)),
        },
        (Some(wanted), rounds) => {
            if !rounds.contains(&wanted) {
                return Err(Problems::one(0, format!("the file has no round {wanted}, but {rounds:?}")));
            }
            imported.rows.retain(|row| row.round == Some(wanted));
            Ok(Some(wanted))
        }
        (None, []) => Ok(known),
        (None, [only]) => match imported.rows.iter().find(|row| row.round.is_none()) {
            Some(row) => Err(Problems::one(row.line, format!("this pairing has no round, others have round {only}"))),
            None => Ok(Some(*only)),
        },
        (None, rounds) => Err(Problems::one(0, format!("the file has the rounds {rounds:?}: choose one with --round"))),
    }
}

/// Leaves out the rows of players without an opponent.
fn leave_out_byes(imported: &mut Imported) {
    let Imported { rows, notes, .. } = imported;
    rows.retain(|row| {
        let names = [&row.white, &row.black].map(|player| player.name.as_deref().unwrap_or_default());
        let is_bye = names.iter().any(|name| fields::is_bye(name));
        if is_bye {
            notes.push(format!("line {}: {} - {} is no game, so it is left out", row.line, names[0], names[1]));
        }
        !is_bye
    });
}

/// Numbers the boards in the order of the file, if it has no numbers.
fn number_in_order(imported: &mut Imported) -> Result<(), Problems> {
    let numbered = imported.rows.iter().filter(|row| row.number.is_some()).count();
    if numbered == 0 {
        imported.rows.iter_mut().zip(1..).for_each(|(row, number)| row.number = Some(number));
        imported.notes.push("the file has no board numbers: the pairings are numbered in their order".to_owned());
    }
    let mut problems = Problems::default();
    for row in imported.rows.iter().filter(|row| row.number.is_none()) {
        problems.add(row.line, "this pairing has no board number, but others have one");
    }
    problems.ok(())
}

/// Takes the numbers of the boards from another list of the same pairings.
pub(super) fn number_by(imported: &mut Imported, boards: &Imported) -> Result<(), Problems> {
    for (rows, what) in [(&imported.rows, "the file has"), (&boards.rows, "the file of --boards-from has")] {
        if rows.len() > MAX_BOARDS {
            return Err(Problems::one(0, format!("{what} {} pairings, the limit is {MAX_BOARDS}", rows.len())));
        }
    }
    let same = |a: &Player, b: &Player| match (a.fide_id, b.fide_id) {
        (Some(a), Some(b)) => a == b,
        _ => key(a) == key(b),
    };
    let mut problems = Problems::default();
    for row in &mut imported.rows {
        let found: Vec<&Row> =
            boards.rows.iter().filter(|board| same(&board.white, &row.white) && same(&board.black, &row.black)).collect();
        match found.as_slice() {
            [only] => row.number = only.number,
            _ => {
                let what = if found.is_empty() { "not" } else { "more than once" };
                let (white, black) = (named(&row.white), named(&row.black));
                problems.add(row.line, format!("{white} - {black} stands {what} in the file of --boards-from"));
            }
        }
    }
    imported.guessed = false;
    problems.ok(())
}

/// What two spellings of one name have in common.
fn key(player: &Player) -> String {
    let name = player.name.as_deref().unwrap_or_default();
    let mut words: Vec<String> =
        name.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.sort();
    words.join(" ")
}

fn named(player: &Player) -> &str {
    player.name.as_deref().unwrap_or("?")
}

/// Finds what cannot be true of a round.
fn check(rows: &[Row], problems: &mut Problems) {
    let mut boards: BTreeMap<u32, usize> = BTreeMap::new();
    let mut ids: BTreeMap<u32, usize> = BTreeMap::new();
    let mut names: BTreeMap<String, (usize, Option<u32>)> = BTreeMap::new();
    for row in rows {
        if let Some(number) = row.number
            && let Some(before) = boards.insert(number, row.line)
        {
            problems.add(row.line, format!("board {number} stands already on line {before}"));
        }
        for (side, player) in [("White", &row.white), ("Black", &row.black)] {
            let Some(name) = &player.name else {
                problems.add(row.line, format!("{side} has no name"));
                continue;
            };
            if let Some(id) = player.fide_id
                && let Some(before) = ids.insert(id, row.line)
            {
                problems.add(row.line, format!("{side}: the player {id} of FIDE, {name}, stands already on line {before}"));
                continue;
            }
            // Two players may have one name if FIDE tells them apart, but not at one board.
            if let Some((before, other)) = names.insert(key(player), (row.line, player.fide_id))
                && (player.fide_id.is_none() || other.is_none() || before == row.line)
            {
                problems.add(row.line, format!("{side}: {name} stands already on line {before}"));
            }
        }
    }
}

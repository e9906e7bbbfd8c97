//! Reads pairings from FIDE's tournament report file (TRF16, TRF25): `001` lines with values at fixed columns of characters. The format
//! has no board numbers, so the order of the boards is guessed: higher score, then the sum of the scores, then the lower rank.

use std::collections::BTreeMap;

use super::{Imported, Problems, Row, fields};
use crate::wire::meta::PairingResult;
use crate::wire::player::Player;

/// The columns of a value, counted from 1 in characters, both ends included.
type Columns = (usize, usize);

const RANK: Columns = (5, 8);
const TITLE: Columns = (11, 13);
const NAME: Columns = (15, 47);
const RATING: Columns = (49, 52);
const FEDERATION: Columns = (54, 56);
const FIDE_ID: Columns = (58, 68);
/// The first column of the first round: an opponent of four digits, a blank, a colour, a blank and a result.
pub(in crate::event) const FIRST_ROUND: usize = 92;
/// The columns of one round.
pub(in crate::event) const ROUND_WIDTH: usize = 10;
/// The most rounds that are looked at.
const ROUNDS: usize = 99;

/// One player with his rounds.
struct Entry {
    line: usize,
    player: Player,
    rounds: Vec<Played>,
}

/// What a player has in one round.
#[derive(Clone, Copy, Default)]
struct Played {
    /// The rank of the opponent; none = no opponent.
    opponent: Option<u32>,
    color: char,
    result: char,
}

/// The characters at these columns.
pub(in crate::event) fn at(line: &[char], (first, last): Columns) -> String {
    line.iter().skip(first - 1).take(last + 1 - first).collect::<String>().trim().to_owned()
}

pub(super) fn read(text: &str, wanted: Option<u32>) -> Result<Imported, Problems> {
    let mut problems = Problems::default();
    let mut entries: BTreeMap<u32, Entry> = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| text.starts_with("001")) {
        let chars: Vec<char> = text.chars().collect();
        let Some((rank, entry)) = entry(line, &chars, &mut problems) else { continue };
        if let Some(before) = entries.get(&rank) {
            problems.add(line, format!("columns 5-8: the player {rank} stands already on line {}", before.line));
        } else {
            entries.insert(rank, entry);
        }
    }
    if entries.is_empty() {
        problems.add(0, "there is no player, a line that begins with 001");
    }
    let last =
        entries.values().map(|entry| entry.rounds.iter().rposition(|played| played.opponent.is_some()).map_or(0, |at| at + 1));
    let last = last.max().unwrap_or(0);
    let round = wanted.map_or(last, |round| round as usize);
    if problems.0.is_empty() && (round == 0 || round > last) {
        problems.add(0, format!("no player has an opponent in round {}", wanted.unwrap_or(1)));
    }
    if !problems.0.is_empty() {
        return Err(problems);
    }
    let (rows, notes) = pairings(&entries, round, &mut problems);
    problems.ok(Imported { rows, round: Some(round as u32), date: None, notes, guessed: true })
}

fn entry(line: usize, chars: &[char], problems: &mut Problems) -> Option<(u32, Entry)> {
    let rank = at(chars, RANK);
    let Some(rank) = rank.parse::<u32>().ok().filter(|rank| *rank > 0) else {
        problems.add(line, format!("columns 5-8: {rank:?} is no number of a player"));
        return None;
    };
    let mut player = Player {
        name: problems.take(line, "columns 15-47", fields::name(&at(chars, NAME))),
        title: problems.take(line, "columns 11-13", fields::title(&at(chars, TITLE))),
        rating: problems.take(line, "columns 49-52", fields::rating(&at(chars, RATING))),
        federation: problems.take(line, "columns 54-56", fields::federation(&at(chars, FEDERATION))),
        fide_id: problems.take(line, "columns 58-68", fields::fide_id(&at(chars, FIDE_ID))),
    };
    if player.name.is_none() {
        problems.add(line, "columns 15-47: there is no name");
        player.name = Some(format!("player {rank}"));
    }
    let mut rounds = Vec::new();
    for index in 0..ROUNDS {
        let first = FIRST_ROUND + index * ROUND_WIDTH;
        if chars.len() < first {
            break;
        }
        let text = at(chars, (first, first + 3));
        let char_at = |column: usize| chars.get(column - 1).copied().unwrap_or(' ');
        let (color, result) = (char_at(first + 5).to_ascii_lowercase(), char_at(first + 7).to_ascii_uppercase());
        let opponent = if text.is_empty() { Some(0) } else { text.parse::<u32>().ok() };
        let place = format!("round {}, columns {first}-{}", index + 1, first + 7);
        let Some(opponent) = opponent else {
            problems.add(line, format!("{place}: {text:?} is no number of a player"));
            continue;
        };
        if !matches!(color, 'w' | 'b' | '-' | ' ' | 's') || !"10=+-WLDHFUZ ".contains(result) {
            problems.add(line, format!("{place}: {color:?} is no colour, or {result:?} is no result"));
            continue;
        }
        rounds.push(Played { opponent: (opponent > 0).then_some(opponent), color, result });
    }
    Some((rank, Entry { line, player, rounds }))
}

/// The pairings of a round in the order of the boards, and what is left out.
fn pairings(entries: &BTreeMap<u32, Entry>, round: usize, problems: &mut Problems) -> (Vec<Row>, Vec<String>) {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    for (rank, entry) in entries {
        let played = entry.rounds.get(round - 1).copied().unwrap_or_default();
        let name = entry.player.name.as_deref().unwrap_or_default();
        let Some(rank_of_other) = played.opponent else {
            notes.push(format!("line {}: {name} has no opponent in round {round}", entry.line));
            continue;
        };
        let Some(other) = entries.get(&rank_of_other).filter(|_| rank_of_other != *rank) else {
            problems
                .add(entry.line, format!("round {round}: the opponent {rank_of_other} of {name} is no other player of the file"));
            continue;
        };
        let theirs = other.rounds.get(round - 1).copied().unwrap_or_default();
        if theirs.opponent != Some(*rank) {
            problems.add(
                entry.line,
                format!("round {round}: {name} has opponent {rank_of_other}, who on line {} has another one", other.line),
            );
            continue;
        }
        let white = match (played.color, theirs.color) {
            ('w', 'b') => true,
            ('b', 'w') => false,
            (mine, their) => {
                let line = entry.line.max(other.line);
                if *rank < rank_of_other {
                    problems.add(
                        line,
                        format!(
                            "round {round}: the colours of {rank} and {rank_of_other} are {mine:?} and {their:?}, not w and b"
                        ),
                    );
                }
                continue;
            }
        };
        if !white {
            continue;
        }
        let result = match result(played.result, theirs.result) {
            Ok(result) => result,
            Err(why) => {
                problems.add(entry.line, format!("round {round}: {why}"));
                continue;
            }
        };
        let (a, b) = (score(entry, round), score(other, round));
        let order = (std::cmp::Reverse(a.max(b)), std::cmp::Reverse(a + b), (*rank).min(rank_of_other));
        let row =
            Row { line: entry.line, round: None, number: None, white: entry.player.clone(), black: other.player.clone(), result };
        found.push((order, row));
    }
    found.sort_by_key(|(order, _)| *order);
    let rows = found.into_iter().zip(1..).map(|((_, row), number)| Row { number: Some(number), ..row });
    (rows.collect(), notes)
}

/// The points before a round, in halves.
fn score(entry: &Entry, round: usize) -> u32 {
    let points = |played: &Played| match played.result {
        '1' | '+' | 'W' | 'F' | 'U' => 2,
        '=' | 'D' | 'H' => 1,
        _ => 0,
    };
    entry.rounds.iter().take(round - 1).map(points).sum()
}

/// The result of a game by the letters of both players.
fn result(white: char, black: char) -> Result<Option<PairingResult>, String> {
    Ok(Some(match (white, black) {
        (' ', ' ') => return Ok(None),
        ('1' | 'W', '0' | 'L') => PairingResult::WhiteWins,
        ('0' | 'L', '1' | 'W') => PairingResult::BlackWins,
        ('=' | 'D', '=' | 'D') => PairingResult::Draw,
        ('+', '-') => PairingResult::BlackForfeits,
        ('-', '+') => PairingResult::WhiteForfeits,
        ('-', '-') => PairingResult::BothForfeit,
        ('0' | 'L', '0' | 'L') => PairingResult::BothLose,
        ('=' | 'D', '0' | 'L') => PairingResult::HalfToWhite,
        ('0' | 'L', '=' | 'D') => PairingResult::HalfToBlack,
        (white, black) => return Err(format!("the results {white:?} of White and {black:?} of Black contradict each other")),
    }))
}

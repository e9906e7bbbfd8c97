//! Finds the shortest line to a mate, for a person who plays it over. Both players help, so this is a shortest helpmate.
//!
//! The search tries 1, 2, 3 ... half-moves. For each number it lists the pictures of mate that are within reach (`pictures`), and
//! follows only moves after which one of them still is (`search`). A number without a picture, or whose search ends without a
//! mate, is excluded.

mod breadth;
mod failed;
mod paths;
mod pictures;
mod search;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position, Role};

use self::breadth::breadth;
use self::failed::Failed;
use self::paths::Paths;
use self::pictures::{Listing, MOST_MEN, men, pictures};
use self::search::{Search, Searched, shares};
use super::meter::Meter;
use super::solve::Budget;

/// The moves that a side may save by castling: the king goes two squares, and the rook moves too.
const CASTLING: u8 = 2;

/// Up to so many men, most of the budget is for the shortest line of all, which is nearly always found.
const FEW_MEN: usize = 6;
/// The numbers of men that a picture names. Fewer are named if there are too many pictures.
const NAMED: [usize; 3] = [MOST_MEN, 3, 1];
/// The largest number of positions in the search for the shortest end of a line, from one position of it.
const SUFFIX_NODES: u64 = 200_000;

/// The largest number of positions in a search with some pictures, for each length.
const TRY_NODES: u64 = 200_000;

/// The result of the search for a shorter line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shorter {
    /// The line; the known one if no shorter line was found.
    pub line: Vec<Move>,
    /// No line is shorter.
    pub shortest: bool,
    /// The number of positions generated.
    pub nodes: u64,
}

/// Looks for a line to a mate by `side` that is shorter than the known one: first for the shortest of all, and if the budget does not
/// suffice for that, for any. `go_on` is asked now and then, and ends the search by returning false.
pub fn shortest(position: &Chess, side: Color, known: &[Move], budget: Budget, go_on: &dyn Fn() -> bool) -> Shorter {
    let few = position.board().occupied().count() <= FEW_MEN;
    let part = budget.nodes / 16;
    let mut line = known.to_vec();
    let mut nodes = 0;
    if !few {
        let mut meter = Meter::new(part);
        let found = breadth(position, side, &mut meter, go_on);
        nodes += meter.counters.nodes;
        if let Some((found, shortest)) = found {
            if found.len() < line.len() {
                line = found;
            }
            if shortest {
                return Shorter { line, shortest, nodes };
            }
        }
    }
    let mut meter = Meter::new(if few { 12 * part } else { part });
    let lengths = Lengths { from: 1, known: line.len() };
    let found = deepen(position, side, lengths, Mode::Exact, budget.memory, &mut meter, go_on);
    nodes += meter.counters.nodes;
    let excluded = match found {
        Deepened::Line(line) => return Shorter { line, shortest: true, nodes },
        Deepened::Nothing => return Shorter { line, shortest: true, nodes },
        Deepened::Cut { excluded } => excluded,
    };
    let mut meter = Meter::new(part);
    let lengths = Lengths { from: excluded, known: line.len() };
    if let Deepened::Line(found) = deepen(position, side, lengths, Mode::Attempt, budget.memory, &mut meter, go_on) {
        line = found;
    }
    nodes += meter.counters.nodes;
    nodes += shorten_ends(position, side, &mut line, Budget { nodes: part, ..budget }, go_on);
    Shorter { line, shortest: false, nodes }
}

/// Replaces the ends of the line by shorter ones, beginning near the mate. Returns the number of positions generated.
fn shorten_ends(position: &Chess, side: Color, line: &mut Vec<Move>, budget: Budget, go_on: &dyn Fn() -> bool) -> u64 {
    let mut met = alloc::vec![position.clone()];
    for step in line.iter() {
        let mut after = met[met.len() - 1].clone();
        after.play_unchecked(*step);
        met.push(after);
    }
    let mut nodes = 0;
    for index in (1..line.len().saturating_sub(2)).rev() {
        if nodes > budget.nodes || !go_on() {
            break;
        }
        let mut meter = Meter::new(SUFFIX_NODES);
        let lengths = Lengths { from: 1, known: line.len() - index };
        if let Deepened::Line(end) = deepen(&met[index], side, lengths, Mode::Exact, budget.memory / 8, &mut meter, go_on) {
            line.truncate(index);
            line.extend(end);
        }
        nodes += meter.counters.nodes;
    }
    nodes
}

/// The numbers of half-moves that are tried: from the first, while they are less than the known one.
#[derive(Clone, Copy)]
struct Lengths {
    from: usize,
    known: usize,
}

/// The pictures that are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// All of them, so that a length without a mate is excluded.
    Exact,
    /// Some of them, with a limit for each length. What fails proves nothing.
    Attempt,
}

/// The result of the search with more and more half-moves.
enum Deepened {
    /// The first line that was found.
    Line(Vec<Move>),
    /// There is no line of these lengths; or none was found, if not all pictures were listed.
    Nothing,
    /// The budget was spent first. There is no line of fewer half-moves than this.
    Cut { excluded: usize },
}

fn deepen(
    position: &Chess,
    side: Color,
    lengths: Lengths,
    mode: Mode,
    memory: usize,
    meter: &mut Meter,
    go_on: &dyn Fn() -> bool,
) -> Deepened {
    // The winner makes the last half-move, so the side to move says whether the number is odd.
    let odd = position.turn() == side;
    let first = lengths.from.max(1) + usize::from((lengths.from.max(1) % 2 == 1) != odd);
    let men = men(position.board());
    if men.len() > MOST_MEN {
        return Deepened::Cut { excluded: first };
    }
    let spare = [side, !side].map(|color| if position.castles().has_color(color) { CASTLING } else { 0 });
    let others = |color: Color| men.iter().filter(|man| man.color != color && man.role != Role::King).count() as u32;
    let paths = Paths::new([others(Color::White), others(Color::Black)]);
    let mut named = NAMED[1..].iter();
    let exact = mode == Mode::Exact;
    // The lists of pictures take most of the rest.
    let mut failed = Failed::new(memory / 8 * 5);
    let mut listing = if exact { Listing::All(NAMED[0]) } else { Listing::Some };
    for plies in (first..lengths.known).step_by(2) {
        if !go_on() {
            return Deepened::Cut { excluded: plies };
        }
        let list = loop {
            let list = pictures(&men, side, shares(plies, spare), &paths, listing, meter);
            if list.is_some() || meter.spent() || !exact {
                break list;
            }
            match named.next() {
                Some(most) => listing = Listing::All(*most),
                None => break None,
            }
        };
        let Some(pictures) = list else { return Deepened::Cut { excluded: plies } };
        if pictures.is_empty() {
            continue;
        }
        let mut own = Meter::new(if exact { u64::MAX } else { TRY_NODES });
        let mut search = Search {
            side,
            spare,
            paths: &paths,
            pictures: &pictures,
            failed: &mut failed,
            meter: if exact { &mut *meter } else { &mut own },
            go_on,
            moves: 0,
        };
        let searched = search.run(position, &men, plies);
        meter.counters.nodes += own.counters.nodes;
        match searched {
            Searched::Mate(line) => return Deepened::Line(line),
            Searched::Cut if exact => return Deepened::Cut { excluded: plies },
            Searched::Nothing | Searched::Cut => {}
        }
    }
    Deepened::Nothing
}

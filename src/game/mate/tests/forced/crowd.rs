//! A knight or bishop against a pawn and another man, all near one corner, where mates are forced and where the defender's
//! men have homes. The test has two searches of its own, which do not use homes or tables.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};

use super::{next, print_figures};
use crate::mate::{Forced, forced};

/// True if White mates, or Black is mated, within this number of half-moves. Every move is tried.
fn mates_within(at: &Chess, plies: u32) -> bool {
    if at.is_checkmate() {
        return at.turn().is_black();
    }
    if plies == 0 || at.has_insufficient_material(Color::White) {
        return false;
    }
    let mut moves = at.legal_moves();
    // A move that takes the last man refutes at once.
    moves.sort_by_key(|step| !step.is_capture());
    let mut ends = moves.iter().map(|step| {
        let mut after = at.clone();
        after.play_unchecked(*step);
        mates_within(&after, plies - 1)
    });
    match at.turn() {
        Color::White => ends.any(|mated| mated),
        Color::Black => !moves.is_empty() && ends.all(|mated| mated),
    }
}

/// The men on the squares and the side to move as a key. There is no castling here, and White has no pawns for en passant.
fn key(at: &Chess) -> (Bitboard, [Bitboard; 6], bool) {
    let board = at.board();
    (board.white(), Role::ALL.map(|role| board.by_role(role)), at.turn().is_white())
}

struct Place {
    white: bool,
    before: Vec<usize>,
    /// The number of Black's replies that are not known to lose; `None` if the position is surely not lost, or is not
    /// followed.
    open: Option<usize>,
    won: bool,
}

/// Mates of any length, backwards from their ends, in the graph of the moves of White after which Black has no more than
/// `replies` replies, and of all moves of Black, up to `most` positions. A win in this graph is a win, because all of Black's
/// moves are in it. Without a limit of replies a position that is not won there is not won, if the graph is whole. The second
/// value says whether it is.
fn mates_ever(root: &Chess, replies: usize, most: usize) -> (bool, bool) {
    let mut places = vec![Place { white: root.turn().is_white(), before: Vec::new(), open: None, won: false }];
    let mut numbers = BTreeMap::from([(key(root), 0)]);
    let mut queue = vec![root.clone()];
    let mut mates = Vec::new();
    let mut whole = true;
    let mut index = 0;
    while let Some(at) = queue.get(index).cloned() {
        let moves = at.legal_moves();
        let white = at.turn().is_white();
        if !white && at.is_checkmate() {
            places[index].won = true;
            mates.push(index);
        }
        if places.len() + moves.len() > most {
            whole = false;
        } else if !at.has_insufficient_material(Color::White) {
            let mut afters: Vec<Chess> = Vec::new();
            for step in &moves {
                let mut after = at.clone();
                after.play_unchecked(*step);
                afters.push(after);
            }
            let taken = !white && afters.iter().any(|after| after.has_insufficient_material(Color::White));
            if taken {
                afters.clear();
            }
            if white {
                let all = afters.len();
                afters.retain(|after| after.legal_moves().len() <= replies);
                whole &= afters.len() == all;
            } else if !afters.is_empty() {
                places[index].open = Some(afters.len());
            }
            for after in afters {
                let new = places.len();
                let number = *numbers.entry(key(&after)).or_insert(new);
                if number == new {
                    places.push(Place { white: !white, before: Vec::new(), open: None, won: false });
                    queue.push(after);
                }
                places[number].before.push(index);
            }
        }
        index += 1;
    }
    while let Some(number) = mates.pop() {
        for before in core::mem::take(&mut places[number].before) {
            let place = &mut places[before];
            let open = place.open.map(|open| open - 1);
            place.open = open;
            if !place.won && (place.white || open == Some(0)) {
                place.won = true;
                mates.push(before);
            }
        }
    }
    (places[0].won, whole)
}

/// White's king and knight or bishop, and Black's king, pawn and one more man, on 4 x 4 squares in a corner.
fn crowded(state: &mut u64) -> Option<Chess> {
    let one = [Role::Knight, Role::Bishop][next(state) as usize % 2];
    let other = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen][next(state) as usize % 4];
    let corner = next(state) % 4;
    let men = [
        Color::White.king(),
        Piece { color: Color::White, role: one },
        Color::Black.king(),
        Color::Black.pawn(),
        Piece { color: Color::Black, role: other },
    ];
    let mut board = Board::empty();
    // Black's king often stands in the corner itself, with his men around it.
    let sizes = [4, 5, 1 + next(state) % 2, 3, 3];
    for (size, piece) in sizes.into_iter().zip(&men) {
        let (file, rank) = (next(state) % size, next(state) % size);
        let file = if corner.is_multiple_of(2) { file } else { 7 - file };
        let rank = if corner < 2 { rank } else { 7 - rank };
        board.set_piece_at(Square::new(rank * 8 + file), *piece);
    }
    let whole = board.occupied().count() == men.len() && (board.pawns() & Bitboard::BACKRANKS).is_empty();
    let setup = Setup { board, turn: Color::from_white(next(state).is_multiple_of(2)), ..Setup::empty() };
    let at = Chess::from_setup(setup, CastlingMode::Standard).ok().filter(|_| whole)?;
    // Black's king has few steps, and the last man cannot simply be taken.
    let steps = at.clone().swap_turn().ok().filter(|_| at.turn().is_white()).unwrap_or(at.clone()).legal_moves();
    let king = steps.iter().filter(|step| step.role() == Role::King).count();
    (king <= 1 && !(at.turn().is_black() && steps.iter().any(|step| step.is_capture()))).then_some(at)
}

#[derive(Default)]
struct Counts {
    compared: u32,
    /// Mates that the test found, and those among them that are longer than the half-moves that are all tried.
    wins: u32,
    deep: u32,
    /// Positions that the test knows to have no mate.
    safe: u32,
    /// Wins by the search.
    said_won: u32,
    said_none: u32,
    open: u32,
    /// Mates of the search that the test did not find.
    unconfirmed: u32,
}

/// Compares the positions that have a mate in `plies`, and every eighth of the others.
fn compared(seed: u64, positions: u32, plies: u32, most: usize, nodes: u32) -> Counts {
    let mut state = seed;
    let mut counts = Counts::default();
    for (number, at) in core::iter::repeat_with(|| crowded(&mut state)).flatten().take(positions as usize).enumerate() {
        let near = (0..=plies).find(|plies| mates_within(&at, *plies));
        if near.is_none() && number % 8 > 0 {
            continue;
        }
        counts.compared += 1;
        let (won, whole) = match near {
            Some(_) => (true, true),
            None => {
                let (few, _) = mates_ever(&at, 3, most);
                if few { (true, true) } else { mates_ever(&at, usize::MAX, most) }
            }
        };
        counts.wins += u32::from(won);
        counts.deep += u32::from(won && near.is_none());
        counts.safe += u32::from(!won && whole);
        match forced(&at, Color::White, nodes) {
            Forced::Open => counts.open += 1,
            Forced::None => {
                counts.said_none += 1;
                assert!(!won, "a mate ({near:?}) is denied: {:?} {:?}", at.board(), at.turn());
            }
            Forced::Win { plies: said } => {
                counts.said_won += 1;
                counts.unconfirmed += u32::from(!won);
                assert!(won || !whole, "there is no mate: {:?} {:?}", at.board(), at.turn());
                let shortest = near.unwrap_or(plies + 1);
                assert!(said >= shortest, "{said} for {shortest}: {:?} {:?}", at.board(), at.turn());
            }
        }
    }
    counts
}

fn figures(counts: &Counts) {
    let Counts { compared, wins, deep, safe, said_won, said_none, open, unconfirmed } = counts;
    print_figures(format_args!(
        "crowded: {compared} compared, {wins} won ({deep} of them deep), {safe} surely not; \
         said: {said_won} won ({unconfirmed} unconfirmed), {said_none} not, {open} open"
    ));
}

#[test]
fn no_forced_mate_in_a_crowd_is_denied() {
    let counts = compared(5, 2_200, 4, 500, 10_000);
    figures(&counts);
    assert!(counts.wins >= 30, "{} won", counts.wins);
    assert!(counts.open * 4 <= counts.compared * 3, "{} open", counts.open);
}

#[test]
#[ignore = "minutes: for a release build"]
fn no_forced_mate_in_a_large_crowd_is_denied() {
    let counts = compared(6, 20_000, 6, 20_000, 20_000);
    figures(&counts);
    assert!(counts.wins >= 300, "{} won", counts.wins);
}

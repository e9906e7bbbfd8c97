//! Positions with locked pawns, compared with exhaustion and with random play.
//!
//! Half of them are made at random, the others are walls of our own with a few changes or with men on other squares. If the
//! answer is "unwinnable" because of a wall, all positions that can arise are generated as far as the cap allows, and none may be
//! a mate. Besides, random moves are played behind each wall: every legal move must stay behind it, stalemate, or mate the side.

use flagfall_game::mate::check::{check, wall};
use flagfall_game::mate::{Answer, Budget, Reason, Wall, winnable};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, File, FromSetup, Piece, Position, Rank, Role, Setup, Square,
};

use crate::seeds::{campaign, ordinary};

use crate::exhaust::exhaust;
use crate::mutants::{Dice, mutant};
use crate::rows::position;
use crate::tally::print_line;

/// Walls with several bishops, walls that a king may only break by stalemate, and walls that a pawn breaks only by mate.
const OWN: [&str; 10] = [
    "8/b1b5/k6p/2b2p1P/1b3p2/5PpK/6P1/8 w - -",
    "8/8/7p/5p1P/3b1p1K/5Pp1/6P1/5kb1 b - -",
    "8/1p6/1Pp5/k1P5/p1P5/P1K1B3/3B4/8 w - -",
    "1K6/1p4B1/kPp2B2/2P1B3/p1PB4/P1B5/8/8 w - -",
    "k1b5/1p1p4/1P1P4/B7/8/2B5/8/K7 w - -",
    "8/2b5/kp1p1p2/1PpP1Pp1/K1P3P1/3B4/8/8 b - -",
    "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - -",
    "1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - -",
    "7B/8/3k4/1p1p4/1P1Pp1p1/1pppP1P1/2p5/2K5 b - -",
    "4k3/8/2ppp3/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - -",
];

/// The budget of a question: enough for all walls, and too little for long searches.
const BUDGET: Budget = Budget { nodes: 4_000, memory: 8 << 20 };

/// Pairs of pawns that block each other, each king mostly behind its own pawns, and a few other men.
fn random_wall(dice: &mut Dice) -> Option<Chess> {
    let mut board = Board::empty();
    // A pair on every file, or on every second one. Neighbours must differ in height, because otherwise they take each other.
    let every = 1 + dice.below(2);
    let mut height = 1 + dice.below(5);
    for file in File::ALL.into_iter().skip(dice.below(every)).step_by(every) {
        height = match dice.below(every + 1) {
            0 => height - 1,
            1 => height + 1,
            _ => height,
        };
        height = if height < 1 {
            2
        } else if height > 5 {
            4
        } else {
            height
        };
        if dice.below(16) > 0 {
            let rank = u32::try_from(height).ok()?;
            board.set_piece_at(Square::from_coords(file, Rank::new(rank)), Color::White.pawn());
            board.set_piece_at(Square::from_coords(file, Rank::new(rank + 1)), Color::Black.pawn());
        }
    }
    for color in Color::ALL {
        let pawns = board.by_piece(color.pawn());
        let behind = pawns.into_iter().fold(Bitboard::EMPTY, |sum, pawn| {
            let rank = u32::from(pawn.rank());
            let ranks = Rank::ALL.into_iter().map(u32::from);
            let behind = ranks.filter(|other| color.fold_wb(*other < rank, *other > rank));
            sum | behind.map(|other| Square::from_coords(pawn.file(), Rank::new(other))).collect::<Bitboard>()
        });
        let place = if dice.below(8) > 0 { behind & !board.occupied() } else { !board.occupied() };
        board.set_piece_at(dice.of(place)?, color.king());
        for _ in 0..dice.below(3) {
            let at = dice.of(!board.occupied())?;
            let role =
                [Role::Bishop, Role::Bishop, Role::Bishop, Role::Bishop, Role::Bishop, Role::Knight, Role::Rook, Role::Pawn]
                    [dice.below(8)];
            if role != Role::Pawn || !Bitboard::BACKRANKS.contains(at) {
                board.set_piece_at(at, Piece { color, role });
            }
        }
    }
    from_board(board, Color::from_white(dice.below(2) == 0))
}

/// One of our own walls with its pawns, and other men that each may have gone one step.
fn shuffled(wall: &Chess, dice: &mut Dice) -> Option<Chess> {
    let mut board = wall.board().clone();
    for from in wall.board().occupied() & !wall.board().pawns() {
        let piece = board.remove_piece_at(from)?;
        let near = !board.occupied() & shakmaty::attacks::king_attacks(from);
        let to = if dice.below(2) == 0 { dice.of(near).unwrap_or(from) } else { from };
        board.set_piece_at(to, piece);
    }
    from_board(board, Color::from_white(dice.below(2) == 0))
}

fn from_board(board: Board, turn: Color) -> Option<Chess> {
    Chess::from_setup(Setup { board, turn, ..Setup::empty() }, CastlingMode::Standard).ok()
}

/// True if the men stand behind the wall. A wall knows which pawns may be taken in passing, but no position with that right is said to
/// be behind it.
fn behind(wall: &Wall, at: &Chess) -> bool {
    let setup = Setup { ep_square: None, ..at.to_setup(EnPassantMode::Legal) };
    Chess::from_setup(setup, CastlingMode::Standard).is_ok_and(|at| wall::holds(wall, &at))
}

/// Plays random moves behind the wall; true if every legal move on the way stays behind it, stalemates, or mates the side.
fn closed(wall: &Wall, root: &Chess, side: Color, dice: &mut Dice) -> bool {
    let mut at = root.clone();
    for _ in 0..60 {
        let moves = at.legal_moves();
        if moves.is_empty() {
            return true;
        }
        let mut inside = Vec::new();
        for step in moves {
            let mut after = at.clone();
            after.play_unchecked(step);
            if behind(wall, &after) {
                inside.push(after);
            } else if !after.legal_moves().is_empty() || after.is_check() && after.turn() != side {
                return false;
            }
        }
        if inside.is_empty() {
            return true;
        }
        at = inside.swap_remove(dice.below(inside.len()));
    }
    true
}

fn walls(answer: &Answer) -> &[Wall] {
    match answer {
        Answer::Unwinnable { reason: Reason::Wall(wall) } => core::slice::from_ref(wall),
        Answer::Unwinnable { reason: Reason::Exhausted(closure) } => &closure.walls,
        _ => &[],
    }
}

/// Compares this number of positions of one seed, each for both sides; returns the number of answers.
fn compare_walls(positions: usize, cap: usize, seed: u64) -> u64 {
    let own: Vec<Chess> = OWN.iter().map(|fen| position(fen)).collect();
    let mut dice = Dice(seed);
    let [mut made, mut walled, mut exhausted, mut wrong] = [0_usize; 4];
    while made < positions {
        let one = &own[dice.below(own.len())];
        let new = match dice.below(4) {
            0 | 1 => random_wall(&mut dice),
            2 => shuffled(one, &mut dice),
            _ => mutant(one, &mut dice),
        };
        let Some(at) = new else { continue };
        made += 1;
        for side in Color::ALL {
            let answer = winnable(&at, side, BUDGET);
            let walls = walls(&answer);
            if walls.is_empty() {
                continue;
            }
            walled += 1;
            let refused = check(&at, side, &answer).err();
            let mate = exhaust(&at, side, cap);
            exhausted += usize::from(mate == Some(false));
            let open = walls.iter().any(|wall| behind(wall, &at) && !closed(wall, &at, side, &mut dice));
            if refused.is_some() || mate == Some(true) || open {
                wrong += 1;
                let fen = shakmaty::fen::Fen::from_position(&at, EnPassantMode::Legal);
                print_line(&format!("position {made} of seed {seed:#x}: {fen} {side}: {refused:?} {mate:?} {open} {answer:?}"));
            }
        }
    }
    if ordinary() {
        print_line(&format!("{made} positions: {walled} answers by walls, {exhausted} exhausted, {wrong} wrong"));
        assert!(walled * 8 > made && exhausted * 5 > walled, "{walled} walls, {exhausted} exhausted");
    }
    assert_eq!(wrong, 0);
    2 * made as u64
}

#[test]
fn walls_against_exhaustion() {
    const FIRST: u64 = 0x00f1_a6fa_1100_0001;
    campaign("walls of 6.9", FIRST..FIRST + 1, |seed| compare_walls(100, 20_000, seed));
}

//! Hard positions with a man moved, added or removed, compared with exhaustion.
//!
//! A line that ends with mate needs no second check. A position with the answer "unwinnable" is exhausted here as far as the cap
//! allows, and must have no mate.

use flagfall_game::mate::check::{Refused, check, check_within};
use flagfall_game::mate::{Answer, Budget, winnable};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position, Role, Setup, Square};

use crate::seeds::campaign;

use crate::exhaust::exhaust;
use crate::rows::{all_rows, position};
use crate::tally::print_line;

/// A sequence of random numbers that is the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % end as u64).expect("below `end`")
    }

    pub(crate) fn of(&mut self, squares: Bitboard) -> Option<Square> {
        if squares.is_empty() { None } else { squares.into_iter().nth(self.below(squares.count())) }
    }
}

/// The position with one to three small changes; `None` if it is illegal.
pub(crate) fn mutant(seed: &Chess, dice: &mut Dice) -> Option<Chess> {
    let mut setup = seed.to_setup(EnPassantMode::Legal);
    for _ in 0..=dice.below(3) {
        change(&mut setup.board, dice)?;
        setup.ep_square = None;
        setup.castling_rights = Bitboard::EMPTY;
    }
    if dice.below(4) == 0 {
        setup.turn = !setup.turn;
    }
    Chess::from_setup(Setup { ..setup }, CastlingMode::Standard).ok()
}

fn change(board: &mut Board, dice: &mut Dice) -> Option<()> {
    let empty = !board.occupied();
    let men = board.occupied() & !board.kings();
    match dice.below(4) {
        0 => {
            let from = dice.of(board.occupied())?;
            let piece = board.remove_piece_at(from)?;
            let near = empty & shakmaty::attacks::king_attacks(from);
            board.set_piece_at(dice.of(near)?, piece);
        }
        1 => board.discard_piece_at(dice.of(men)?),
        2 => {
            let role = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook][dice.below(4)];
            let color = Color::from_white(dice.below(2) == 0);
            board.set_piece_at(dice.of(empty)?, Piece { color, role });
        }
        _ => {
            let at = dice.of(men)?;
            let piece = board.remove_piece_at(at)?;
            let color = !piece.color;
            board.set_piece_at(at, Piece { color, ..piece });
        }
    }
    Some(())
}

/// Positions for a machine without the reference rows.
const OWN: [&str; 5] = [
    "1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - -",
    "8/1p1p2p1/1P1P2P1/1pBp2pB/1P1P2P1/k7/3P2P1/K7 b - -",
    "1Bb5/1p6/pPp3k1/2Pp3p/P2PpBpP/4P1P1/5K2/8 w - -",
    "3k1b2/2p1pBp1/KpP1P1P1/1P3B2/4B1B1/5B2/8/8 w - -",
    "1k6/1P1p1p1p/BP6/1P5p/8/8/3P1PKP/8 w - -",
];

/// The hard positions that are changed.
fn seeds() -> Vec<Chess> {
    let seeds: Vec<Chess> = all_rows().iter().filter(|row| row.hardness == "hard").map(|row| position(&row.fen)).collect();
    if seeds.is_empty() {
        print_line("no reference rows beside the clone: mutants of a few positions of our own");
        return OWN.map(position).into();
    }
    seeds
}

/// The error in the proof of the answer. That a line is shortest is checked with few positions; `verdicts` checks it completely.
fn refused(at: &Chess, side: Color, answer: &Answer) -> Option<Refused> {
    const FEW: usize = 20_000;
    if let Answer::Winnable { line, shortest: true } = answer
        && check_within(at, side, answer, FEW) == Err(Refused::TooLarge)
    {
        return check(at, side, &Answer::Winnable { line: line.clone(), shortest: false }).err();
    }
    check(at, side, answer).err()
}

/// Compares this number of mutants of one seed, each for both sides; returns the number of answers.
fn compare_mutants(seeds: &[Chess], mutants: usize, cap: usize, seed: u64) -> u64 {
    let mut dice = Dice(seed);
    let [mut made, mut won, mut open, mut wrong] = [0_usize; 4];
    let mut lost = UnwinnableTally::default();
    while made < mutants {
        let Some(at) = mutant(&seeds[dice.below(seeds.len())], &mut dice) else {
            continue;
        };
        made += 1;
        for side in Color::ALL {
            let answer = winnable(&at, side, Budget::FULL);
            let refused = refused(&at, side, &answer);
            let mated = match &answer {
                Answer::Winnable { .. } => {
                    won += 1;
                    false
                }
                Answer::Undecided { .. } => {
                    open += 1;
                    false
                }
                Answer::Unwinnable { .. } => lost.count(exhaust(&at, side, cap)),
            };
            if refused.is_some() || mated {
                wrong += 1;
                let fen = shakmaty::fen::Fen::from_position(&at, EnPassantMode::Legal);
                print_line(&format!("mutant {made} of seed {seed:#x}: {fen} {side}: {refused:?} {mated} {answer:?}"));
            }
        }
        if made % 1_000 == 0 {
            print_line(&format!("{made} mutants, both sides: {won} winnable, {lost:?}, {open} undecided, {wrong} wrong"));
        }
    }
    assert_eq!(wrong, 0);
    2 * made as u64
}

/// The results of exhaustion for answers "unwinnable".
#[derive(Debug, Default)]
struct UnwinnableTally {
    exhausted: u32,
    larger_than_the_cap: u32,
}

impl UnwinnableTally {
    /// Counts a result; returns true if there is a mate in spite of the answer.
    fn count(&mut self, mated: Option<bool>) -> bool {
        match mated {
            Some(_) => self.exhausted += 1,
            None => self.larger_than_the_cap += 1,
        }
        mated == Some(true)
    }
}

#[test]
fn mutants_against_exhaustion() {
    const FIRST: u64 = 0x00f1_a6fa_1100_0001;
    let seeds = seeds();
    campaign("mutants of 6.9", FIRST..FIRST + 1, |seed| compare_mutants(&seeds, 50, 300_000, seed));
}

//! Hard positions with a man moved, added or taken away, against plain exhaustion.
//!
//! A line that replays to mate needs no second opinion. What is said to be unwinnable is exhausted here without cuts, as far
//! as the cap allows, and must hold no mate.

use std::collections::BTreeSet;

use flagfall_game::mate::check::check;
use flagfall_game::mate::{Answer, Budget, winnable};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position, Role, Setup, Square};

use super::rows::{position, rows};
use super::three_men::say;

/// A sequence of numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % end as u64).expect("below `end`")
    }

    fn of(&mut self, squares: Bitboard) -> Option<Square> {
        if squares.is_empty() { None } else { squares.into_iter().nth(self.below(squares.count())) }
    }
}

/// The position with one to three small changes; `None` if that is no position.
fn mutant(seed: &Chess, dice: &mut Dice) -> Option<Chess> {
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

/// All that can arise: `Some(true)` a mate by `side`, `Some(false)` none, `None` more positions than the cap.
fn exhaust(root: &Chess, side: Color, cap: usize) -> Option<bool> {
    let same = |at: &Chess| {
        let (roles, colors) = at.board().clone().into_bitboards();
        let men = [roles.pawn, roles.knight, roles.bishop, roles.rook, roles.queen, roles.king, colors.white].map(|set| set.0);
        let ep = at.ep_square(EnPassantMode::Legal).map_or(64, u32::from);
        (men, at.turn().is_white(), at.castles().castling_rights().0, ep)
    };
    let mut met = BTreeSet::from([same(root)]);
    let mut open = vec![root.clone()];
    while let Some(at) = open.pop() {
        let moves = at.legal_moves();
        if moves.is_empty() && at.is_check() && at.turn() != side {
            return Some(true);
        }
        for step in moves {
            let mut after = at.clone();
            after.play_unchecked(step);
            if met.insert(same(&after)) {
                open.push(after);
            }
        }
        if met.len() > cap {
            return None;
        }
    }
    Some(false)
}

fn differ(mutants: usize, cap: usize, seed: u64) {
    let seeds: Vec<Chess> = [rows("unwinnable.csv"), rows("unwinnable-bulk.csv.gz")]
        .concat()
        .iter()
        .filter(|row| row.hardness == "hard")
        .map(|row| position(&row.fen))
        .collect();
    let mut dice = Dice(seed);
    let (mut made, mut won, mut lost, mut plain, mut open) = (0, 0, 0, 0, 0);
    while made < mutants {
        let Some(at) = mutant(&seeds[dice.below(seeds.len())], &mut dice) else {
            continue;
        };
        made += 1;
        for side in Color::ALL {
            let answer = winnable(&at, side, Budget::FULL);
            let fen = shakmaty::fen::Fen::from_position(&at, EnPassantMode::Legal);
            let what = format!("mutant {made} of seed {seed:#x}: {fen} {side}");
            assert_eq!(check(&at, side, &answer), Ok(()), "{what}: {answer:?}");
            match answer {
                Answer::Winnable { .. } => won += 1,
                Answer::Undecided { .. } => open += 1,
                Answer::Unwinnable { reason } => {
                    lost += 1;
                    let truth = exhaust(&at, side, cap);
                    assert_ne!(truth, Some(true), "{what}: {reason:?}");
                    plain += u32::from(truth.is_some());
                }
            }
        }
    }
    say(&format!(
        "{made} mutants, both sides: {won} winnable, {lost} unwinnable ({plain} exhausted below {cap}), {open} undecided"
    ));
}

#[test]
#[ignore = "2,000 mutants against exhaustion: a release build"]
fn mutants_against_exhaustion() {
    differ(2_000, 300_000, 0x00f1_a6fa_1100_0001);
}

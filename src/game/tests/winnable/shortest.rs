//! Lines for people: up to six men no line is shorter, and with more men the line is at most half as long again as the shortest known.

use flagfall_game::laws::answering::{SHORTER_NODES, improved};
use flagfall_game::mate::{Answer, Budget, shorten, winnable};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Position, Role, Setup, Square};

use crate::layers::{MOST_MEN, Plies, plies};
use crate::mutants::Dice;
use crate::rows::position;
use crate::tally::print_line;

/// The line that an arbiter gets in the end, with whether it is called shortest; none if the side cannot mate.
fn line(at: &Chess, side: Color) -> Option<(usize, bool)> {
    let answer = shorten(at, side, winnable(at, side, Budget::FULL), Budget::FULL);
    let better = improved(at, side, &answer, SHORTER_NODES, &|| true);
    match better.unwrap_or(answer) {
        Answer::Winnable { line, shortest } => Some((line.len(), shortest)),
        _ => None,
    }
}

/// A random position with so many men.
fn random(men: usize, dice: &mut Dice) -> Option<Chess> {
    let mut board = Board::empty();
    for color in Color::ALL {
        board.set_piece_at(dice.of(!board.occupied())?, color.king());
    }
    for _ in 2..men {
        let role = [Role::Pawn, Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen][dice.below(6)];
        let free = if role == Role::Pawn { !board.occupied() & !Bitboard::BACKRANKS } else { !board.occupied() };
        board.set_piece_at(dice.of(free)?, role.of(Color::from_white(dice.below(2) == 0)));
    }
    let setup = Setup { board, turn: Color::from_white(dice.below(2) == 0), ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).ok()
}

#[test]
#[ignore = "try"]
fn up_to_six_men() {
    const MOST: usize = 2_000_000;
    let mut dice = Dice(0x00f1_a6fa_1100_0001);
    for men in 3..=MOST_MEN {
        let (mut exact, mut open, mut unsure) = (0, 0, 0);
        let (mut took, mut took_plain) = (0, 0);
        let mut made = 0;
        while made < 25 {
            let Some(at) = random(men, &mut dice) else { continue };
            for side in Color::ALL {
                let t = std::time::Instant::now();
                let Some((length, shortest)) = line(&at, side) else { continue };
                took += t.elapsed().as_millis();
                made += 1;
                let t = std::time::Instant::now();
                let known = plies(&at, side, MOST);
                took_plain += t.elapsed().as_millis();
                let fen = shakmaty::fen::Fen::from_position(&at, shakmaty::EnPassantMode::Legal);
                match known {
                    Plies::Shortest(known) if known == length => exact += 1,
                    Plies::MoreThan(known) if known < length => open += 1,
                    _ => print_line(&format!("WRONG {fen} {side} {length} {known:?}")),
                }
                if !shortest { unsure += 1; print_line(&format!("unsure {fen} {side} {length} {known:?}")); }
            }
        }
        print_line(&format!("{men}: exact {exact} open {open} unsure {unsure} took {took} {took_plain}"));
    }
    for (fen, side) in [("8/8/4k3/8/8/3NK3/5r2/8 w - -", Color::White)] {
        let at = position(fen);
        let t = std::time::Instant::now();
        print_line(&format!("{fen} {:?} {:?} {:?}", line(&at, side), plies(&at, side, 20_000_000), t.elapsed()));
    }
}

#[test]
#[ignore = "try"]
fn rows_try() {
    let (mut n, mut un, mut worst) = (0, 0, 0.0_f64);
    for (i, row) in crate::rows::rows("unwinnable.csv").into_iter().filter(|row| row.winnable).enumerate() {
        let at = position(&row.fen);
        let men = at.board().occupied().count();
        if men <= 6 {
            let answer = shorten(&at, row.side, winnable(&at, row.side, Budget::FULL), Budget::FULL);
            let Answer::Winnable { line, .. } = &answer else { panic!() };
            let t = std::time::Instant::now();
            let found = flagfall_game::mate::shortest(&at, row.side, line, Budget { nodes: SHORTER_NODES, memory: 64 << 20 }, &|| true);
            n += 1;
            if !found.shortest {
                un += 1;
                let t1 = t.elapsed();
                let t = std::time::Instant::now();
                let more = flagfall_game::mate::shortest(&at, row.side, line, Budget { nodes: 20 * SHORTER_NODES, memory: 64 << 20 }, &|| true);
                print_line(&format!("{} {} {} -> {} {} nodes {} {:?} {:?}", row.fen, row.side, line.len(), found.line.len(), more.line.len(), more.nodes, more.shortest, (t1, t.elapsed())));
            }
        } else if i % 12 == 0 {
            let Some((length, shortest)) = line(&at, row.side) else { panic!() };
            let Some(known) = row.known else { continue };
            let ratio = length as f64 / known as f64;
            worst = worst.max(ratio);
            if ratio > 1.0 { print_line(&format!("{} {} {length} {shortest} known {known} {ratio}", row.fen, row.side)); }
        }
    }
    print_line(&format!("{n} {un} {worst}"));
}

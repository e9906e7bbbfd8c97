//! Lines for people: up to six men no line is shorter, and with more men the line is at most half as long again as the shortest known.

use flagfall_game::laws::answering::{SHORTER_NODES, improved};
use flagfall_game::mate::{Answer, Budget, shorten, shortest, winnable};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Position, Role, Setup, fen::Fen};

use crate::layers::{MOST_MEN, Plies, plies};
use crate::mutants::Dice;
use crate::rows::{position, rows};
use crate::tally::print_line;

/// The number of half-moves in the line that an arbiter gets at last; none if the side cannot mate.
fn length(at: &Chess, side: Color) -> Option<usize> {
    let first = shorten(at, side, winnable(at, side, Budget::FULL), Budget::FULL);
    let better = improved(at, side, &first, SHORTER_NODES, &|| true);
    if let Answer::Winnable { line, .. } = better.unwrap_or(first) { Some(line.len()) } else { None }
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
    let turn = Color::from_white(dice.below(2) == 0);
    Chess::from_setup(Setup { board, turn, ..Setup::empty() }, CastlingMode::Standard).ok()
}

/// Compares the line with the plain search. True if that search came to an end.
fn compare(at: &Chess, side: Color, length: usize, most: usize) -> bool {
    let found = plies(at, side, most);
    let agrees = match found {
        Plies::Shortest(known) => known == length,
        Plies::MoreThan(known) => known < length,
        Plies::Never => false,
    };
    assert!(agrees, "{} {side}: {length} half-moves, {found:?}", Fen::from_position(at, EnPassantMode::Legal));
    matches!(found, Plies::Shortest(_))
}

/// Endings with a long way to the mate.
const LONG: [(&str, Color); 3] = [
    ("8/8/4k3/8/8/3NK3/5r2/8 w - -", Color::White),
    ("K6r/8/8/3k4/8/8/8/N7 w - -", Color::White),
    ("8/8/8/8/K7/7k/4p3/N7 b - -", Color::Black),
];

#[test]
#[ignore = "a plain search of millions of positions for each of 100 questions: minutes"]
fn up_to_six_men_no_line_is_shorter() {
    let mut dice = Dice(0x00f1_a6fa_1100_0001);
    for men in 3..=MOST_MEN {
        let [mut lines, mut compared] = [0; 2];
        while lines < 25 {
            let Some(at) = random(men, &mut dice) else { continue };
            for side in Color::ALL {
                let Some(length) = length(&at, side) else { continue };
                lines += 1;
                compared += usize::from(compare(&at, side, length, 1_000_000));
            }
        }
        print_line(&format!("{men} men: {lines} lines, {compared} compared with the shortest, the others with a lower bound"));
        assert!(compared * 3 > lines);
    }
    for (fen, side) in LONG {
        let at = position(fen);
        let length = length(&at, side).expect(fen);
        assert!(compare(&at, side, length, 10_000_000), "{fen}");
        print_line(&format!("{fen}: {length} half-moves"));
    }
}

#[test]
#[ignore = "400 rows of up to six men: a minute"]
fn the_search_ends_for_nearly_all_rows_of_six_men() {
    let [mut lines, mut open] = [0; 2];
    for row in rows("unwinnable.csv").into_iter().filter(|row| row.known.is_some()) {
        let at = position(&row.fen);
        if at.board().occupied().count() > MOST_MEN {
            continue;
        }
        let Answer::Winnable { line, .. } = winnable(&at, row.side, Budget::FULL) else { panic!("{}", row.fen) };
        let found = shortest(&at, row.side, &line, Budget { nodes: SHORTER_NODES, ..Budget::FULL }, &|| true);
        lines += 1;
        if !found.shortest {
            open += 1;
            print_line(&format!("{} {}: {} half-moves, and perhaps fewer", row.fen, row.side, found.line.len()));
        }
    }
    print_line(&format!("{lines} lines, {open} of them perhaps not the shortest"));
    assert!(open * 100 <= lines);
}

/// Positions whose shortest line is known.
const KNOWN: [(&str, Color, usize); 4] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", Color::White, 5),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", Color::Black, 4),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -", Color::White, 4),
    ("8/8/4k1p1/1KB1p3/2p1qb2/8/8/1q6 w - -", Color::White, 37),
];

#[test]
#[ignore = "a hundred and some rows of more than six men: a minute"]
fn with_more_men_a_line_is_at_most_half_as_long_again() {
    let rows = rows("unwinnable.csv");
    let rows = rows.iter().filter_map(|row| Some((row.fen.as_str(), row.side, row.known?)));
    let more = |fen: &str| position(fen).board().occupied().count() > MOST_MEN;
    let rows = rows.filter(|(fen, ..)| more(fen)).step_by(20);
    let [mut lines, mut longer] = [0; 2];
    for (fen, side, known) in KNOWN.into_iter().chain(rows) {
        let length = length(&position(fen), side).expect(fen);
        lines += 1;
        if length > known {
            longer += 1;
            print_line(&format!("{fen} {side}: {length} half-moves, {known} suffice"));
        }
        assert!(2 * length <= 3 * known, "{fen} {side}: {length} half-moves, {known} suffice");
    }
    print_line(&format!("{lines} lines, {longer} of them longer than a known line"));
}

//! Paths that were written by hand, and random games that the search must find again.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};

use super::chance::Chance;
use super::{Found, Limits, may_lead, paths};
use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::record::same_position;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

impl Found {
    /// The only path, if there is certainly no other one of this length.
    pub(crate) fn only(&self) -> Option<&[Move]> {
        match &self.paths[..] {
            [path] if self.complete => Some(path),
            _ => None,
        }
    }

    /// The moves with which all paths begin; empty if some paths may be missing.
    pub(crate) fn common_prefix(&self) -> &[Move] {
        let Some((first, others)) = self.paths.split_first().filter(|_| self.complete) else { return &[] };
        let alike = |other: &Vec<Move>| first.iter().zip(other).take_while(|(a, b)| a == b).count();
        let length = others.iter().map(alike).min().unwrap_or(first.len());
        &first[..length]
    }

    /// The position in which all paths end, with its rights to castle and to capture en passant. None if the positions differ, or
    /// if some paths may be missing.
    pub(crate) fn same_end(&self, from: &Chess) -> Option<Chess> {
        let mut ends = self.paths.iter().filter(|_| self.complete).map(|path| end(from, path));
        let first = ends.next()?;
        ends.all(|other| same_position(&first, &other)).then_some(first)
    }
}

/// The position after these legal moves from `from`.
pub(super) fn end(from: &Chess, path: &[Move]) -> Chess {
    let mut position = from.clone();
    path.iter().for_each(|&mv| position.play_unchecked(mv));
    position
}

pub(crate) fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().expect(fen);
    fen.into_position(CastlingMode::Standard).expect("a legal position")
}

/// The position after moves in UCI, such as `e2e4 e7e5`.
pub(crate) fn after(from: &Chess, moves: &str) -> Chess {
    let mut position = from.clone();
    for word in moves.split_whitespace() {
        let uci: UciMove = word.parse().expect(word);
        let mv = uci.to_move(&position).expect(word);
        position.play_unchecked(mv);
    }
    position
}

pub(crate) fn words(path: &[Move]) -> String {
    let words: Vec<String> = path.iter().map(|mv| mv.to_uci(CastlingMode::Standard).to_string()).collect();
    words.join(" ")
}

fn men_of(position: &Chess) -> Men {
    men::of_board(position.board())
}

/// All paths as sorted words, and whether there are certainly no others.
fn found(fen: &str, played: &str, limits: Limits) -> (Vec<String>, bool) {
    let from = position(fen);
    let found = paths(&from, &men_of(&after(&from, played)), limits);
    let mut all: Vec<String> = found.paths.iter().map(|path| words(path)).collect();
    all.sort();
    (all, found.complete)
}

#[test]
fn paths_by_hand() {
    let table: &[(&str, &str, &[&str])] = &[
        (START, "e2e4", &["e2e4"]),
        (START, "e2e4 e7e5", &["e2e4 e7e5"]),
        // White's two moves may have been made in the other order, if the reply is legal in both.
        (START, "e2e4 e7e5 g1f3", &["e2e4 e7e5 g1f3", "g1f3 e7e5 e2e4"]),
        // The queen can come out only after the pawn.
        (START, "e2e4 e7e5 d1h5", &["e2e4 e7e5 d1h5"]),
        // The victim of a capture must stand on its square first.
        (START, "e2e4 d7d5 e4d5", &["e2e4 d7d5 e4d5"]),
        // A capture and a recapture on one square.
        (START, "e2e4 d7d5 e4d5 d8d5", &["e2e4 d7d5 e4d5 d8d5"]),
        // A pawn went two squares in two steps or at once.
        (START, "e2e3 e7e5 e3e4 d7d6", &["e2e3 e7e5 e3e4 d7d6", "e2e3 d7d6 e3e4 e7e5"]),
        // En passant with the double step before it. The board cannot distinguish it from an ordinary capture.
        ("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5 e5d6", &["d7d5 e5d6", "d7d6 e5d6"]),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", &["e5d6"]),
        // Castling on both sides, and castling that moves of the rook cannot replace.
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8", &["e1g1 e8c8"]),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1 e8e7 c1b1", &["e1c1 e8e7 c1b1"]),
        // Promotions, also with a capture, and also of a man that moved on.
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", &["a7a8n"]),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8r", &["a7b8r"]),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8r e8e7 a8a1", &["a7a8r e8e7 a8a1"]),
    ];
    for &(fen, played, expected) in table {
        let mut expected: Vec<String> = expected.iter().map(|&path| path.into()).collect();
        expected.sort();
        let (all, complete) = found(fen, played, Limits::default());
        assert_eq!((all, complete), (expected, true), "{fen} {played}");
    }
}

#[test]
fn a_board_without_a_path_is_searched_completely() {
    let from = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    for board in ["4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/4N3/8/4K3", "4k3/8/8/8/8/8/4P3/8", "4k3/8/8/8/8/8/3PP3/4K3"] {
        let placed = flagfall_protocols::square::Placement::parse(board).expect(board);
        let mut men = [EMPTY; 64];
        for square in flagfall_protocols::square::Square::all() {
            men[square.index()] = men::of_reading(placed.get(square));
        }
        let found = paths(&from, &men, Limits::default());
        assert!(found.paths.is_empty() && found.complete, "{board}: {found:?}");
        assert!(found.nodes < 10_000, "{board}: {}", found.nodes);
    }
}

#[test]
fn presses_and_the_running_clock_bound_the_length() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8";
    let none = Limits { least: 0, ..Limits::default() };
    assert_eq!(found(START, shuffle, none).0, [""]);
    // The same board again after four presses.
    let four = Limits { least: 4, most: 4, ..Limits::default() };
    let (all, complete) = found(START, shuffle, four);
    assert!(complete && all.contains(&shuffle.into()) && all.len() == 16, "{all:?}");
    // The board needs one ply, but White's clock runs: there is no path of so few plies.
    let white = Limits { turn_after: Some(Color::White), most: 2, ..Limits::default() };
    assert_eq!(found(START, "e2e4", white), (Vec::new(), true));
}

#[test]
fn the_budget_and_the_number_of_paths_are_kept() {
    let from = position(START);
    let board = men_of(&after(&from, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"));
    let found = paths(&from, &board, Limits::default());
    assert!(found.complete && found.paths.len() > 4, "{}", found.paths.len());
    let few = paths(&from, &board, Limits { nodes: 20, ..Limits::default() });
    assert!(!few.complete && few.nodes <= 20);
    let first = paths(&from, &board, Limits { paths: 2, ..Limits::default() });
    assert_eq!((first.complete, &first.paths[..]), (false, &found.paths[..2]));
    assert!(first.common_prefix().is_empty() && first.same_end(&from).is_none() && first.only().is_none());
}

#[test]
fn the_moves_and_the_end_that_all_paths_share() {
    let from = position(START);
    let found = paths(&from, &men_of(&after(&from, "e2e4 d7d5 e4d5 g8f6 g1f3 f6d5")), Limits::default());
    assert!(found.complete && found.paths.len() > 1);
    assert_eq!(words(found.common_prefix()), "", "the knight may have come first");
    assert!(found.same_end(&from).is_some_and(|end| end.board() == after(&from, "e2e4 d7d5 e4d5 g8f6 g1f3 f6d5").board()));
    // A double step may be the first or the last move: the rights differ.
    let found = paths(&from, &men_of(&after(&from, "e2e4 a7a6 e4e5 d7d5")), Limits::default());
    assert!(found.complete && found.paths.len() == 2, "{found:?}");
    assert!(found.same_end(&from).is_none());
    assert_eq!(words(found.common_prefix()), "e2e4");
}

#[test]
fn unknown_men_are_found_by_their_squares() {
    let from = position(START);
    let mut board = men_of(&after(&from, "e2e4 d7d5 e4d5"));
    board.iter_mut().filter(|man| **man != EMPTY).for_each(|man| *man = UNKNOWN);
    let found = paths(&from, &board, Limits::default());
    let all: Vec<String> = found.paths.iter().map(|path| words(path)).collect();
    assert!(found.complete && all.contains(&"e2e4 d7d5 e4d5".into()), "{all:?}");
    // One square of an unknown man among squares of known men.
    let mut board = men_of(&after(&from, "e2e4 d7d5 e4d5 d8d5"));
    board[35] = UNKNOWN;
    assert_eq!(paths(&from, &board, Limits::default()).only().map(words).as_deref(), Some("e2e4 d7d5 e4d5 d8d5"));
}

#[test]
fn random_play_is_found_and_what_is_found_is_right() {
    let mut chance = Chance::new(1);
    let mut complete = 0;
    for round in 0..600 {
        let from = chance.position(120);
        let length = 1 + round % 4;
        let played = chance.play(&from, length);
        let mut board = men_of(&end(&from, &played));
        let blind = round % 3 == 0 && length < 3;
        if blind {
            board.iter_mut().filter(|man| **man != EMPTY).for_each(|man| *man = UNKNOWN);
        }
        let found = paths(&from, &board, Limits { least: 0, ..Limits::default() });
        assert!(found.nodes <= 200_000);
        for path in &found.paths {
            let mut position = from.clone();
            for &mv in path {
                assert!(position.is_legal(mv), "{}", words(path));
                position.play_unchecked(mv);
            }
            let shown = men_of(&position);
            let same = |i: usize| shown[i] == board[i] || board[i] == UNKNOWN && shown[i] != EMPTY;
            assert!((0..64).all(same), "{}", words(path));
            assert!(path.len() <= played.len());
        }
        if !found.complete {
            continue;
        }
        complete += 1;
        let shortest = found.paths.first().expect("the play itself is a path").len();
        assert!(shortest < played.len() || found.paths.contains(&played), "{} not found", words(&played));
        let exact = Limits { least: played.len() as u8, most: played.len() as u8, ..Limits::default() };
        let found = paths(&from, &board, exact);
        assert!(!found.complete || found.paths.contains(&played), "{} not found again", words(&played));
        if let Some(same) = found.same_end(&from) {
            assert!(same_position(&same, &end(&from, &played)));
        }
    }
    assert!(complete > 590, "{complete}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let from = position(START);
    let board = men_of(&after(&from, "d2d4 d7d5 c2c4 e7e6 b1c3"));
    let one = paths(&from, &board, Limits::default());
    let two = paths(&from, &board, Limits::default());
    assert_eq!((one.paths, one.nodes), (two.paths, two.nodes));
}

/// Any number of moves may lead only to pawns that came from other pawns, forwards, and to the next file by captures.
#[test]
fn pawns_show_that_no_moves_lead_to_a_board() {
    let from = position("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    for (board, leads) in [
        ("r1bqk2r/ppp2pp1/2np1n1p/2b1p1B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R", true),
        // The pawn of e5 is on e6 again.
        ("r1bqk2r/ppp2pp1/2nppn1p/2b3B1/2B1P3/2NP1N2/PPP2PPP/R2QK2R", false),
        // A pawn has captured, and the captured man is gone, or is not.
        ("r1bqkb1r/pppp1ppp/5n2/4p3/4P3/2P5/PPP2PPP/R1BQKBNR", true),
        ("rnbqkbnr/pppp1ppp/8/4p3/4P3/2P5/PPP2PPP/RNBQKBNR", false),
        // A man is there again.
        ("rnbqkbnr/pppp1ppp/8/4p3/4P3/3Q4/PPPP1PPP/RNBQKBNR", false),
    ] {
        let men = men::of_board(&shakmaty::Board::from_ascii_board_fen(board.as_bytes()).expect("a board"));
        assert_eq!(may_lead(&from, &men, 60), leads, "{board}");
    }
}

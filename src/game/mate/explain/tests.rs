//! The words for each kind of answer.

use alloc::vec;

use shakmaty::Color::{self, Black, White};

use super::super::reason::Reason;
use super::super::tests::position;
use super::super::{Answer, Budget, winnable};
use super::words::thousands;
use super::*;

fn explained(fen: &str, side: Color) -> Explanation {
    let at = position(fen);
    explain(&at, side, &winnable(&at, side, Budget::FULL))
}

fn lost(fen: &str, side: Color) -> NoMate {
    match explained(fen, side) {
        Explanation::Unwinnable(why) => why,
        other => panic!("{fen}: {other:?}"),
    }
}

fn won(fen: &str, side: Color) -> Helpmate {
    match explained(fen, side) {
        Explanation::Winnable(mate) => mate,
        other => panic!("{fen}: {other:?}"),
    }
}

#[test]
fn every_reason_has_its_word_and_its_sentence() {
    for (fen, side, word, sentence) in [
        ("8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1", White, "mated", "White has been checkmated."),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", White, "stalemate", "Black is stalemated: the game has ended."),
        ("7k/8/5K2/8/8/8/8/R7 b - - 0 1", Black, "bare-king", "Black has only the king."),
        ("7k/8/8/8/8/2n5/8/2K5 b - - 0 1", Black, "material", "A knight alone cannot mate a bare king."),
        (
            "7k/8/8/8/8/2n5/8/1QK5 b - - 0 1",
            Black,
            "material",
            "A knight alone cannot mate a king that has only queens beside it.",
        ),
        ("7k/8/8/8/8/2B5/8/2K5 b - - 0 1", White, "material", "A bishop alone cannot mate a bare king."),
        (
            "7k/5r2/8/8/8/B1B5/8/2K5 b - - 0 1",
            White,
            "material",
            "Bishops on squares of one colour cannot mate a king that has only queens, rooks and bishops on squares of that \
             colour beside it.",
        ),
        (
            "k7/1Q6/8/8/8/8/8/K7 b - - 0 1",
            White,
            "forced-capture",
            "Every move is forced: 1... Kxb7, and White has nothing left to mate with.",
        ),
        (
            "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1",
            White,
            "locked-walls",
            "Locked pawns: the pawns on a4 c4 e4 g4 a5 c5 e5 g5 can never move or be taken, the white king never leaves ranks 1 \
             to 3, the black king never leaves ranks 6 to 8; so no mate by White can arise.",
        ),
        (
            "8/b1b5/k6p/2b2p1P/1b3p2/5PpK/6P1/8 w - - 0 1",
            White,
            "locked-walls",
            "Locked pawns: the pawns on g2 f3 g3 f4 f5 h5 h6 can never move or be taken, the white king never leaves h3 h4, \
             except by a king's step that stalemates the opponent; so no mate by White can arise.",
        ),
    ] {
        let why = lost(fen, side);
        assert_eq!((why.reason.name(), why.sentence.as_str()), (word, sentence), "{fen}");
        assert_eq!(why.forced.is_some(), word.contains("forced"), "{fen}");
        assert_eq!(why.wall.is_some(), word == "locked-walls", "{fen}");
    }
}

#[test]
fn how_a_forced_line_ends_makes_the_word() {
    let at = position("k7/1Q6/8/8/8/8/8/K7 b - - 0 1");
    for (end, word, words) in [
        (ForcedEnd::Mated, "loser-mates-by-force", "White is checkmated."),
        (ForcedEnd::Stalemate, "forced-stalemate", "is stalemated."),
        (ForcedEnd::Circle, "forced-circle", "the same position comes back for ever."),
        (ForcedEnd::Material, "forced-capture", "White has nothing left to mate with."),
    ] {
        let why = no_mate(&at, White, &Reason::Forced { line: at.legal_moves().into_iter().collect(), end });
        assert_eq!(why.reason.name(), word);
        assert!(why.sentence.ends_with(words), "{}", why.sentence);
        assert_eq!(why.forced, Some(Forced { line: vec!["a8b7".into()], san: "1... Kxb7".into() }));
    }
}

#[test]
fn several_moves_and_one_end_are_forced_too() {
    let why = lost("8/8/8/8/7R/3pkp2/4p3/4K3 b - - 0 1", White);
    assert_eq!((why.reason.name(), &why.forced), ("loser-mates-by-force", &None), "either pawn mates");
    let said = "Whatever is played ends in White checkmated: all 3 positions that can arise were looked at, to 1 half-move deep.";
    assert_eq!((why.sentence.as_str(), why.closure.map(|counts| counts.mated)), (said, Some(2)));
    let ends = |fen: &str, closure: &Closure| forced::end(&position(fen), White, closure);
    let mated = Closure { positions: 3, depth: 1, mated: 2, ..Closure::default() };
    assert_eq!(ends("8/8/8/8/7R/3pkp2/4p3/4K3 b - - 0 1", &mated), Some(ForcedEnd::Mated));
    for (closure, why) in [
        (Closure { stalemates: 1, ..mated.clone() }, "two kinds of ends"),
        (Closure { walled: 1, ..mated.clone() }, "a wall"),
        (Closure { positions: 51, ..mated.clone() }, "too many to play through"),
        (Closure { mated: 0, ..mated.clone() }, "no end"),
    ] {
        assert_eq!(ends("8/8/8/8/7R/3pkp2/4p3/4K3 b - - 0 1", &closure), None, "{why}");
    }
    assert_eq!(ends("7k/8/8/8/8/8/7P/K7 w - - 0 1", &mated), None, "kings may go round for ever");
}

#[test]
fn a_wall_names_the_squares_of_each_man() {
    let wall = lost("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", Black).wall.expect("a wall");
    assert_eq!(wall.steady, "8/8/8/p1p1p1p1/P1P1P1P1/8/8/8");
    let king = wall.men.iter().find(|men| men.man == 'K').expect("a king");
    assert_eq!(king.count, 1);
    assert!(king.squares.starts_with("a1 b1 c1 ") && king.squares.ends_with(" h3"), "{}", king.squares);
}

#[test]
fn the_ends_of_all_positions_are_counted_in_words() {
    let counted = |closure: Closure| no_mate(&position("7k/8/5K2/8/8/8/8/R7 b - - 0 1"), White, &Reason::Exhausted(closure));
    let why = counted(Closure { positions: 4112, depth: 37, material: 1, stalemates: 12, mated: 2, walled: 3, walls: vec![] });
    assert_eq!(
        why.sentence,
        "All 4,112 positions that can arise were looked at, to 37 half-moves deep: 12 stalemates, 2 mates of White, 1 with too \
         little material for White, 3 behind locked pawns or men, none is a mate by White."
    );
    assert_eq!(why.closure.map(|counts| (counts.positions, counts.depth, counts.walls)), Some((4112, 37, 0)));
    let none = counted(Closure { positions: 5, depth: 2, ..Closure::default() });
    assert!(none.sentence.ends_with("deep: none is a mate by White."), "{}", none.sentence);
    for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (40_000_000, "40,000,000")] {
        assert_eq!(thousands(number), text);
    }
}

#[test]
fn a_line_is_written_as_chess_writes_it() {
    let mate = won("7k/8/8/5KQ1/8/8/8/8 w - - 0 1", White);
    assert!(mate.san.starts_with("1. ") && mate.san.contains(" 2. ") && mate.san.ends_with('#'), "{}", mate.san);
    let black = won("7K/8/5k2/6q1/8/8/8/8 b - - 0 1", Black);
    assert_eq!((black.san.as_str(), black.line.as_slice()), ("1... Qg7#", ["g5g7".into()].as_slice()));
    assert_eq!(black.final_fen, "7K/6q1/5k2/8/8/8/8/8 w - - 1 2");
    assert_eq!(black.sentence, "Black can checkmate with the next move.");
    let done = won("8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1", Black);
    assert_eq!((done.san.as_str(), done.line.len(), done.sentence.as_str()), ("", 0, "Black has checkmated."));
}

#[test]
fn white_answers_a_line_that_black_begins() {
    let mate = won("7k/8/8/5KQ1/8/8/8/8 b - - 0 1", White);
    assert!(mate.san.starts_with("1... K") && mate.san.contains(" 2. "), "{}", mate.san);
    assert!(!mate.san.contains("1. "), "{}", mate.san);
}

#[test]
fn an_open_question_tells_its_cost() {
    let at = position("7k/8/8/5KQ1/8/8/8/8 b - - 0 1");
    let counters = Counters { nodes: 7, walls: 2 };
    assert_eq!(explain(&at, White, &Answer::Undecided { counters }), Explanation::Undecided(Cost { nodes: 7, walls: 2 }));
}

#[test]
fn a_push_that_mates_the_side_is_told() {
    let why = lost("7B/8/3k4/1p1p4/1P1Pp1p1/1pppP1P1/2p5/2K5 b - - 0 1", White);
    assert!(why.sentence.contains("can never move or be taken"), "{}", why.sentence);
    assert!(
        why.sentence.ends_with(", except by a pawn's push that mates White; so no mate by White can arise."),
        "{}",
        why.sentence
    );
}

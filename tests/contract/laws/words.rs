//! The sentence that an arbiter reads as the reason for each kind of answer. The solver answers the questions of 6.9 itself.

mod other_rules;

use flagfall_game::laws::adjudicate::{Found, Subject, adjudicate};
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Claimed, Counted, Ended, Facts, Flag, Illegal, Treated};
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::outcome::{Ending, Phase};
use flagfall_game::laws::screen::{Around, Screen};
use flagfall_game::laws::winnable::Verdict;
use flagfall_game::mate::{Budget, counted, shorten};
use flagfall_protocols::square::Color::{self, Black, White};
use shakmaty::Chess;

use crate::laws::support::*;

const FIDE: &str = "fide-2023-standard";
const RAPID: &str = "fide-2023-rapid";

/// White to move has a queen, Black the king alone.
const QUEEN: &str = "7k/8/8/5KQ1/8/8/8/8 w - - 0 1";
/// The same with exchanged colours.
const BLACK_QUEEN: &str = "8/8/8/8/5kq1/8/8/7K b - - 0 1";
/// Black has a knight, White a rook's pawn.
const KNIGHT: &str = "k7/8/8/8/8/n7/P7/K7 w - - 0 1";

fn solve(position: &Chess, side: Color) -> Verdict {
    let of = if side == White { shakmaty::Color::White } else { shakmaty::Color::Black };
    Verdict::of(position, side, &shorten(position, of, counted(position, of, Budget::FULL).0, Budget::FULL))
}

/// The row, outcome and conditions of the first finding, and its reason.
fn reads(facts: &Facts) -> (String, String) {
    let found = adjudicate(facts, &mut solve).remove(0);
    let said = say(&found);
    (said, Screen::of(&finding(facts, found), &Around::default()).why)
}

/// The finding of a board, without its moments.
pub(crate) fn finding(facts: &Facts, mut found: Found) -> Finding {
    let flag = match found.subject {
        Subject::Flag(index) => Some(&facts.flags[index]),
        Subject::Game => None,
    };
    let counted = found.counted.take().or_else(|| flag.and_then(|flag| flag.positions.first().cloned()));
    let Counted { position, phase } = counted.unwrap_or(Counted { position: Chess::default(), phase: Phase::Idle });
    Finding {
        flag: flag.map(|flag| flagfall_game::color_name(flag.side)),
        completed: flag.and_then(|flag| flag.completed).map(|(sure, _)| sure),
        required: flag.and_then(|flag| flag.required),
        ..Finding::of(found, &facts.rulebook, &position, phase)
    }
}

fn check(rows: Vec<(Facts, &str, &str)>) {
    for (facts, said, why) in rows {
        assert_eq!(reads(&facts), (said.to_string(), why.to_string()), "{}", facts.rulebook);
    }
}

/// A flag of White that a player called, with both clocks stopped.
fn called(flag: Flag) -> Flag {
    Flag { clocks_stopped: Some(true), ..seen(5000, flag) }
}

fn one(name: &str, fen: &str) -> Facts {
    game(name, vec![called(standing(fen, flag(White)))])
}

fn both(name: &str) -> Facts {
    game(name, vec![called(flag(White)), flag(Black)])
}

/// The same game, which ended in this way before.
fn after(facts: Facts, ended: Ended) -> Facts {
    Facts { endings: vec![ended], ..facts }
}

fn board(ending: Ending) -> Ended {
    Ended { pressed: Some(at(700, 800)), ..on_board(ending, White, at(500, 600)) }
}

fn claims(facts: Facts, by: Color, ground: Ground, standing: Standing) -> Facts {
    Facts { claims: vec![claim(by, ground, standing, at(500, 500))], ..facts }
}

/// Illegal moves of White before the fall, all counted, with the position that is restored after each.
fn counted_illegal(facts: Facts, fen: &str, many: u64) -> Facts {
    let nth = |nth| Illegal { positions: vec![position(fen)], ..illegal(White, Treated::Counted, 100 * nth) };
    Facts { illegal: (1..=many).map(nth).collect(), ..facts }
}

#[test]
fn the_mate_decides() {
    check(vec![
        (one(FIDE, QUEEN), "15 Draw", "No legal mate by Black: Black has only the king."),
        (
            game(FIDE, vec![called(standing(QUEEN, flag(Black)))]),
            "14 WhiteWins",
            "White can still checkmate: a series of 3 legal moves of both sides leads to it; no series is shorter.",
        ),
        (
            one(FIDE, BLACK_QUEEN),
            "14 BlackWins",
            "Black can still checkmate: a series of 3 legal moves of both sides leads to it; no series is shorter.",
        ),
        (
            after(rules(FIDE), resigned(White, at(500, 600), QUEEN)),
            "4 Draw",
            "A player resigned. No legal mate by the opponent: Black has only the king.",
        ),
        (
            after(rules(FIDE), resigned(Black, at(500, 600), QUEEN)),
            "4 WhiteWins",
            "A player resigned. White can still checkmate: a series of 3 legal moves of both sides leads to it; no \
             series is shorter.",
        ),
        (
            after(one(FIDE, QUEEN), resigned(White, at(500, 600), QUEEN)),
            "4 Draw",
            "A player resigned before the fall was observed. No legal mate by the opponent: Black has only the king.",
        ),
        (
            counted_illegal(one(FIDE, QUEEN), BLACK_QUEEN, 2),
            "7a BlackWins",
            "It is the illegal move that loses. Black can still checkmate: a series of 3 legal moves of both sides \
             leads to it; no series is shorter.",
        ),
    ]);
}

#[test]
fn the_game_had_ended_under_the_laws() {
    check(vec![
        (
            after(one(FIDE, OPEN), board(Ending::Checkmate)),
            "1 WhiteWins",
            "Checkmate was on the board before the fall was observed.",
        ),
        (after(rules(FIDE), board(Ending::Checkmate)), "1 WhiteWins", "Checkmate was on the board."),
        (after(one(FIDE, OPEN), board(Ending::Stalemate)), "2 Draw", "Stalemate was on the board before the fall was observed."),
        (
            after(one(FIDE, OPEN), board(Ending::DeadPosition)),
            "2 Draw",
            "Neither side could checkmate any more (dead position) before the fall was observed.",
        ),
        (
            after(one(FIDE, OPEN), board(Ending::FivefoldRepetition)),
            "3 Draw",
            "The position had occurred five times before the fall was observed.",
        ),
        (
            after(rules(FIDE), board(Ending::SeventyFiveMoves)),
            "3 Draw",
            "75 moves of each side without capture or pawn move were made.",
        ),
        (after(one(FIDE, OPEN), agreed(at(500, 600), Some(true))), "5 Draw", "A draw was agreed before the fall was observed."),
        (
            after(rules(FIDE), agreed(at(500, 600), Some(false))),
            "5 Undecided [5 Draw | 5 GameGoesOn] ? agreement_before_both_moved",
            "The answer depends on whether both players had made a move before they agreed.",
        ),
        (
            claims(one(FIDE, OPEN), Black, Ground::Repetition, Standing::Accepted),
            "6 Draw",
            "A correct claim of a draw was lodged before the fall was observed.",
        ),
        (
            claims(
                game("fide-2023-standard+guidelines-III.5", vec![called(flag(White))]),
                White,
                Ground::NormalMeans,
                Standing::Accepted,
            ),
            "6 Draw",
            "The claim that the opponent cannot win by normal means was granted.",
        ),
        (
            Facts { illegal_position: Some(at(500, 500)), ..one(RAPID, BLACK_QUEEN) },
            "7b Undecided [7b Draw | 14 BlackWins] ? observation_of_illegal_position",
            "Black can still checkmate: a series of 3 legal moves of both sides leads to it; no series is shorter. \
             The answer depends on whether the arbiter observed the illegal position.",
        ),
        (
            both("fide-2023-standard+guidelines-III.5"),
            "11 Draw",
            "Both flags are down in the last period, and it is not known which one fell first.",
        ),
        (
            Facts { flags: vec![Flag { apparently_over: true, ..called(flag(White)) }], ..one(FIDE, QUEEN) },
            "9 ResultNotEntered [14 BlackWins]",
            "The game seems to have ended before the flag fell, and no result was entered.",
        ),
    ]);
}

#[test]
fn only_the_men_decide() {
    let chess960 = "1k5r/8/8/8/8/8/8/RK5R w HAh - 0 1".parse::<shakmaty::fen::Fen>().expect("a FEN");
    let position = chess960.into_position(shakmaty::CastlingMode::Chess960).expect("a position");
    let shuffled = Flag { positions: vec![Counted { position, phase: Phase::Idle }], ..called(flag(White)) };
    let pawns = "8/4k3/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3/8 w - - 0 1";
    check(vec![
        (
            one("material-only", KNIGHT),
            "15 Draw",
            "Black has king and knight: by the popular explanation that is too little to win on time.",
        ),
        (
            one("material-only", pawns),
            "15 Draw",
            "Black has king and 8 pawns, and no pawn can ever promote: by the popular explanation that is too little \
             to win on time.",
        ),
        (
            game("material-only", vec![shuffled]),
            "14 BlackWins",
            "Black has king and rook: by the popular explanation that is enough to win on time.",
        ),
        (
            one("material-only+guidelines-III.5", OPEN),
            "14 BlackWins",
            "Black has king, queen, 2 rooks, 2 bishops, 2 knights and 8 pawns: by the popular explanation that is \
             enough to win on time.",
        ),
        (
            after(one("material-only", OPEN), board(Ending::Checkmate)),
            "1 WhiteWins",
            "Checkmate was on the board before the fall was observed.",
        ),
    ]);
}

#[test]
fn nothing_is_lost() {
    let lodged = |correct| {
        let claim = claim(White, Ground::Repetition, Standing::Lodged, at(500, 500));
        Facts { claims: vec![Claimed { correct, ..claim }], ..rules(FIDE) }
    };
    let open = |name| Facts { illegal: vec![illegal(White, Treated::Open, 500)], ..rules(name) };
    let flagged = claims(one(FIDE, BLACK_QUEEN), White, Ground::Repetition, Standing::Lodged);
    check(vec![
        (
            game(FIDE, vec![called(at_move(White, Some((40, false))))]),
            "12 GameGoesOn",
            "The required moves were completed before the flag fell.",
        ),
        (
            game(FIDE, vec![called(standing(BLACK_QUEEN, at_move(White, Some((39, true)))))]),
            "13 Undecided [12 GameGoesOn | 14 BlackWins] ? order_of_press_and_flag",
            "Black can still checkmate: a series of 3 legal moves of both sides leads to it; no series is shorter. \
             The answer depends on whether the clock was pressed before the flag fell.",
        ),
        (lodged(Some(false)), "6a GameGoesOn", "The record of the game does not bear out the claim."),
        (lodged(Some(true)), "6 Draw", "A correct claim of a draw was lodged."),
        (lodged(None), "6 Undecided [6 Draw | 6a GameGoesOn] ? claim_ruling", "The answer depends on the ruling on the claim."),
        (
            flagged,
            "6 Undecided [6 Draw | 14 BlackWins] ? claim_ruling",
            "Black can still checkmate: a series of 3 legal moves of both sides leads to it; no series is shorter. \
             The answer depends on the ruling on the claim.",
        ),
        (open(FIDE), "7b GameGoesOn", "Nobody has ruled on the illegal move yet."),
        (
            open(RAPID),
            "7b GameGoesOn",
            "Nobody has ruled on the illegal move yet. Once the opponent has made the next move, the arbiter can no \
             longer correct it (A.5.2).",
        ),
    ]);
}

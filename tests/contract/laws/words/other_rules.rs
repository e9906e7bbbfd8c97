//! The same under the older print, the rules of US Chess and those of the club.

use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Caller, End, Ended, Facts, Flag, Illegal, IllegalKind, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_protocols::square::Color::{Black, White};

use super::*;

const OLD: &str = "fide-print-old";
const US: &str = "us-chess";
const CLUB: &str = "club-speed";

#[test]
fn the_older_print() {
    check(vec![
        (
            after(one(OLD, OPEN), board(Ending::Checkmate)),
            "1 WhiteWins",
            "Checkmate was on the board before the fall was observed.",
        ),
        (
            after(one(OLD, OPEN), board(Ending::Stalemate)),
            "2 Draw",
            "Stalemate or a dead position was on the board before the fall was observed.",
        ),
        (after(one(OLD, OPEN), agreed(at(500, 600), Some(true))), "5 Draw", "A draw was agreed before the fall was observed."),
        (
            after(rules(OLD), resigned(White, at(500, 600), QUEEN)),
            "4 Draw",
            "A player resigned. No legal mate by the opponent: Black has only the king.",
        ),
        (
            claims(one(OLD, OPEN), Black, Ground::FiftyMoves, Standing::Accepted),
            "6 Draw",
            "A correct claim of a draw was lodged before the fall was observed.",
        ),
        (
            claims(one(OLD, OPEN), White, Ground::NormalMeans, Standing::Accepted),
            "6 Draw",
            "The claim that the opponent cannot win by normal means was granted.",
        ),
        (
            counted_illegal(one(OLD, QUEEN), QUEEN, 3),
            "7a Draw",
            "It is the illegal move that loses. No legal mate by the opponent: Black has only the king.",
        ),
        (both(OLD), "11 Draw", "Both flags are down, and it is not known which one fell first."),
        (both("fide-print-old+rapid"), "11 Draw", "Both flags are down, so no player can claim any more."),
    ]);
}

#[test]
fn us_chess() {
    let forced = |forced| {
        let flag = Flag { forced_wins: vec![forced], ..called(standing(KNIGHT, flag(White))) };
        game(US, vec![flag])
    };
    let short = Facts { scoresheet: Some(false), ..game(US, vec![called(at_move(White, Some((39, false))))]) };
    let flags = vec![called(at_move(White, Some((39, false)))), at_move(Black, Some((38, false)))];
    let by_arbiter = Flag { called_by: Some(Caller::Arbiter), ..called(flag(White)) };
    check(vec![
        (game(US, vec![flag(White)]), "3 GameGoesOn, if observed [11 BlackWins]", "No player has claimed the flag."),
        (game(US, vec![by_arbiter]), "3 GameGoesOn, if observed [11 BlackWins]", "No player has claimed the flag."),
        (short, "5 GameGoesOn", "The claimant's scoresheet is not reasonably complete."),
        (game(US, flags), "4 GameGoesOn", "Nothing is lost by this flag."),
        (both(US), "4 Draw", "Both flags are down: that is a draw, whichever fell first."),
        (one(US, QUEEN), "7 Draw", "The claimant has only the king."),
        (
            one(US, BLACK_QUEEN),
            "11 BlackWins",
            "Black can still checkmate: a series of 3 legal moves of both sides leads to it; no series is shorter.",
        ),
        (forced(Some(true)), "8 BlackWins", "Black has king and knight, and can force mate all the same."),
        (forced(Some(false)), "8 Draw", "Black has king and knight, and cannot force mate with them."),
        (
            forced(None),
            "8 Undecided [8 BlackWins | 8 Draw] ? forced_win",
            "Black has king and knight; whether they can force mate was not settled. The answer depends on whether \
             the claimant can force mate.",
        ),
        (
            after(one(US, OPEN), board(Ending::Checkmate)),
            "1 WhiteWins",
            "Checkmate was on the board before the flag was claimed.",
        ),
        (after(one(US, OPEN), board(Ending::Stalemate)), "1 Draw", "Stalemate was on the board before the flag was claimed."),
        (
            after(one(US, OPEN), board(Ending::DeadPosition)),
            "2 Draw",
            "Neither side could checkmate any more (dead position) before the flag was claimed.",
        ),
        (
            after(one("us-chess+75-moves", OPEN), board(Ending::SeventyFiveMoves)),
            "2 Draw",
            "75 moves of each side without capture or pawn move were made before the flag was claimed.",
        ),
        (after(one(US, OPEN), agreed(at(500, 600), Some(true))), "2 Draw", "A draw was agreed before the flag was claimed."),
        (after(rules(US), resigned(White, at(500, 600), OPEN)), "1 BlackWins", "A player resigned."),
        (
            claims(one(US, OPEN), White, Ground::Repetition, Standing::Accepted),
            "2 Draw",
            "A correct claim of a draw was lodged before the flag was claimed.",
        ),
        (
            claims(one(US, OPEN), White, Ground::NormalMeans, Standing::Accepted),
            "2 Draw",
            "The claim of insufficient losing chances was granted.",
        ),
        (
            counted_illegal(one("us-chess+illegal-moves-2", OPEN), BLACK_QUEEN, 2),
            "1 BlackWins",
            "It is the illegal move that loses.",
        ),
    ]);
}

#[test]
fn the_club() {
    let kind = |kind| Facts { illegal: vec![Illegal { kind, ..illegal(White, Treated::Counted, 500) }], ..one(CLUB, OPEN) };
    let king = Ended { end: End::KingCaptured { by: White }, ..board(Ending::Checkmate) };
    check(vec![
        (
            game(CLUB, vec![flag(White)]),
            "1 GameGoesOn, if observed [3 BlackWins]",
            "No player has declared the flag and stopped both clocks.",
        ),
        (
            game(CLUB, vec![Flag { clocks_stopped: Some(false), ..called(flag(White)) }]),
            "1 GameGoesOn, if observed [3 BlackWins]",
            "No player has declared the flag and stopped both clocks.",
        ),
        (
            one(CLUB, OPEN),
            "3 BlackWins",
            "The flag was declared with both clocks stopped, and the men on the board do not matter.",
        ),
        (one("club-speed+article-6.9", QUEEN), "3 Draw", "No legal mate by Black: Black has only the king."),
        (
            both(CLUB),
            "2 Draw [2 BlackWins | 2 WhiteWins]",
            "Both flags are down, and the players have not agreed which one fell first.",
        ),
        (
            Facts { agreed_first: Some(Black), ..both(CLUB) },
            "2 WhiteWins",
            "Both flags are down, and it is settled which one fell first: that player loses.",
        ),
        (
            after(one(CLUB, OPEN), board(Ending::Checkmate)),
            "5 WhiteWins",
            "The mate was finished with its press before the flag fell.",
        ),
        (
            after(one(CLUB, OPEN), Ended { pressed: Some(at(3000, 3100)), ..board(Ending::Checkmate) }),
            "3 BlackWins",
            "The flag fell before the mate was finished, and was declared with both clocks stopped.",
        ),
        (
            after(one(CLUB, OPEN), board(Ending::Stalemate)),
            "5 Draw",
            "The game had ended by the ordinary rules of chess before the flag was declared.",
        ),
        (after(one(CLUB, OPEN), king), "5 WhiteWins", "A king was left in check and was captured."),
        (
            after(rules(CLUB), resigned(White, at(500, 600), OPEN)),
            "5 BlackWins",
            "The game had ended by the ordinary rules of chess.",
        ),
        (
            after(one(CLUB, OPEN), agreed(at(500, 600), Some(true))),
            "5 Draw",
            "The game had ended by the ordinary rules of chess before the flag was declared.",
        ),
        (
            claims(one(CLUB, OPEN), White, Ground::Repetition, Standing::Accepted),
            "5 Draw",
            "A correct claim of a draw was lodged before the flag was declared.",
        ),
        (kind(IllegalKind::Move), "4 BlackWins", "An illegal move was completed, and that loses."),
        (kind(IllegalKind::PressedWithoutMove), "4 BlackWins", "The clock was pressed without a move, and that loses."),
        (
            kind(IllegalKind::PromotionNotReplaced),
            "4 BlackWins",
            "The pawn on its last rank was not announced as another man, and that loses.",
        ),
        (kind(IllegalKind::TwoHands), "4 BlackWins", "An illegal move was completed, and that loses."),
    ]);
}

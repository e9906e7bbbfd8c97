//! Facts of a game in a few words, and the findings of the rulebook as a line.

use flagfall_game::interval::Interval;
use flagfall_game::laws::adjudicate::{Found, adjudicate};
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::facts::{Caller, Claimed, Counted, End, Ended, Facts, Flag, Illegal, IllegalKind, Treated};
use flagfall_game::laws::outcome::Ending;
use flagfall_game::laws::outcome::Phase;
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_game::laws::winnable::Verdict;
use flagfall_game::mate::Reason;
use flagfall_game::mate::explain::no_mate;
use flagfall_protocols::square::Color::{self, White};
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

/// Both sides can mate.
pub(crate) const OPEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// White has a pawn, Black the king alone.
pub(crate) const BLACK_BARE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
/// Black has a bishop, White a rook's pawn: some series of moves mates White.
pub(crate) const BISHOP_V_PAWN: &str = "4k3/4b3/8/8/8/8/P7/4K3 w - - 0 1";

pub(crate) fn won() -> Verdict {
    Verdict::Winnable(Box::default())
}

pub(crate) fn never() -> Verdict {
    Verdict::Unwinnable(Box::new(no_mate(&Chess::default(), shakmaty::Color::White, &Reason::BareKing)))
}

/// A side with more than the king can mate.
pub(crate) fn by_men(position: &Chess, side: Color) -> Verdict {
    let side = if side == White { shakmaty::Color::White } else { shakmaty::Color::Black };
    if position.board().by_color(side).count() == 1 { never() } else { won() }
}

/// An interval between these two moments.
pub(crate) fn at(earliest: u64, latest: u64) -> Interval {
    Interval { earliest: Instant(earliest), latest: Instant(latest) }
}

/// The allotted time of every flag here expires between these moments.
pub(crate) const FELL: (u64, u64) = (1000, 2000);

pub(crate) fn position(fen: &str) -> Counted {
    let fen: Fen = fen.parse().expect("a FEN");
    Counted { position: fen.into_position(CastlingMode::Standard).expect("a position"), phase: Phase::Idle }
}

/// A flag in the only period of a game, in a position where both can mate.
pub(crate) fn flag(side: Color) -> Flag {
    Flag {
        last: Some(true),
        completed: Some((10, false)),
        positions: vec![position(OPEN)],
        ..Flag::new(side, at(FELL.0, FELL.1))
    }
}

/// A flag at the end of a period of 40 moves, with this number of completed moves.
pub(crate) fn at_move(side: Color, completed: Option<(u32, bool)>) -> Flag {
    Flag { last: Some(false), required: Some(40), completed, ..flag(side) }
}

pub(crate) fn seen(at: u64, flag: Flag) -> Flag {
    Flag { observed_at: Some(Instant(at)), called_by: Some(Caller::Player), ..flag }
}

pub(crate) fn standing(fen: &str, flag: Flag) -> Flag {
    Flag { positions: vec![position(fen)], ..flag }
}

pub(crate) fn rules(name: &str) -> Facts {
    Facts::new(Rulebook::parse(name).expect("a rulebook"))
}

/// A game with these flags and nothing else.
pub(crate) fn game(name: &str, flags: Vec<Flag>) -> Facts {
    Facts { flags, adds_time: Some(false), ..rules(name) }
}

pub(crate) fn on_board(ending: Ending, by: Color, when: Interval) -> Ended {
    Ended { end: End::Board { ending, by }, at: when, pressed: None, positions: vec![position(OPEN)] }
}

pub(crate) fn resigned(by: Color, when: Interval, fen: &str) -> Ended {
    Ended { end: End::Resignation { by }, at: when, pressed: None, positions: vec![position(fen)] }
}

pub(crate) fn agreed(when: Interval, both_moved: Option<bool>) -> Ended {
    Ended { end: End::Agreement { both_moved }, at: when, pressed: None, positions: vec![position(OPEN)] }
}

pub(crate) fn claim(by: Color, ground: Ground, standing: Standing, when: Interval) -> Claimed {
    Claimed { by, ground, at: when, standing, time_added: None, correct: None, indicated: false, played_on: false }
}

pub(crate) fn illegal(by: Color, treated: Treated, when: u64) -> Illegal {
    Illegal {
        by,
        kind: IllegalKind::Move,
        at: at(when, when),
        treated,
        reply: None,
        reply_pressed: None,
        positions: vec![position(OPEN)],
        time_added: Some(true),
    }
}

pub(crate) fn found(facts: &Facts) -> Vec<Found> {
    adjudicate(facts, &mut by_men)
}

/// A finding as text: row, outcome, conditions, alternatives, unknown facts.
pub(crate) fn say(found: &Found) -> String {
    let mut text = format!("{} {:?}", found.row, found.outcome);
    if found.contested {
        text += ", contested";
    }
    if found.conditional {
        text += ", if observed";
    }
    let others: Vec<String> = found.alternatives.iter().map(|other| format!("{} {:?}", other.row, other.outcome)).collect();
    if !others.is_empty() {
        text += &format!(" [{}]", others.join(" | "));
    }
    if !found.unknown.is_empty() {
        text += &format!(" ? {}", found.unknown.join(", "));
    }
    text
}

/// All findings of the rulebook, separated by `;`.
pub(crate) fn says(facts: &Facts) -> String {
    says_with(facts, &mut by_men)
}

pub(crate) fn says_with(facts: &Facts, oracle: &mut dyn FnMut(&Chess, Color) -> Verdict) -> String {
    adjudicate(facts, oracle).iter().map(say).collect::<Vec<_>>().join("; ")
}

/// The same facts with exchanged colours and a mirrored board.
pub(crate) fn mirrored(facts: &Facts) -> Facts {
    let mut facts = facts.clone();
    let swap = |positions: &mut Vec<Counted>| {
        for counted in positions {
            let setup = counted.position.to_setup(shakmaty::EnPassantMode::Legal);
            let mut setup = setup;
            setup.mirror();
            counted.position = setup.position(CastlingMode::Standard).expect("the same mirrored");
        }
    };
    for flag in &mut facts.flags {
        flag.side = flag.side.other();
        swap(&mut flag.positions);
    }
    for ended in &mut facts.endings {
        ended.end = match ended.end {
            End::Board { ending, by } => End::Board { ending, by: by.other() },
            End::Resignation { by } => End::Resignation { by: by.other() },
            End::KingCaptured { by } => End::KingCaptured { by: by.other() },
            agreement @ End::Agreement { .. } => agreement,
        };
        swap(&mut ended.positions);
    }
    for claim in &mut facts.claims {
        claim.by = claim.by.other();
    }
    for illegal in &mut facts.illegal {
        illegal.by = illegal.by.other();
        swap(&mut illegal.positions);
    }
    facts.agreed_first = facts.agreed_first.map(Color::other);
    facts
}

/// A text with the colours exchanged.
pub(crate) fn exchanged(text: &str) -> String {
    text.replace("WhiteWins", "·").replace("BlackWins", "WhiteWins").replace('·', "BlackWins")
}

//! Turns the arguments of `flagfall adjudicate` into the facts that the rules need, and the ruling into a finding.
//!
//! The times in these facts only give an order: an event, a flag fell, the fall was observed.

use anyhow::{Result, bail};
use flagfall_game::clock::control::TimeControl;
use flagfall_game::interval::Interval;
use flagfall_game::laws::adjudicate::{Found, Subject};
use flagfall_game::laws::facts::{Caller, Claimed, Counted, End, Ended, Facts, Flag, Illegal};
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::forced_wins::forced_win_within;
use flagfall_game::laws::outcome::{Ending, Phase};
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_game::laws::rules::{Table, Winnability};
use flagfall_game::laws::winnable::Verdict;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{Chess, Position};

use super::Adjudicate;
use super::choices::{Answer, Order, OtherFlag, Time};
use super::events::{self, EndKind, Reply, When};

/// The time at which a flag fell.
const FELL: Interval = between(1000, 1999);
/// The time at which the flag was observed or claimed.
const CALLED: Instant = Instant(3000);
/// The last moment at which anything happened.
const END: u64 = 3999;

const fn between(earliest: u64, latest: u64) -> Interval {
    Interval { earliest: Instant(earliest), latest: Instant(latest) }
}

/// The function that answers whether a side can still checkmate.
pub(super) type Oracle<'a> = dyn FnMut(&Chess, Color) -> Verdict + 'a;

/// The arguments, and what was read from them.
pub(super) struct Case<'a> {
    pub(super) given: &'a Adjudicate,
    pub(super) rulebook: Rulebook,
    pub(super) control: Option<&'a TimeControl>,
    /// The positions that may count; at least one.
    pub(super) positions: &'a [Chess],
}

impl Case<'_> {
    /// The player whose flag fell. If no flag fell it makes no difference who it is.
    pub(super) fn flagged(&self) -> Color {
        self.given.flagged.map_or(Color::White, Color::from)
    }

    /// True if somebody observed, claimed or called the flag.
    pub(super) fn is_called(&self) -> bool {
        self.given.observed || self.given.claimed || self.given.called
    }

    /// The moves that this player completed, if they are known.
    pub(super) fn completed(&self, side: Color) -> Option<u32> {
        if side == self.flagged() { self.given.completed } else { self.given.other_completed }
    }

    /// The period of this player as it was given, from 1.
    pub(super) fn period_given(&self, side: Color) -> Option<u32> {
        if side == self.flagged() { self.given.period } else { self.given.other_period }
    }

    /// The index of the period in which the flag of this player fell, if it is known.
    fn period(&self, side: Color) -> Option<usize> {
        let control = self.control?;
        match self.period_given(side) {
            Some(period) => Some(period as usize - 1),
            None if control.is_last(0) => Some(0),
            // With fewer moves than the first period requires, no other period has begun.
            None => control.required(0).zip(self.completed(side)).filter(|(required, done)| done < required).map(|_| 0),
        }
    }

    /// The facts.
    ///
    /// # Errors
    /// The end that was told does not fit the position.
    pub(super) fn facts(&self, oracle: &mut Oracle<'_>) -> Result<Facts> {
        let given = self.given;
        let standing = self.standing_end(oracle)?;
        // A dead position may have been dead before the last move too, so the move need not have changed anything.
        let time_told = given.ended.iter().any(|end| end.when.is_some() && matches!(end.kind, EndKind::Board(_)));
        let before_ending = (standing == Some(Ending::DeadPosition) && !time_told).then(|| self.counted(&self.positions[0]));
        let fill = |flag: Flag| Flag { before_ending: before_ending.clone(), ..flag };
        let flagged = self.flagged();
        let mut sides = Vec::new();
        sides.extend(given.flagged.map(Color::from));
        sides.extend(given.both_flags.then_some(flagged.other()));
        let flags: Vec<Flag> = sides.iter().map(|&side| fill(self.flag(side, side))).collect();
        let exchanged = sides.iter().filter(|_| given.sides_doubted).map(|&side| fill(self.flag(side, side.other())));
        let mut endings: Vec<Ended> = Vec::new();
        endings.extend(standing.map(|ending| self.ended_on_board(ending)));
        let told =
            given.ended.iter().enumerate().filter(|(_, end)| !end.rejected && Some(end.kind) != standing.map(EndKind::Board));
        endings.extend(told.map(|(index, end)| self.ended(*end, index)));
        let by_both = given.completed.zip(given.other_completed).map(|(one, other)| one.min(other));
        Ok(Facts {
            adds_time: self.control.map(TimeControl::adds_time),
            setting_differs: given.setting_differs,
            exchanged_flags: exchanged.collect(),
            flags,
            endings,
            claims: given.claim.iter().enumerate().map(|(index, claim)| self.claimed(*claim, index)).collect(),
            illegal: given.illegal.iter().enumerate().map(|(index, illegal)| self.illegal(*illegal, index)).collect(),
            scoresheet: given.scoresheet.map(Answer::is_yes),
            agreed_first: given.agreed_first.map(Color::from),
            completed_by_both: by_both,
            illegal_position: given.illegal_position.map(Time::when).map(|when| self.time(when, 0)),
            ..Facts::new(self.rulebook)
        })
    }

    /// The flag that the display of `shown` has shown, if that is the display of `side`.
    fn flag(&self, shown: Color, side: Color) -> Flag {
        let given = self.given;
        let is_other = shown != self.flagged();
        let how = if is_other { given.other_flag } else { OtherFlag::Seen };
        let first = given.order.and_then(Order::first);
        let fell = match how {
            OtherFlag::Seen | OtherFlag::NotSeen => FELL,
            OtherFlag::FellLater => between(CALLED.0 + 1, END),
            OtherFlag::PerhapsLater => between(FELL.earliest.0, END),
        };
        let seen = self.is_called() && how == OtherFlag::Seen;
        let caller = if given.claimed { Some(Caller::Player) } else { given.observed.then_some(Caller::Arbiter) };
        let in_period = self.control.zip(self.period(side));
        let us_chess = self.rulebook.rules().table == Table::UsChess;
        let nodes = u32::try_from(given.nodes).unwrap_or(u32::MAX);
        let claimant_wins = self.positions.iter().filter(|_| us_chess).map(|at| forced_win_within(at, side.other(), nodes));
        Flag {
            // Two signs whose order nobody knows; the words of `--order` are in `fell_second`.
            shown: how != OtherFlag::PerhapsLater,
            fell_second: given.both_flags && first.is_some_and(|first| first != shown),
            observed_at: seen.then_some(CALLED),
            called_by: caller.filter(|_| seen),
            clocks_stopped: given.clocks_stopped.map(Answer::is_yes),
            last: in_period.map(|(control, period)| control.is_last(period)),
            required: in_period.and_then(|(control, period)| control.required(period)),
            completed: self.completed(side).map(|done| (done, given.perhaps_one_more && side == self.flagged())),
            positions: self.positions.iter().map(|at| self.counted(at)).collect(),
            forced_wins: claimant_wins.collect(),
            moves_missing: given.moves_missing,
            apparently_over: given.seemed_over,
            open_offer: given.open_offer,
            ..Flag::new(side, fell)
        }
    }

    fn counted(&self, at: &Chess) -> Counted {
        let phase = if self.given.not_pressed.is_some() { Phase::Made } else { Phase::Idle };
        Counted { position: at.clone(), phase }
    }

    fn all_counted(&self) -> Vec<Counted> {
        self.positions.iter().map(|at| self.counted(at)).collect()
    }

    /// The time of an event. `index` keeps two events apart whose order is not known.
    fn time(&self, when: Option<When>, index: usize) -> Interval {
        let (earliest, latest) = match when {
            Some(When::BeforeFlag) => (0, FELL.earliest.0 - 1),
            Some(When::AfterFlag) => (FELL.latest.0 + 1, CALLED.0 - 1),
            Some(When::AfterCall) => (CALLED.0 + 1, END),
            None => (0, END),
        };
        between((earliest + index as u64).min(latest), latest)
    }

    /// The ending that the position itself shows.
    ///
    /// # Errors
    /// One of several positions has ended the game, or `--ended` names another ending of the position.
    fn standing_end(&self, oracle: &mut Oracle<'_>) -> Result<Option<Ending>> {
        let mut standing = None;
        for at in self.positions {
            standing = standing.or(self.end_of(at, oracle));
        }
        if standing.is_some() && self.positions.len() > 1 {
            bail!("--fen: one of the positions that may count has ended the game: ask for each of them by itself");
        }
        for end in &self.given.ended {
            let (EndKind::Board(ending @ (Ending::Checkmate | Ending::Stalemate | Ending::DeadPosition)), found) =
                (end.kind, standing)
            else {
                continue;
            };
            if found != Some(ending) {
                let said = match ending {
                    Ending::Checkmate => "checkmate",
                    Ending::Stalemate => "stalemate",
                    _ => "dead-position",
                };
                bail!("--ended {said} and --fen contradict each other: the position is not so");
            }
        }
        let rejected = |ending: &Ending| self.given.ended.iter().any(|end| end.rejected && end.kind == EndKind::Board(*ending));
        Ok(standing.filter(|ending| !rejected(ending)))
    }

    fn end_of(&self, at: &Chess, oracle: &mut Oracle<'_>) -> Option<Ending> {
        match () {
            () if at.is_checkmate() => Some(Ending::Checkmate),
            () if at.is_stalemate() => Some(Ending::Stalemate),
            () if self.is_dead(at, oracle) => Some(Ending::DeadPosition),
            () if at.halfmoves() >= 150 => Some(Ending::SeventyFiveMoves),
            () => None,
        }
    }

    /// Whether neither side can mate (5.2.2). The popular explanation considers the material only.
    fn is_dead(&self, at: &Chess, oracle: &mut Oracle<'_>) -> bool {
        if at.is_insufficient_material() {
            return true;
        }
        let mut cannot = |side| matches!(oracle(at, side), Verdict::Unwinnable(_));
        // The question that is needed anyway comes first: its answer is seldom no.
        self.rulebook.winnability() != Winnability::Material && cannot(self.flagged().other()) && cannot(self.flagged())
    }

    /// The ending that the position shows. It was reached before the fall was observed, but without `--ended` it is not known
    /// whether before the fall. A move whose clock was not pressed is not finished where the press finishes it (club points 4
    /// and 7).
    fn ended_on_board(&self, ending: Ending) -> Ended {
        let told = self.given.ended.iter().find(|end| end.kind == EndKind::Board(ending));
        let at = match told.and_then(|end| end.when) {
            None => between(0, CALLED.0 - 1),
            when => self.time(when, 0),
        };
        let pressed = self.given.not_pressed.is_none().then_some(at);
        Ended { end: End::Board { ending, by: self.mover() }, at, pressed, positions: Vec::new() }
    }

    fn ended(&self, end: events::End, index: usize) -> Ended {
        let at = match (end.kind, end.when) {
            // The position of such an end stood on the board before the call.
            (EndKind::Board(_), None) => between(0, CALLED.0 - 1),
            (_, when) => self.time(when, index),
        };
        // Nobody agrees to a draw before the game has begun: the second move of a player follows one of the other.
        let moved = self.given.completed.max(self.given.other_completed).is_some_and(|completed| completed >= 2);
        let kind = match end.kind {
            EndKind::Board(ending) => End::Board { ending, by: self.mover() },
            EndKind::Resignation(by) => End::Resignation { by },
            EndKind::Agreement(both) => End::Agreement { both_moved: both.or(moved.then_some(true)) },
            EndKind::KingCaptured(by) => End::KingCaptured { by },
        };
        let pressed = (self.given.not_pressed.is_none() || !matches!(end.kind, EndKind::Board(_))).then_some(at);
        Ended { end: kind, at, pressed, positions: self.all_counted() }
    }

    /// The player who made the last move.
    fn mover(&self) -> Color {
        if self.positions[0].turn().is_white() { Color::Black } else { Color::White }
    }

    fn claimed(&self, claim: events::Claim, index: usize) -> Claimed {
        Claimed {
            by: claim.by,
            ground: claim.ground,
            at: self.time(claim.when, index),
            standing: claim.standing,
            time_added: claim.time_added.then_some(true),
            correct: None,
            indicated: false,
            played_on: false,
        }
    }

    fn illegal(&self, illegal: events::IllegalMove, index: usize) -> Illegal {
        let at = self.time(illegal.when, index);
        let replied = between(at.latest.0, END);
        Illegal {
            by: illegal.by,
            kind: illegal.kind,
            at,
            treated: illegal.treated,
            reply: illegal.reply.map(|_| replied),
            reply_pressed: (illegal.reply == Some(Reply::Pressed)).then_some(replied),
            positions: self.all_counted(),
            time_added: illegal.time_added.then_some(true),
        }
    }
}

/// Makes the finding in the form of a board's finding; its moments are empty.
pub(super) fn finding(facts: &Facts, mut found: Found, id: u32, at: &Chess) -> Finding {
    let flag = match found.subject {
        Subject::Flag(index) => facts.flags.get(index),
        Subject::Game => None,
    };
    let counted = found.counted.take().or_else(|| flag.and_then(|flag| flag.positions.first().cloned()));
    let counted = counted.unwrap_or_else(|| Counted { position: at.clone(), phase: Phase::Idle });
    if flag.is_some_and(|flag| flag.last.is_none()) && !found.unknown.contains(&"time_control") {
        found.unknown.push("time_control");
    }
    Finding {
        id,
        flag: flag.map(|flag| flagfall_game::color_name(flag.side)),
        completed: flag.and_then(|flag| flag.completed).map(|(sure, _)| sure),
        required: flag.and_then(|flag| flag.required),
        last_period: flag.and_then(|flag| flag.last),
        ended_at: None,
        ..Finding::of(found, &facts.rulebook, &counted.position, counted.phase)
    }
}

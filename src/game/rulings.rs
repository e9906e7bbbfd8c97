//! What the Laws say once a flag has fallen: the facts of the game put to the decision table.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};

use crate::alarm::{AlarmKind, AlarmStatus};
use crate::clock::flag::{FlagFall, FlagPath};
use crate::decide::flag_side;
use crate::effect::Effect;
use crate::game::Game;
use crate::interval::Interval;
use crate::laws::finding::{Finding, Outcome, Phase};
use crate::laws::table::{Case, Ruled, rule, two_flags};
use crate::laws::winnable::{Answer, Verdict};
use crate::men;
use crate::message::{AuditBody, Decision, Ruling, Stage};

/// With nothing moved for this long before the fall the game may have ended without a word (row 9); players do think for half
/// an hour, and then the fall is theirs.
const LONG_PAUSE: Duration = Duration::from_secs(45 * 60);

impl Game {
    /// Finds for every flag in the order of their fall, up to the first that costs something.
    pub(crate) fn find(&mut self, out: &mut Vec<Effect>) {
        let falls: Vec<FlagFall> = self.clock.flags().iter().filter(|fall| !fall.after_end).copied().collect();
        for (index, fall) in falls.iter().enumerate() {
            let together = falls.iter().find(|other| {
                let second = [other.path, fall.path].contains(&FlagPath::ZeroAfterOther);
                other.side != fall.side && other.fell == fall.fell && !second
            });
            let finding = self.finding(index, fall, together, out);
            let goes_on = finding.outcome == Outcome::GameGoesOn || self.decisions.settled(&finding).is_some();
            self.emit(index, finding, out);
            if !goes_on {
                return;
            }
        }
    }

    fn finding(&mut self, index: usize, fall: &FlagFall, together: Option<&FlagFall>, out: &mut Vec<Effect>) -> Finding {
        let (position, phase) = self.position_that_counts(fall);
        let (mut ruled, winnable) = self.rule_flag(fall, &position, out);
        if let Some(other) = together {
            ruled = two_flags(ruled, &self.rule_flag(other, &position, out).0);
        }
        let mut unknown = ruled.unknown;
        if self.control.is_none() && !unknown.contains(&"time_control") {
            unknown.push("time_control");
        }
        let observed_only = fall.path == FlagPath::ObservedByArbiter;
        if observed_only {
            unknown.push("moment_of_expiry");
        }
        let source = format!("rx{}:{}-{}", fall.source.channel, fall.source.start, fall.source.end);
        Finding {
            id: self.findings_before + index as u32 + 1,
            revision: 1,
            profile: "fide-2023-standard",
            flag: men::color_name(fall.side),
            path: fall.path,
            outcome: ruled.outcome,
            row: ruled.row,
            articles: ruled.articles,
            conditional: fall.observed_at.is_none(),
            contested: ruled.contested,
            alternatives: ruled.alternatives,
            position: Fen::from_position(&position, EnPassantMode::Legal).to_string(),
            phase,
            expired_at: fall.fell.micros(),
            observed_at: fall.observed_at.map(Instant::micros),
            completed: self.completed_by_fall(fall).map(|(sure, _)| sure),
            required: self.required(fall),
            last_period: self.last_period(fall),
            winnable,
            evidence: if observed_only { Vec::new() } else { vec![source] },
            unknown,
            status: "proposed",
        }
    }

    /// What the table says of one flag by itself, and what is known of 6.9 if that matters.
    fn rule_flag(&mut self, fall: &FlagFall, position: &Chess, out: &mut Vec<Effect>) -> (Ruled, Verdict) {
        let mut case = Case {
            flag: fall,
            ending: self.ending_on_board(),
            apparently_over: fall.after_quiet,
            illegal_open: self.illegal_unruled(fall),
            setting_differs: self.setting.differs() || self.alarms.is_open(AlarmKind::ClockCountDiffers),
            last: self.last_period(fall),
            required: self.required(fall),
            completed: self.completed_by_fall(fall),
            winnable: Verdict::Pending,
        };
        let ruled = rule(&case);
        let open = |row: &str| row == "16";
        if !open(ruled.row) && !ruled.alternatives.iter().any(|other| open(other.row)) {
            return (ruled, Verdict::NotAsked);
        }
        let mut ask = None;
        case.winnable = self.questions.verdict(position, fall.side.other(), &mut ask);
        out.extend(ask.map(Effect::Ask));
        (rule(&case), case.winnable)
    }

    /// The fall ended the last period; none if that is not known.
    fn last_period(&self, fall: &FlagFall) -> Option<bool> {
        match &self.control {
            Some(control) => Some(control.is_last(fall.period)),
            // A clock that stops for good at zero has no further period.
            None => fall.blocked.then_some(true),
        }
    }

    fn required(&self, fall: &FlagFall) -> Option<u32> {
        self.control.as_ref().and_then(|control| control.required(fall.period))
    }

    /// Sends a finding if it is new or says something else than before.
    fn emit(&mut self, index: usize, mut finding: Finding, out: &mut Vec<Effect>) {
        match self.findings.get_mut(index) {
            Some(known) => {
                finding.revision = known.revision;
                if finding == *known || self.decisions.settled(&finding).is_some() {
                    return;
                }
                if self.decisions.settled(known).is_some() {
                    // What was ruled on is something else now.
                    self.alarms.raise(self.now, AlarmKind::Flag, Some(flag_side(known)), 0);
                }
                finding.revision += 1;
                *known = finding.clone();
            }
            None => self.findings.push(finding.clone()),
        }
        self.ruling_dirty = true;
        self.revised();
        out.push(Effect::Finding(finding));
    }

    /// The position after the last move made before the fall was observed, now if nobody has, and where the running move is
    /// (`laws.md` section 2).
    fn position_that_counts(&self, fall: &FlagFall) -> (Chess, Phase) {
        let until = fall.observed_at.or(fall.ruled_at).unwrap_or(self.now);
        let record = &self.decoder.record;
        let sure = record.moves().iter().take_while(|known| known.made.latest <= until).count();
        if sure < record.moves().len() {
            return (record.position_after(sure), Phase::Idle);
        }
        let plies = self.decoder.line.plies();
        let made = plies.iter().take_while(|ply| ply.made.latest <= until).count();
        let touched = self.stage != Stage::Over && self.touched() && self.board.last_change() <= until;
        let phase = match () {
            () if touched && self.illegal_unruled(fall) => Phase::Illegal,
            () if made > 0 => Phase::Made,
            () if touched => Phase::Touched,
            () => Phase::Idle,
        };
        (self.decoder.line.node(record.node(), made).position.clone(), phase)
    }

    /// Moves of the flagged player completed by the fall, and whether one more may have been: the pressed one whose press came
    /// in the same report, or the one that his own next move completed at that moment (6.2.1.2).
    fn completed_by_fall(&self, fall: &FlagFall) -> Option<(u32, bool)> {
        if fall.counted.is_some() {
            return fall.counted;
        }
        let before = (*self.completed_before.get(fall.side))?;
        let record = &self.decoder.record;
        let (mut sure, mut doubtful) = record.completed(fall.side, Some(&fall.fell));
        if fall.path == FlagPath::ObservedByArbiter {
            // Between the last report and the observation more than one move may have been completed.
            let seen = Interval { earliest: fall.fell.latest, latest: fall.fell.latest };
            let most = record.completed(fall.side, Some(&seen)).0;
            if most > sure + 1 && self.required(fall).is_some_and(|required| before.saturating_add(sure) < required) {
                return None;
            }
        }
        let own = || self.decoder.line.plies().iter().filter(|ply| ply.color == fall.side);
        let last_open =
            record.moves().iter().rfind(|known| known.color == fall.side).is_some_and(|known| known.completed.is_none());
        // The last of the player's own made moves completes the one before it.
        if let Some(next) = own().nth(usize::from(!last_open)) {
            if next.made.before(&fall.fell) {
                sure += 1;
            } else if next.made.earliest <= fall.fell.latest {
                doubtful = true;
            }
        }
        doubtful |= fall.with_press || self.decoder.pressed_by(fall.side, fall.fell.latest);
        Some((before.saturating_add(sure), doubtful))
    }

    /// Keeps the counts at the falls: the moves that they rest on are about to be replaced.
    pub(crate) fn count_at_falls(&mut self) {
        let counts: Vec<_> = self.clock.flags().iter().map(|fall| self.completed_by_fall(fall)).collect();
        for (fall, counted) in self.clock.flags_mut().iter_mut().zip(counts) {
            fall.counted = counted;
        }
    }

    /// Findings are made anew, with new numbers: what was proposed under the old ones may still be on somebody's screen.
    pub(crate) fn forget_findings(&mut self) {
        self.findings_before += self.findings.len() as u32;
        self.findings.clear();
    }

    /// A flag that may cost something awaits its ruling.
    pub(crate) fn flag_open(&self) -> bool {
        self.awaits_ruling() && self.deciding_finding().is_none_or(|finding| finding.outcome != Outcome::GameGoesOn)
    }

    /// The last finding or decision in full, and the number of its game: an earlier one until this game has something of its
    /// own or a move.
    pub fn ruling(&self) -> Option<(u32, Ruling)> {
        let finding = self.deciding_finding();
        let own = match (finding, self.standing_decision(finding)) {
            (Some(finding), decision) => Some(Ruling::Finding { finding: Box::new(finding.clone()), decision }),
            (None, decision) => decision.map(|decision| Ruling::Decision { decision }),
        };
        own.map(|ruling| (self.number, ruling)).or_else(|| self.earlier_ruling.clone())
    }

    /// The decision that gave the game its result; without one, that on this finding, or that the game is broken off.
    fn standing_decision(&self, finding: Option<&Finding>) -> Option<Box<Decision>> {
        let on_finding = || finding.and_then(|finding| self.decisions.numbered(self.decisions.settled(finding)?));
        let standing = match self.result {
            Some(_) => self.decisions.of_result(),
            None => self.decisions.of_restart().or_else(on_finding),
        };
        standing.cloned().map(Box::new)
    }

    pub(crate) fn let_earlier_ruling_go(&mut self) {
        let moved = !self.decoder.record.moves().is_empty() || !self.decoder.line.is_empty();
        if self.earlier_ruling.is_some() && (moved || !self.findings.is_empty() || self.result.is_some()) {
            self.earlier_ruling = None;
            self.ruling_dirty = true;
        }
    }

    /// A press before the fall completed no legal move, and nobody has ruled on it.
    fn illegal_unruled(&self, fall: &FlagFall) -> bool {
        self.alarms.open().filter(|alarm| alarm.happened <= fall.fell.latest).any(|alarm| {
            matches!(alarm.kind, AlarmKind::IllegalMove | AlarmKind::PromotionNotReplaced | AlarmKind::PressedWithoutMove)
                && matches!(alarm.status, AlarmStatus::Open | AlarmStatus::CorrectedOnBoard)
        })
    }

    /// The game seems to have ended before a flag that falls now: a result was shown, the board was cleared, or nothing was
    /// moved for very long (row 9).
    pub(crate) fn apparently_over(&self) -> bool {
        let men = |men: &men::Men| men.iter().filter(|&&man| man != men::EMPTY).count();
        let cleared = self.board.known() && men(self.board.men()) * 2 < men(&self.decoder.record.node().men);
        let made = self.decoder.record.moves().last().map_or(Instant::ZERO, |record| record.made.latest);
        let moved = self.board.last_change().max(made);
        // Play that goes on after a gesture shows that it was none.
        let shown = self.hints.last().is_some_and(|hint| hint.at >= made.0);
        shown || cleared || self.now.since(moved) >= LONG_PAUSE
    }

    pub(crate) fn answer(&mut self, answer: &Answer, out: &mut Vec<Effect>) {
        if let Err(problem) = self.questions.answer(answer) {
            let problem = format!("answer {}: {problem}", answer.id);
            out.push(Effect::Audit(AuditBody::Refused { problem }));
        }
    }
}

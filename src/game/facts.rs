//! Collects the facts for the rulebook from the board, the clock and the arbiter's entries.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{Position, Role};

use crate::alarm::{Alarm, AlarmKind, AlarmStatus};
use crate::arbiter_entries::{Entered, FlagOrder, Statement};
use crate::case::Case;
use crate::clock::control::TimeControl;
use crate::clock::flag::{FlagFall, FlagPath};
use crate::counted::MAX_POSITIONS;
use crate::decision::Claim;
use crate::interval::Interval;
use crate::laws::claim::Standing;
use crate::laws::facts::{Caller, Claimed, Counted, End, Ended, Facts, Flag, Illegal, IllegalKind, Treated};
use crate::laws::outcome::Phase;
use crate::seen::Play;

/// The largest number of illegal moves of a game that are considered. The first few have decided the game.
const MAX_ILLEGAL: usize = 16;

impl Case<'_> {
    /// The facts for the rulebook, with these flags.
    pub(crate) fn facts(&self, falls: &[FlagFall]) -> Facts {
        let (mut claims, mut illegal) = (self.claims(), self.illegal_moves());
        self.note_time_added(&mut claims, &mut illegal);
        Facts {
            adds_time: self.seen.clock.control.as_ref().map(TimeControl::adds_time),
            setting_differs: self.seen.clock.setting.differs() || self.alarms.is_open(AlarmKind::ClockCountDiffers),
            flags: falls.iter().map(|fall| self.flag(fall, falls)).collect(),
            exchanged_flags: if self.seen.sides_doubtful(self.alarms) { self.exchanged_flags(falls) } else { Vec::new() },
            endings: self.endings(),
            claims,
            illegal,
            agreed_first: self.order_of(falls).map(|order| order.first),
            completed_by_both: self.completed_by_both(),
            illegal_position: self.irregular.illegal_position.stood,
            ..Facts::new(self.seen.config.rulebook)
        }
    }

    /// The number of moves that both players have certainly completed. It is computed only if a rule needs it (A.5.1).
    fn completed_by_both(&self) -> Option<u32> {
        self.seen.config.rulebook.rules().setting_stands_after?;
        let completed = |side: Color| {
            let before = (*self.seen.play.completed_before.get(side))?;
            u32::try_from(before.saturating_add_unsigned(self.seen.play.decoder.record.completed(side, None).0)).ok()
        };
        Some(completed(Color::White)?.min(completed(Color::Black)?))
    }

    /// These flags as they are if left and right of the clock are exchanged. A flag that the clock has not shown is the
    /// player's whom the arbiter named.
    fn exchanged_flags(&self, falls: &[FlagFall]) -> Vec<Flag> {
        let exchanged = |fall: &FlagFall| match fall.path {
            FlagPath::ObservedByArbiter => fall.clone(),
            _ => FlagFall { side: fall.side.other(), ..fall.clone() },
        };
        let falls: Vec<FlagFall> = falls.iter().map(exchanged).collect();
        // Moves that were counted at the fall are those of the configured side.
        let of_fall = |fall: &FlagFall| match self.flag(fall, &falls) {
            flag if fall.counted.is_some() && fall.path != FlagPath::ObservedByArbiter => Flag { completed: None, ..flag },
            flag => flag,
        };
        falls.iter().map(of_fall).collect()
    }

    fn flag(&self, fall: &FlagFall, falls: &[FlagFall]) -> Flag {
        let (positions, too_many) = self.positions(Some(fall));
        let other = falls.iter().find(|other| other.side != fall.side && other.fell == fall.fell);
        // By these rules only players call a flag, so a recorded call was a player's call (13C1; club point 10; B6).
        let by_players = self.seen.config.rulebook.only_players_call();
        let recorded = self.order_of(falls).filter(|order| order.falls.contains(&fall.number));
        let by_sign =
            || fall.path == FlagPath::ZeroAfterOther && other.is_none_or(|other| other.path != FlagPath::ZeroAfterOther);
        Flag {
            shown: !matches!(fall.path, FlagPath::ObservedByArbiter | FlagPath::OnConnect),
            order_recorded: recorded.is_some(),
            fell_second: recorded.map_or_else(by_sign, |order| fall.side != order.first),
            observed_at: fall.observed_at,
            called_by: fall.observed_at.filter(|_| by_players).map(|_| Caller::Player),
            clocks_stopped: fall
                .clocks_stopped
                .or_else(|| self.seen.clock.chessclock.present().then(|| self.seen.clock.chessclock.runs().is_none())),
            last: self.last_period(fall),
            required: self.required(fall),
            completed: self.completed_by_fall(fall),
            positions,
            before_ending: self.position_before_ending(),
            // Facts that were established before the board was lost stay valid.
            moves_missing: too_many || self.moves_missing_at(fall),
            apparently_over: fall.after_quiet,
            open_offer: self.offer_is_open(fall.settled_at().unwrap_or(self.now)),
            ..Flag::new(fall.side, fall.fell)
        }
    }

    /// True if one of the players could accept an offer of a draw at this time.
    fn offer_is_open(&self, until: Instant) -> bool {
        let moment = Interval { earliest: until, latest: until };
        let offered = |side: Color| {
            let offer = self.entries.all().iter().rfind(|entry| entry.side == side && entry.what == Entered::Offer);
            offer.is_some_and(|offer| offer.happened.earliest <= until)
        };
        let agreed = self.entries.all().iter().any(|entry| entry.what == Entered::Agreement);
        let open = |side: Color| offered(side) && self.seen.may_accept(side.other(), self.entries, moment).is_ok();
        !agreed && [Color::White, Color::Black].into_iter().any(open)
    }

    /// The order of two flags that an arbiter has recorded, if it is about two of these falls.
    fn order_of(&self, falls: &[FlagFall]) -> Option<FlagOrder> {
        let known = |number: &u32| falls.iter().any(|fall| fall.number == *number);
        self.entries.flag_order.filter(|order| order.falls.iter().all(known))
    }

    /// True if moves may have been made by then that no sensor saw: the board was not heard, it shows something that the
    /// record does not explain, or a press still waits for its move.
    fn moves_missing(&self, until: Instant) -> bool {
        self.unseen_or_pressed(until) || self.unexplained(until)
    }

    /// The same for this fall. Men that were lifted or swept off the board since then are no moves, as long as nobody presses.
    fn moves_missing_at(&self, fall: &FlagFall) -> bool {
        let until = fall.settled_at().unwrap_or(fall.fell.latest);
        self.unseen_or_pressed(until) || self.unexplained(if fall.hides_moves { until } else { fall.fell.latest })
    }

    fn unseen_or_pressed(&self, until: Instant) -> bool {
        let unseen = self.seen.board.unseen_since().is_some_and(|since| since < until);
        unseen || [Color::White, Color::Black].iter().any(|&by| self.seen.play.decoder.pressed_by(by, until))
    }

    /// True if an open alarm of before `until` says that the record does not explain the men on the board.
    fn unexplained(&self, until: Instant) -> bool {
        use AlarmKind::{KingMissing, MovedByWrongSide, PiecesDisplaced, PositionDiffers, TooManyMen, UnreadableSquare};
        self.alarms.open().any(|alarm| {
            let of_men = matches!(
                alarm.kind,
                PositionDiffers | PiecesDisplaced | MovedByWrongSide | KingMissing | TooManyMen | UnreadableSquare
            );
            (of_men || alarm.lacks_men()) && alarm.happened <= until
        })
    }

    /// The positions to which an entry may refer; none if this is not known.
    fn positions_of(&self, when: Interval) -> Vec<Counted> {
        let (positions, too_many) = self.positions_at(when);
        if too_many || self.moves_missing(when.latest) { Vec::new() } else { positions }
    }

    fn endings(&self) -> Vec<Ended> {
        let on_board = self.seen.play.ending_on_board().map(|(ending, made, by)| {
            let last = self.seen.play.decoder.record.moves().last();
            let pressed = last.filter(|last| last.made == made).and_then(|last| last.pressed);
            let pressed = pressed.or_else(|| self.seen.clock.stopped_after(made, by));
            Ended { end: End::Board { ending, by }, at: made, pressed, positions: Vec::new() }
        });
        let mut endings: Vec<Ended> = on_board.into_iter().chain(self.irregular.king.captured()).collect();
        for side in [Color::White, Color::Black] {
            let resigned = self.entries.all().iter().rfind(|entry| entry.side == side && entry.what == Entered::Resignation);
            endings.extend(resigned.map(|entry| Ended {
                end: End::Resignation { by: side },
                at: entry.happened,
                pressed: None,
                positions: self.positions_of(entry.happened),
            }));
        }
        let agreed = self.entries.all().iter().rfind(|entry| entry.what == Entered::Agreement);
        endings.extend(agreed.map(|entry| Ended {
            end: End::Agreement { both_moved: self.both_moved(entry.happened) },
            at: entry.happened,
            pressed: None,
            positions: self.positions_of(entry.happened),
        }));
        endings
    }

    /// True if both players had made a move (5.2.3); none if this is not known.
    fn both_moved(&self, until: Interval) -> Option<bool> {
        let made: Vec<(Color, Interval)> = self.times(self.played(None)).collect();
        let of = |side: Color| {
            let sure = made.iter().any(|&(color, made)| color == side && made.latest <= until.latest);
            match *self.seen.play.completed_before.get(side) {
                _ if sure => Some(true),
                Some(before) => Some(before > 0),
                None => None,
            }
        };
        match (of(Color::White), of(Color::Black)) {
            (Some(true), Some(true)) => Some(true),
            (Some(false), _) | (_, Some(false)) => Some(false),
            _ => None,
        }
    }

    /// The claims, each with its final standing.
    fn claims(&self) -> Vec<Claimed> {
        let mut claims: Vec<Claimed> = Vec::new();
        for entry in self.entries.all() {
            let Entered::Claim { ground, standing } = entry.what else { continue };
            // A decision concerns the claim that was lodged. An entry with the time of an earlier one corrects it.
            let same = |claim: &&mut Claimed| {
                let open = claim.standing == Standing::Lodged || claim.at == entry.happened;
                claim.by == entry.side && claim.ground == ground && open
            };
            match claims.iter_mut().rev().find(same) {
                Some(claim) => claim.standing = standing,
                None => claims.push(Claimed {
                    by: entry.side,
                    ground,
                    at: entry.happened,
                    standing,
                    time_added: None,
                    correct: entry.claim.as_ref().and_then(|claim| claim.correct),
                    indicated: entry.claim.as_ref().is_some_and(|claim| claim.uci.is_some()),
                    played_on: self.has_played_on(entry),
                }),
            }
        }
        claims
    }

    /// True if the player has made a sure move since this entry.
    fn has_played_on(&self, entry: &Statement) -> bool {
        let record = self.seen.play.decoder.record.moves();
        record.iter().any(|known| known.color == entry.side && known.made.earliest > entry.happened.latest)
    }

    /// The claim that was lodged at this time, as it stands now, and the position in which it was lodged.
    pub(crate) fn claim_of(&self, lodged_at: Interval) -> Option<(&Claim, Option<Counted>)> {
        let entries = self.entries.all();
        let lodged = entries.iter().filter(|entry| entry.happened == lodged_at).find_map(|entry| entry.claim.as_ref())?;
        let same = |claim: &&Claim| claim.side == lodged.side && claim.ground == lodged.ground;
        let last = entries.iter().rev().filter_map(|entry| entry.claim.as_ref()).find(same)?;
        Some((last, self.positions_at(lodged_at).0.into_iter().next()))
    }

    fn illegal_moves(&self) -> Vec<Illegal> {
        let ruled = |id: u32| {
            let entries = self.entries.all().iter().rev();
            entries.into_iter().find_map(|entry| match entry.what {
                Entered::IllegalMove { alarm, counts } if alarm == id => Some(counts),
                _ => None,
            })
        };
        let of_alarm = |alarm: &Alarm| {
            let (kind, by) = (alarm.kind.illegal()?, alarm.side?);
            let treated = match (ruled(alarm.id), alarm.status) {
                (Some(true), _) => Treated::Counted,
                (Some(false), _) => Treated::NotCounted,
                (None, AlarmStatus::Open | AlarmStatus::CorrectedOnBoard) => Treated::Open,
                // It stands, because the opponent has replied (A.5.2; club point 15).
                (None, AlarmStatus::Cured) => Treated::NotCounted,
                (None, _) => Treated::Settled,
            };
            if treated == Treated::NotCounted {
                return None;
            }
            let at = Interval { earliest: alarm.happened, latest: alarm.happened };
            Some(Illegal {
                by,
                kind,
                at,
                treated,
                reply: self.reply(by, alarm.happened),
                reply_pressed: self.reply_pressed(by, alarm.happened),
                // For a settled illegal move no position is needed.
                positions: if treated == Treated::Settled {
                    Vec::new()
                } else {
                    self.restored_positions(kind, alarm.squares, at)
                },
                time_added: None,
            })
        };
        let mut illegal: Vec<Illegal> = self.alarms.iter().filter_map(of_alarm).take(MAX_ILLEGAL).collect();
        // Illegal moves that an arbiter saw and no sensor (7.5.4). Of several entries with the same time the last one counts.
        let seen = |entry: &&Statement| match entry.what {
            Entered::IllegalMove { alarm, .. } => !self.alarms.iter().any(|known| known.id == alarm),
            _ => false,
        };
        let entries: Vec<&Statement> = self.entries.all().iter().filter(seen).collect();
        for (index, entry) in entries.iter().enumerate() {
            let again = |later: &&Statement| later.side == entry.side && later.happened == entry.happened;
            let counts = matches!(entry.what, Entered::IllegalMove { counts: true, .. });
            if counts && !entries[index + 1..].iter().any(again) {
                illegal.push(Illegal {
                    by: entry.side,
                    kind: IllegalKind::TwoHands,
                    at: entry.happened,
                    treated: Treated::Counted,
                    reply: None,
                    reply_pressed: None,
                    positions: self.positions_of(entry.happened),
                    time_added: None,
                });
            }
        }
        illegal
    }

    /// The time of the opponent's next move after a press of `by`.
    fn reply(&self, by: Color, pressed: Instant) -> Option<Interval> {
        let earlier = self.seen.play.segments.iter().flat_map(|record| record.moves().made());
        let mut made = earlier.chain(self.times(self.played(None)));
        made.find(|(color, made)| *color != by && made.earliest > pressed).map(|(_, made)| made)
    }

    /// The time of the opponent's press after his next move.
    fn reply_pressed(&self, by: Color, pressed: Instant) -> Option<Interval> {
        let Play { segments, decoder, .. } = &self.seen.play;
        let mut recorded = segments.iter().chain([&decoder.record]).flat_map(|record| record.moves().iter());
        recorded.find(|known| known.color != by && known.made.earliest > pressed).and_then(|known| known.pressed)
    }

    /// The position before an illegal move, or with a queen where a pawn was not replaced (7.5.1, 7.5.2).
    fn restored_positions(&self, kind: IllegalKind, squares: u64, at: Interval) -> Vec<Counted> {
        let mut positions = self.positions_at(at).0;
        if kind != IllegalKind::PressedWithoutMove {
            positions.iter_mut().for_each(|counted| counted.phase = Phase::Illegal);
        }
        if kind != IllegalKind::PromotionNotReplaced {
            return positions;
        }
        let mut queens = Vec::new();
        for counted in &positions {
            for mv in counted.position.legal_moves() {
                let to = 1 << u32::from(mv.to());
                if mv.promotion() == Some(Role::Queen) && squares & to != 0 && queens.len() < MAX_POSITIONS {
                    let mut position = counted.position.clone();
                    position.play_unchecked(mv);
                    queens.push(Counted { position, phase: Phase::Illegal });
                }
            }
        }
        if queens.is_empty() { positions } else { queens }
    }
}

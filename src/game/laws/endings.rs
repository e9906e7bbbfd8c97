//! Finds the endings of a game, the earliest first (`laws/README.md#2.2`, step 3; rows 1 to 7a of `laws/README.md#2.3`).

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::facts::{Caller, Claimed, End, Ended, Flag};
use crate::laws::outcome::Ending;
use crate::laws::outcome::{Kind, Outcome};
use crate::laws::rules::{About, Table};
use crate::laws::tables::{Ruled, Tables, depending, wins};

/// An event that ended the game, and the answer of the rules on it.
#[derive(Clone, Debug)]
pub(crate) struct Final {
    pub(crate) kind: Kind,
    pub(crate) at: Interval,
    pub(crate) depends_on: &'static str,
    pub(crate) ruled: Ruled,
}

/// The time at which a flag was considered to have fallen (6.8).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Considered {
    surely: Option<Instant>,
    perhaps: Option<Instant>,
}

impl Tables<'_, '_> {
    /// All endings of the game by these rules, in an order that depends only on their own facts.
    pub(crate) fn finals(&mut self) -> Vec<Final> {
        let mut finals = Vec::new();
        for ended in &self.facts.endings {
            finals.extend(self.by_ending(ended));
        }
        let claims = self.facts.claims.iter();
        let accepted = claims.filter(|claim| claim.standing == Standing::Accepted && claim.ground != Ground::AdditionalTime);
        for claim in accepted {
            finals.push(self.by_claim(claim));
        }
        finals.extend(self.by_illegal_moves());
        in_order(&mut finals);
        finals
    }

    /// The latest time at which an ending counts against this flag: the certain time, and the time as far as it is known.
    /// Another flag that affects the result and was observed ends the game in the same way as this one.
    pub(crate) fn considered(&mut self, flag: &Flag) -> Considered {
        let own = self.called(flag);
        let mut considered = Considered { surely: own, perhaps: own };
        let facts = self.facts;
        if facts.endings.is_empty() && facts.claims.is_empty() && facts.illegal.is_empty() && facts.illegal_position.is_none() {
            return considered;
        }
        let sooner = |known: Option<Instant>, at: Instant| Some(known.map_or(at, |known| known.min(at)));
        let same = |other: &Flag| other.side == flag.side && other.fell == flag.fell;
        for other in facts.flags.iter().filter(|other| !other.set_aside && !same(other)) {
            let by_player = Flag { called_by: other.called_by.or(Some(Caller::Player)), ..other.clone() };
            let Some(at) = self.called(&by_player) else { continue };
            let ruled = self.after_endings(&by_player);
            if ruled.outcome == Outcome::GameGoesOn {
                continue;
            }
            considered.perhaps = sooner(considered.perhaps, at);
            let doubtful = self.facts.rulebook.rules().table == Table::Club && other.clocks_stopped.is_none();
            if ruled.decided() && self.called(other).is_some() && !doubtful {
                considered.surely = sooner(considered.surely, at);
            }
        }
        considered
    }

    /// The endings that may count against a flag, and whether the flag may have come first.
    pub(crate) fn before_flag(&mut self, flag: &Flag) -> (Vec<Final>, bool) {
        let considered = self.considered(flag);
        let finals = self.finals();
        let flag_may_be_first = {
            let certain = |it: &Final| considered.perhaps.is_none_or(|at| it.at.latest < at);
            !finals.iter().any(certain)
        };
        (self.standing(considered.surely), flag_may_be_first)
    }

    /// The first ending, with the effect of an open claim or an open illegal move that may have come before it.
    pub(crate) fn standing(&mut self, seen: Option<Instant>) -> Vec<Final> {
        let finals = self.finals();
        let mut standing = first(finals, seen);
        for it in &mut standing {
            it.ruled = self.with_open_inputs(it.at, it.ruled.clone());
        }
        in_order(&mut standing);
        standing
    }

    fn with_open_inputs(&mut self, at: Interval, mut ruled: Ruled) -> Ruled {
        let (articles, rows) = (self.articles(), self.rows());
        let mut cases = self.may_have_lost(Some(&at));
        if !cases.is_empty() {
            cases.push(("they do not all count", ruled));
            ruled = depending(rows.illegal_again, articles.illegal_again, "illegal_move_ruling", cases);
        }
        let by_record = |claim: &Claimed| matches!(claim.ground, Ground::Repetition | Ground::FiftyMoves);
        let open = |claim: &Claimed| claim.standing == Standing::Lodged && claim.at.earliest <= at.latest;
        if self.facts.claims.iter().any(|claim| by_record(claim) && open(claim)) {
            // A correct claim makes the game a draw at the time when it was lodged (9.5.2).
            let drawn = Ruled::new(rows.claim, Outcome::Draw, articles.claim);
            let cases = vec![("the claim is correct", drawn), ("it is not", ruled)];
            ruled = depending(rows.claim, articles.claim, "claim_ruling", cases);
        }
        if self.stood_illegally(|stood| stood.earliest <= at.latest) { self.drawn_if_observed(ruled) } else { ruled }
    }

    /// True if the required moves were certainly completed and the setting is right. Then a later ending does not concern
    /// this flag.
    pub(crate) fn costs_nothing(&self, flag: &Flag) -> bool {
        flag.required_moves_completed() && (!self.facts.setting_differs || self.setting_stands())
    }

    pub(crate) fn by_ending(&mut self, ended: &Ended) -> Option<Final> {
        let (articles, rows) = (self.articles(), self.rows());
        let kind = match ended.end {
            End::Board { .. } | End::KingCaptured { .. } => Kind::MoveOnBoard,
            End::Resignation { .. } => Kind::Resignation,
            End::Agreement { .. } => Kind::Agreement,
        };
        let ruled = match ended.end {
            End::Board { ending, by } => match ending {
                Ending::Checkmate => Ruled::new(rows.mate, wins(by), articles.mate),
                Ending::Stalemate => Ruled::new(rows.stalemate, Outcome::Draw, articles.stalemate),
                Ending::DeadPosition => Ruled::new(rows.dead, Outcome::Draw, articles.dead),
                Ending::FivefoldRepetition if self.facts.rulebook.rules().fivefold => {
                    Ruled::new(rows.by_itself, Outcome::Draw, articles.fivefold)
                }
                Ending::SeventyFiveMoves if self.facts.rulebook.seventy_five() => {
                    Ruled::new(rows.by_itself, Outcome::Draw, articles.seventy_five).resting_on(self.holds(About::SeventyFive))
                }
                Ending::FivefoldRepetition | Ending::SeventyFiveMoves => return None,
            },
            End::KingCaptured { .. } if self.facts.rulebook.rules().table != Table::Club => return None,
            End::KingCaptured { by } => Ruled::new(rows.mate, wins(by), &["3.3", "18"]),
            End::Resignation { by } if self.facts.rulebook.resignation_saved() => {
                self.wins_if_possible(by.other(), &ended.positions, [rows.resignation, rows.resignation], articles.resignation)
            }
            End::Resignation { by } => {
                Ruled::new(rows.resignation, wins(by.other()), articles.resignation).resting_on(self.holds(About::Article69))
            }
            End::Agreement { both_moved: Some(true) } => Ruled::new(rows.agreement, Outcome::Draw, articles.agreement),
            End::Agreement { both_moved } => {
                let unknown = if both_moved.is_none() { "both_players_moved" } else { "agreement_before_both_moved" };
                let drawn = Ruled::new(rows.agreement, Outcome::Draw, articles.agreement);
                let not_yet = Ruled::new(rows.agreement, Outcome::GameGoesOn, articles.agreement);
                let cases = vec![("both players had made a move", drawn), ("they had not", not_yet)];
                depending(rows.agreement, articles.agreement, unknown, cases)
            }
        };
        let depends_on = match kind {
            Kind::Resignation => "the resignation came first",
            Kind::Agreement => "the agreement came first",
            _ => "the move that ended the game was made before the fall was observed",
        };
        let counted = ruled.counted.clone().or_else(|| ended.positions.first().cloned());
        let at = self.ended_at(ended)?;
        Some(Final { kind, at, depends_on, ruled: Ruled { ended: Some(at), counted, ..ruled } })
    }

    /// The time at which this ended the game. By the club's rules a move is finished only by the press (points 4 and 7).
    fn ended_at(&self, ended: &Ended) -> Option<Interval> {
        let on_board = matches!(ended.end, End::Board { .. } | End::KingCaptured { .. });
        if on_board && self.facts.rulebook.rules().table == Table::Club { ended.pressed } else { Some(ended.at) }
    }

    fn by_claim(&self, claim: &Claimed) -> Final {
        let articles = if claim.ground == Ground::NormalMeans { self.articles().normal_means } else { self.articles().claim };
        let ruled = Ruled { ended: Some(claim.at), ..Ruled::new(self.rows().claim, Outcome::Draw, articles) };
        Final { kind: Kind::Claim, at: claim.at, depends_on: "the claim was lodged first", ruled }
    }
}

/// Sorts endings by their times. Endings at the same time are sorted by their content, not by the side.
fn in_order(finals: &mut [Final]) {
    finals.sort_by_key(|it| (it.at.latest, it.at.earliest, it.ruled.row, it.ruled.articles, it.ruled.outcome as u8));
}

/// The first of these endings, or several if their order is not known. An ending after `seen` does not count.
pub(crate) fn first(mut finals: Vec<Final>, seen: Option<Instant>) -> Vec<Final> {
    if let Some(seen) = seen {
        finals.retain(|it| it.at.earliest < seen);
    }
    let ended: Vec<Interval> = finals.iter().map(|it| it.at).collect();
    finals.retain(|it| !ended.iter().any(|other| other.before(&it.at)));
    finals
}

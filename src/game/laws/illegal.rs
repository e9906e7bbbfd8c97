//! Illegal moves: how many there were, what they cost (Articles 7.5.1 to 7.5.5, A.5.2; US Chess 11D; club points 15 to 19).

use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::interval::Interval;
use crate::laws::endings::Final;
use crate::laws::facts::{Illegal, Treated};
use crate::laws::finding::{Kind, Outcome, Recommended};
use crate::laws::rules::About;
use crate::laws::tables::{Ruled, Tables, depending};
use crate::men;

/// Illegal moves of one player in the order in which they were completed: several kinds at one press are one (7.5.5).
struct Tally<'a> {
    moves: Vec<&'a Illegal>,
}

impl Tally<'_> {
    fn counted(&self) -> usize {
        self.moves.iter().filter(|illegal| illegal.treated == Treated::Counted).count()
    }

    /// As many as there could be, if something is left to be ruled on or was ruled to count.
    fn possible(&self) -> usize {
        let settled = self.moves.iter().filter(|illegal| illegal.treated == Treated::Settled).count();
        let others = self.moves.len() - settled;
        if others > 0 { settled + others } else { 0 }
    }
}

impl Tables<'_, '_> {
    /// What a player is charged with: what was ruled to be nothing is left out, and what stands since the opponent's next move
    /// was made where there is such a deadline (A.5.2).
    fn tally(&self, side: Color, before: Option<&Interval>) -> Tally<'_> {
        let deadline = self.facts.rulebook.rules().illegal_deadline;
        let stands = |illegal: &Illegal| deadline && illegal.reply.is_some() && illegal.treated != Treated::Counted;
        let in_time = |illegal: &Illegal| before.is_none_or(|fell| illegal.at.earliest <= fell.latest);
        let charged = self.facts.illegal.iter().filter(|illegal| {
            illegal.by == side && illegal.treated != Treated::NotCounted && !stands(illegal) && in_time(illegal)
        });
        let mut moves: Vec<&Illegal> = charged.collect();
        let rank = |treated: Treated| [Treated::Counted, Treated::Open, Treated::Settled].iter().position(|it| *it == treated);
        moves.sort_by_key(|illegal| (illegal.at.latest, illegal.at.earliest, rank(illegal.treated), illegal.kind));
        moves.dedup_by(|next, kept| next.at == kept.at);
        Tally { moves }
    }

    /// Row 7a for a player who has certainly completed too many.
    pub(crate) fn by_illegal_moves(&mut self) -> Vec<Final> {
        let Some(limit) = self.facts.rulebook.illegal_loses() else { return Vec::new() };
        let mut finals = Vec::new();
        for side in [Color::White, Color::Black] {
            let tally = self.tally(side, None);
            let mut counted = tally.moves.iter().filter(|illegal| illegal.treated == Treated::Counted);
            if let Some(last) = counted.nth(limit as usize - 1).map(|illegal| (*illegal).clone()) {
                let ruled = Ruled { ended: Some(last.at), ..self.offender_loses(&last) };
                finals.push(Final { kind: Kind::IllegalMove, at: last.at, depends_on: "the illegal moves came first", ruled });
            }
        }
        finals
    }

    /// The offender loses; a draw if the opponent cannot mate (7.5.5).
    pub(crate) fn offender_loses(&mut self, last: &Illegal) -> Ruled {
        let (articles, row) = (self.articles().illegal_again, self.rows().illegal_again);
        self.wins_if_possible(last.by.other(), &last.positions, [row, row], articles).resting_on(self.holds(About::IllegalMoves))
    }

    /// Row 7a where it is not certain that there were too many: by whom, the last one, and what it would mean.
    pub(crate) fn may_have_lost(&mut self, before: Option<&Interval>) -> Option<Ruled> {
        let limit = self.facts.rulebook.illegal_loses()? as usize;
        for side in [Color::White, Color::Black] {
            let tally = self.tally(side, before);
            if tally.counted() < limit
                && tally.possible() >= limit
                && let Some(last) = tally.moves.last().map(|illegal| (*illegal).clone())
            {
                return Some(Ruled { ended: Some(last.at), ..self.offender_loses(&last) });
            }
        }
        None
    }

    /// An illegal move on which nobody has ruled: the last one completed before the flag fell, if one did.
    pub(crate) fn open_illegal(&self, before: Option<&Interval>) -> Option<Illegal> {
        let both = [Color::White, Color::Black].map(|side| self.tally(side, before));
        let open = both.iter().flat_map(|tally| &tally.moves).filter(|illegal| illegal.treated == Treated::Open);
        open.max_by_key(|illegal| (illegal.at.latest, illegal.by == Color::Black)).map(|illegal| (*illegal).clone())
    }

    /// What an arbiter does about it if it is the first (7.5.5, A.3).
    pub(crate) fn remedy(&self, illegal: &Illegal) -> Vec<Recommended> {
        let seconds = self.facts.rulebook.penalty_s();
        let add = Recommended::AddTime { side: men::color_name(illegal.by.other()), seconds };
        if seconds > 0 { vec![Recommended::RestorePosition, add] } else { vec![Recommended::RestorePosition] }
    }

    /// Row 7b, without a flag: what is proposed of an illegal move on which nobody has ruled.
    pub(crate) fn illegal_without_flag(&mut self) -> Option<(Ruled, Kind)> {
        let open = self.open_illegal(None)?;
        let articles = self.articles();
        let choice = self.holds(About::Penalty);
        let goes_on = Ruled {
            recommended: self.remedy(&open),
            counted: open.positions.first().cloned(),
            ended: Some(open.at),
            ..Ruled::new(self.rows().illegal, Outcome::GameGoesOn, articles.illegal).resting_on(choice)
        };
        let ruled = match self.may_have_lost(None) {
            Some(lost) => Ruled {
                ended: Some(open.at),
                ..depending(
                    self.rows().illegal_again,
                    articles.illegal_again,
                    "illegal_move_ruling",
                    vec![("the illegal moves count", lost), ("they do not all count", goes_on)],
                )
            },
            None => goes_on,
        };
        Some((ruled, Kind::IllegalMove))
    }
}

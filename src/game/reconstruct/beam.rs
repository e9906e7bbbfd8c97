//! Keeps the readings that are still possible; the best one is the first.

use alloc::vec::Vec;

use shakmaty::Move;

use crate::men::{self, EMPTY, UNKNOWN};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::gesture;
use crate::reconstruct::hypothesis::{Hypothesis, Pressed, Scene};
use crate::reconstruct::line::Tentative;
use crate::reconstruct::tuning::SETTLE_TIME;

/// The cost above that of the best reading at which a reading is given up, in tenths of a nat (10 means e times less likely).
const HOPELESS: i32 = 250;

/// All readings that are kept; there is always at least one.
#[derive(Clone, Debug)]
pub(crate) struct Beam {
    all: Vec<Hypothesis>,
}

impl Beam {
    /// A beam with one reading, in which no move was played.
    pub(crate) fn new(dead: u64) -> Beam {
        Beam { all: alloc::vec![Hypothesis { dead, ..Hypothesis::default() }] }
    }

    pub(crate) fn best(&self) -> &Hypothesis {
        &self.all[0]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Hypothesis> {
        self.all.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Hypothesis> {
        self.all.iter_mut()
    }

    /// Adds every reading with one more move that explains the changed board better.
    pub(crate) fn follow(&mut self, base: &Node, scene: &Scene<'_>) {
        let mut index = 0;
        while index < self.all.len() {
            self.extend_reading(index, base, scene);
            index += 1;
        }
        self.rank(base, scene);
    }

    fn extend_reading(&mut self, index: usize, base: &Node, scene: &Scene<'_>) {
        let known = &self.all[index];
        if known.line.plies().len() >= scene.sensing.longest_line() {
            return;
        }
        let node = known.line.top(base);
        let changed = men::difference(&node.men, scene.board.men());
        if changed == 0 {
            return;
        }
        let (mut found, mut made_again) = (Vec::new(), Vec::new());
        for candidate in node.table() {
            let shows =
                candidate.seen_mask(scene.board.men()) & changed != 0 && candidate.shown_by(scene.board.men(), known.dead);
            if !shows {
                continue;
            }
            // This test comes before the position and its table are made, which is expensive.
            match self.all.iter().position(|other| other.line.is_one_more(&known.line, candidate.mv)) {
                None => found.extend(known.extended(base, candidate, scene)),
                Some(twin) if self.all[twin].is_made_again(candidate, scene) => {
                    let anew = known.extended(base, candidate, scene);
                    made_again.extend(anew.map(|anew| (twin, anew)));
                }
                Some(_) => {}
            }
        }
        for (twin, mut anew) in made_again {
            anew.judge(base, scene);
            if anew.cost < self.all[twin].cost {
                self.all[twin] = anew;
            }
        }
        self.all.append(&mut found);
    }

    /// Adds a reading. If a reading with the same moves is known, the cheaper one stays. False if nothing changed.
    ///
    /// A reading that is made from the present board knows less of the presses than one that has followed the game: a man that was
    /// lifted again after its press seems to have come later. The presses that are known stay.
    pub(crate) fn add(&mut self, hypothesis: Hypothesis) -> bool {
        match self.all.iter_mut().find(|known| known.line.same(&hypothesis.line)) {
            Some(known) if known.cost <= hypothesis.cost => return false,
            Some(known) if known.line.presses() > hypothesis.line.presses() => known.forget_unexplained(&hypothesis),
            Some(known) => *known = hypothesis,
            None => self.all.push(hypothesis),
        }
        true
    }

    /// Replaces all other readings by the moves of the board's log. The man of the last move may still be on its way: `shorter`
    /// is the reading without that move.
    pub(crate) fn replace_with_logged(&mut self, reading: Hypothesis, shorter: Option<Hypothesis>) {
        let least = reading.line.plies().len().saturating_sub(1);
        self.all.retain(|known| known.line.plies().len() >= least && known.line.begins_as(&reading.line));
        self.add(reading);
        let Some(shorter) = shorter else { return };
        match self.all.iter_mut().find(|known| known.line.same(&shorter.line)) {
            // The log shows that what was unexplained before its moves belonged to them.
            Some(known) => known.limit_penalty(shorter.penalty),
            None => self.all.push(shorter),
        }
    }

    /// Gives a press to every reading. False if no likely reading can use it.
    pub(crate) fn press(&mut self, base: &Node, pressed: Pressed, scene: &Scene<'_>) -> bool {
        let likely = self.best().cost + scene.tuning.weights.margin;
        let mut used = false;
        for hypothesis in &mut self.all {
            let counts = hypothesis.cost < likely;
            used |= hypothesis.press(base, pressed, scene) && counts;
        }
        self.rank(base, scene);
        used
    }

    /// Judges all readings again. Keeps the best ones and the one in which no move was played.
    pub(crate) fn rank(&mut self, base: &Node, scene: &Scene<'_>) {
        for hypothesis in &mut self.all {
            hypothesis.judge(base, scene);
        }
        // Of two readings with the same cost, the one with moves comes first.
        self.all.sort_by_key(|hypothesis| (hypothesis.cost, hypothesis.line.is_empty()));
        let hopeless = self.all[0].cost + HOPELESS;
        let mut kept = 0;
        let width = scene.tuning.beam;
        self.all.retain(|hypothesis| {
            let keep = hypothesis.line.is_empty() || (kept < width && hypothesis.cost <= hopeless);
            kept += usize::from(keep);
            keep
        });
    }

    /// By how much the best reading that has another first move, or no move, is worse than the best reading of all.
    pub(crate) fn margin(&self) -> i32 {
        self.margin_by(|hypothesis| hypothesis.cost)
    }

    /// The same margin at a moment at which a press may be new. For a scan after a press its move may not be shown yet, so a press that
    /// waits counts as if it had its move.
    pub(crate) fn margin_with_new_presses(&self, scene: &Scene<'_>) -> i32 {
        let weights = &scene.tuning.weights;
        self.margin_by(|hypothesis| {
            let new = hypothesis.waiting.iter().filter(|waiting| scene.now < waiting.at.latest.after(scene.scan));
            hypothesis.cost - new.count() as i32 * (weights.press_waits + weights.pressed)
        })
    }

    /// The same margin without the preferences of players: only the evidence counts.
    pub(crate) fn evidence_margin(&self) -> i32 {
        self.margin_by(Hypothesis::evidence_cost)
    }

    fn margin_by(&self, cost: impl Fn(&Hypothesis) -> i32) -> i32 {
        let best = self.best();
        self.others().map(&cost).min().map_or(i32::MAX, |other| other - cost(best))
    }

    /// The readings that have another first move than the best one, or no move.
    fn others(&self) -> impl Iterator<Item = &Hypothesis> {
        let first = |hypothesis: &Hypothesis| hypothesis.line.plies().first().map(|ply| ply.mv);
        self.all.iter().filter(move |other| first(other) != first(self.best()))
    }

    /// True if the best reading has a press for each move and has explained every square of the board for [`SETTLE_TIME`], while each
    /// reading that is nearly as good leaves a man on a square that it cannot stand on. What such a reading explained better lies in the past.
    pub(crate) fn only_best_explains(&self, base: &Node, scene: &Scene<'_>) -> bool {
        let (best, shown, weights) = (self.best(), scene.board.men(), &scene.tuning.weights);
        let since = best.presses().map(|press| press.at.latest).max().unwrap_or_default().max(scene.board.last_change());
        let stood = scene.board.identifies() && scene.now >= since.after(SETTLE_TIME);
        let pressed = best.waiting.is_empty() && best.line.plies().iter().all(|ply| ply.pressed.is_some());
        let stands_wrongly = |other: &Hypothesis| {
            let differs = men::difference(&other.line.top(base).men, shown) & !other.dead;
            men::squares(differs).any(|square| !matches!(shown[square.index()], EMPTY | UNKNOWN))
        };
        let rivals = || self.others().filter(|other| other.cost - best.cost < weights.margin);
        stood && pressed && men::same(&best.line.top(base).men, shown) && rivals().all(stands_wrongly)
    }

    /// The moves of readings that are as good as the best one, where one man made different moves. For the last move the
    /// preferences of players count too. For an earlier move they do not, because the next moves may still decide.
    pub(crate) fn open_moves(&self, margin: i32) -> Vec<Move> {
        let best = self.best();
        let good = |other: &Hypothesis| other.cost - best.cost < margin;
        let seen = |other: &Hypothesis| other.evidence_cost() - best.evidence_cost() < margin;
        let last = best.line.plies().len().saturating_sub(1);
        self.differing_moves(|other, index| good(other) || index < last && seen(other))
    }

    /// The same for the readings that are as good as the best one and have another first move.
    pub(crate) fn open_first_moves(&self, margin: i32) -> Vec<Move> {
        let best = self.best();
        let first = |hypothesis: &Hypothesis| hypothesis.line.plies().first().map(|ply| ply.mv);
        self.differing_moves(|other, _| first(other) != first(best) && other.cost - best.cost < margin)
    }

    /// The moves of the best reading and of other readings, where `counts` is true and the same man made different moves.
    fn differing_moves(&self, counts: impl Fn(&Hypothesis, usize) -> bool) -> Vec<Move> {
        let mut found: Vec<Move> = Vec::new();
        for (index, ply) in self.best().line.plies().iter().enumerate() {
            let others = self.all.iter().filter(|other| counts(other, index));
            let others = others.filter_map(|other| other.line.plies().get(index));
            for other in others.filter(|other| other.mv != ply.mv && other.mv.from() == ply.mv.from()) {
                for mv in [ply.mv, other.mv] {
                    if !found.contains(&mv) {
                        found.push(mv);
                    }
                }
            }
        }
        found
    }

    /// Makes the first move of the best reading sure. The readings that have another first move are given up.
    pub(crate) fn settle(&mut self, scene: &Scene<'_>) -> Option<Tentative> {
        let mv = self.best().line.plies().first()?.mv;
        self.all.retain(|hypothesis| hypothesis.line.plies().first().is_some_and(|ply| ply.mv == mv));
        let cost = self.best().cost;
        let settled = self.all[0].line.settle()?;
        let later = |other: &Hypothesis| other.line.plies().get(1).is_none_or(|next| settled.made.earliest <= next.made.latest);
        let mut best = true;
        self.all.retain(|other| core::mem::take(&mut best) || later(other));
        for other in &mut self.all[1..] {
            other.line.settle();
            // The best reading knows when the sure move was made.
            if let Some(next) = other.line.plies_mut().first_mut() {
                next.made = next.made.not_before(&settled.made);
            }
            other.waiting.retain(|waiting| Some(waiting.at) != settled.pressed);
            // A press completes only one move.
            let again = |ply: &&mut Tentative| ply.pressed.is_some() && ply.pressed == settled.pressed;
            other.line.plies_mut().iter_mut().filter(again).for_each(|ply| ply.pressed = None);
        }
        // A reading in which no further move was played is not added if the board's log shows a further move.
        let logged = self.best().line.plies().first().is_some_and(|next| next.logged);
        if !logged && !self.all.iter().any(|hypothesis| hypothesis.line.is_empty()) {
            let (waiting, dead) = (self.best().presses().collect(), self.best().dead);
            let penalty = scene.sensing.cost_of_no_further_move(cost, &settled, &scene.tuning.weights);
            self.all.push(Hypothesis { waiting, dead, penalty, ..Hypothesis::default() });
        }
        // Only the differences between costs matter.
        let least = self.all.iter().map(|hypothesis| hypothesis.penalty).min().unwrap_or_default();
        self.all.iter_mut().for_each(|hypothesis| hypothesis.penalty -= least);
        Some(settled)
    }

    /// Gives up the first presses that wait in the best reading, in all readings.
    pub(crate) fn drop_presses(&mut self, count: usize) {
        for _ in 0..count {
            let Some(&dropped) = self.best().waiting.first() else { return };
            self.all.iter_mut().for_each(|hypothesis| hypothesis.waiting.retain(|waiting| *waiting != dropped));
        }
    }

    /// Drops the readings that end in a king move to a centre square that was not pressed: such a move does not count.
    pub(crate) fn drop_half_gestures(&mut self) {
        let half =
            |hypothesis: &Hypothesis| hypothesis.line.last().is_some_and(|ply| ply.pressed.is_none() && gesture::is_half(ply.mv));
        // The reading in which no move was played stays.
        self.all.retain(|hypothesis| !half(hypothesis));
    }
}

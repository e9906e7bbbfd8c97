//! Sums of the results of all games.

use std::collections::BTreeMap;

use flagfall::emulate::score::Score;

use crate::methods::Method;

/// The key of a sum: irregularities, method, speed, level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) irregular: bool,
    /// The place of the method in the table.
    pub(crate) place: usize,
    pub(crate) method: Method,
    /// The place of the speed in the table.
    pub(crate) order: usize,
    pub(crate) speed: &'static str,
    /// The place of the level in [`LEVELS`].
    pub(crate) level: usize,
}

/// The levels of noise.
pub(crate) const LEVELS: [&str; 3] = ["clean", "typical", "rough"];

/// The sums of one key.
#[derive(Clone, Default)]
pub(crate) struct Sum {
    pub(crate) games: u64,
    pub(crate) exact: u64,
    pub(crate) plies: u64,
    pub(crate) wrong: u64,
    pub(crate) false_alarms: u64,
    /// The microseconds from a press to the message of its move.
    pub(crate) commit_us: Vec<f64>,
}

impl Sum {
    pub(crate) fn per_thousand(&self, count: u64) -> f64 {
        1000.0 * count as f64 / self.plies.max(1) as f64
    }
}

/// All sums.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) sums: BTreeMap<Key, Sum>,
    /// The number of games that could not be simulated.
    pub(crate) left: u64,
    /// The number of games with another result from the recorded bytes than in the simulation.
    pub(crate) replayed_differently: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, key: Key, plies: usize, score: &Score) {
        let sum = self.sums.entry(key).or_default();
        sum.games += 1;
        sum.exact += u64::from(score.exact);
        sum.plies += plies as u64;
        sum.wrong += score.wrong_commits;
        if key.method == Method::Ours {
            sum.false_alarms += score.false_alarms.len() as u64;
        }
        if matches!(key.method, Method::Ours | Method::Without(_)) {
            sum.commit_us.extend(score.commit_us.iter().map(|&us| us as f64));
        }
    }

    pub(crate) fn join(&mut self, other: Tally) {
        for (key, one) in other.sums {
            let sum = self.sums.entry(key).or_default();
            sum.games += one.games;
            sum.exact += one.exact;
            sum.plies += one.plies;
            sum.wrong += one.wrong;
            sum.false_alarms += one.false_alarms;
            sum.commit_us.extend(one.commit_us);
        }
        self.left += other.left;
        self.replayed_differently += other.replayed_differently;
    }
}

//! Bounds how many bytes that are no messages are recorded. A device of another kind, or a bad line, could fill the disk.
//!
//! Each link has a budget, in bytes of the journal's text, which grows with time. Bytes that the driver reports as wrong are paid
//! from it. When it is used up, the link counts as down: what arrives is neither recorded nor given to the driver, but counted.
//! After a while the link counts as open again, and its record says how many bytes were left out. So the driver sees exactly the
//! recorded inputs, and a replay gives the same.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall_protocols::time::Instant;

/// The largest budget: what a link may use at once.
pub const BURST: u64 = 256 << 10;
/// How much the budget grows in a second: 22 MB in a day.
pub const PER_SECOND: u64 = 256;
/// The budget with which a link is opened again.
const ENOUGH: i64 = 4 << 10;
/// The text of a record without its bytes.
const RECORD: u64 = 40;

/// The budgets of a station's links.
#[derive(Debug, Default)]
pub(super) struct Unreadable {
    budgets: BTreeMap<u8, Budget>,
    /// How many wrong bytes of the station are paid for.
    paid: u64,
}

#[derive(Debug)]
struct Budget {
    left: i64,
    at: Instant,
    /// The link counts as down, and this many bytes were left out.
    left_out: Option<u64>,
    /// The bytes that were ever left out.
    all_left_out: u64,
}

impl Unreadable {
    /// Begins with full budgets, after `paid` wrong bytes.
    pub(super) fn new(paid: u64) -> Unreadable {
        Unreadable { budgets: BTreeMap::new(), paid }
    }

    fn budget(&mut self, link: u8, at: Instant) -> &mut Budget {
        let budget = self.budgets.entry(link).or_insert(Budget { left: BURST as i64, at, left_out: None, all_left_out: 0 });
        let grown = at.since(budget.at).as_micros() as u64 / 1000 * PER_SECOND / 1000;
        if grown > 0 {
            (budget.left, budget.at) = (budget.left.saturating_add_unsigned(grown).min(BURST as i64), at);
        }
        budget
    }

    /// Whether bytes that arrive on this link are left out. They are counted then.
    pub(super) fn leaves_out(&mut self, link: u8, bytes: usize) -> bool {
        let Some(Budget { left_out: Some(left_out), all_left_out, .. }) = self.budgets.get_mut(&link) else { return false };
        *left_out += bytes as u64;
        *all_left_out += bytes as u64;
        true
    }

    /// Pays for a record, after which the station has had this many wrong bytes. Returns whether the link counts as down from now
    /// on.
    pub(super) fn pay(&mut self, link: u8, at: Instant, wrong_bytes: u64) -> bool {
        let wrong = wrong_bytes.saturating_sub(self.paid);
        if wrong == 0 {
            return false;
        }
        self.paid = wrong_bytes;
        let budget = self.budget(link, at);
        budget.left = budget.left.saturating_sub_unsigned(2 * wrong + RECORD);
        let down = budget.left < 0 && budget.left_out.is_none();
        if down {
            budget.left_out = Some(0);
        }
        down
    }

    /// The link opened or went away: nothing is left out any more.
    pub(super) fn link_changed(&mut self, link: u8) {
        self.set_left_out(link, None);
    }

    /// Sets how many bytes were left out; none if the link does not count as down.
    pub(super) fn set_left_out(&mut self, link: u8, left_out: Option<u64>) {
        self.budgets.get_mut(&link).into_iter().for_each(|budget| budget.left_out = left_out);
    }

    /// How many bytes of this link were left out since it counts as down; none if it does not.
    pub(super) fn left_out(&self, link: u8) -> Option<u64> {
        self.budgets.get(&link)?.left_out
    }

    /// How many bytes of this link were ever left out.
    pub(super) fn all_left_out(&self, link: u8) -> u64 {
        self.budgets.get(&link).map_or(0, |budget| budget.all_left_out)
    }

    /// The next link that is opened again, and when.
    pub(super) fn due(&self) -> Option<(Instant, u8)> {
        let opens = |budget: &Budget| {
            let missing = (ENOUGH - budget.left).max(0) as u64;
            budget.at.after(Duration::from_millis(missing * 1000 / PER_SECOND + 1000))
        };
        self.budgets.iter().filter(|(_, budget)| budget.left_out.is_some()).map(|(link, budget)| (opens(budget), *link)).min()
    }
}

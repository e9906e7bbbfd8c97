//! Changes of the knowledge in facts: everything known, or some of it unknown.

use flagfall_game::interval::Interval;
use flagfall_game::laws::facts::{Caller, End, Facts};
use flagfall_protocols::time::Instant;

use crate::laws::support::*;

/// The same facts with everything known and no two events at the same time.
pub(crate) fn with_all_known(mut facts: Facts) -> Facts {
    let mut taken = 0;
    let mut point = |at: &mut Interval| {
        taken += 1;
        let when = Instant(at.earliest.0 + taken * 10);
        *at = Interval { earliest: when, latest: when };
    };
    for flag in &mut facts.flags {
        point(&mut flag.fell);
        flag.observed_at = flag.observed_at.map(|at| Instant((at.0 + 5).max(flag.fell.latest.0 + 5)));
        flag.called_by = flag.called_by.or(Some(Caller::Player));
        flag.clocks_stopped = flag.clocks_stopped.or(Some(true));
        flag.last = flag.last.or(Some(true));
        flag.required = (flag.last == Some(false)).then_some(40);
        flag.completed = Some((flag.completed.map_or(39, |(done, _)| done), false));
        flag.positions = vec![flag.positions.first().cloned().unwrap_or_else(|| position(OPEN))];
        flag.moves_missing = false;
    }
    // A flag that falls after the apparent end also falls after the real end.
    let over = facts.flags.iter().filter(|flag| flag.apparently_over).map(|flag| flag.fell.latest).min();
    for flag in &mut facts.flags {
        flag.apparently_over |= over.is_some_and(|over| over <= flag.fell.latest);
    }
    for ended in &mut facts.endings {
        point(&mut ended.at);
        if let Some(pressed) = &mut ended.pressed {
            point(pressed);
        }
        if let End::Agreement { both_moved } = &mut ended.end {
            *both_moved = both_moved.or(Some(true));
        }
        ended.positions = vec![ended.positions.first().cloned().unwrap_or_else(|| position(OPEN))];
    }
    for claim in &mut facts.claims {
        point(&mut claim.at);
        claim.time_added = claim.time_added.or(Some(true));
    }
    for illegal in &mut facts.illegal {
        point(&mut illegal.at);
        illegal.time_added = illegal.time_added.or(Some(true));
    }
    facts.illegal_position.iter_mut().for_each(&mut point);
    facts.adds_time = facts.adds_time.or(Some(false));
    facts.scoresheet = facts.scoresheet.or(Some(true));
    facts
}

/// The same facts with some of them unknown.
pub(crate) fn with_some_unknown(truth: &Facts, mut seed: u64) -> Facts {
    let mut often = move |of: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % of
    };
    let mut facts = truth.clone();
    let mut widen = |at: &mut Interval| {
        let (before, after) = (often(3) * 800, often(3) * 800);
        *at = Interval { earliest: Instant(at.earliest.0.saturating_sub(before)), latest: Instant(at.latest.0 + after) };
    };
    let mut others = [OPEN, BLACK_BARE, BISHOP_V_PAWN].into_iter().cycle();
    for flag in &mut facts.flags {
        widen(&mut flag.fell);
        // Moments that the clock shows are in order; only moments that it does not show can be anywhere.
        flag.shown = false;
    }
    for ended in &mut facts.endings {
        widen(&mut ended.at);
        ended.pressed.iter_mut().for_each(&mut widen);
    }
    facts.claims.iter_mut().for_each(|claim| widen(&mut claim.at));
    facts.illegal.iter_mut().for_each(|illegal| widen(&mut illegal.at));
    facts.illegal_position.iter_mut().for_each(&mut widen);
    for flag in &mut facts.flags {
        if often(3) == 0 {
            flag.called_by = None;
        }
        if often(3) == 0 {
            flag.clocks_stopped = None;
        }
        if often(4) == 0 {
            flag.last = None;
            flag.required = None;
        }
        match often(4) {
            0 => flag.completed = None,
            1 => flag.completed = flag.completed.map(|(done, _)| (done - 1, true)),
            2 => flag.completed = flag.completed.map(|(done, _)| (done, true)),
            _ => {}
        }
        match often(4) {
            0 => flag.positions.clear(),
            1 => flag.positions.extend(others.next().map(position)),
            2 => flag.moves_missing = true,
            _ => {}
        }
    }
    for ended in &mut facts.endings {
        if let End::Agreement { both_moved } = &mut ended.end
            && often(3) == 0
        {
            *both_moved = None;
        }
        match often(3) {
            0 => ended.positions.clear(),
            1 => ended.positions.extend(others.next().map(position)),
            _ => {}
        }
    }
    for time_added in facts.claims.iter_mut().map(|claim| &mut claim.time_added) {
        *time_added = time_added.filter(|_| often(2) == 0);
    }
    for time_added in facts.illegal.iter_mut().map(|illegal| &mut illegal.time_added) {
        *time_added = time_added.filter(|_| often(2) == 0);
    }
    facts.adds_time = facts.adds_time.filter(|_| often(2) == 0);
    facts.scoresheet = facts.scoresheet.filter(|_| often(2) == 0);
    facts
}

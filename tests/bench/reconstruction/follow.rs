//! `cargo bench --bench reconstruction -- --follow`: the moves that the follower of `livechess/README.md#3` reads in simulated games,
//! by speed, noise and kind of board, with its own times and with others.

use std::fmt::Write;
use std::time::Duration;

use flagfall::emulate::simulate::simulate;
use flagfall::emulate::truth::Ply;
use flagfall_game::follow::{Follower, Waits};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::events::Recording;
use crate::sheets::Set;
use crate::simulation::{driver, noise};
use crate::tally::LEVELS;

/// The time after the last report until the line is compared.
const END: Duration = Duration::from_secs(10);

/// What was read in some games.
#[derive(Clone, Copy, Default)]
struct Sum {
    games: usize,
    /// The line was the whole game at some time.
    exact: usize,
    plies: usize,
    /// The plies of the longest line that was right.
    followed: usize,
    /// Moves in the line that were not played.
    wrong: usize,
}

fn waits() -> Vec<(&'static str, Waits)> {
    let with = |settle, settle_unidentified, take_back| Waits {
        settle: Duration::from_millis(settle),
        settle_unidentified: Duration::from_millis(settle_unidentified),
        take_back: Duration::from_millis(take_back),
    };
    vec![
        ("as it is", Waits::default()),
        ("half", with(150, 500, 1_000)),
        ("twice", with(600, 2_000, 1_000)),
        ("back 0.5 s", with(300, 1_000, 500)),
        ("back 2 s", with(300, 1_000, 2_000)),
    ]
}

/// Follows all games and writes a table.
pub(crate) fn tables(sets: &[Set], text: &mut String) {
    let waits = waits();
    for identified in [true, false] {
        let board = if identified { "a board that identifies men" } else { "a board that does not" };
        let _ = writeln!(
            text,
            "\n{board}\n{:10} {:8} {:12} {:>11} {:>9} {:>6}",
            "speed", "noise", "times", "exact", "plies", "wrong"
        );
        for (set, level) in sets.iter().flat_map(|set| LEVELS.iter().map(move |level| (set, level))) {
            let mut sums = vec![Sum::default(); waits.len()];
            for (number, sheet) in (1..).zip(&set.sheets) {
                let Ok(played) = simulate(driver(), sheet, &noise(level, false), [1, number], Some("bench")) else { continue };
                let events = Recording::of(played.outcome.trace.as_deref().unwrap_or_default()).events(driver());
                for (sum, (_, waits)) in sums.iter_mut().zip(&waits) {
                    follow(&events, &played.play.truth.plies, *waits, identified, sum);
                }
            }
            for (sum, (name, _)) in sums.iter().zip(&waits) {
                let share = 100.0 * sum.followed as f64 / sum.plies.max(1) as f64;
                let _ = writeln!(
                    text,
                    "{:10} {level:8} {name:12} {:>4} of {:>3} {share:>7.2} % {:>6}",
                    set.speed, sum.exact, sum.games, sum.wrong
                );
            }
        }
    }
}

fn follow(events: &[(Instant, DeviceEvent)], played: &[Ply], waits: Waits, identified: bool, sum: &mut Sum) {
    let mut shown = Placement::EMPTY;
    let mut follower = Follower::new(Chess::default(), Instant::ZERO, &shown).with_waits(waits);
    let (mut longest, mut before, mut last) = (0, 0, Instant::ZERO);
    let mut judge = |follower: &Follower| {
        let right = follower.san().zip(played).take_while(|(san, ply)| *san == ply.san).count();
        let wrong = follower.san().len() - right;
        sum.wrong += wrong.saturating_sub(std::mem::replace(&mut before, wrong));
        longest = longest.max(right);
        if right == played.len() && wrong == 0 {
            return true;
        }
        false
    };
    let mut exact = false;
    for (at, event) in events {
        // After the game the men are put back, which is no game.
        if exact {
            break;
        }
        exact |= follower.wake(Instant(at.0.saturating_sub(1))) && judge(&follower);
        match event {
            DeviceEvent::Square { square, reading } => shown.set(*square, *reading),
            DeviceEvent::Frame(placement) => shown = *placement,
            _ => continue,
        }
        last = *at;
        follower.see(*at, &if identified { shown } else { shown.occupied() });
    }
    exact |= follower.wake(last.after(END)) && judge(&follower);
    sum.games += 1;
    sum.exact += usize::from(exact);
    sum.plies += played.len();
    sum.followed += longest;
}

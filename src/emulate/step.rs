//! Measures how long a station needs after a fault until it is in step again, that is, until it knows the position on the board.

use flagfall_protocols::time::Instant;
use shakmaty::uci::UciMove;
use shakmaty::{Board, Chess, Color, Position};

use super::truth::Truth;
use crate::session::station::Station;

/// The shortest time between two checks, in microseconds. The checks become rarer with time.
const EVERY_US: u64 = 20_000;
/// The time until the next check, as a part of the time since the fault: one fortieth.
const PARTS: u64 = 40;
/// The age up to which a move may still be unknown to the station, in microseconds.
const YOUNG_US: u64 = 1_500_000;

/// A fault after which the position must become right again.
#[derive(Debug)]
struct Fault {
    /// When it is over, in microseconds.
    over: u64,
    /// The link was down: time counts from the first dump.
    link: bool,
    in_step: Option<u64>,
}

/// Checks after each fault when the station is in step again.
#[derive(Debug)]
pub(super) struct Steps {
    faults: Vec<Fault>,
    /// When each ply was made, and the position after it; the first entry is the beginning.
    known: Vec<(u64, Board, Color)>,
    checked_at: u64,
}

impl Steps {
    pub(super) fn new(truth: &Truth) -> Steps {
        let over = truth.irregularities.iter().filter_map(|irregularity| {
            let over = irregularity.in_step_from_us?;
            Some(Fault { over, link: irregularity.kind == "link_gap", in_step: None })
        });
        let faults: Vec<Fault> = over.collect();
        let mut known = Vec::new();
        if !faults.is_empty() {
            let mut position = Chess::default();
            known.push((0, position.board().clone(), position.turn()));
            for ply in &truth.plies {
                if let Ok(uci) = ply.uci.parse() {
                    play(&mut position, &uci);
                }
                known.push((ply.released_us, position.board().clone(), position.turn()));
            }
        }
        Steps { faults, known, checked_at: 0 }
    }

    /// Checks the station as it is at `now`.
    pub(super) fn check(&mut self, now: Instant, station: &Station, dumps: &[u64]) {
        let now = now.0;
        let Steps { faults, known, checked_at } = self;
        let open = faults.iter_mut().filter(|fault| fault.in_step.is_none() && fault.over <= now);
        for fault in open {
            let from = match fault.link {
                true => dumps.iter().copied().find(|dump| *dump >= fault.over),
                false => Some(fault.over),
            };
            let Some(from) = from else { continue };
            let every = EVERY_US.max(now.saturating_sub(from) / PARTS);
            if now < checked_at.saturating_add(every) && *checked_at >= from {
                continue;
            }
            *checked_at = now;
            if in_step(known, now, station) {
                fault.in_step = Some(now - from);
            }
        }
    }

    pub(super) fn end(self) -> Vec<Option<u64>> {
        self.faults.into_iter().map(|fault| fault.in_step).collect()
    }
}

fn in_step(known: &[(u64, Board, Color)], now: u64, station: &Station) -> bool {
    let game = station.game();
    let mut position = Chess::default();
    let all = game.moves().chain(game.pending()).all(|played| play(&mut position, &played.uci));
    let made = known.partition_point(|(at, ..)| *at <= now);
    let fits = |entry: Option<&(u64, Board, Color)>| {
        entry.is_some_and(|(_, board, turn)| position.board() == board && position.turn() == *turn)
    };
    let young = known[made - 1].0 + YOUNG_US > now;
    all && (fits(known.get(made - 1)) || young && made > 1 && fits(known.get(made - 2)))
}

fn play(position: &mut Chess, uci: &UciMove) -> bool {
    let mv = uci.to_move(position).ok();
    mv.inspect(|mv| position.play_unchecked(*mv)).is_some()
}

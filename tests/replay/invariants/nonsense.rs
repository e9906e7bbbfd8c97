//! Nonsense: the board in the state, and the memory and work for it.

use fastrand::Rng;
use flagfall_game::game::Game;
use flagfall_game::input::Input;
use flagfall_protocols::drivers;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;

use crate::counting;
use crate::invariants::chaos::Chaos;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{BLITZ, Reports, config, game};
use crate::support::seeds::{campaign, ordinary};

/// Invariant 11.
#[test]
fn i11_the_board_is_as_it_was_read_last() {
    campaign("invariant 11: what stands on the board", 111_000..111_012, |seed| {
        let (mut chaos, reports) = Chaos::new(seed);
        chaos.links = seed % 2 == 0;
        let mut checked = CheckedGame::new(config());
        reports.iter().for_each(|(at, input)| checked.feed(*at, input));
        let mut inputs = reports.len();
        for round in 0..25 {
            for _ in 0..chaos.rng.usize(1..25) {
                let next = chaos.next(&checked.game);
                next.iter().for_each(|(at, input)| checked.feed(*at, input));
                inputs += next.len();
            }
            // This is the time of a scan and of a frame.
            chaos.wait(300_000);
            checked.advance_to(chaos.now);
            let state = checked.state();
            let read = if state.rotated { chaos.board.rotated() } else { chaos.board };
            assert_eq!(state.board, read.to_string(), "round {round}");
        }
        inputs as u64
    });
}

/// The most allocations of one step for any input; they grow with the number of readings in the beam.
const MOST_CALLS: u64 = 60_000;
/// The most bytes that one board may hold beside the list of its moves.
const MOST_HELD: i64 = 320 << 10;
/// The most bytes that one move of the list may hold.
const OF_A_MOVE: i64 = 2 << 10;

/// The reports of two games on two boards, as if they came from one.
fn mixed(rng: &mut Rng) -> Reports {
    let mut reports = game(rng, BLITZ, 40).reports;
    let other = game(rng, BLITZ, 40).reports;
    let square = |input: &Input| matches!(input, Input::Device { event: DeviceEvent::Square { .. } | DeviceEvent::Frame(_), .. });
    let presses = rng.bool();
    reports.extend(other.into_iter().filter(|(_, input)| presses || square(input)));
    reports.sort_by_key(|(at, _)| *at);
    reports
}

/// A game, and the cost of its worst step.
struct Weighed {
    game: Game,
    out: Vec<flagfall_game::effect::Effect>,
    worst: (u64, Instant, String),
}

impl Weighed {
    fn step(&mut self, at: Instant, input: &Input) {
        self.out.clear();
        let before = counting::calls();
        self.game.step(at, input, &mut self.out);
        let due = self.game.deadline();
        let calls = counting::calls() - before;
        assert!(due.is_none_or(|due| due.0 < u64::MAX), "the deadline is a moment that never comes");
        if calls > self.worst.0 {
            self.worst = (calls, at, format!("{input:?}"));
        }
    }

    fn feed(&mut self, at: Instant, input: &Input) {
        while let Some(due) = self.game.deadline().filter(|&due| due < at) {
            self.step(due, &Input::Deadline);
        }
        self.step(at, input);
    }
}

/// Invariant 12; `tests/replay/fuzz.rs` feeds random bytes to drivers and stations.
#[test]
fn i12_no_input_panics_or_costs_more_than_its_bound() {
    let mut worst = (0, 0);
    campaign("invariant 12: bounds of memory and work", 121_000..121_009, |seed| {
        let mut rng = Rng::with_seed(seed);
        let reports = if seed % 3 == 0 { mixed(&mut rng) } else { Chaos::new(seed).1 };
        let mut chaos = Chaos::after(rng.u64(..), &reports);
        (chaos.commands, chaos.links) = (seed % 2 == 0, true);
        let before = counting::live();
        let game = Game::new(config(), drivers::find("dgt").expect("registered").timing);
        let mut weighed = Weighed { game, out: Vec::new(), worst: (0, Instant::ZERO, String::new()) };
        reports.iter().for_each(|(at, input)| weighed.feed(*at, input));
        let mut count = reports.len();
        for round in 0..450 {
            let inputs = chaos.next(&weighed.game);
            inputs.iter().for_each(|(at, input)| weighed.feed(*at, input));
            count += inputs.len();
            if round % 50 == 0 {
                drop(inputs);
                weighed.out = Vec::new();
                let held = counting::live() - before;
                let moves = weighed.game.moves().len() as i64;
                assert!(held <= MOST_HELD + moves * OF_A_MOVE, "{held} bytes are held with {moves} moves, round {round}");
                worst.1 = worst.1.max(held);
            }
        }
        let (calls, at, input) = &weighed.worst;
        assert!(*calls <= MOST_CALLS, "{calls} allocations for {input} at {at:?}");
        worst.0 = worst.0.max(*calls);
        count as u64
    });
    assert!(!ordinary() || (worst.0 > 100 && worst.1 > 1000), "the counters work: {worst:?}");
}

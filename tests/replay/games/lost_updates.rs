//! Games on a DGT board whose field updates are lost: the game asks for the whole board, and what was lost costs no move.

use fastrand::Rng;
use flagfall_game::alarm::{Alarm, Class};
use flagfall_hardware::emulator::LostUpdates;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Trace};
use serde_json::Value;

use crate::games::exact::{BLITZ, RAPID, move_names, play};
use crate::scene::Outcome;
use crate::support::seeds::{campaign, ordinary};

/// The time within which an alarm must be open after a wrong move.
const TOLD_WITHIN: u64 = 15_000_000;
/// The question for all squares, and the bytes of its answer.
const READ_BOARD: u8 = 0x42;
const DUMP: u64 = 67;
/// The moves of a game, if it does not end before.
const PLIES: usize = 60;

/// The games of a campaign.
#[derive(Default)]
struct Tally {
    games: u64,
    exact: u64,
    questions: u64,
    bytes: u64,
    seconds: f64,
}

/// True if an alarm that an arbiter sees was open at a moment within the time after `at`.
fn is_told(alarms: &[Alarm], at: Instant) -> bool {
    let until = Instant(at.0 + TOLD_WITHIN);
    let open = |alarm: &&Alarm| alarm.opened <= until && alarm.closed.is_none_or(|closed| closed >= at);
    alarms.iter().filter(|alarm| alarm.kind.class() != Class::Note).any(|alarm| open(&alarm))
}

/// The sure moves that arbiters got, with their times and plies.
fn told_moves(outcome: &Outcome) -> Vec<(Instant, usize, String)> {
    let moves = outcome
        .messages
        .iter()
        .filter(|message| message.number > 0 && message.topic.contains("/arbiter/") && message.topic.ends_with("/move"));
    let read = |message: &flagfall::publish::Message| {
        let payload: Value = serde_json::from_str(&message.payload).expect("JSON");
        let ply = payload["body"]["ply"].as_u64().expect("a ply") as usize;
        (message.at, ply, payload["body"]["uci"].as_str().expect("a move").to_owned())
    };
    moves.map(read).collect()
}

/// Plays a game on a board that loses this share of its updates, in 10,000.
#[allow(clippy::print_stderr, reason = "the figures are for people")]
fn play_with_losses(seed: u64, share: u16, tally: &mut Tally) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let pace = if seed.is_multiple_of(2) { BLITZ } else { RAPID };
    let mut played = play(&mut rng, pace, PLIES, false);
    played.scene.settings.lost_updates = LostUpdates { share, seed };
    let begun = played.scene.now;
    let outcome = played.scene.wait(20.0).run();
    let expected = move_names(&played.moves);
    let alarms = outcome.station.game().alarms();
    for (at, ply, uci) in told_moves(&outcome) {
        let right = expected.get(ply - 1) == Some(&uci);
        assert!(right || is_told(alarms, at), "{uci} was told as ply {ply} at {at:?} without an alarm, played {expected:?}");
    }
    let exact = outcome.moves() == expected;
    if !exact {
        let same = expected.iter().zip(outcome.moves()).take_while(|(one, other)| *one == other).count();
        let (ours, told) = (expected.get(same), outcome.moves().get(same).cloned());
        eprintln!(
            "seed {seed}, {}: differs from ply {} on: {ours:?} played, {told:?} told, {:?}",
            pace.name,
            same + 1,
            outcome.alarms()
        );
    }
    let trace = Trace::new(outcome.trace.as_bytes()).expect("a trace");
    for record in trace.records() {
        match record.expect("a record").1.body {
            Body::Tx { bytes, .. } if *bytes == [READ_BOARD] => tally.questions += 1,
            Body::Rx { bytes, .. } => tally.bytes += bytes.len() as u64,
            _ => {}
        }
    }
    tally.games += 1;
    tally.exact += u64::from(exact);
    tally.seconds += begun;
    expected.len() as u64
}

impl Tally {
    /// Prints the figures, and checks that at least this share of the games is exact, in per cent.
    #[allow(clippy::print_stderr, reason = "the figures are for people")]
    fn check(&self, least: u64) {
        let &Tally { games, exact, questions, bytes, seconds } = self;
        eprintln!(
            "{exact} of {games} games exact, {:.1} questions a game, {:.1} bytes a second, {:.1} of them answers",
            questions as f64 / games as f64,
            bytes as f64 / seconds,
            (questions * DUMP) as f64 / seconds,
        );
        if ordinary() {
            assert!(exact * 100 >= games * least, "{exact} of {games} games are exact");
        }
    }
}

#[test]
fn two_updates_in_a_hundred_are_lost() {
    let mut tally = Tally::default();
    campaign("two lost updates in a hundred", 400..408, |seed| play_with_losses(seed, 200, &mut tally));
    tally.check(99);
}

#[test]
fn ten_updates_in_a_hundred_are_lost() {
    let mut tally = Tally::default();
    campaign("ten lost updates in a hundred", 420..428, |seed| play_with_losses(seed, 1000, &mut tally));
    tally.check(95);
}

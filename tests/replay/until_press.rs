//! Made moves that wait for their press (`wire/README.md#7.2`): until then nothing that the audience gets differs from what it gets if
//! the move was not made.

use std::time::Duration;

use fastrand::Rng;
use flagfall::journal::Limits;
use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::session::anchor::AnchorRecord;
use flagfall::session::boot::Start;
use flagfall::session::record_input::read_input;
use flagfall::session::recorder::Recorder;
use flagfall::session::restore::RestoreReport;
use flagfall::session::setting::Setting;
use flagfall::session::station::{ChangedPgn, Station, StationInput, StationOutput};
use flagfall::wire::time::TimeSource;
use flagfall_game::config::UntilPress;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};
use serde_json::Value;

use crate::games::hands::Pace;
use crate::games::legal;
use crate::invariants::played_game::{self, Turned};
use crate::round_games::{bound, evening, started};
use crate::scene::Scene;
use crate::support::parts::Parts;
use crate::support::seeds::{campaign, ordinary};
use crate::support::tapes::memory::Memory;
use crate::support::tapes::{Tape, rx};

const BOTH: UntilPress = UntilPress { live: true, public: true };
const PUBLIC: UntilPress = UntilPress { live: false, public: true };
/// Players who look for their clock.
const LATE: Pace = Pace { name: "late", think: [2.0, 6.0], hand: [0.2, 0.8], press: [0.3, 8.0] };
/// After this time a pressed move is sure, and no hand is over the board yet.
const SURE: Duration = Duration::from_millis(1500);

fn tape(seed: u64, until_press: UntilPress) -> Tape {
    let mut rng = Rng::with_seed(seed);
    let moves = legal::game(&mut rng, 24);
    // White's side of the clock is not configured. It is assumed to be where it is at a board that stands as this one does.
    let turned = Turned { board: seed & 2 != 0, clock: seed & 1 != 0 };
    let played = played_game::play_turned(&mut rng, LATE, None, &moves, turned);
    let delay = Some(Delay { time: Duration::from_secs(rng.u64(..4)), moves: 0 });
    let driver = drivers::find("dgt").expect("registered");
    let setting = Setting { config: played_game::config(), delay, ..Setting::new(driver) };
    // The states say when the first move was made, and which game of the round it is.
    let boot = Start { boot: 1, bound: Some(bound(1, None)), until_press, ..Start::default() }.record(None).json();
    let wall = AnchorRecord { utc_us: 1_795_500_000_000_000, sync: TimeSource::Ntp, err_ms: None, up_us: None }.json();
    let link = Body::Link { link: 0, up: true, cause: "opened" };
    let first = [Body::Boot(boot.leak()), Body::Anchor(wall.leak()), link].map(|body| (Instant::ZERO, body));
    let bytes = played.bytes.iter().map(|(at, bytes)| (*at, rx(bytes)));
    Tape { name: format!("seed {seed}"), setting: setting.with_clock(), inputs: first.into_iter().chain(bytes).collect() }
}

/// The times at which the board reported that another clock runs.
fn presses(tape: &Tape) -> Vec<Instant> {
    // With the low bits 0xa the clock acknowledges a message (`dgt/clock.md#2`).
    let lever = |body: &Body<'_>| match body {
        Body::Rx { bytes, .. } => match bytes[..] {
            [0x8d, 0, 10, right, _, _, left, .., status] if status & 1 != 0 && ![right & 0xf, left & 0xf].contains(&0xa) => {
                Some(status & 2)
            }
            _ => None,
        },
        _ => None,
    };
    let mut runs: Vec<(u8, Instant)> = tape.inputs.iter().filter_map(|(at, body)| Some((lever(body)?, *at))).collect();
    runs.dedup_by_key(|(lever, _)| *lever);
    runs.into_iter().map(|(_, at)| at).collect()
}

fn messages(outputs: Vec<StationOutput>) -> Vec<Message> {
    let message = |output| if let StationOutput::Message(message) = output { Some(message) } else { None };
    outputs.into_iter().filter_map(message).collect()
}

/// A station that was fed with a tape and then lost its board, and all that was published by `end`, also to a broker and a reader of PGN that
/// come then.
fn run(tape: &Tape, end: Instant) -> (Station, Vec<Message>) {
    let (mut station, mut outputs) = (tape.setting.station().expect("a station"), Vec::new());
    for (at, body) in &tape.inputs {
        let input = read_input(body).expect("readable").expect("an input");
        station.feed(*at, &input, &mut outputs);
    }
    station.feed(end, &StationInput::link(false), &mut outputs);
    station.advance(end, &mut outputs);
    station.all_current_states(end, &mut outputs);
    station.make_pgn(end, ChangedPgn { live: true, public: true }, &mut outputs);
    (station, messages(outputs))
}

/// The tape up to `end`. If there is a `cut`, the board reports no square after it.
fn upto(tape: &Tape, cut: Option<Instant>, end: Instant) -> Tape {
    let is_square = |body: &Body<'_>| matches!(body, Body::Rx { bytes, .. } if matches!(bytes[..], [0x8e, 0, 5, _, _]));
    let keeps = |at: Instant, body: &Body<'_>| at <= end && !(cut.is_some_and(|cut| at > cut) && is_square(body));
    Tape { inputs: tape.inputs.iter().filter(|(at, body)| keeps(*at, body)).cloned().collect(), ..tape.clone() }
}

/// Plays a game up to each press, with and without the move that was made before it. Returns how many moves were not published that are
/// published where they do not wait.
fn compare_with_not_made(seed: u64) -> usize {
    let mut unpressed = 0;
    for (until_press, audiences) in [(BOTH, &[Audience::Live, Audience::Public][..]), (PUBLIC, &[Audience::Public])] {
        let [tape, plain] = [until_press, UntilPress::default()].map(|until_press| tape(seed, until_press));
        let presses = presses(&tape);
        assert!(presses.len() > 10, "seed {seed}: {presses:?}");
        let mut rng = Rng::with_seed(seed);
        // The first move says when the game began, and the first ones show whose clock is whose.
        let some: Vec<_> = presses.windows(2).enumerate().filter(|(ply, _)| *ply < 4 || rng.u8(..4) == 0).collect();
        for (_, pair) in some {
            // From the last moment before the press back to the one at which the move before was sure.
            let (from, end) = (pair[0].after(SURE), Instant(pair[1].0 - 1));
            // Some of the hand's motions may have been reported.
            let cut = Instant(from.0 + rng.u64(..=end.0.saturating_sub(from.0).max(1)) * u64::from(rng.u8(..3) / 2));
            let [(station, made_all), (other, not_all)] = [None, Some(cut)].map(|cut| run(&upto(&tape, cut, end), end));
            if [&station, &other].iter().any(|station| station.game().known_result().is_some()) {
                continue;
            }
            for audience in audiences {
                let [made, not] =
                    [&made_all, &not_all].map(|all| all.iter().filter(move |message| message.audience == *audience));
                let (count, mut pairs) = ([made.clone().count(), not.clone().count()], made.zip(not));
                let differs = pairs.find(|(made, not)| made != not);
                assert_eq!((differs, count[0]), (None, count[1]), "seed {seed} {until_press:?}: {audience:?} at {end:?}");
            }
            let (without, _) = run(&upto(&plain, None, end), end);
            unpressed += without.game().live_plies() - station.game().reported_plies(Audience::Public);
        }
    }
    unpressed
}

#[test]
fn made_and_not_pressed_gives_the_same_bytes_as_not_made() {
    let mut unpressed = 0;
    campaign("moves that wait for their press", 0..4, |seed| {
        unpressed += compare_with_not_made(seed);
        24
    });
    // Without the key, those that lie for more than two seconds are published.
    assert!(!ordinary() || unpressed > 20, "{unpressed}");
}

/// White's side of the clock is not where it is assumed. While a move is made the wrong clock runs, so its men are read as touched, and the
/// move is read only when it is pressed, or later: until then its press says nothing of the sides. The press that shows that they are
/// exchanged is that of a move, too.
#[test]
fn a_press_that_makes_its_move_readable_counts_for_the_sides_of_the_clock() {
    let read_at_the_press = [1_796_083_817_000_005, 1_796_083_817_000_029];
    let read_after_it = [1_796_083_817_000_018, 1_796_083_817_000_034, 1_796_169_600_000_002, 1_796_256_000_000_001];
    for seed in read_at_the_press.into_iter().chain(read_after_it).chain([1_796_083_900_000_053]) {
        compare_with_not_made(seed);
    }
}

/// White's move lies for nine seconds before its press.
fn late_press() -> Tape {
    let mut scene = Scene::running();
    scene.make("e2e4").wait(9.0).press(true).wait(2.0);
    let mut tape = Tape::parse("a late press", &scene.run().trace);
    tape.setting.delay = Some(Delay::default());
    tape
}

/// Feeds the inputs from this index on, and returns what was published.
fn go_on(
    memory: &Memory,
    tape: &Tape,
    until_press: UntilPress,
    boot: u64,
    inputs: std::ops::Range<usize>,
) -> (Vec<Message>, RestoreReport) {
    let mut out = Vec::new();
    let mut sink = |output| {
        out.push(output);
        Ok(())
    };
    let start = Start { boot, until_press, ..Start::default() };
    let setting = Setting { until_press, ..tape.setting.clone() };
    let fs = Box::new(memory.clone());
    let (mut recorder, report) = Recorder::start(fs, Limits::default(), &setting, "test", &start, &mut sink).expect("opens");
    let mut last = Instant::ZERO;
    for (at, body) in &tape.inputs[inputs] {
        recorder.feed(*at, body, &mut sink).expect("an input");
        last = *at;
    }
    recorder.advance(last.after(Duration::from_millis(100)), &mut sink).expect("kept");
    recorder.close(last.after(Duration::from_millis(100))).expect("written");
    (messages(out), report)
}

/// Events of an audience, and the number of moves in its last state.
fn reported(messages: &[Message], audience: Audience) -> (usize, usize) {
    let events = messages.iter().filter(|message| message.audience == audience && message.number > 0).count();
    let topic = format!("/{}/replay/1/1/state", audience.name());
    let mut parts = Parts::default();
    let joined = messages.iter().map(|message| (&message.topic, parts.joined(&message.topic, message.payload.as_bytes())));
    let (_, last) = joined.filter(|(of, _)| of.ends_with(&topic)).last().expect("a state");
    let state = serde_json::from_slice::<Value>(&last).expect("JSON");
    (events, state["body"]["moves"].as_array().expect("moves").len())
}

#[test]
fn each_start_has_its_own_setting_and_a_replay_tells_the_same() {
    let tape = late_press();
    let second = |seconds: f64| tape.inputs.partition_point(|(at, _)| at.0 < (seconds * 1e6) as u64);
    // The move is made at 7 s and pressed at 16 s.
    let (before, lies, end) = (second(11.0), second(14.0), tape.inputs.len());
    let none = UntilPress::default();
    for (first, then, expected) in [
        // What was reported stays, and no event comes twice.
        (none, BOTH, [(1, 1), (0, 1), (0, 1)]),
        (BOTH, BOTH, [(0, 0), (0, 0), (1, 1)]),
        // A move that waited goes out at the next report of the clock.
        (BOTH, none, [(0, 0), (1, 1), (0, 1)]),
        (PUBLIC, BOTH, [(0, 0), (0, 0), (1, 1)]),
    ] {
        let memory = Memory::default();
        let parts = [(first, 1, 0..before), (then, 2, before..lies), (then, 3, lies..end)];
        for ((until_press, boot, inputs), expected) in parts.into_iter().zip(expected) {
            let (all, report) = go_on(&memory, &tape, until_press, boot, inputs);
            assert_eq!(report.verified.differences, [""; 0], "{first:?} {then:?}, start {boot}");
            assert_eq!(reported(&all, Audience::Public), expected, "{first:?} {then:?}, start {boot}");
            if first != PUBLIC {
                assert_eq!(reported(&all, Audience::Live), expected, "{first:?} {then:?}, start {boot}");
            }
        }
    }
}

/// The revision that the live audience has after a game that only arbiters saw is the next one.
#[test]
fn a_private_game_is_in_no_number() {
    let mut scene = evening();
    // An arbiter begins a game of the round after the private one.
    scene.command(r#"{"verb":"start-game","fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}"#).wait(3.0);
    let tape = started(crate::round_games::tape(&mut scene), &[(0.0, Some(bound(1, None)))], TimeSource::Ntp);
    let (_, outputs) = tape.play();
    let states: Vec<(u64, u64)> = messages(outputs)
        .iter()
        .filter(|message| message.topic.ends_with("/live/replay/1/1/state"))
        .map(|message| serde_json::from_str::<Value>(&message.payload).expect("JSON"))
        .map(|state| (state["body"]["game_no"].as_u64().expect("a number"), state["rev"].as_u64().expect("a revision")))
        .collect();
    let games: Vec<u64> = states.iter().map(|(game, _)| *game).collect();
    assert!(games.contains(&1) && games.contains(&3) && !games.contains(&2), "{games:?}");
    assert!(states.windows(2).all(|pair| pair[1].1 == pair[0].1 + 1), "{states:?}");
}

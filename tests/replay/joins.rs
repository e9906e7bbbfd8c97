//! Games that are joined in progress, between a move and its press: the side to move, the later moves and their presses are found
//! (`reconstruct/README.md#4.1`).

#![allow(clippy::print_stdout, reason = "a campaign prints which joins are not exact, and how many are")]

use fastrand::Rng;
use flagfall::session::station::{Station, StationInput};
use flagfall_game::played::GameMove;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use crate::cuts::stream::{messages, squares};
use crate::games::exact::{BLITZ, BULLET, RAPID, move_names, play};
use crate::games::hands::Pace;
use crate::support::seeds::{campaign, ordinary};
use crate::support::tapes::{Tape, recordings};

/// The number of joins into one recording.
const JOINS: usize = 17;
/// A move about every 0.45 s.
const HURRIED: Pace = Pace { name: "hurried", think: [0.16, 0.24], hand: [0.04, 0.08], press: [0.06, 0.12] };
/// The time from the first press after the join until a move is told, in very fast play.
const FOLLOWED_WITHIN: u64 = 2_000_000;
/// The size of a message of the clock with its head.
const CLOCK: usize = 10;
/// In the last byte of that message: the lever is up on Black's side, because White pressed last.
const LEVER: u8 = 0x02;

/// The result of one join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Result {
    Exact,
    /// Something is wrong or missing, and an alarm is open.
    Alarm,
    Silent,
}

/// The tape with one message in each record, as far as records hold whole messages.
fn in_messages(tape: &Tape) -> Tape {
    let mut inputs = Vec::new();
    for (at, body) in &tape.inputs {
        match body {
            Body::Rx { link, channel, bytes } => {
                let mut begin = 0;
                let mut ends: Vec<usize> = messages(bytes).iter().map(|found| found.data.end).collect();
                ends.extend((ends.last() != Some(&bytes.len())).then_some(bytes.len()));
                for end in ends {
                    let bytes = bytes[begin..end].to_vec().into();
                    inputs.push((*at, Body::Rx { link: *link, channel: *channel, bytes }));
                    begin = end;
                }
            }
            other => inputs.push((*at, other.clone())),
        }
    }
    Tape { inputs, ..tape.clone() }
}

/// The number of inputs up to and with the last report of this move.
fn inputs_until(tape: &Tape, played: &GameMove) -> usize {
    tape.inputs
        .iter()
        .rposition(|(at, body)| {
            let update = matches!(body, Body::Rx { bytes, .. } if bytes.first() == Some(&0x8e));
            update && *at == played.made.latest
        })
        .expect("the report of the move")
        + 1
}

/// All bytes that a board sent in these inputs.
fn received(inputs: &[(Instant, Body<'static>)]) -> Vec<u8> {
    let bytes = inputs.iter().filter_map(|(_, body)| match body {
        Body::Rx { bytes, .. } => Some(bytes.as_ref()),
        _ => None,
    });
    bytes.collect::<Vec<_>>().concat()
}

/// A station that is started after the first `heard` inputs: the board answers with its squares and its clock, and then the tape goes
/// on. Returns the station and the time at which it told the first move.
fn join(tape: &Tape, heard: usize) -> (Station, Option<Instant>) {
    let (before, after) = tape.inputs.split_at(heard);
    let at = before.last().expect("an input").0;
    let stream = received(before);
    let mut dump = vec![0x86, 0, 67];
    dump.extend(squares(&stream));
    let time = |data: &[u8]| data.len() == 7 && data[0] & 0x0f != 0x0a && data[3] & 0x0f != 0x0a;
    let clock = messages(&stream).into_iter().rfind(|found| found.id == 0x8d && time(&stream[found.data.clone()]));
    let clock = clock.map(|found| &stream[found.data.end - CLOCK..found.data.end]).expect("a clock");
    let mut station = tape.setting.station().expect("a station");
    let mut out = Vec::new();
    // Without a link the driver only listens: the tape has no answers to questions of this station.
    station.feed(at, &StationInput::bytes(0, &dump), &mut out);
    station.feed(at, &StationInput::bytes(0, clock), &mut out);
    let mut told = None;
    for (at, body) in after {
        if let Some(input) = flagfall::session::record_input::read_input(body).expect("readable") {
            station.feed(*at, &input, &mut out);
        }
        told = told.or_else(|| (station.game().moves().len() > 0).then_some(*at));
    }
    station.advance(tape.end(), &mut out);
    (station, told)
}

/// Compares the moves of a joined game with those that were played after the join.
fn compare(label: &str, expected: &[GameMove], station: &Station) -> Result {
    let game = station.game();
    let got: Vec<GameMove> = game.moves().collect();
    let of = |played: &GameMove| (played.san.to_string(), played.color, played.pressed);
    let exact = got.len() == expected.len() && got.iter().zip(expected).all(|(one, other)| of(one) == of(other));
    if exact {
        return Result::Exact;
    }
    let open: Vec<_> = game.alarms().iter().filter(|alarm| alarm.closed.is_none()).map(|alarm| alarm.kind).collect();
    let same = got.iter().zip(expected).take_while(|(one, other)| of(one) == of(other)).count();
    println!(
        "{label}: {} of {} moves, the first {same} are right; {:?} came, {:?} expected; {:?}, open {open:?}",
        got.len(),
        expected.len(),
        got.get(same).map(of),
        expected.get(same).map(of),
        game.stage(),
    );
    if open.is_empty() { Result::Silent } else { Result::Alarm }
}

/// Joins a game after each of these moves and before its press.
fn join_after(tape: &Tape, plies: impl Iterator<Item = usize>) -> Vec<Result> {
    let tape = in_messages(tape);
    let (whole, _) = tape.play();
    let moves: Vec<GameMove> = whole.game().moves().collect();
    let before_press = |ply: usize| {
        let played = &moves[ply - 1];
        let heard = inputs_until(&tape, played);
        // A press may be reported before the squares of its move.
        let open = played.pressed.is_none_or(|pressed| pressed.latest > tape.inputs[heard - 1].0);
        open.then_some((ply, heard))
    };
    let joins = plies.filter(|ply| *ply < moves.len()).filter_map(before_press);
    joins.map(|(ply, heard)| compare(&format!("{}, ply {ply}", tape.name), &moves[ply..], &join(&tape, heard).0)).collect()
}

fn count(results: &[Result], result: Result) -> usize {
    results.iter().filter(|one| **one == result).count()
}

#[test]
fn recorded_games_are_joined_between_move_and_press() {
    let mut results = Vec::new();
    for tape in recordings() {
        let plies = tape.play().0.game().moves().len();
        results.extend(join_after(&tape, (0..JOINS).map(|join| 2 + join * (plies - 6) / (JOINS - 1))));
    }
    let (exact, silent) = (count(&results, Result::Exact), count(&results, Result::Silent));
    println!("{exact} of {} exact, {silent} silent", results.len());
    assert!(exact * 68 >= results.len() * 64 && silent == 0, "{exact} of {} exact, {silent} silent", results.len());
}

/// A simulated game as a tape, and when each of its moves was pressed.
fn simulated(rng: &mut Rng, pace: Pace, plies: usize) -> Option<(Tape, Vec<Instant>)> {
    let mut played = play(rng, pace, plies, false);
    let outcome = played.scene.wait(3.0).run();
    // At such a speed not every game is read exactly from its beginning.
    let exact = outcome.moves() == move_names(&played.moves);
    let upright = !outcome.state().rotated;
    let presses = played.motions.iter().filter(|(_, _, action)| action.starts_with("press"));
    let presses = presses.map(|(at, _, _)| Instant((at * 1e6) as u64)).collect();
    (upright && exact).then(|| (Tape::parse(pace.name, &outcome.trace), presses))
}

#[test]
fn games_of_every_speed_are_joined_between_move_and_press() {
    let mut results = Vec::new();
    campaign("joins into games", 0..6, |seed| {
        let mut rng = Rng::with_seed(seed);
        let pace = [BULLET, BLITZ, RAPID][(seed % 3) as usize];
        let Some((tape, _)) = simulated(&mut rng, pace, 60) else { return 0 };
        let plies = [0; 4].map(|_| rng.usize(2..50));
        let tape = Tape { name: format!("seed {seed}, {}", tape.name), ..tape };
        let joined = join_after(&tape, plies.into_iter());
        assert_eq!(count(&joined, Result::Silent), 0, "seed {seed}");
        results.extend(joined);
        4
    });
    let exact = count(&results, Result::Exact);
    println!("{exact} of {} exact", results.len());
    assert!(!ordinary() || exact * 68 >= results.len() * 64, "{exact} of {} exact", results.len());
}

/// A game in which the clock often reports two presses at once, so that its lever seems not to have moved.
struct VeryFast {
    tape: Tape,
    /// The moves as the game tells them that is followed from its beginning.
    moves: Vec<GameMove>,
    /// When each of them was pressed.
    presses: Vec<Instant>,
}

impl VeryFast {
    /// When the clock first shows a press after the move with this index was made, by its player or later. A press for a move before it
    /// shows nothing: the position that it belongs to has gone.
    fn first_press(&self, made: usize, joined: Instant) -> Option<Instant> {
        let mut lever = None;
        self.tape.inputs.iter().find_map(|(at, body)| {
            let Body::Rx { bytes, .. } = body else { return None };
            let white = bytes.starts_with(&[0x8d]).then(|| bytes.last().is_some_and(|status| status & LEVER != 0))?;
            let moved = lever.replace(white).is_some_and(|was| was != white);
            let by = |index: &usize| index.is_multiple_of(2) == white && self.presses[*index] <= *at;
            (moved && *at > joined && (made..self.presses.len()).any(|index| by(&index))).then_some(*at)
        })
    }

    /// True if these moves were played from the move with this index on, and each press that is reported was made at that time. Two
    /// readings of one game may give a press to different moves, so only what the hands did is compared.
    fn has(&self, told: &[GameMove], from: usize) -> bool {
        let played = self.moves.iter().zip(&self.presses).skip(from);
        let same = |one: &GameMove, other: &GameMove| one.san.to_string() == other.san.to_string() && one.color == other.color;
        let pressed = |one: &GameMove, at: Instant| one.pressed.is_none_or(|told| told.earliest <= at && at <= told.latest);
        from + told.len() <= self.moves.len()
            && told.iter().zip(played).all(|(one, (other, at))| same(one, other) && pressed(one, *at))
    }
}

fn count_pressed(moves: &[GameMove]) -> usize {
    moves.iter().filter(|played| played.pressed.is_some()).count()
}

/// In play as fast as this a decoder may lose its step later, wherever it began. So the campaign checks how a joined game begins, and
/// only of its own seeds whether nearly all games are followed to their end, and whether nearly all presses have their moves.
#[test]
fn very_fast_games_are_followed_two_seconds_after_the_first_press() {
    let (mut joined, mut to_the_end, mut presses) = (0, 0, [0; 2]);
    campaign("joins into very fast games", 0..6, |seed| {
        let mut rng = Rng::with_seed(seed);
        let Some((tape, pressed)) = simulated(&mut rng, HURRIED, 80) else { return 0 };
        let tape = in_messages(&tape);
        let moves: Vec<GameMove> = tape.play().0.game().moves().collect();
        let played = VeryFast { tape, moves, presses: pressed };
        let made = rng.usize(4..40);
        // A game that ends at the join has nothing to compare.
        let Some(last) = played.moves.get(made).filter(|_| made + 1 < played.moves.len()) else { return 0 };
        let heard = inputs_until(&played.tape, last);
        let at = played.tape.inputs[heard - 1].0;
        let (station, told) = join(&played.tape, heard);
        let first = played.first_press(made, at).expect("a press");
        let told = told.expect("a move");
        assert!(
            told <= Instant(first.0 + FOLLOWED_WITHIN),
            "seed {seed}: the first press is heard at {first:?}, a move is reported at {told:?}"
        );
        let got: Vec<GameMove> = station.game().moves().collect();
        let begin = &got[..got.len().min(2)];
        let later = made + 1..played.moves.len();
        // The game may end with its first move after the join.
        let whole = |from: usize| begin.len() == 2 || from + 1 == played.moves.len();
        let begins = later.clone().any(|from| played.has(begin, from) && whole(from));
        let names = |moves: &[GameMove]| moves.iter().map(|mv| format!("{} {:?}", mv.san, mv.pressed)).collect::<Vec<_>>();
        assert!(
            begins,
            "seed {seed}: {:?} came, {:?} were played, pressed {:?}",
            names(begin),
            names(&played.moves[later.start..][..4.min(later.len())]),
            &played.presses[later.start..][..4.min(later.len())]
        );
        joined += 1;
        if let Some(from) = played.moves.len().checked_sub(got.len()).filter(|from| played.has(&got, *from)) {
            to_the_end += 1;
            presses[0] += count_pressed(&got);
            presses[1] += count_pressed(&played.moves[from..]);
        }
        got.len() as u64
    });
    let [told, of_all] = presses;
    println!("{to_the_end} of {joined} games are followed to their end, with {told} presses of {of_all}");
    assert!(!ordinary() || to_the_end * 10 >= joined * 9, "{to_the_end} of {joined} games are followed to their end");
    assert!(!ordinary() || told * 10 >= of_all * 9, "{told} of the {of_all} presses of the whole games are reported");
}

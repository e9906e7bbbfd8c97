//! Damaged messages on the line of a DGT board with a clock: a wrong move is never told without a word.
//!
//! A message is lost, doubled, exchanged with the next one, or has an inverted bit; or the link goes away for a time. Joins and lost
//! field updates have campaigns of their own (`joins.rs`, `games/lost_updates.rs`).

mod judge;
mod line;

use fastrand::Rng;
use flagfall::session::record_input::read_input;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use crate::games::exact::{BLITZ, BULLET, RAPID, move_names, play};
use crate::support::seeds::campaign;
use crate::support::tapes::{Tape, recordings};
use judge::{Judge, Verdict};
use line::{Damage, Line};

/// The shares of damaged messages.
const SHARES: [f64; 2] = [0.002, 0.02];
const PLIES: usize = 80;

/// Plays one game of our own over this line. The board answers what the driver asks.
fn play_game(seed: u64, damage: Damage, share: f64) -> (Judge, u64) {
    let mut rng = Rng::with_seed(seed);
    let pace = [BULLET, BLITZ, RAPID][(seed % 3) as usize];
    let mut played = play(&mut rng, pace, PLIES, false);
    let mut judge = Judge::new(move_names(&played.moves));
    let mut line = Line::new(seed, damage, share);
    if damage == Damage::Cut {
        line.gaps(crate::scene::STARTED + 2.0, played.scene.now).for_each(|(from, lasts)| {
            played.scene.away(from, lasts);
        });
    }
    played.scene.wait(20.0).run_over(&mut |at, bytes| line.carry(at, bytes), &mut |at, station| judge.look(at, station.game()));
    (judge, played.moves.len() as u64)
}

/// Feeds a recording over this line. Nobody answers what the driver asks.
fn play_recording(tape: &Tape, truth: &[String], seed: u64, damage: Damage, share: f64) -> Judge {
    let mut judge = Judge::new(truth.to_vec());
    if matches!(damage, Damage::Flip | Damage::Delete) {
        judge = judge.of_unanswered();
    }
    let mut line = Line::new(seed, damage, share);
    let mut station = tape.setting.station().expect("a station");
    let mut out = Vec::new();
    let begin = tape.inputs.first().map_or(0.0, |(at, _)| at.0 as f64 / 1e6);
    let gaps: Vec<(f64, f64)> = match damage {
        Damage::Cut => line.gaps(begin + 20.0, tape.end().0 as f64 / 1e6).collect(),
        _ => Vec::new(),
    };
    let lost = |at: Instant| gaps.iter().any(|(from, lasts)| (*from..from + lasts).contains(&(at.0 as f64 / 1e6)));
    for (at, body) in &tape.inputs {
        let Some(input) = read_input(body).expect("readable") else { continue };
        match body {
            Body::Rx { bytes, .. } if !lost(*at) => {
                for bytes in line.carry(*at, bytes) {
                    station.feed(*at, &flagfall::session::station::StationInput::bytes(0, &bytes), &mut out);
                }
            }
            Body::Rx { .. } => {}
            _ => station.feed(*at, &input, &mut out),
        }
        judge.look(*at, station.game());
    }
    station.advance(tape.end().after(std::time::Duration::from_secs(20)), &mut out);
    judge.look(tape.end().after(std::time::Duration::from_secs(20)), station.game());
    judge
}

fn truths() -> Vec<(Tape, Vec<String>)> {
    let truth = |tape: &Tape| tape.play().0.game().moves().map(|mv| mv.uci.to_string()).collect();
    recordings().into_iter().map(|tape| (truth(&tape), tape)).map(|(truth, tape)| (tape, truth)).collect()
}

#[test]
fn damaged_messages_give_no_silent_wrong_move() {
    let recordings = truths();
    campaign("damaged messages", 0..1, |seed| {
        let mut inputs = 0;
        for damage in Damage::ALL {
            let share = SHARES[(seed / 3 % 2) as usize];
            let (judge, plies) = play_game(seed, damage, share);
            judge.assert_nothing_silent(&format!("{damage:?} {share}"));
            inputs += plies;
            if let Some((tape, truth)) = recordings.get((seed % 2) as usize).filter(|_| damage != Damage::Cut) {
                let judge = play_recording(tape, truth, seed, damage, share);
                judge.assert_nothing_silent(&format!("{} {damage:?} {share}", tape.name));
                inputs += truth.len() as u64;
            }
        }
        inputs
    });
}

/// `cargo test --test replay -- --ignored --nocapture damage::figures` prints the table of `tests/bench/README.md`.
#[test]
#[ignore = "prints figures"]
#[allow(clippy::print_stdout, reason = "this is what it is for")]
fn figures() {
    let recordings = truths();
    println!("| damage | share | games | exact | named | short | silent |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for damage in Damage::ALL {
        for share in SHARES {
            let own = (0..60).map(|seed| play_game(seed, damage, share).0);
            let recorded = recordings.iter().flat_map(|(tape, truth)| {
                (0..20).filter(|_| damage != Damage::Cut).map(move |seed| play_recording(tape, truth, seed, damage, share))
            });
            let verdicts: Vec<Verdict> = own.chain(recorded).map(|judge| judge.verdict()).collect();
            let count = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
            let [exact, named, short, silent] = [Verdict::Exact, Verdict::Named, Verdict::Short, Verdict::Silent].map(count);
            println!("| {} | {share} | {} | {exact} | {named} | {short} | {silent} |", damage.name(), verdicts.len());
        }
    }
}

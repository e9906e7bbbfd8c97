//! Random and mutated bytes for every parser of the daemon and for whole stations: nothing panics and memory does not grow.
//!
//! A failure names the seed. A seed has 10^6 bytes for each parser; `tests/soak` plays new seeds.

mod files;
mod listeners;
mod pairings;
mod published;

use flagfall::import::import;
use flagfall::session::station::{Station, StationInput};
use flagfall::wire::answer::Answer;
use flagfall::wire::command::Command;
use flagfall::wire::topics::Board;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Trace};

use crate::support::nearly::{BYTES, mutated, run_until};
use crate::support::seeds::campaign;

/// The bytes of one seed for a whole station.
const OF_STATIONS: usize = BYTES / 8;

/// The number of lines of a file, however they end.
fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| b"\r\n".contains(byte)).count() + 1
}

/// A text for people has no characters that would control a terminal.
#[track_caller]
fn assert_plain(text: &str) {
    assert!(!text.is_empty() && !text.chars().any(|char| char.is_control() && char != '\n'), "{text:?}");
}

#[test]
fn time_controls_take_anything() {
    let controls = ["40/5400+30:1800+30", "300d3", "300b3", "40/7200:20/3600:900+30"];
    let one = |random: &mut fastrand::Rng| {
        let text = mutated(random, &controls);
        if let Ok(control) = TimeControl::parse(&text) {
            assert_eq!(TimeControl::parse(&control.to_string()), Ok(control), "{text}");
        }
        text.len()
    };
    campaign("fuzz of time controls", 0..1, |seed| run_until(seed, BYTES, one));
}

#[test]
fn commands_and_answers_take_anything() {
    let commands = [
        r#"{"verb":"set-position","fen":"4k3/8/8/8/8/8/8/4K2R w K - 0 1"}"#,
        r#"{"verb":"set-move-count","completed":{"white":40,"black":39}}"#,
        r#"{"verb":"set-clock-record","time_control":"300+5","flag_taken_back":"white"}"#,
        r#"{"verb":"correct-move","plies":3,"uci":"e7e8q"}"#,
        r#"{"id":1,"line":["e2e4","e7e5"]}"#,
    ];
    let one = |random: &mut fastrand::Rng| {
        let text = mutated(random, &commands);
        let _ = (serde_json::from_str::<Command>(&text), serde_json::from_str::<Answer>(&text));
        text.len()
    };
    campaign("fuzz of commands and answers", 0..1, |seed| run_until(seed, BYTES, one));
}

#[test]
fn captures_take_anything() {
    let driver = drivers::find("dgt").expect("registered");
    let captures =
        ["{\"dir\":\"board->host\",\"hex\":\"8e00053400\",\"t\":1.5}\n{\"dir\":\"host->board\",\"hex\":\"42\",\"t\":2}\n"];
    let one = |random: &mut fastrand::Rng| {
        let text = mutated(random, &captures);
        let _ = import(&text, driver, &[]);
        text.len()
    };
    campaign("fuzz of captures", 0..1, |seed| run_until(seed, BYTES, one));
}

#[test]
fn scripts_take_anything() {
    let scripts = ["1.5 run\n3 lift e2\n+0.45 place e4 P\n+0.3 press left\n9 set left 0:05:00 right 1:00:00\n"];
    let one = |random: &mut fastrand::Rng| {
        let text = mutated(random, &scripts);
        let _ = Script::parse(&text);
        text.len()
    };
    campaign("fuzz of scripts", 0..1, |seed| run_until(seed, BYTES, one));
}

/// The bytes that a board sent in one of our traces.
fn recorded() -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces/dgt/game.trace");
    let text = std::fs::read(path).expect("a trace");
    let trace = Trace::new(&text).expect("a trace");
    let mut bytes = Vec::new();
    for record in trace.records() {
        if let Body::Rx { bytes: piece, .. } = record.expect("a record").1.body {
            bytes.extend_from_slice(&piece);
        }
    }
    bytes
}

#[test]
fn a_station_takes_anything() {
    let recorded = recorded();
    let driver = drivers::find("dgt").expect("registered");
    let one = |random: &mut fastrand::Rng| {
        let mut stream = recorded.clone();
        let damage = [0, 3, 30, 300][random.usize(..4)];
        for _ in 0..damage {
            let at = random.usize(..stream.len());
            match random.u8(..3) {
                0 => stream[at] = random.u8(..),
                1 => drop(stream.remove(at)),
                _ => stream.insert(at, random.u8(..)),
            }
        }
        if random.u8(..) < 20 {
            random.fill(&mut stream);
        }
        let time_control = TimeControl::parse("40/120+2:60").ok();
        let mut station = Station::new(driver, GameConfig { time_control, ..GameConfig::default() }, Board::default(), "fuzz");
        let mut out = Vec::new();
        let mut now = Instant::ZERO;
        if random.bool() {
            station.feed(now, &StationInput::link(true), &mut out);
        }
        let mut rest = &stream[..];
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(random.usize(1..=rest.len().min(40)));
            rest = tail;
            now = Instant(now.0 + random.u64(..400_000));
            station.feed(now, &StationInput::bytes(0, piece), &mut out);
            out.clear();
        }
        let game = station.game();
        assert!(game.pending().len() <= 40 && game.flags().count() <= 16 && game.alarms().len() <= 256);
        stream.len()
    };
    campaign("fuzz of stations", 0..1, |seed| run_until(seed, OF_STATIONS, one));
}

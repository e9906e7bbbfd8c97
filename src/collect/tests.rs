//! Mutated messages and mutated files of the store: whatever nodes and disks say, what is kept is bounded, and what is written is whole.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::intake::{About, about};
use super::model::{Fixed, Model};
use super::programs::Programs;
use super::render::Renderer;
use super::store::Store;
use crate::config::{Output, OutputAudience, OutputKind};
use crate::nearly::{BYTES, mutated, mutated_bytes, run_until};
use crate::outputs::livechess::Hall;
use crate::outputs::picture::{MAX_PLIES, MAX_SEGMENTS, Picture};
use crate::seeds::campaign;
use crate::system_clock::MonotonicTime;

/// What nodes and the organiser publish of a board that plays, of a game that goes on elsewhere, and of moves that are in a part.
const MESSAGES: [(&str, &str); 11] = [
    ("f/1/node/a/status", r#"{"node":"a","boot":7,"body":{"state":"ready"}}"#),
    ("f/1/node/b/status", r#"{"node":"b","boot":1,"body":{"state":"lost"}}"#),
    ("f/1/node/a/info", r#"{"body":{"boards":["e/5/1","e/5/2"],"collects":["e/5"],"delay":60,"delay_moves":3}}"#),
    (
        "f/1/meta/e",
        r#"{"v":"1","type":"meta.event","rev":1,"body":{"uuid":"6f1c0000-0000-4000-8000-00000000000a","name":"Open","site":"Utrecht",
        "country":"NED","rounds":9,"round":"5","time_control":"40/5400+30:1800+30","delay":60,"delay_moves":0,"chess960":false}}"#,
    ),
    (
        "f/1/meta/e/5",
        r#"{"v":"1","type":"meta.round","rev":1,"body":{"number":5,"date":"2026-11-21","start":"2026-11-21T14:00:00Z","boards":[
        {"board":"1","number":1,"device":"dgt-1","white":{"name":"Anna","fide_id":7},"black":{"name":"Ben"},"games":2,"reset":1},
        {"board":"2","number":2,"result":"1-0","game":3,"replaced":1}],"outputs":{"files":{"retry":1,"reset":2}}}}"#,
    ),
    (
        "f/1/public/e/5/1/state",
        r#"{"game":"g","rev":2,"node":"a","boot":7,"t":{"us":9000000,"utc":"2026-11-21T14:00:09Z","sync":"ntp"},"body":{"game_no":1,
        "initial_fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","moves":[{"san":"e4","white_ms":5425000,"black_ms":5400000},
        {"san":"e5","white_ms":5425000,"black_ms":5429000}],"clock":{"white_ms":5425000,"black_ms":5429000,"running":"white",
        "read_us":8000000},"result":null,"began":"2026-11-21T14:00:05Z","round_game":1,"players":{"white":{"name":"Anna"}}}}"#,
    ),
    (
        "f/1/live/e/5/1/state",
        r#"{"game":"g","rev":3,"node":"a","boot":7,"t":{"us":9,"utc":"2026-11-21T14:00:09Z","sync":"ntp"},"body":{"game_no":2,"segments":[
        {"initial_fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","moves":[{"san":"d4","white_ms":1,"black_ms":null}]}],
        "initial_fen":"4k3/1P6/8/8/8/8/4P3/4K3 b - - 9 4000","moves":[{"san":"Kd7","white_ms":1,"black_ms":2},
        {"san":"b8=Q","white_ms":1,"black_ms":2}],"result":"1-0"}}"#,
    ),
    (
        "f/1/live/e/5/1/state",
        r#"{"game":"g","rev":4,"node":"a","boot":7,"body":{"game_no":2,"initial_fen":"4k3/1P6/8/8/8/8/4P3/4K3 b - - 9 4000","moves":[
        {"san":"b8=Q","white_ms":1,"black_ms":2},{"san":"Kc6","white_ms":1,"black_ms":2}],"moves_from":2,"parts":{"total":1,"sum":7},"result":null}}"#,
    ),
    (
        "f/1/live/e/5/1/clock",
        r#"{"node":"a","t":{"us":9000000,"utc":"2026-11-21T14:00:09Z"},"body":{"white_ms":5,"black_ms":6,"read_us":8000000}}"#,
    ),
    (
        "f/1/device/dgt-1/status",
        r#"{"node":"a","body":{"state":"online","kind":"board","port":"/dev/ttyUSB0","board":"e/5/1","serial":"1","battery_percent":80}}"#,
    ),
    (
        "f/1/live/e/5/1/moves/0",
        r#"{"game":"g","rev":4,"body":{"initial_fen":"4k3/1P6/8/8/8/8/4P3/4K3 b - - 9 4000","moves":[
        {"san":"Kd7","white_ms":1,"black_ms":2}],"after":0,"sum":7}}"#,
    ),
];

fn model() -> Model {
    let [event, round, node] = ["e", "5", "c"].map(str::to_owned);
    Model::new(Fixed { event, round, node, standby: true, release_orphans: true, ..Fixed::default() })
}

/// Takes a message as [`super::run`] does.
fn take(model: &mut Model, programs: &mut Programs, topic: &str, payload: &[u8], now: MonotonicTime) {
    match about("f", "e", topic) {
        Some(About::State { audience, round, board }) => {
            if let Ok(picture) = Picture::read(payload) {
                drop(model.take_picture((audience, round, board), picture, now));
            }
        }
        Some(About::Moves { audience, round, board, part }) => {
            drop(model.take_moves((audience, round, board), part, payload, now))
        }
        Some(About::Event) => drop(model.take_event(payload)),
        Some(About::Round(round)) => drop(model.take_round(round, payload, now)),
        Some(About::Status(node)) => model.take_status(node, payload, now),
        Some(About::Info(node)) => model.take_info(node, payload, now),
        Some(About::Device(device)) => drop(programs.note_device(device, payload)),
        Some(About::Clock { round, board }) => drop(programs.note_clock(model, round, board, payload)),
        None => {}
    }
}

/// What is kept has bounds.
fn assert_bounds(model: &Model) {
    assert!(model.rounds.len() <= 2 * 99 && model.pairings.len() <= 99);
    for board in model.rounds.values().flat_map(|round| round.boards.values()) {
        assert!(board.games.len() <= 64, "{} games", board.games.len());
        for game in &board.games {
            let whole = game.whole(model.chess960());
            assert!(whole.plies() <= 2 * MAX_PLIES && whole.segments.len() <= 2 * MAX_SEGMENTS, "{} plies", whole.plies());
        }
    }
}

/// All games are written in both forms: each tag is one line, and each file is JSON.
fn assert_written(renderer: &mut Renderer, model: &Model) {
    let lichess = Output { kind: OutputKind::Lichess, audience: OutputAudience::Live, ..Output::of_files("l", "/x".into()) };
    for output in [Output::of_topics(), lichess] {
        for body in renderer.render(model, &output) {
            let pgn = body.pgn();
            for tag in pgn.lines().filter(|line| line.starts_with('[')) {
                assert!(tag.ends_with("\"]") && tag.matches('"').count() == 2 && !tag.contains('\\'), "{tag:?}");
            }
            assert!(!pgn.chars().any(|char| char.is_control() && char != '\n'), "{pgn:?}");
            let files = [&body.index].into_iter().chain(body.games.iter().map(|game| &game.json));
            files.for_each(|json| drop(serde_json::from_str::<serde_json::Value>(json).expect("JSON")));
        }
    }
}

#[test]
fn the_collector_takes_any_message() {
    let one = |random: &mut fastrand::Rng| {
        let (mut model, mut renderer, mut programs) = (model(), Renderer::default(), Programs::new(Arc::new(Hall::default())));
        let (mut now, mut used) = (MonotonicTime(1), 0);
        for (topic, payload) in MESSAGES.iter().filter(|_| random.u8(..) < 200) {
            take(&mut model, &mut programs, topic, payload.as_bytes(), now);
        }
        for _ in 0..random.usize(1..30) {
            let (topic, payload) = MESSAGES[random.usize(..MESSAGES.len())];
            let topic = if random.u8(..) < 200 { topic.to_owned() } else { mutated(random, &[topic]) };
            let payload = mutated_bytes(random, &[payload]);
            take(&mut model, &mut programs, &topic, &payload, now);
            now = now.after(Duration::from_millis(random.u64(..20_000)));
            match random.u8(..8) {
                0 => model.gathered(now),
                1 => model.connected(),
                _ => model.wake(now),
            }
            used += payload.len();
        }
        programs.wake(&model, true, true);
        assert_bounds(&model);
        assert_written(&mut renderer, &model);
        used
    };
    campaign("fuzz of messages to the collector", 0..1, |seed| run_until(seed, BYTES / 4, one));
}

/// The rounds of a model as they are stored.
fn stored(model: &Model) -> Vec<String> {
    let meta = [serde_json::to_string(&model.event), serde_json::to_string(&model.pairings)];
    meta.into_iter().chain(model.rounds.values().map(serde_json::to_string)).map(|text| text.expect("JSON")).collect()
}

/// What a collector reads at its start.
fn start(folder: &Path) -> (Model, Store) {
    let (mut model, mut store) = (model(), Store::open(folder, "e").expect("a store"));
    let sent = store.load(&mut model);
    store.save_sent(&sent, &store.load_lichess()).expect("saved");
    store.count_start();
    (model, store)
}

#[test]
fn a_start_is_counted_whatever_was_counted_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path(), "e").expect("a store");
    for (before, counted) in [("7", 8), ("x", 1), ("18446744073709551615", u64::MAX)] {
        fs::write(folder.path().join("boot"), before).expect("written");
        assert_eq!(store.count_start(), counted, "{before}");
    }
}

#[test]
fn the_store_takes_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut model, mut store) = start(folder.path());
    let mut programs = Programs::new(Arc::new(Hall::default()));
    MESSAGES.iter().for_each(|(topic, payload)| take(&mut model, &mut programs, topic, payload.as_bytes(), MonotonicTime(1)));
    store.save(&mut model).expect("saved");
    drop(store);
    let more = [
        (
            "e/5/outputs.json",
            r#"{"files":{"checksum":"00-1","at":"2026-11-21T14:00:09Z","plies":3,"boards":[{"board":"1","message":"No."}],"requests":{"retry":1,"reset":2}}}"#,
        ),
        (
            "lichess.json",
            r#"[{"event":"e","round":"5","output":"l","id":"abcd1234"},{"event":"f","round":"1","output":"l","id":"abcd1235"}]"#,
        ),
        ("boot", "7"),
    ];
    more.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).expect("written"));
    let names = ["e/event.json", "e/5/pairings.json", "e/5/boards.log", "e/5/live-boards.log"];
    let files =
        names.into_iter().chain(more.map(|(name, _)| name)).map(|name| (name, fs::read(folder.path().join(name)).expect(name)));
    let files: Vec<(&str, Vec<u8>)> = files.collect();
    let mut one = |random: &mut fastrand::Rng| {
        let (chosen, mut length) = (random.usize(..files.len()), 0);
        for (index, (name, text)) in files.iter().enumerate() {
            if index == chosen || random.bool() {
                let bytes = mutated_bytes(random, &[text]);
                fs::write(folder.path().join(name), &bytes).expect("written");
                length += bytes.len();
            }
        }
        let (mut model, mut store) = start(folder.path());
        assert_bounds(&model);
        model.gathered(MonotonicTime(1));
        take(&mut model, &mut programs, MESSAGES[6].0, MESSAGES[6].1.as_bytes(), MonotonicTime(2));
        take(&mut model, &mut programs, "f/1/live/e/5/x/state", MESSAGES[6].1.as_bytes(), MonotonicTime(3));
        assert_bounds(&model);
        assert_written(&mut Renderer::default(), &model);
        store.save(&mut model).expect("saved");
        drop(store);
        // What could be read is written again as it was.
        assert_eq!(stored(&start(folder.path()).0), stored(&model));
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).expect("written"));
        length
    };
    campaign("fuzz of the collector's store", 0..1, |seed| run_until(seed, BYTES / 200, &mut one));
}

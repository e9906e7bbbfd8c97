//! Every published message keeps to its schema, and has no fact that its audience may not know.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use flagfall::emulate::games::{GAMES, game};
use flagfall::publish::Message;
use flagfall::publish::delay::Delay;
use flagfall::publish::schema;
use flagfall::session::station::StationOutput;
use flagfall::system_clock::Utc;
use flagfall::wire::device::{DeviceKind, DeviceRaw, DeviceState, DeviceStatus, DeviceWarning, WeakMan, WeakSquare};
use flagfall::wire::envelope::{self, Stamp};
use flagfall::wire::node::{NextRound, NodeHealth, NodeInfo, NodeState, NodeStatus, Role, UserRole};
use flagfall::wire::time::{Anchor, TimeSource};
use flagfall::wire::topics::{self, Board};
use flagfall::wire::winnable;
use flagfall_game::laws::answering;
use flagfall_game::laws::winnable::Verdict;
use flagfall_game::mate::{self, Budget};
use flagfall_hardware::emulator::Settings;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Audience;
use serde::Serialize;
use shakmaty::CastlingMode;

use crate::support::schemas::validate;
use crate::support::table;
use crate::support::tapes::{own_tapes, recordings};

/// The stamps of a node, with and without the optional fields.
pub(crate) fn stamps() -> [Stamp; 2] {
    let utc = Utc::parse("2026-11-21T13:02:11.412Z").expect("a time");
    let stamp = |sync, err_ms| {
        let anchor = Anchor { at: Instant(1_000_000), utc, sync, err_ms };
        Stamp { node: "pi-07".to_owned(), boot: 3, anchor }
    };
    [stamp(TimeSource::Ntp, Some(4)), stamp(TimeSource::None, None)]
}

/// Validates messages and counts them by schema.
#[derive(Default)]
struct Seen(BTreeMap<&'static str, usize>);

impl Seen {
    fn take(&mut self, topic: &str, payload: &str, what: &str) {
        validate(topic, payload).unwrap_or_else(|problem| panic!("{what}: {problem}"));
        let kind =
            serde_json::from_str::<serde_json::Value>(payload).unwrap_or_default()["type"].as_str().unwrap_or("").to_owned();
        *self.0.entry(schema::name_of_message(topic, &kind).expect("it is valid")).or_default() += 1;
    }

    fn take_all<'a>(&mut self, messages: impl IntoIterator<Item = &'a Message>, what: &str) {
        for (number, message) in messages.into_iter().enumerate() {
            let stamp = &stamps()[number % 2];
            self.take(&message.topic, &envelope::add_stamp(&message.payload, stamp), what);
            let channel = schema::channels().into_iter().find(|channel| {
                schema::name_of_topic(&message.topic).is_some_and(|name| channel.messages.contains(&name))
                    && channel.name.starts_with("public_") == (message.audience == Audience::Public)
            });
            assert_eq!(channel.map(|channel| channel.retain), Some(message.retain), "{}: retained", message.topic);
        }
    }

    fn assert(&self, names: &[&str]) {
        for name in names {
            assert!(self.0.contains_key(name), "no {name} among {:?}", self.0);
        }
    }
}

const OF_A_GAME: [&str; 9] = [
    "board.audit",
    "board.clock",
    "board.move.arbiter",
    "board.move.live",
    "board.moves.arbiter",
    "board.moves.live",
    "board.state.arbiter",
    "board.state.live",
    "board.alert",
];

#[test]
fn every_line_of_every_golden_keeps_to_its_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut seen = Seen::default();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "events") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        for (number, line) in text.lines().enumerate() {
            let what = format!("{}:{}", path.display(), number + 1);
            let mut parts = line.trim_start().splitn(3, "  ");
            let (Some(_), Some(topic), Some(payload)) = (parts.next(), parts.next(), parts.next()) else {
                panic!("{what}: not time, topic, payload")
            };
            seen.take(topic, &envelope::add_stamp(payload, &stamps()[0]), &what);
        }
    }
    seen.assert(&["board.audit", "board.move.arbiter", "board.move.live"]);
    assert!(seen.0.values().sum::<usize>() > 100, "{:?}", seen.0);
}

#[test]
fn every_message_of_every_trace_keeps_to_its_schema() {
    let delay = Delay { time: Duration::from_secs(3), moves: 1 };
    let mut seen = Seen::default();
    let mut public = 0;
    for mut tape in own_tapes().into_iter().chain(recordings()) {
        tape.setting.delay = Some(delay);
        let (mut station, mut outputs) = tape.play();
        station.advance(tape.end().after(Duration::from_secs(10)), &mut outputs);
        let mut messages = Vec::new();
        for output in outputs {
            if let StationOutput::Message(message) = output {
                messages.push(message);
            }
        }
        public += messages.iter().filter(|message| message.audience == Audience::Public).count();
        // States are long and much alike.
        let picture = |message: &Message| message.number == 0 && message.topic.ends_with("/state");
        let kept = messages.iter().enumerate().filter(|(index, message)| !picture(message) || index % 7 == 0);
        seen.take_all(kept.map(|(_, message)| message), &tape.name);
        seen.take_all(messages.iter().rev().filter(|message| picture(message)).take(3), &tape.name);
    }
    assert!(public > 20, "{public}");
    seen.assert(&OF_A_GAME);
    seen.assert(&["board.ruling"]);
}

#[test]
fn a_ruling_with_each_kind_of_answer_keeps_to_its_schema() {
    let tape = own_tapes().into_iter().find(|tape| tape.name.ends_with("freeze-and-kings.trace")).expect("a trace");
    let ruling = tape.play().1.into_iter().find_map(|output| match output {
        StationOutput::Message(message) if message.topic.ends_with("/ruling") => Some(message),
        _ => None,
    });
    let ruling = ruling.expect("a ruling");
    let mut seen = Vec::new();
    for (fen, side, nodes) in [
        ("7k/8/8/5KQ1/8/8/8/8 b - - 0 1", Color::White, 1_000_000),
        ("8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1", Color::White, 1_000_000),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Color::White, 1_000_000),
        ("7k/8/5K2/8/8/8/8/R7 b - - 0 1", Color::Black, 1_000_000),
        ("7k/8/8/8/8/2n5/8/1QK5 b - - 0 1", Color::Black, 1_000_000),
        ("k7/1Q6/8/8/8/8/7p/K7 b - - 0 1", Color::White, 1_000_000),
        ("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", Color::Black, 1_000_000),
        ("1k6/pPp4p/P1P5/8/8/8/7P/5K2 b - - 0 1", Color::White, 1_000_000),
        ("1b2kb2/8/2pp4/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - - 0 1", Color::White, 1),
    ] {
        let position = answering::read(fen, CastlingMode::Standard).expect(fen);
        let color = if side == Color::White { shakmaty::Color::White } else { shakmaty::Color::Black };
        let answer = mate::winnable(&position, color, Budget { nodes, ..Budget::FULL });
        let verdict = Verdict::of(&position, side, &answer);
        let payload = envelope::add_stamp(&ruling.payload, &stamps()[0]);
        let mut message: serde_json::Value = serde_json::from_str(&payload).expect("JSON");
        message["body"]["winnable"] = serde_json::to_value(winnable::Verdict::from(&verdict)).expect("JSON");
        validate(&ruling.topic, message.to_string()).unwrap_or_else(|problem| panic!("{fen}: {problem}"));
        seen.push(match verdict {
            Verdict::Winnable(_) => "winnable",
            Verdict::Unwinnable(why) => {
                assert_eq!(message["body"]["winnable"]["reason"], why.reason.name(), "{fen}");
                why.reason.name()
            }
            Verdict::Undecided(_) => "undecided",
            Verdict::NotAsked | Verdict::Pending => "open",
        });
    }
    let expected = [
        "winnable",
        "mated",
        "stalemate",
        "bare-king",
        "material",
        "forced-capture",
        "locked-walls",
        "exhausted-closure",
        "undecided",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn every_message_of_the_demonstration_keeps_to_its_schema() {
    let mut seen = Seen::default();
    for number in 0..GAMES {
        let demo = game(number);
        let settings: Settings = demo.settings(1);
        let board = Board { event: "demo".to_owned(), round: "1".to_owned(), board: format!("b{number}"), ..Board::default() };
        let outcome = table::run(settings, &demo.script(), Some(demo.time_control), board, 5_000_000);
        seen.take_all(&outcome.messages, &format!("game {number}"));
    }
    seen.assert(&OF_A_GAME);
}

fn node(kind: &str, topic: &str, body: &impl Serialize) {
    for stamp in stamps() {
        let payload = envelope::make_message(kind, None, &stamp, Some(Instant(7)), body);
        validate(topic, payload).unwrap_or_else(|problem| panic!("{problem}"));
    }
}

#[test]
fn messages_of_a_node_keep_to_their_schemas() {
    let (root, name) = (topics::ROOT, "pi-07");
    for state in [NodeState::Init, NodeState::Ready, NodeState::Stopped] {
        node(
            "node.status",
            &topics::node_status(root, name),
            &NodeStatus { state, run: Some("0123456789abcdef01234567".to_owned()) },
        );
    }
    let lost = envelope::make_message("node.status", None, &stamps()[0], None, &NodeStatus { state: NodeState::Lost, run: None });
    assert_eq!(validate(&topics::node_status(root, name), lost), Ok(()), "the will has no time");
    let boards = vec!["open26/r5/b12".to_owned()];
    let info = NodeInfo {
        version: "0.1.0".to_owned(),
        capabilities: vec!["dgt".to_owned()],
        boards,
        rounds: vec!["open26/5".to_owned()],
        delay: Some(900),
        delay_moves: Some(0),
        until_press: vec!["live", "public"],
        roles: [("anna".to_owned(), UserRole { role: Role::Arbiter, boards: vec!["12".to_owned()] })].into(),
        collects: Vec::new(),
        problems: vec!["The organiser's message on flagfall/1/meta/open26 is not used: `rev` is 1".to_owned()],
        next_round: Some(NextRound {
            round: "open26/6".to_owned(),
            boards: vec!["open26/6/b12".to_owned()],
            held_by: vec![
                "board b12, game 3: the game is in play.".to_owned(),
                "the broker has not received everything of this round yet.".to_owned(),
            ],
        }),
    };
    node("node.info", &topics::node_info(root, name), &info);
    let full = NodeHealth {
        temperature_c: Some(51.5),
        under_voltage: Some(false),
        disk_free_mib: Some(20_000),
        version: Some("0.1.0".to_owned()),
        rss_kib: Some(20_480),
        threads: Some(83),
        fds: Some(140),
        journal_bytes: Some(8_388_608),
        backlog: 12,
        reconnections: 1,
        watchdog_margin_ms: Some(8_990),
        clock_step_ms: Some(-1500),
        journal_ok: true,
        failed_boards: vec!["b3".to_owned()],
        withheld_boards: vec!["b4".to_owned()],
        refused_boards: vec!["b5".to_owned()],
        refused: 3,
        takeovers: 2,
        name_taken: true,
    };
    for health in [NodeHealth::default(), full] {
        node("node.health", &topics::node_health(root, name), &health);
    }
}

#[test]
fn messages_of_a_node_about_a_device_keep_to_their_schemas() {
    let (root, name) = (topics::ROOT, "dgt-12345");
    let bare = DeviceStatus {
        kind: DeviceKind::Board,
        state: DeviceState::Offline,
        transport: "serial".to_owned(),
        port: None,
        board: None,
        problem: None,
        serial: None,
        firmware: None,
        battery_percent: None,
        battery_minutes: None,
        charging: None,
        signal_dbm: None,
        clock_firmware: None,
        touched: 0,
        dropouts: 0,
        weak_squares: Vec::new(),
        weak_men: Vec::new(),
        warnings: Vec::new(),
    };
    let full = DeviceStatus {
        kind: DeviceKind::Clock,
        state: DeviceState::Unstable,
        transport: "serial".to_owned(),
        port: Some("/dev/ttyACM0".to_owned()),
        board: Some("open26/r5/b12".to_owned()),
        problem: Some("the device does not answer".to_owned()),
        serial: Some("12345".to_owned()),
        firmware: Some("1.8".to_owned()),
        battery_percent: Some(4),
        battery_minutes: Some(12),
        charging: Some(false),
        signal_dbm: Some(-91),
        clock_firmware: Some("2.1".to_owned()),
        touched: 5,
        dropouts: 31,
        weak_squares: vec![WeakSquare { square: "e4".to_owned(), dropouts: 12 }],
        weak_men: vec![
            WeakMan { man: "n".to_owned(), began: "g8".to_owned(), promoted: false, dropouts: 9 },
            WeakMan { man: "Q".to_owned(), began: "a8".to_owned(), promoted: true, dropouts: 8 },
        ],
        warnings: vec![
            DeviceWarning::WeakSignal,
            DeviceWarning::BatteryLow,
            DeviceWarning::BatteryCritical,
            DeviceWarning::ClockBatteryLow,
            DeviceWarning::WeakSquares,
            DeviceWarning::WeakMen,
        ],
    };
    for status in [DeviceStatus { state: DeviceState::Online, ..bare.clone() }, bare, full] {
        node("device.status", &topics::device_status(root, name), &status);
    }
    node("device.raw", &topics::device_raw(root, name), &DeviceRaw { channel: 0, bytes: "8e0003".to_owned() });
    node("device.raw", &topics::device_raw(root, name), &DeviceRaw { channel: 0, bytes: String::new() });
}

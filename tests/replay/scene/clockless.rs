//! Games at emulated boards of other families than DGT: the bytes of board and driver as a trace. For boards with a clock there is a
//! second game with presses.

use std::borrow::Cow;

use flagfall_hardware::emulator::chesslink::{Chesslink, ChesslinkSettings, Reports};
use flagfall_hardware::emulator::dgt_pegasus::{Pegasus, PegasusSettings};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, EMULATORS, Start};
use flagfall_protocols::drivers::{self, DRIVERS};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record};

/// A quiet move, a slide, captures with either piece first, castling with the king first, en passant, a piece adjusted.
const GAME: &str = "\
6 move e2 e4
+1.3 move d7 d5
+1.5 lift d5
+0.3 drop
+0.4 lift e4
+0.5 place d5
+1.2 lift d8
+0.4 lift d5
+0.2 drop
+0.4 place d5
+1 move g1 f3
+1.4 move c8 g4
+2 slide f1 e2 0.4
+1.6 move b8 c6
+1.1 lift e1
+0.4 place g1
+0.4 lift h1
+0.4 place f1
+1.5 lift e8
+0.4 place c8
+0.4 lift a8
+0.4 place d8
+1 lift h2
+0.6 place h2
+1 slide h2 h4 0.5
+1.3 move g7 g5
+1.2 move h4 g5
+1.4 move f7 f5
+1.2 lift f5
+0.3 drop
+0.3 lift g5
+0.4 place f6
";
const GAME_LASTS: Instant = Instant(50_000_000);
/// Half-moves, each with its press; White sits on the left of the clock.
const PRESSED: &str = "\
6 run
+1.2 move e2 e4
+1.3 press left
+1.4 move e7 e5
+1.1 press right
+2 move g1 f3
+1.2 press left
+1.5 move b8 c6
+1.3 press right
";
const PRESSED_LASTS: Instant = Instant(20_000_000);
/// A short script for a board that must be asked, whose bytes come ten times a second.
const BEGINNING: &str = "2 move e2 e4\n+1.3 move d7 d5\n";
const BEGINNING_LASTS: Instant = Instant(5_000_000);
/// A script for a board that learns its men, which it does in the first seconds.
const SHORT: &str = "8 move e2 e4\n+1.3 move d7 d5\n+1.5 lift d5\n+0.8 drop\n+0.8 move e4 d5\n";
const SHORT_LASTS: Instant = Instant(17_000_000);

/// Driver, name and text of each trace.
pub(crate) fn traces() -> Vec<(&'static str, String, String)> {
    let link = |settings| -> Box<dyn Device> { Box::new(Chesslink::new(settings)) };
    let changes = ChesslinkSettings::default();
    let asked = ChesslinkSettings { reports: Reports::Never, parity: true, ..changes };
    // On this board White's left is at Black's right.
    let turned = ChesslinkSettings { placement: Placement::initial().rotated(), ..changes };
    let pegasus = || -> Box<dyn Device> { Box::new(Pegasus::new(PegasusSettings::default())) };
    let mut traces = vec![
        ("chesslink", "chesslink-eight-moves".to_owned(), recorded("chesslink", link(changes), GAME, GAME_LASTS)),
        ("chesslink", "chesslink-when-asked".to_owned(), recorded("chesslink", link(asked), BEGINNING, BEGINNING_LASTS)),
        ("chesslink", "chesslink-turned".to_owned(), recorded("chesslink", link(turned), &rotated(GAME), GAME_LASTS)),
        ("dgt_pegasus", "pegasus-eight-moves".to_owned(), recorded("dgt_pegasus", pegasus(), GAME, GAME_LASTS)),
    ];
    // These are the other kinds of boards of the registry.
    for info in DRIVERS.iter().filter(|info| info.capabilities.board && info.name != "dgt") {
        if traces.iter().all(|(driver, ..)| *driver != info.name) {
            // Boards without pace send whole messages, which is better here: restarts are tried at every record.
            let kinds = || EMULATORS.iter().copied().flatten().filter(|kind| kind.driver == info.name);
            let kind = kinds().find(|kind| kind.variant == "not paced").or(kinds().next()).expect("emulated");
            let played = |script, lasts| recorded(info.name, (kind.start)(&Start::default()), script, lasts);
            let whole = played(GAME, GAME_LASTS);
            let trace = if whole.lines().count() > 500 || !kind.learns.is_zero() { played(SHORT, SHORT_LASTS) } else { whole };
            let name = info.name.replace('_', "-");
            traces.push((info.name, format!("{name}-moves"), trace));
            if info.capabilities.clock {
                traces.push((info.name, format!("{name}-presses"), played(PRESSED, PRESSED_LASTS)));
            }
        }
    }
    traces
}

/// The same hand motions at a turned board.
fn rotated(script: &str) -> String {
    let turn = |word: &str| {
        flagfall_protocols::square::Square::parse(word).map_or(word.to_owned(), |square| square.rotated().to_string())
    };
    script.lines().map(|line| line.split(' ').map(turn).collect::<Vec<_>>().join(" ") + "\n").collect()
}

fn recorded(driver: &str, board: Box<dyn Device>, script: &str, lasts: Instant) -> String {
    let mut rig = Rig::new(drivers::find(driver).expect("registered").start(), board);
    rig.emulator.load(&Script::parse(script).expect("a script"));
    let mut text = format!("{}\n", trace::FORMAT);
    for (key, value) in [("driver", driver), ("device", "flagfall emulator")] {
        trace::print_header(key, value, &mut text).expect("a header");
    }
    let mut seq = 0;
    let mut note = |at, body: Body<'_>| {
        seq += 1;
        trace::print(&Record { seq, at, body }, &mut text).expect("a record");
    };
    note(Instant::ZERO, Body::Link { link: 0, up: true, cause: "opened" });
    // Hundreds of numbers in pieces of twenty bytes are joined as a port would deliver them.
    let whole = driver == "certabo";
    let mut held: Option<(Instant, u8, Vec<u8>)> = None;
    rig.run_until(lasts, &mut |event| match event {
        RigEvent::Rx { at, channel, bytes } if whole => match &mut held {
            Some((when, on, kept)) if (*when, *on) == (at, channel) => kept.extend_from_slice(bytes),
            _ => {
                if let Some((at, channel, bytes)) = held.replace((at, channel, bytes.to_vec())) {
                    note(at, Body::Rx { link: 0, channel, bytes: Cow::Owned(bytes) });
                }
            }
        },
        RigEvent::Rx { at, channel, bytes } => note(at, Body::Rx { link: 0, channel, bytes: Cow::Borrowed(bytes) }),
        RigEvent::Tx { at, channel, bytes } => note(at, Body::Tx { link: 0, channel, bytes: Cow::Borrowed(bytes) }),
        RigEvent::Output { .. } => {}
    });
    assert_eq!(rig.emulator.impossible(), [], "the script asks for the impossible");
    assert_eq!(rig.emulator.counters(), Counters::default(), "the players would have noticed the daemon");
    text
}

//! The same at every emulated board, with the bytes of its driver. Boards without a clock give the same hands without presses.

use std::collections::BTreeSet;

use fastrand::Rng;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{EMULATORS, Kind, Start};
use flagfall_protocols::driver::{Driver, Input as DriverInput, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;
use shakmaty::{Move, Role};

use super::{ShownMen, check_reported, script, uci};
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{Reports, device};
use crate::support::seeds::campaign;

/// The reports of this kind of board, whose driver asks and is answered.
fn reports_of(kind: &Kind, script: &str, end: Instant) -> Reports {
    let info = drivers::find(kind.driver).expect("registered");
    let (mut emulated, mut driver) = ((kind.start)(&Start::default()), info.start());
    let of_clock = |line: &&str| line.ends_with(" run") || line.contains(" press ");
    let lines: Vec<&str> = script.lines().filter(|line| info.capabilities.clock || !of_clock(line)).collect();
    emulated.load(&Script::parse(&lines.join("\n")).expect("a script"));
    let (mut reports, mut sent) = (Reports::new(), Vec::new());
    let mut drain = |driver: &mut dyn Driver, at: Instant, emulated: &mut dyn FnMut(u8, &[u8])| {
        while let Some(output) = driver.poll() {
            match output {
                Output::Send { channel, bytes, .. } => emulated(channel, &bytes),
                Output::Event { event, .. } => reports.push((at, device(event))),
                Output::Anomaly { anomaly, .. } => panic!("{kind:?}: {anomaly:?} on a clean line"),
            }
        }
    };
    driver.handle(Instant::ZERO, DriverInput::LinkUp);
    drain(driver.as_mut(), Instant::ZERO, &mut |channel, bytes| emulated.host(Instant::ZERO, channel, bytes));
    while let Some(next) = [emulated.next(), driver.deadline()].into_iter().flatten().min().filter(|&next| next <= end) {
        emulated.advance(next, &mut sent);
        for piece in sent.drain(..) {
            driver.handle(piece.at, DriverInput::Bytes { channel: piece.channel, bytes: &piece.bytes });
            drain(driver.as_mut(), piece.at, &mut |channel, bytes| emulated.host(piece.at, channel, bytes));
        }
        if driver.deadline().is_some_and(|due| due <= next) {
            driver.handle(next, DriverInput::Deadline);
            drain(driver.as_mut(), next, &mut |channel, bytes| emulated.host(next, channel, bytes));
        }
    }
    assert_eq!(emulated.impossible(), [], "{kind:?}: the script asks for the impossible:\n{script}");
    reports
}

/// The moves whose man the next move captures.
fn captured_at_once(moves: &[Move]) -> Vec<String> {
    let captured: Vec<Move> = moves.windows(2).filter(|pair| pair[0].to() == pair[1].to()).map(|pair| pair[0]).collect();
    uci(&captured)
}

/// Invariant 15 at every board: each seed plays one game at each of them.
#[test]
fn i15_nothing_is_reported_that_any_board_contradicts() {
    // At a board without a clock, a man rests on the way of its move.
    let rested = 1_020_012;
    // Legal paths, with moves that were not shown, lead to the board after an illegal move: several paths, or only one.
    let paths = [1_070_048, 1_080_094];
    // A slow board does not show a pawn that is captured on its new square.
    let not_shown = 1_090_071;
    campaign("invariant 15: every board", (152_000..152_006).chain([rested, not_shown]).chain(paths), |seed| {
        let mut rng = Rng::with_seed(seed);
        let role = Role::ALL[seed as usize % 6];
        let mut inputs = 0;
        for kind in EMULATORS.iter().copied().flatten() {
            let info = drivers::find(kind.driver).expect("registered");
            if !info.capabilities.board {
                continue;
            }
            let restored = rng.u8(0..4) == 0;
            let (truth, text, end) =
                std::iter::repeat_with(|| script(&mut rng, role, restored)).flatten().next().expect("a game");
            let time_control = info.capabilities.clock.then(|| TimeControl::parse("3600+2").expect("a time control"));
            let config = GameConfig { time_control, clock_source: info.clock_source(), ..GameConfig::default() };
            let (mut checked, mut shown, mut published) = (CheckedGame::new(config), ShownMen::new(), BTreeSet::new());
            shown.captured_at_once =
                [&truth.before, &truth.after].into_iter().flat_map(|moves| captured_at_once(moves)).collect();
            let context = format!("{}, {role:?}, restored {restored}", kind.driver);
            let reports = reports_of(kind, &text, end);
            assert!(reports.iter().any(|(_, input)| shows_men(input)), "{context}: nothing was read");
            for (at, input) in &reports {
                shown.note(*at, input);
                checked.feed(*at, input);
                check_reported(&checked, *at, &shown, &mut published, &context);
            }
            checked.advance_to(end);
            check_reported(&checked, end, &shown, &mut published, &context);
            inputs += reports.len() as u64;
        }
        inputs
    });
}

fn shows_men(input: &flagfall_game::input::Input) -> bool {
    use flagfall_game::input::Input;
    matches!(input, Input::Device { event: DeviceEvent::Frame(_) | DeviceEvent::Square { .. }, .. })
}

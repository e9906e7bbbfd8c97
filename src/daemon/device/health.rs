//! Copies the health of a board's devices from the game into their status, at most once in five seconds, since a man with a weak
//! chip may disappear every second.

use std::time::Duration;

use flagfall_game::game::Game;
use flagfall_game::health::{BatteryLevel, Health};

use crate::system_clock::MonotonicTime;
use crate::wire::device::DeviceWarning;

/// The signal strength in dBm below which a connected device may be lost when somebody walks by.
const WEAK_SIGNAL: i16 = -85;
/// Whether the signal is that weak.
pub(super) fn is_weak(signal: Option<i16>) -> bool {
    signal.is_some_and(|signal| signal < WEAK_SIGNAL)
}

/// The shortest time between two requests to the game.
const ASKED: Duration = Duration::from_secs(5);

/// The health of a board's devices at the last request to the game.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownHealth {
    health: Health,
    /// The time of that question, and the revision of the health at that time.
    asked: Option<(MonotonicTime, u32)>,
}

impl KnownHealth {
    /// Asks the game if its health has a new revision and the last question is long enough ago. Returns true if the health
    /// changed.
    pub(super) fn refresh(&mut self, now: MonotonicTime, game: &Game) -> bool {
        let rev = game.health_rev();
        if self.asked.is_some_and(|(at, known)| known == rev || now.since(at) < ASKED) {
            return false;
        }
        self.asked = Some((now, rev));
        let health = game.health();
        let other = self.health != health;
        self.health = health;
        other
    }

    /// The health at the last question.
    pub(super) fn health(&self) -> &Health {
        &self.health
    }

    /// The warnings of the devices. `signal` is the strength at which a Bluetooth device was received when it was connected, in
    /// dBm.
    pub(super) fn warnings(&self, signal: Option<i16>) -> Vec<DeviceWarning> {
        let health = &self.health;
        let holds = [
            (is_weak(signal), DeviceWarning::WeakSignal),
            (health.battery == BatteryLevel::Low, DeviceWarning::BatteryLow),
            (health.battery == BatteryLevel::Critical, DeviceWarning::BatteryCritical),
            (health.clock_battery_low, DeviceWarning::ClockBatteryLow),
            (!health.weak_squares.is_empty(), DeviceWarning::WeakSquares),
            (!health.weak_men.is_empty(), DeviceWarning::WeakMen),
        ];
        holds.into_iter().filter_map(|(holds, warning)| holds.then_some(warning)).collect()
    }
}

#[cfg(test)]
mod tests {
    use flagfall_game::config::GameConfig;
    use flagfall_game::input::Input;
    use flagfall_protocols::drivers;
    use flagfall_protocols::event::{Battery, ByteRange, DeviceEvent};
    use flagfall_protocols::square::{Placement, Reading, Square};
    use flagfall_protocols::time::Instant;

    use super::*;

    fn send_event(game: &mut Game, at_ms: u64, event: DeviceEvent) {
        game.step(Instant(at_ms * 1000), &Input::Device { event, source: ByteRange::default() }, &mut Vec::new());
    }

    #[test]
    fn it_is_asked_every_five_seconds_at_most() {
        let mut game = Game::new(GameConfig::default(), drivers::find("dgt").expect("registered").timing);
        let mut known = KnownHealth::default();
        assert!(!known.refresh(MonotonicTime(0), &game), "nothing is known yet");
        send_event(&mut game, 1, DeviceEvent::Frame(Placement::initial()));
        let (a1, rook) = (Square::parse("a1").expect("a square"), Placement::initial());
        let mut changes = Vec::new();
        // A dropout of 0.2 seconds every second, and the station turns ten times a second.
        for tenth in 10..=250_u64 {
            match tenth % 10 {
                0 => send_event(&mut game, tenth * 100, DeviceEvent::Square { square: a1, reading: Reading::Empty }),
                2 => send_event(&mut game, tenth * 100, DeviceEvent::Square { square: a1, reading: rook.get(a1) }),
                _ => {}
            }
            if known.refresh(MonotonicTime(tenth * 100_000), &game) {
                changes.push((tenth, known.health().dropouts, known.health().weak_squares.len()));
            }
        }
        assert_eq!(changes, [(50, 4, 0), (100, 9, 1), (150, 14, 1), (200, 19, 1), (250, 24, 1)]);
        assert_eq!(known.warnings(None), [DeviceWarning::WeakSquares]);
        assert!(!known.refresh(MonotonicTime(100_000_000), &game), "nothing new");
    }

    #[test]
    fn warnings() {
        let mut game = Game::new(GameConfig::default(), drivers::find("dgt").expect("registered").timing);
        let mut known = KnownHealth::default();
        for (signal, expected) in [(None, &[][..]), (Some(-60), &[]), (Some(-85), &[]), (Some(-86), &[DeviceWarning::WeakSignal])]
        {
            assert_eq!(known.warnings(signal), expected, "{signal:?}");
        }
        let mut level = |percent| {
            send_event(&mut game, 1, DeviceEvent::Battery(Battery { percent, minutes_left: None, charging: false }));
            known.asked = None;
            known.refresh(MonotonicTime(0), &game);
            known.warnings(Some(-90))
        };
        assert_eq!(level(60), [DeviceWarning::WeakSignal]);
        assert_eq!(level(20), [DeviceWarning::WeakSignal, DeviceWarning::BatteryLow]);
        assert_eq!(level(5), [DeviceWarning::WeakSignal, DeviceWarning::BatteryCritical]);
    }
}

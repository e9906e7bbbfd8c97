//! Devices with a weak radio signal.

use flagfall_game::alarm::AlarmKind::{ClockWeakSignal, WeakSignal};
use flagfall_game::alarm::{AlarmKind, AlarmStatus, Class};
use flagfall_game::health::sentence;
use flagfall_game::input::{Command, Input};
use flagfall_protocols::event::{DeviceEvent, Identity, Text};

use crate::desk::Desk;

const BOARD: Input = Input::Signal { clock: false, weak: true };
const CLOCK: Input = Input::Signal { clock: true, weak: true };

/// The open alarms.
fn open(desk: &Desk) -> Vec<AlarmKind> {
    desk.state().alarms.iter().map(|alarm| alarm.kind).collect()
}

#[test]
fn an_alarm_stays_open_until_the_signal_is_better() {
    let mut desk = Desk::started("300");
    desk.feed(BOARD);
    let alarm = desk.state().alarms.remove(0);
    assert_eq!((alarm.kind.class(), alarm.status), (Class::Silent, AlarmStatus::Open));
    assert!(sentence(&alarm).is_some_and(|sentence| sentence.starts_with("The board's radio")));
    // The link comes up again and again, and then with another board.
    desk.feed(BOARD).feed(BOARD).feed(CLOCK);
    for name in [&b"12345"[..], b"54321"] {
        desk.device(DeviceEvent::Identity(Identity::Serial(Text::new(name)))).feed(BOARD);
    }
    assert_eq!(open(&desk), [WeakSignal, ClockWeakSignal]);
    assert_eq!(desk.game.alarms().len(), 2);
    desk.command(Command::StartGame { fen: None });
    assert_eq!(open(&desk), [WeakSignal, ClockWeakSignal], "the next game has the same receiver");
    desk.feed(Input::Signal { clock: false, weak: false });
    assert_eq!(open(&desk), [ClockWeakSignal]);
    desk.feed(Input::Signal { clock: true, weak: false });
    assert!(open(&desk).is_empty() && desk.game.alarms().iter().all(|alarm| alarm.status == AlarmStatus::Cured));
}

#[test]
fn an_acknowledged_alarm_is_raised_again_only_after_a_good_signal() {
    let mut desk = Desk::started("300");
    let id = desk.feed(BOARD).state().alarms[0].id;
    desk.command(Command::AcknowledgeAlert { alarm: id }).feed(BOARD);
    assert!(open(&desk).is_empty());
    desk.feed(Input::Signal { clock: false, weak: false }).feed(BOARD);
    assert_eq!(open(&desk), [WeakSignal]);
}

//! A few moves on an emulated board with its driver over a cable, which is pulled in the middle.

use std::time::Duration;

use flagfall_hardware::emulator::Counters;
use flagfall_hardware::emulator::chessnut::{Chessnut, ChessnutSettings};
use flagfall_hardware::port::SendError;
use flagfall_protocols::driver::{Driver, Input, Output};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::support::{CHESSNUT, LinkReport, TestLink, any, family, reactor};
use crate::usb::{Board, Identity, Usb, now};

/// A driver on a link.
struct Session {
    test_link: TestLink,
    driver: Box<dyn Driver>,
    reported: Vec<DeviceEvent>,
    seen: Option<Placement>,
}

impl Session {
    fn feed(&mut self, at: u64, input: Input<'_>) {
        self.driver.handle(Instant(at), input);
        while let Some(output) = self.driver.poll() {
            match output {
                Output::Send { channel, bytes } => match self.test_link.link.send(channel, bytes) {
                    Ok(()) | Err(SendError::Down) => {}
                    Err(error) => panic!("{error}"),
                },
                Output::Event { event, .. } => {
                    if let DeviceEvent::Frame(seen) = event {
                        self.seen = Some(seen);
                    }
                    self.reported.push(event);
                }
                Output::Anomaly { anomaly, .. } => panic!("{anomaly:?}"),
            }
        }
    }

    /// Runs until the driver reports this position.
    fn see(&mut self, fen: &str) {
        let wanted = Placement::parse(fen).expect("a placement");
        let until = now() + 20_000_000;
        while self.seen != Some(wanted) {
            assert!(now() < until, "{:?} instead of {fen}", self.seen);
            let due = self.driver.deadline().map_or(until, |due| due.0).min(until);
            match self.test_link.within(Duration::from_micros(due.saturating_sub(now()))) {
                None if due < until => self.feed(due, Input::Deadline),
                None | Some((_, LinkReport::Missing(_))) => {}
                Some((at, LinkReport::Up(_))) => self.feed(at, Input::LinkUp),
                Some((at, LinkReport::Bytes(channel, bytes))) => self.feed(at, Input::Bytes { channel, bytes: &bytes }),
                Some((at, LinkReport::Down(_))) => {
                    self.seen = None;
                    self.feed(at, Input::LinkDown);
                }
            }
        }
    }
}

#[test]
fn moves_arrive_and_the_board_is_found_again_under_another_number() {
    let usb = Usb::new();
    let identity = Identity { serial: "0042", product: 0x8100, ..CHESSNUT };
    let board = Board::start(Box::new(Chessnut::new(ChessnutSettings { cable: true, ..ChessnutSettings::default() })));
    board.plug(usb.plug(0, identity));
    let test_link = TestLink::start(any(&usb, "chessnut"), &reactor());
    let driver = family("chessnut").start();
    let mut session = Session { test_link, driver, reported: Vec::new(), seen: None };
    session.see("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    board.load("0.1 move e2 e4");
    session.see("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    board.load("0.1 move e7 e5");
    session.see("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    // A move is made while the cable is unplugged.
    board.unplug();
    board.load("0.1 move g1 f3");
    board.plug(usb.plug(5, identity));
    session.see("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
    board.load("0.1 move b8 c6");
    session.see("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
    let count = |wanted: DeviceEvent| session.reported.iter().filter(|reported| **reported == wanted).count();
    assert_eq!((count(DeviceEvent::Responding), count(DeviceEvent::Silent)), (2, 0), "{:?}", session.reported);
    assert!(session.reported.iter().any(|reported| matches!(reported, DeviceEvent::Battery(battery) if battery.percent == 50)));
    // The driver only asked. It lit no squares, deleted nothing and sent no command that the board does not know.
    assert_eq!(board.counters(), Counters::default());
}

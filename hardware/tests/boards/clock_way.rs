//! The way of a clock's reports to the host: how late a press is reported, which reports are skipped, and that the order is
//! kept.

use std::time::Duration;

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{ClockWay, Emulator, Sent, Settings};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::{ClockMessage, ClockReport};
use flagfall_protocols::drivers::dgt::host::Query;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::Instant;

const PRESSES: u64 = 400;

/// Returns the reports with their times in milliseconds. The clock is pressed at 2.3 s and then every 5.37 s.
fn reports(way: ClockWay) -> Vec<(u64, ClockReport)> {
    let settings = Settings { clock_poll: Duration::from_millis(500), clock_way: way, paced: false, ..Settings::default() };
    let mut board = Emulator::new(settings);
    board.host(Instant::ZERO, &[Query::UpdateNice as u8]);
    let side = |press: u64| if press.is_multiple_of(2) { "left" } else { "right" };
    let presses: String =
        (0..PRESSES).map(|press| format!("{:.3} press {}\n", pressed(press) as f64 / 1e3, side(press))).collect();
    board.load(&Script::parse(&format!("1 run\n{presses}")).unwrap());
    let mut out = Vec::new();
    board.advance(Instant(pressed(PRESSES) * 1000), &mut out);
    assert_eq!(board.counters().impossible, 0);
    let report = |Sent { at, bytes, .. }: &Sent| match BoardMessage::decode(bytes[0], &bytes[3..]) {
        Some(BoardMessage::Clock(clock)) => match ClockMessage::decode(&clock) {
            ClockMessage::Report(report) => Some((at.micros() / 1000, report)),
            _ => None,
        },
        _ => None,
    };
    out.iter().filter_map(report).collect()
}

fn pressed(press: u64) -> u64 {
    2300 + 5370 * press
}

/// Returns how long after each press the lever was reported, in milliseconds.
fn lags(way: ClockWay) -> Vec<u64> {
    let reports = reports(way);
    let times: Vec<u64> = reports.iter().map(|(at, _)| *at).collect();
    assert!(times.is_sorted(), "reports keep their order");
    let lag = |press: u64| {
        let up = if press.is_multiple_of(2) { ClockSide::Right } else { ClockSide::Left };
        let after = reports.iter().filter(|(at, _)| *at >= pressed(press));
        let (at, _) =
            after.into_iter().find(|(_, report)| report.status.lever_up() == up).unwrap_or_else(|| panic!("press {press}"));
        at - pressed(press)
    };
    (0..PRESSES).map(lag).collect()
}

#[test]
fn a_press_is_reported_within_the_lag() {
    let way = ClockWay {
        sooner: Duration::from_millis(50),
        delay: [Duration::from_millis(50), Duration::from_millis(300)],
        skipped: 0,
        seed: 7,
    };
    let lags = lags(way);
    let (least, most) = (lags.iter().min().unwrap(), lags.iter().max().unwrap());
    assert!((50..120).contains(least) && (650..=800).contains(most), "{least} to {most} ms");
    let middle = lags.iter().sum::<u64>() / PRESSES;
    assert!((350..480).contains(&middle), "{middle} ms on average");
}

#[test]
fn a_skipped_report_is_sent_the_next_time() {
    let way = ClockWay { skipped: 2_000, seed: 3, ..ClockWay::default() };
    let lags = lags(way);
    let late = lags.iter().filter(|lag| **lag > 500).count() as u64;
    // One report in five is skipped.
    assert!((PRESSES / 8..PRESSES * 3 / 10).contains(&late), "{late} of {PRESSES} late");
}

#[test]
fn a_seed_gives_the_same_times() {
    let way = |seed| ClockWay { delay: [Duration::from_millis(50), Duration::from_millis(300)], seed, ..ClockWay::default() };
    assert_eq!(reports(way(1)), reports(way(1)));
    assert_ne!(reports(way(1)), reports(way(2)));
    // There is no delay and no chance: a report comes every half second, as without a way.
    assert!(lags(ClockWay::default()).iter().all(|lag| *lag <= 500));
}

//! The evidence that a finding names: bytes, clock readings, alarms, commands.

use flagfall_game::input::{Author, Command, Input};
use flagfall_game::laws::finding::FindingKey;
use flagfall_game::laws::finding::{ClockShown, Finding};
use flagfall_game::laws::outcome::Kind;
use flagfall_game::pair::Pair;
use flagfall_protocols::event::{ByteRange, ClockSide, DeviceEvent};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::desk::Desk;

/// The clock reports its display, in the ten bytes from `start`.
fn report_at(desk: &mut Desk, start: u64) {
    let reading = desk.clock;
    let source = ByteRange { channel: 0, start, end: start + 10 };
    desk.feed(Input::Device { event: DeviceEvent::Clock(reading), source });
}

/// White's flag falls with the report at byte 1010, and Black's clock shows 4:59.
fn flagged() -> Desk {
    let mut desk = Desk::started("300");
    (desk.clock.left.time, desk.clock.right.time) = (ClockTime(1000), ClockTime(299_000));
    report_at(&mut desk, 1000);
    desk.wait(0.5);
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    report_at(&mut desk, 1010);
    desk
}

fn signed(desk: &mut Desk, id: &str, command: Command) {
    let author = Author { name: Some("anna".to_owned()), command: Some(id.to_owned()), ..Author::default() };
    desk.feed(Input::Signed { command: Box::new(command), author: Box::new(author) });
    assert_eq!(desk.refused(), 0, "{id}");
}

fn finding(desk: &Desk) -> Finding {
    desk.state().finding.expect("a finding")
}

fn claim(observed_at: Option<Instant>) -> Command {
    Command::Claim { flag: Color::White, period: None, observed_at: observed_at.map(|at| at.0) }
}

fn set_clock(time_control: Option<&str>, additional_time: Option<u32>) -> Command {
    Command::SetClockRecord { time_control: time_control.map(str::to_owned), additional_time, flag_taken_back: None }
}

fn shown(source: &str, white_ms: u32, black_ms: u32, running: Option<&'static str>) -> ClockShown {
    ClockShown { source: source.to_owned(), white_ms, black_ms, running }
}

#[test]
fn a_flag_fall_names_the_readings_before_it_and_with_it() {
    let mut desk = flagged();
    let before = shown("rx0:1000-1010", 1000, 299_000, Some("white"));
    let found = finding(&desk);
    assert_eq!(found.readings, [before.clone(), shown("rx0:1010-1020", 0, 299_000, Some("white"))]);
    assert_eq!(found.evidence, ["rx0:1010-1020"]);
    desk.clock.running = false;
    report_at(&mut desk, 1020);
    desk.wait(5.0);
    assert_eq!(finding(&desk).readings, found.readings, "the readings are latched with the flag");
    signed(&mut desk, "swap", Command::SwapSides);
    let other = finding(&desk);
    assert_eq!((other.flag, &other.readings[1]), (Some("black"), &shown("rx0:1010-1020", 299_000, 0, Some("black"))));
    assert!(other.evidence.contains(&"cmd:swap".to_owned()), "{:?}", other.evidence);
    let fen = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1".to_owned();
    signed(&mut desk, "as-it-was", Command::SetPosition { fen });
    assert!(finding(&desk).evidence.contains(&"cmd:as-it-was".to_owned()), "{:?}", finding(&desk).evidence);
}

#[test]
fn a_flag_that_only_an_arbiter_saw_names_the_report_before_and_the_command() {
    let mut desk = Desk::started("300");
    desk.clock.left.time = ClockTime(299_000);
    report_at(&mut desk, 500);
    desk.wait(0.5);
    let seen = desk.now;
    signed(&mut desk, "seen-1", claim(Some(seen)));
    let found = finding(&desk);
    assert_eq!(found.readings, [shown("rx0:500-510", 299_000, 300_000, Some("white"))]);
    assert_eq!(found.evidence, ["cmd:seen-1"]);
    let mut late = Desk::started("300");
    late.wait(3.0);
    let before = Instant(late.now.0 - 500_000);
    signed(&mut late, "seen-2", claim(Some(before)));
    assert_eq!(finding(&late).readings, [], "the last report came after the observation");
}

#[test]
fn the_earliest_observation_is_the_one_that_counts() {
    let mut desk = flagged();
    let fell = desk.now;
    desk.clock.running = false;
    desk.wait(4.0);
    signed(&mut desk, "b", claim(None));
    assert_eq!(finding(&desk).evidence, ["rx0:1010-1020", "cmd:b"]);
    desk.wait(1.0);
    signed(&mut desk, "c", claim(None));
    assert_eq!(finding(&desk).evidence, ["rx0:1010-1020", "cmd:b"], "a later observation changes nothing");
    signed(&mut desk, "a", claim(Some(fell)));
    assert_eq!(finding(&desk).evidence, ["rx0:1010-1020", "cmd:a"]);
}

#[test]
fn a_confirmation_is_an_observation() {
    let mut desk = Desk::started("300");
    // White has completed the moves of the first period, so the finding is certain.
    signed(&mut desk, "tc", set_clock(Some("2/300:300"), None));
    signed(&mut desk, "count", Command::SetMoveCount { completed: Pair { white: 2, black: 2 } });
    desk.clock.left.time = ClockTime(1000);
    report_at(&mut desk, 0);
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    report_at(&mut desk, 10);
    desk.clock.running = false;
    let found = finding(&desk);
    assert_eq!(found.evidence, ["rx0:10-20", "cmd:tc", "cmd:count"], "the counts rest on these commands");
    assert!(found.conditional, "nobody has observed the flag");
    signed(&mut desk, "ok", Command::Confirm { finding: FindingKey { id: found.id, revision: found.revision } });
    assert_eq!(finding(&desk).evidence, ["rx0:10-20", "cmd:ok", "cmd:tc", "cmd:count"]);
}

#[test]
fn an_entry_is_named_by_its_command() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    signed(&mut desk, "tc.1", set_clock(Some("2/300:300"), Some(5)));
    signed(&mut desk, "offer:1", Command::Offer { side: Color::White });
    desk.wait(1.0).command(Command::Offer { side: Color::White });
    let unsigned = format!("entered@{}", desk.now.0);
    desk.wait(1.0);
    signed(&mut desk, "resigned", Command::Resign { side: Color::Black });
    let found = finding(&desk);
    assert_eq!((found.kind, found.readings.len()), (Kind::Resignation, 0));
    assert_eq!(found.evidence, ["cmd:offer:1", unsigned.as_str(), "cmd:resigned"], "there is no flag and no time control");
    let commands: Vec<Option<String>> = desk.state().entries.iter().map(|entry| entry.command.clone()).collect();
    assert_eq!(commands, [Some("offer:1".to_owned()), None, Some("resigned".to_owned())]);
    // The next game has no evidence from this one.
    signed(&mut desk, "next", Command::StartGame { fen: None });
    desk.wait(1.0);
    signed(&mut desk, "seen", claim(None));
    assert_eq!(finding(&desk).evidence, ["cmd:seen"]);
}

#[test]
fn one_command_is_named_once() {
    let mut desk = flagged();
    signed(&mut desk, "tc-1", set_clock(Some("300"), Some(5)));
    assert_eq!(finding(&desk).evidence, ["rx0:1010-1020", "cmd:tc-1"]);
    signed(&mut desk, "tc-2", set_clock(None, Some(10)));
    assert_eq!(finding(&desk).evidence, ["rx0:1010-1020", "cmd:tc-1", "cmd:tc-2"]);
    signed(&mut desk, "tc-3", set_clock(Some("300"), None));
    assert_eq!(finding(&desk).evidence, ["rx0:1010-1020", "cmd:tc-3"]);
}

#[test]
fn a_flag_names_the_illegal_moves_before_it() {
    let mut desk = Desk::started("300");
    desk.wait(2.0).press(0).wait(3.0).press(0).wait(1.0);
    desk.fall(ClockSide::Left);
    let found = finding(&desk);
    assert_eq!((found.kind, found.row), (Kind::FlagFall, "7b"));
    assert!(found.evidence.contains(&"alarm:1".to_owned()), "{:?}", found.evidence);
}

//! The emulated gateway without a driver: its answers and its counters.

use std::time::Duration;

use flagfall_hardware::emulator::dgt3000_gateway::{Gateway, GatewaySettings};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Sent};
use flagfall_protocols::time::Instant;

fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

fn gateway(script: &str) -> Gateway {
    let mut gateway = Gateway::new(GatewaySettings::default());
    gateway.load(&Script::parse(script).expect("a script"));
    gateway
}

/// Returns its notifications up to `to`, each with its time in milliseconds.
fn messages_until(gateway: &mut Gateway, to: Instant) -> Vec<String> {
    let mut out = Vec::new();
    gateway.advance(to, &mut out);
    let show = |Sent { at, bytes, .. }: Sent| format!("{} {}", at.micros() / 1000, String::from_utf8(bytes).expect("text"));
    out.into_iter().map(show).collect()
}

#[test]
fn the_gateway_sends_changed_times_and_lever_movements() {
    let mut gateway = gateway("1 run\n2.35 press left\n2.4 press left\n3.35 stop");
    let time = |stamp: u64, left: &str, right: &str| {
        let data = format!(r#"{{"leftHours":0,{left},"rightHours":0,{right}}}"#);
        format!(r#"{stamp} {{"type":"timeUpdate","timestamp":{stamp},"data":{data}}}"#)
    };
    let left = |minutes: u8, seconds: u8| format!(r#""leftMinutes":{minutes},"leftSeconds":{seconds}"#);
    let right = |minutes: u8, seconds: u8| format!(r#""rightMinutes":{minutes},"rightSeconds":{seconds}"#);
    let lever =
        r#"2365 {"type":"buttonEvent","timestamp":2350,"data":{"button":"lever_left","buttonCode":192,"isRepeat":false}}"#;
    // The left side runs for 1.35 s, the right one for 1 s. The clock shows a started second until the gateway reads it after
    // its end.
    let expected = [time(2000, &left(4, 59), &right(5, 0)), lever.to_owned(), time(3400, &left(4, 59), &right(4, 59))];
    assert_eq!(messages_until(&mut gateway, at(10_000)), expected);
    assert_eq!(gateway.counters(), Counters::default());
}

#[test]
fn commands_are_assembled_and_setting_commands_are_ignored_and_counted() {
    let mut gateway = gateway("");
    let get = br#"{"id":"a\"b","command":"getTime"}"#;
    gateway.host(at(10), 0, &get[..7]);
    gateway.host(at(20), 0, &get[7..]);
    let times = r#"{"leftHours":0,"leftMinutes":5,"leftSeconds":0,"rightHours":0,"rightMinutes":5,"rightSeconds":0}"#;
    let answer = format!(r#"35 {{"type":"command_response","id":"a\"b","status":"success","result":{times}}}"#);
    assert_eq!(messages_until(&mut gateway, at(100)), [answer]);
    gateway.host(at(200), 0, br#"{"id":"1","command":"stop"}{"id":"2","command":"endDisplay"}{"id":"3","command":"dance"}x{}"#);
    let sent_pieces = messages_until(&mut gateway, at(300));
    assert_eq!(sent_pieces.len(), 3, "{sent_pieces:?}");
    assert!(sent_pieces[2].ends_with(r#""id":"3","status":"error","data":{"errorCode":1101}}"#), "{sent_pieces:?}");
    let expected = Counters { set_and_run: 1, display: 1, unknown: 2, stray: 1, ..Counters::default() };
    assert_eq!(gateway.counters(), expected);
}

#[test]
fn an_unplugged_clock_has_no_times() {
    let mut gateway = gateway("1 disconnect\n1.5 press left\n3 connect");
    let sent_pieces = messages_until(&mut gateway, at(2000));
    assert_eq!(
        sent_pieces,
        [r#"1015 {"type":"connectionStatus","timestamp":1000,"data":{"connected":false,"configured":false}}"#]
    );
    gateway.host(at(2000), 0, br#"{"id":"1","command":"getTime"}"#);
    let sent_pieces = messages_until(&mut gateway, at(2000).after(Duration::from_millis(500)));
    assert!(
        sent_pieces.len() == 1 && sent_pieces[0].ends_with(r#""status":"error","data":{"errorCode":1003}}"#),
        "{sent_pieces:?}"
    );
    let sent_pieces = messages_until(&mut gateway, at(4000));
    assert_eq!(sent_pieces, [r#"3015 {"type":"connectionStatus","timestamp":3000,"data":{"connected":true,"configured":true}}"#]);
}

//! Returns the meaning of a message in the words of the vector file.

use flagfall_protocols::bytes::from_bcd;
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::{AckOf, ClockAck, ClockMessage, ClockReport, RawFace, Status};
use flagfall_protocols::drivers::dgt::ee::{EeReader, EeTag};
use flagfall_protocols::drivers::dgt::host::{ClockCommand, HostMessage, Query};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::event::{ClockButton, ClockSide};
use flagfall_protocols::square::{Placement, Reading, ResultPiece};
use serde_json::{Value, json};

pub(crate) fn of_board(message: &BoardMessage<'_>) -> Value {
    let text = |raw: &[u8]| String::from_utf8(raw.to_vec()).expect("ASCII");
    match *message {
        BoardMessage::Board(codes) => {
            let mut placement = Placement::EMPTY;
            for (index, &code) in (0u8..).zip(codes) {
                placement.set(squares::square(index).expect("64"), squares::reading(code).expect("a code"));
            }
            let occupied = placement.0.iter().filter(|&&reading| reading != Reading::Empty).count();
            json!({"msg": "board_dump", "placement": placement.to_string(), "occupied": occupied})
        }
        BoardMessage::Clock(raw) => clock(&raw),
        BoardMessage::Field { index, code } => {
            json!({"msg": "field_update", "square": square(index), "index": index, "piece": piece(code)})
        }
        BoardMessage::EeMoves(data) => {
            let events: Vec<_> = EeReader::new(data).map(|(tag, _)| entry(tag)).collect();
            json!({"msg": "ee_moves", "events": events})
        }
        BoardMessage::BusAddress(value) => json!({"msg": "bus_address", "value": value}),
        BoardMessage::Serial(raw) => json!({"msg": "serial", "text": text(raw)}),
        BoardMessage::Trademark(raw) => json!({"msg": "trademark", "text": text(raw)}),
        BoardMessage::Version { major, minor } => json!({"msg": "version", "major": major, "minor": minor}),
        BoardMessage::HardwareVersion { major, minor } => json!({"msg": "hardware_version", "major": major, "minor": minor}),
        BoardMessage::BlackSquares(codes) => json!({"msg": "board_dump_50b", "codes": codes.as_slice()}),
        BoardMessage::WhiteSquares(codes) => json!({"msg": "board_dump_50w", "codes": codes.as_slice()}),
        BoardMessage::Battery(report) => {
            let known = |value: u8| if value == 0x7f { Value::Null } else { json!(value) };
            json!({
                "msg": "battery", "percent": report.percent,
                "left_h": known(report.left[0]), "left_m": known(report.left[1]),
                "on_h": known(report.on[0]), "on_m": known(report.on[1]),
                "standby_d": report.standby[0], "standby_h": report.standby[1], "standby_m": report.standby[2],
                "status_bits": report.status,
            })
        }
        BoardMessage::LongSerial(raw) => json!({"msg": "long_serial", "text": text(raw)}),
        _ => json!({"msg": "no vector of this kind is known"}),
    }
}

fn square(index: u8) -> String {
    squares::square(index).expect("below 64").to_string()
}

fn piece(code: u8) -> String {
    match squares::reading(code).expect("a code") {
        Reading::Empty => "empty".into(),
        Reading::Piece(piece) => piece.letter().into(),
        Reading::ResultPiece(ResultPiece::Draw) => "draw-piece".into(),
        other => format!("{other:?}"),
    }
}

fn entry(tag: EeTag) -> Value {
    let plain = |name: &str| json!({ "ev": name });
    match tag {
        EeTag::Field { index, code, quick } => {
            json!({"ev": "field", "square": square(index), "piece": piece(code), "quick": quick})
        }
        EeTag::Time { side, time } => {
            let seconds = time.millis() / 1000;
            json!({"ev": "time", "side": side_name(side), "h": seconds / 3600, "m": seconds / 60 % 60, "s": seconds % 60})
        }
        EeTag::PowerUp => plain("powerup"),
        EeTag::End => plain("eof"),
        EeTag::FourRows => plain("four_rows"),
        EeTag::EmptyBoard => plain("empty_board"),
        EeTag::Downloaded => plain("downloaded"),
        EeTag::Initial => plain("begin_pos"),
        EeTag::InitialRotated => plain("begin_pos_rot"),
        EeTag::StartMark => plain("start_tag"),
        EeTag::Watchdog(None) => plain("watchdog"),
        EeTag::Reserved1 => plain("future1"),
        EeTag::Reserved2 => plain("future2"),
        EeTag::Nothing => plain("nop"),
        EeTag::Nothing2 => plain("nop2"),
        EeTag::Watchdog(Some(_)) | EeTag::Unknown(_) => plain("no vector of this kind is known"),
    }
}

fn side_name(side: ClockSide) -> &'static str {
    match side {
        ClockSide::Left => "left",
        ClockSide::Right => "right",
    }
}

fn clock(raw: &[u8; 7]) -> Value {
    match ClockMessage::decode(raw) {
        ClockMessage::Null => json!({"msg": "clock_null"}),
        ClockMessage::Ack(answer) => ack(answer),
        ClockMessage::Report(ClockReport { right, left, status }) => {
            let mut value = json!({
                "msg": "clock_time", "right": face(right), "left": face(left),
                "status": {
                    "raw": status.0, "running": status.has(Status::RUNNING), "lever_high": side_name(status.lever_up()),
                    "battery_low": status.has(Status::BATTERY_LOW), "left_turn": status.has(Status::LEFT_TURN),
                    "right_turn": status.has(Status::RIGHT_TURN), "no_clock": status.has(Status::NO_CLOCK),
                },
            });
            if right.time().is_none() || left.time().is_none() {
                value["illegal"] = json!(true);
            }
            value
        }
    }
}

fn face(face: RawFace) -> Value {
    // The vectors give impossible digits as tens and ones too.
    let number = |bcd: u8| from_bcd(bcd).unwrap_or((bcd >> 4) * 10 + (bcd & 15));
    json!({
        "h": face.hours(), "m": number(face.0[1]), "s": number(face.0[2]),
        "flag_blocked": face.flag_blocked(), "time_per_move": face.adds_time(), "flag_shown": face.flag_shown(),
    })
}

fn ack(ack: ClockAck) -> Value {
    const BUTTONS: [(ClockButton, &str); 5] = [
        (ClockButton::Back, "back"),
        (ClockButton::Plus, "plus"),
        (ClockButton::RunPause, "run"),
        (ClockButton::Minus, "minus"),
        (ClockButton::Ok, "ok"),
    ];
    let mut value = json!({"msg": "clock_ack", "ack": ack.0, "ok": ack.ok(), "auto": ack.unasked()});
    value["of"] = json!(match ack.of() {
        AckOf::Version(major, minor) => {
            value["clock_version"] = json!(format!("{major}.{minor}"));
            "version"
        }
        AckOf::Button(button) => {
            value["button"] = json!(BUTTONS.iter().find(|(one, _)| Some(*one) == button).map(|(_, name)| name));
            let held: Vec<_> = BUTTONS.iter().filter(|(one, _)| ack.held(*one)).map(|(_, name)| name).collect();
            value["held"] = json!(held);
            "button"
        }
        AckOf::Command(0x01) => "display",
        AckOf::Command(0x02) => "icons",
        AckOf::Command(0x03) => "end",
        AckOf::Command(0x08) => "button_query",
        AckOf::Command(0x0a) => "set_and_run",
        AckOf::Command(0x0b) => "beep",
        AckOf::Command(0x0c) => "ascii",
        AckOf::Command(_) | AckOf::Other(_) => "unknown",
        AckOf::Ready => "ready",
        AckOf::Mode(_) => "mode",
        AckOf::NotInMode => "not_in_mode",
    });
    value
}

pub(crate) fn of_host(message: &HostMessage) -> Value {
    let name = match message {
        HostMessage::Query(query) => match query {
            Query::Reset => "reset",
            Query::Clock => "send_clock",
            Query::Board => "send_board",
            Query::Update => "update",
            Query::UpdateBoard => "update_board",
            Query::Serial => "serial",
            Query::BusAddress => "bus_address",
            Query::Trademark => "trademark",
            Query::HardwareVersion => "hardware_version",
            Query::EeMoves => "ee_moves",
            Query::UpdateNice => "update_nice",
            Query::Battery => "battery",
            Query::Version => "version",
            Query::LongSerial => "long_serial",
            Query::I2cClock => "send_i2c_clock",
            Query::UpdateI2c => "update_i2c",
            Query::UpdateI2cNice => "update_i2c_nice",
            Query::ClockVersion => "the decoder gives this as a clock command",
        },
        HostMessage::ToBusMode => "to_bus_mode",
        HostMessage::StartBootloader => "start_bootloader",
        HostMessage::BlackSquares => "send_board_50_black",
        HostMessage::ScanBlack => "scan_50_black",
        HostMessage::WhiteSquares => "send_board_50_white",
        HostMessage::ScanWhite => "scan_50_white",
        HostMessage::ScanAll => "scan_100",
        HostMessage::Clock(command) => return clock_command(command),
        HostMessage::Lights { pattern, first, second } => {
            return json!({"cmd": "set_leds", "pattern": pattern, "first": first, "last": second});
        }
        HostMessage::LightsRaw(data) => return json!({"cmd": "set_leds_pegasus", "data": data}),
        HostMessage::I2cClock(_) | HostMessage::Unknown(_) => "no vector of this kind is known",
    };
    json!({ "cmd": name })
}

fn clock_command(command: &ClockCommand) -> Value {
    let text = |raw: &[u8]| String::from_utf8(raw.to_vec()).expect("ASCII");
    match command {
        ClockCommand::Display { segments: [a, b, c, d, e, f], dots, beep } => json!({
            "cmd": "clock", "op": "display", "dots": dots, "beep": beep,
            "segments": {"A": a, "B": b, "C": c, "D": d, "E": e, "F": f},
        }),
        ClockCommand::Icons(icons) => json!({"cmd": "clock", "op": "icons", "icons": icons}),
        ClockCommand::End => json!({"cmd": "clock", "op": "end"}),
        ClockCommand::Button => json!({"cmd": "clock", "op": "button"}),
        ClockCommand::Version => json!({"cmd": "clock", "op": "version"}),
        ClockCommand::SetAndRun { left, right, control } => {
            json!({"cmd": "clock", "op": "set_and_run", "left": left, "right": right, "control": control})
        }
        ClockCommand::Beep(units) => json!({"cmd": "clock", "op": "beep", "units64ms": units}),
        ClockCommand::Ascii { text: raw, beep } => json!({"cmd": "clock", "op": "ascii", "text": text(raw), "beep": beep}),
        ClockCommand::Rev2Ascii { text: raw, beep } => {
            json!({"cmd": "clock", "op": "rev2_ascii", "text": text(raw), "beep": beep})
        }
    }
}

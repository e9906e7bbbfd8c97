//! Supports the DGT3000 BLE Gateway, a small device that connects a DGT 3000 clock without a board over Bluetooth LE (Tortue95,
//! firmware 1.x).
//!
//! ```text
//!  each message is one JSON object without an end mark: its braces are counted               json.rs, framing.rs
//!
//!  host to gateway    (characteristic …0002)                                             host.rs
//!    7b …  "id" name, "command" getTime, setTime, run, stop, displayText, endDisplay, "params" …
//!
//!  gateway to host    (characteristic …0003)                                             message.rs
//!    7b …  "type" timeUpdate         "timestamp" ms  "data" leftHours … rightSeconds     a time has changed
//!          "type" buttonEvent        "timestamp" ms  "data" button, buttonCode, …        button pressed, lever moved
//!          "type" connectionStatus   "timestamp" ms  "data" connected, configured        of the clock to the gateway
//!          "type" error              "timestamp" ms  "data" errorCode
//!          "type" command_response   "id"  "status" success, error  "result" or "data"   one clone: response, status ok
//! ```
//!
//! The gateway takes central control of the clock (its mode 25): the clock's own time control does not run, and another program
//! counts moves and adds time. So the gateway is for casual games. `session.rs` is the driver: it asks for the times and never
//! sends anything else. Its head describes the conclusions about states that the gateway does not report. Pages:
//! `dgt3000_gateway/README.md`, `dgt/clock.md#7`.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};

pub mod framing;
pub mod host;
pub mod json;
mod lateness;
pub mod message;
mod reader;
pub mod session;
mod text;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "dgt3000_gateway",
    devices: &["DGT 3000 behind a DGT3000 BLE Gateway"],
    usb: &[],
    ble: Some(Ble {
        names: &["DGT3000-Gateway"],
        channels: &[Channel {
            write: Some(0x73822f6e_edcd_44bb_974b_93ee97cb0002),
            notify: Some(0x73822f6e_edcd_44bb_974b_93ee97cb0003),
            optional: false,
        }],
    }),
    hid: None,
    // There is no cable. The value is only for a bridge that replaces the radio.
    baud: 115_200,
    shares_line: false,
    capabilities: Capabilities { board: false, identifies_pieces: false, clock: true, log: false },
    calibrated: None,
    casual_only: Some(
        "the gateway takes control of the clock (mode 25): the clock's own time control does not run, and no flag is reported",
    ),
    // There are no squares. The lever is reported when it moves. No source names the longest delay of the radio.
    timing: Timing { scan: Duration::ZERO, press_delay: Duration::from_millis(200), in_turn: false },
    harmless: |channel, bytes| channel == 0 && bytes == host::GET_TIME,
    examples: &[
        Example::new(
            br#"{"type":"timeUpdate","timestamp":1000,"data":{"leftHours":0,"leftMinutes":4,"leftSeconds":59,"rightHours":0,"rightMinutes":5,"rightSeconds":0}}"#,
            "time: ClockTime(299000)",
        ),
        Example::new(
            br#"{"type":"timeUpdate","timestamp":2000,"data":{"leftHours":0,"leftMinutes":4,"leftSeconds":58,"rightHours":0,"rightMinutes":5,"rightSeconds":0}}"#,
            "time: ClockTime(298000)",
        ),
        Example::new(
            br#"{"type":"buttonEvent","timestamp":1200,"data":{"button":"play_pause","buttonCode":4,"isRepeat":false}}"#,
            "ClockButton(RunPause)",
        ),
        Example::new(
            br#"{"type":"connectionStatus","timestamp":1300,"data":{"connected":false,"configured":false}}"#,
            "ClockAbsent",
        ),
    ],
    make: || Box::new(session::Session::default()),
};

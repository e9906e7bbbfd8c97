//! Warns about settings that are allowed but probably not intended.

use flagfall_protocols::drivers;

use super::checks::is_loopback;
use super::time_control::time_controls;
use super::types::Config;

/// Returns one sentence for each setting that is allowed and probably not meant.
pub fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    let mqtt = &config.mqtt;
    if config.board.is_empty() {
        found.push("No [[board]] is named: add one for each board that this machine serves.".to_owned());
    }
    for board in &config.board {
        if board.time_control.is_none() && config.event.time_control.is_none() {
            found.push(format!("Board {}: no time control, so no period and no move count can be checked.", board.id));
        }
        let driver = board.driver.as_deref().and_then(drivers::find);
        if board.calibration_file.is_none() && driver.is_some_and(|driver| driver.calibrated.is_some()) {
            found.push(format!(
                "Board {}: no calibration_file: its men have names only once they have stood in the initial position, a spare queen \
                 never. `flagfall calibrate` makes one.",
                board.id
            ));
        }
        let port = board.port.as_ref().and_then(|port| port.to_str()).unwrap_or_default();
        let moving = ["/dev/ttyUSB", "/dev/ttyACM"].iter().any(|start| port.starts_with(start));
        if port.starts_with("/dev/hidraw") && board.usb_serial.is_none() {
            found.push(format!(
                "Board {}: {port} may be another device after a cable was pulled; better give its usb_serial, or a name that \
                 stays.",
                board.id
            ));
        }
        if moving && board.serial.is_none() && board.usb_serial.is_none() {
            found.push(format!(
                "Board {}: {port} may be another board after a cable was pulled; better name its serial or a port from \
                 /dev/serial/by-id.",
                board.id
            ));
        }
    }
    for (whose, control) in time_controls(config) {
        found.extend(control.doubt.map(|doubt| format!("{whose}: {doubt}.")));
    }
    let bounded = config.board.iter().any(|board| board.games.is_some());
    if config.event.start.is_some() && !bounded {
        found.push("event.start does nothing: no board has `games`, so all its games are published.".to_owned());
    }
    for board in config.board.iter().filter(|board| board.start.is_some() && board.games.is_none()) {
        found.push(format!("Board {}: start does nothing without `games`.", board.id));
    }
    if config.event.delay == 0 && config.event.delay_moves == 0 {
        found.push("public/ is not delayed: set event.delay or event.delay_moves before it is shown outside.".to_owned());
    }
    if config.user.is_empty() {
        found.push("No [user.NAME] is named: all commands of arbiters will be refused.".to_owned());
    }
    if !mqtt.tls && !is_loopback(&mqtt.host) {
        found.push(format!("mqtt.insecure: everything, passwords too, goes to {} without encryption.", mqtt.host));
    }
    if mqtt.tls && mqtt.insecure {
        found.push("mqtt.insecure does nothing beside mqtt.tls: take it out.".to_owned());
    }
    if mqtt.user.is_some() && mqtt.password_file.is_none() {
        found.push("mqtt.user without mqtt.password_file: the broker gets a name and no password.".to_owned());
    }
    if !config.output.is_empty() && !config.board.is_empty() && !config.collect.enabled {
        found.push(
            "[[output]] without collect.enabled = true: only `flagfall collect` sends something there, not `flagfall run`."
                .to_owned(),
        );
    }
    if mqtt.raw {
        found.push("mqtt.raw: the bytes of all devices are published; switch it off when the fault is found.".to_owned());
    }
    if config.broker.enabled && config.broker.user.is_empty() {
        let pages = match config.broker.websocket.as_str() {
            "" => "",
            _ => ", and any web page in a browser on it that comes from this machine,",
        };
        found.push(format!(
            "[broker] without users: any program on this machine{pages} may read arbiter/ and write everything; name users, \
             [broker.user.NAME]."
        ));
    }
    if config.broker.enabled && !config.publishes_to_own_broker() {
        found.push(format!(
            "broker.enabled, but messages go to {}: nothing is published to the broker in this program.",
            match mqtt.port {
                Some(port) => format!("{}:{port}", mqtt.host),
                None => mqtt.host.clone(),
            }
        ));
    }
    if !config.broker.enabled && !config.broker.user.is_empty() {
        found.push("[broker.user.NAME] without broker.enabled = true: the broker in this program is not started.".to_owned());
    }
    found
}

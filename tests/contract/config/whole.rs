//! Keys that are right alone and wrong together.

use crate::config::support::{config, problems};

const TWO: &str = "[[board]]\nid = \"b1\"\n";

/// Configurations whose keys contradict each other, with their errors.
pub(crate) const WHOLES: &[(&str, &[&str])] = &[
    ("[mqtt]\ntls = true\n", &["1.toml:2:1: mqtt.tls: needs mqtt.ca_file, the certificates that are trusted"]),
    (
        "[mqtt]\nhost = \"10.0.0.1\"\n",
        &["1.toml:2:1: mqtt.host: is another machine: needs mqtt.tls = true, or mqtt.insecure = true to send without TLS"],
    ),
    (
        "[broker]\nenabled = true\ntcp = \"0.0.0.0:1883\"\n",
        &["1.toml:3:1: broker.tcp: can be reached from other machines: needs users, [broker.user.NAME]"],
    ),
    (
        "[broker]\nenabled = true\nwebsocket = \"[::]:9001\"\n",
        &["1.toml:3:1: broker.websocket: can be reached from other machines: needs users, [broker.user.NAME]"],
    ),
    (
        "[broker]\nenabled = true\nwebsocket = \"127.0.0.1:1883\"\n",
        &["1.toml:3:1: broker.websocket: 127.0.0.1:1883 is taken by broker.tcp, 127.0.0.1:1883: choose another port"],
    ),
    (
        "[livechess]\nenabled = true\nlisten = []\n",
        &["1.toml:3:1: livechess.listen: is empty: name an address, or set livechess.enabled = false"],
    ),
    (
        "[livechess]\nlisten = [\"127.0.0.1:1\", \"127.0.0.1:2\", \"127.0.0.1:3\", \"127.0.0.1:4\", \"127.0.0.1:5\"]\n",
        &["1.toml:2:1: livechess.listen: has more than 4 addresses"],
    ),
    (
        "[livechess]\nenabled = true\n[http]\nlisten = \"127.0.0.1:1982\"\n",
        &["1.toml:4:1: http.listen: 127.0.0.1:1982 is taken by livechess.listen, 127.0.0.1:1982: choose another port"],
    ),
    (
        "[screens]\nenabled = true\nlisten = \"0.0.0.0:8080\"\n",
        &["1.toml:3:1: screens.listen: can be reached from other machines: needs screens.certificate_file and key_file, or \
             screens.insecure = true"],
    ),
    (
        "[screens]\nenabled = true\nlisten = \"0.0.0.0:8080\"\ninsecure = true\n[broker]\nenabled = true\n",
        &[
            "1.toml:3:1: screens.listen: gives other machines a way to the broker in this program: that needs users, [broker.user.NAME]",
        ],
    ),
    (
        "[screens]\nenabled = true\nlisten = \"127.0.0.1:8081\"\n[http]\nlisten = \"127.0.0.1:8081\"\n",
        &["1.toml:3:1: screens.listen: 127.0.0.1:8081 is taken by http.listen, 127.0.0.1:8081: choose another port"],
    ),
    (
        "[screens]\nenabled = true\n[http]\nlisten = \"0.0.0.0:8080\"\n",
        &["1.toml:1:2: screens.listen: 127.0.0.1:8080 is taken by http.listen, 0.0.0.0:8080: choose another port"],
    ),
    (
        "[livechess]\nenabled = true\nlisten = [\"127.0.0.1:1883\", \"127.0.0.1:9001\"]\n[broker]\nenabled = true\nwebsocket = \"127.0.0.1:9001\"\n",
        &[
            "1.toml:3:1: livechess.listen: 127.0.0.1:1883 is taken by broker.tcp, 127.0.0.1:1883: choose another port",
            "1.toml:3:1: livechess.listen: 127.0.0.1:9001 is taken by broker.websocket, 127.0.0.1:9001: choose another port",
        ],
    ),
    (
        "[livechess]\nenabled = true\nlisten = [\"127.0.0.1:1982\", \"127.0.0.1:1982\"]\n",
        &["1.toml:3:1: livechess.listen: 127.0.0.1:1982 is taken by livechess.listen, 127.0.0.1:1982: choose another port"],
    ),
    (
        "[broker]\nenabled = true\n[http]\nlisten = \"[::]:1883\"\n",
        &["1.toml:4:1: http.listen: [::]:1883 is taken by broker.tcp, 127.0.0.1:1883: choose another port"],
    ),
    (
        "[screens]\nenabled = true\nlisten = \"127.0.0.1:1883\"\n[broker]\nenabled = true\n",
        &["1.toml:3:1: screens.listen: 127.0.0.1:1883 is taken by broker.tcp, 127.0.0.1:1883: choose another port"],
    ),
    (
        "[screens]\nkey_file = \"/etc/hall.key\"\n",
        &["1.toml:2:1: screens.key_file: needs screens.certificate_file, its certificate"],
    ),
    ("[screens]\npublic_user = \"screen\"\n", &["1.toml:2:1: screens.public_user: needs screens.public_password_file"]),
    (
        "[screens]\npublic_user = \"anna\"\npublic_password_file = \"/none/here\"\n[user.anna]\nrole = \"arbiter\"\n",
        &[
            "1.toml:2:1: screens.public_user: \"anna\" has a role, [user.anna]: everybody who loads a page would have it",
            "1.toml:3:1: screens.public_password_file: /none/here: cannot be read: No such file or directory (os error 2)",
        ],
    ),
    (
        "[broker]\nenabled = true\n[event]\nfrom_meta = true\n",
        &[
            "1.toml:4:1: event.from_meta: the broker in this program forgets the organiser's messages when the round changes: set mqtt.host \
           to another one",
        ],
    ),
    ("[journal]\nfile_mib = 8\ntotal_mib = 7\n", &["1.toml:3:1: journal.total_mib: is less than journal.file_mib, one file"]),
    (
        "[[board]]\nid = \"b1\"\nport = \"/dev/a\"\n[[board]]\nid = \"b2\"\nport = \"/dev/a\"\n",
        &["1.toml:6:1: board.b2.port: is that of board \"b1\" too, at 1.toml:3:1"],
    ),
    (
        "[[board]]\nid = \"b1\"\nport = \"/dev/a\"\n[[board]]\nid = \"b2\"\nport = \"/dev/.//a\"\n",
        &["1.toml:6:1: board.b2.port: is that of board \"b1\" too, at 1.toml:3:1"],
    ),
    (
        "[[board]]\nid = \"b1\"\nport = \"/proc/self/exe\"\n[[board]]\nid = \"b2\"\nport = \"/proc/thread-self/exe\"\n",
        &["1.toml:6:1: board.b2.port: is that of board \"b1\" too, at 1.toml:3:1"],
    ),
    (
        "[[board]]\nid = \"b1\"\ndriver = \"dgt_bus\"\nserial = \"1\"\nport = \"/proc/self/exe\"\n\
         [[board]]\nid = \"b2\"\ndriver = \"dgt_bus\"\nserial = \"2\"\nport = \"/proc/thread-self/exe\"\n",
        &["1.toml:10:1: board.b2.port: is that of board \"b1\" too, at 1.toml:5:1"],
    ),
    (
        "[[board]]\nid = \"b1\"\nserial = \"24012\"\n[[board]]\nid = \"b2\"\nserial = \"024012\"\n",
        &["1.toml:6:1: board.b2.serial: is that of board \"b1\" too, at 1.toml:3:1"],
    ),
    (
        "[[board]]\nid = \"b1\"\nusb_serial = \"a1b2\"\n[[board]]\nid = \"b2\"\nusb_serial = \"A1B2\"\n",
        &["1.toml:6:1: board.b2.usb_serial: is that of board \"b1\" too, at 1.toml:3:1"],
    ),
    (
        "[[board]]\nid = \"b1\"\nserial = \"1\"\nusb_serial = \"2\"\n[[board]]\nid = \"b2\"\nserial = \"1\"\nusb_serial = \"2\"\n",
        &[
            "1.toml:7:1: board.b2.serial: is that of board \"b1\" too, at 1.toml:3:1",
            "1.toml:8:1: board.b2.usb_serial: is that of board \"b1\" too, at 1.toml:4:1",
        ],
    ),
    (
        "[[board]]\nid = \"b1\"\nserial = \"1\"\n[[board]]\nid = \"b2\"\n",
        &[
            "1.toml:4:1: board.b2: there are several boards: needs serial, usb_serial, port or bluetooth, so that its device is known",
        ],
    ),
    (
        "[user.anna]\nrole = \"arbiter\"\nboards = [\"b1\", \"b12\"]\n[[board]]\nid = \"b1\"\n",
        &["1.toml:3:1: user.anna.boards: this machine has no board \"b12\"; did you mean \"b1\"?"],
    ),
];

/// Port 0 is any free one, and what is switched off is no listener.
/// The broker in this program is known by its address in either family.
#[test]
fn the_own_broker_is_known_by_its_address() {
    for (tcp, mqtt, own) in [
        ("127.0.0.1:1900", "", true),
        ("[::1]:1900", "", true),
        ("[::1]:1900", "host = \"::1\"\nport = 1900", true),
        ("[::1]:1883", "host = \"::1\"", true),
        ("[::1]:1900", "port = 1900", false),
        ("127.0.0.1:1900", "port = 1901", false),
    ] {
        let text = format!("[broker]\nenabled = true\ntcp = \"{tcp}\"\n[mqtt]\n{mqtt}\n");
        assert_eq!(config(&[&text], &[]).publishes_to_own_broker(), own, "{text}");
    }
}

#[test]
fn listeners_that_are_in_nobodys_way_are_allowed() {
    let any = "[broker]\nenabled = true\ntcp = \"127.0.0.1:0\"\nwebsocket = \"127.0.0.1:0\"\n[http]\nlisten = \"127.0.0.1:0\"\n";
    let off =
        "[broker]\ntcp = \"127.0.0.1:8080\"\n[livechess]\nlisten = [\"127.0.0.1:8080\"]\n[http]\nlisten = \"127.0.0.1:8080\"\n";
    for text in [any, off] {
        config(&[text], &[]);
    }
}

const AUTOMATIC: &str = "need event.observer = true: the event's regulations name this program as an observer";
const TIME: &str = "event.guidelines are for games without additional time (III.1), and this time control adds some";

/// Automatic rulings and guidelines are refused if the rules or the time control do not allow them.
#[test]
fn rules_that_contradict_each_other_are_refused() {
    for profile in ["fide", "fide-2023-rapid", "fide-2023-blitz", "fide-2023-blitz-supervised", "fide-print-old", "us-chess"] {
        let text = format!("[event]\nprofile = \"{profile}\"\nrulings = \"automatic\"\n");
        let name = if profile == "fide" { "fide-2023-standard" } else { profile };
        let line = format!("1.toml:3:1: event.rulings: automatic rulings under {name} {AUTOMATIC}");
        assert_eq!(problems(&[&text], &[]), [line]);
        assert!(config(&[&text, "[event]\nobserver = true\n"], &[]).event.observer);
    }
    for profile in ["fide-2023-blitz", "fide-2023-blitz-supervised", "fide-print-old", "us-chess", "club-speed"] {
        let text = format!("[event]\nprofile = \"{profile}\"\nguidelines = \"III.5\"\n");
        let line = format!(
            "1.toml:3:1: event.guidelines: Guidelines III are for standard and rapid chess of FIDE (III.2), not for {profile}"
        );
        assert_eq!(problems(&[&text], &[]), [line]);
    }
    for control in ["5400+30", "40/5400:1800+30", "300d3", "300b3"] {
        let text = format!("[event]\ntime_control = \"{control}\"\nguidelines = \"III.4\"\n");
        assert_eq!(problems(&[&text], &[]), [format!("1.toml:3:1: event.guidelines: {TIME}")]);
    }
    // Here the rules are those of one board.
    let board = "[event]\nprofile = \"club-speed\"\nrulings = \"automatic\"\n[[board]]\nid = \"b1\"\nprofile = \"us-chess\"\n";
    assert_eq!(problems(&[board], &[]), [format!("1.toml:6:1: board.b1.profile: automatic rulings under us-chess {AUTOMATIC}")]);
    let board = "[event]\nguidelines = \"III.4\"\n[[board]]\nid = \"b1\"\ntime_control = \"300+3\"\n";
    assert_eq!(problems(&[board], &[]), [format!("1.toml:5:1: board.b1.time_control: {TIME}")]);
}

/// Lines about a board's family and its link, with their errors.
pub(crate) const LINKS: &[(&str, &[&str])] = &[
    ("bluetooth = \"C0:00:00:00:00:01\"", &["bluetooth: dgt is not available over Bluetooth LE; a bound /dev/rfcomm0 is a port"]),
    ("driver = \"chesslink\"\nport = \"/dev/a\"\nbluetooth = \"x\"", &["bluetooth: and port: it is one or the other"]),
    ("driver = \"dgt_pegasus\"", &[]),
    ("driver = \"chessnut\"\ntransport = \"hid\"", &[]),
    ("driver = \"hos_usb\"\ntransport = \"hid\"\nusb_serial = \"1\"", &[]),
    ("driver = \"hos\"\ntransport = \"hid\"", &["transport: hos is not available over USB-HID; hos_usb is"]),
    // The family has no other link, so `transport` is not needed.
    ("driver = \"hos_usb\"\nserial = \"7\"", &["serial: no board reports it over USB-HID: name usb_serial or port"]),
    ("driver = \"chessnut\"\ntransport = \"ble\"", &[]),
    ("transport = \"hid\"", &["transport: dgt is not available over USB-HID"]),
    ("transport = \"ble\"", &["transport: dgt is not available over Bluetooth LE"]),
    (
        "driver = \"dgt_bus\"\nserial = \"1\"\nport = \"/dev/a\"\ntransport = \"hid\"",
        &["transport: dgt_bus is not available over USB-HID", "serial: no board reports it over USB-HID"],
    ),
    (
        "driver = \"chessnut\"\ntransport = \"hid\"\nserial = \"7\"",
        &["serial: no board reports it over USB-HID: name usb_serial or port"],
    ),
    (
        "driver = \"chessnut\"\ntransport = \"hid\"\nbluetooth = \"Chessnut Air\"",
        &["transport: over USB-HID and bluetooth: it is one or the other"],
    ),
    ("driver = \"chesslink\"\ntransport = \"serial\"\nbluetooth = \"x\"", &["transport: on a serial port and bluetooth: it is"]),
    (
        "driver = \"chessnut\"\ntransport = \"serial\"\nport = \"/dev/a\"",
        &["transport: chessnut is not available on a serial port"],
    ),
    (
        "driver = \"chessnut\"\nport = \"/dev/a\"",
        &["port: chessnut is not available on a serial port: name its bluetooth device, or transport = \"hid\""],
    ),
    (
        "driver = \"chessnut\"\ntransport = \"ble\"\nport = \"/dev/a\"",
        &["transport: over Bluetooth LE and port or usb_serial: it"],
    ),
    ("driver = \"chessnut\"\ntransport = \"usb\"", &["transport: \"usb\" is not one of \"serial\", \"ble\", \"hid\""]),
    ("driver = \"chessnut\"\nbluetooth = \"Chessnut Air\"", &[]),
    (
        "driver = \"dgt3000_gateway\"",
        &["driver: dgt3000_gateway is a clock by itself, not a board", "driver: dgt3000_gateway is only"],
    ),
    ("driver = \"dgt_bus\"\nport = \"/dev/a\"", &["serial: dgt_bus: its serial number is its address on the line, 1 to 16383"]),
    ("driver = \"dgt_bus\"\nserial = \"16384\"\nport = \"/dev/a\"", &["serial: dgt_bus: its serial"]),
    ("driver = \"dgt_bus\"\nserial = \"01025\"", &["port: dgt_bus: the line is named by port or usb_serial, for all its boards"]),
    (
        "driver = \"dgt_bus\"\nserial = \"1\"\nport = \"/dev/a\"\n[[board]]\nid = \"b2\"\ndriver = \"dgt_bus\"\nserial = \"2\"\nport = \"/dev/a\"",
        &[],
    ),
    ("driver = \"chessnut\"\nclock.bluetooth = \"x\"", &["clock.driver: is missing"]),
    ("driver = \"chessnut\"\nclock.driver = \"chessnut\"", &["clock.driver: chessnut is no clock by itself"]),
    ("driver = \"chessnut\"\nclock.driver = \"dgt3000_gateway\"", &["clock.driver: dgt3000_gateway is only for games without"]),
    (
        "clock.driver = \"dgt3000_gateway\"\n[event]\ncasual = true",
        &["clock.driver: dgt boards report the times of their own clock"],
    ),
    (
        "driver = \"chessnut\"\nbluetooth = \"x\"\n[board.clock]\ndriver = \"dgt3000_gateway\"\nbluetooth = \"X\"\n[event]\ncasual = true",
        &["clock.bluetooth: X is another board's or clock's device"],
    ),
    (
        "driver = \"chessnut\"\nbluetooth = \"x\"\n[board.clock]\ndriver = \"dgt3000_gateway\"\n[[board]]\nid = \"b2\"\ndriver = \"chessnut\"\nbluetooth = \"y\"\nclock.driver = \"dgt3000_gateway\"\nclock.bluetooth = \"z\"\n[event]\ncasual = true",
        &["clock.bluetooth: there are several clocks: say which one, by its address or name"],
    ),
    (
        "driver = \"chessnut\"\nclock.driver = \"dgt3000_gateway\"\nclock.bluetooth = \"C0:00:00:00:00:02\"\n[event]\ncasual = true",
        &[],
    ),
    (
        "port = \"/dev/a\"\nunlock_file = \"/nowhere\"",
        &["unlock_file: /nowhere: cannot be read", "unlock_file: is for devices by Bluetooth"],
    ),
];

#[test]
fn a_family_and_its_link_go_together() {
    for (text, wanted) in LINKS {
        let text = format!("[[board]]\nid = \"b1\"\n{text}\n");
        if wanted.is_empty() {
            config(&[&text], &[]);
            continue;
        }
        let found = problems(&[&text], &[]);
        let fits = found.len() == wanted.len()
            && found.iter().zip(*wanted).all(|(found, part)| found.contains(&format!("board.b1.{part}")));
        assert!(fits, "{text}: {found:?}");
    }
}

#[test]
fn each_contradiction_is_refused_with_its_place() {
    for (text, lines) in WHOLES {
        assert_eq!(problems(&[text], &[]), *lines, "{text}");
    }
}

#[test]
fn the_place_is_that_of_the_layer_with_the_key() {
    let found = problems(&["[mqtt]\nhost = \"localhost\"\n"], &[("FLAGFALL__MQTT__HOST", "broker.example")]);
    assert!(found[0].starts_with("FLAGFALL__MQTT__HOST: mqtt.host: is another machine"), "{found:#?}");
    let found = problems(&["[mqtt]\nhost = \"localhost\"\n", "\n[mqtt]\nhost = \"broker.example\"\n"], &[]);
    assert!(found[0].starts_with("2.toml:3:1: mqtt.host: is another machine"), "{found:#?}");
}

#[test]
fn unusual_configurations_that_are_allowed() {
    for text in [
        "",
        TWO,
        "[mqtt]\nhost = \"::1\"\n",
        "[mqtt]\nhost = \"LocalHost\"\nraw = true\n",
        "[mqtt]\nhost = \"10.0.0.1\"\ninsecure = true\n",
        "[broker]\ntcp = \"0.0.0.0:1883\"\n",
        "[broker]\nenabled = true\ntcp = \"127.0.0.1:0\"\nwebsocket = \"127.0.0.1:0\"\n",
        "[broker]\nenabled = true\nwebsocket = \"\"\n",
        "[user.anna]\nrole = \"arbiter\"\nboards = [\"b12\"]\n",
        "[event]\ndelay = 86400\ndelay_moves = 40\n",
        "[event]\nprofile = \"club-speed\"\nrulings = \"automatic\"\n",
        "[event]\nprofile = \"material-only\"\nrulings = \"automatic\"\nobserver = true\n",
        "[event]\nprofile = \"fide-2023-rapid\"\ntime_control = \"1500\"\nguidelines = \"III.5\"\n",
        "[event]\nprofile = \"fide\"\nguidelines = \"\"\n",
    ] {
        config(&[text], &[]);
    }
}

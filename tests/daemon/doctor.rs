//! `flagfall doctor` with boards at pseudo-terminals and over Bluetooth LE, some of which are not there.

use flagfall::emulate::PtyBoard;
use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::pty::Pty;
use serde_json::Value;

use crate::bluez::{Bluez, Bus, Peripheral, SYSTEM_BUS};
use crate::program::flagfall;
use crate::support::ports::free_port;

#[test]
fn boards_that_are_not_there_are_named() {
    let bus = Bus::start();
    let bluez = Bluez::start(&bus.address());
    bluez.add(Peripheral::for_driver("dgt_pegasus", "C0:00:00:00:00:01", "DGT_PEGASUS_00017"));
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let boards = [(4711, "port-1"), (4712, "port-2")].map(|(serial, name)| {
        let board = PtyBoard::start(name, game(0).settings(serial), &Script::new(), 1.0).expect("a board");
        board.link_at(&at(name)).expect("a link");
        board
    });
    let (_silent, silent) = Pty::pair().expect("a pseudo-terminal");
    let text = format!(
        "journal.dir = '{0}'\nmqtt.port = {1}\ndiscovery.folders = []\nevent.casual = true\n\
         [[board]]\nid = \"b1\"\nport = '{0}/port-1'\nserial = \"4711\"\n\
         [[board]]\nid = \"b2\"\nport = '{0}/port-2'\nserial = \"99999\"\n\
         [[board]]\nid = \"b3\"\nport = '{2}'\n\
         [[board]]\nid = \"b4\"\ndriver = \"dgt_pegasus\"\nbluetooth = \"C0:00:00:00:00:01\"\n\
         [[board]]\nid = \"b5\"\ndriver = \"dgt_pegasus\"\nbluetooth = \"C0:00:00:00:00:09\"\n\
         [[board]]\nid = \"b6\"\ndriver = \"chessnut\"\nbluetooth = \"Chessnut Air\"\n\
         clock = {{ driver = \"dgt3000_gateway\", bluetooth = \"C0:00:00:00:00:0A\" }}\n",
        folder.path().display(),
        free_port(),
        silent.display()
    );
    std::fs::write(at("c.toml"), text).expect("a file");
    let output =
        flagfall(&["doctor", "--json", "--config"]).arg(at("c.toml")).env(SYSTEM_BUS, bus.address()).output().expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let second = std::fs::canonicalize(at("port-2")).expect("a port");
    for (about, state, found) in [
        ("board b1", "ok", "answers at ".to_owned()),
        (
            "board b2",
            "problem",
            format!("serial number 99999 is not there: the board at {} has serial number 04712", second.display()),
        ),
        ("board b3", "problem", format!("no board answers at {}", silent.display())),
        ("board b4", "ok", "C0:00:00:00:00:01 is there".to_owned()),
        ("board b5", "problem", "C0:00:00:00:00:09 is not there".to_owned()),
        ("board b6", "problem", "Chessnut Air is not there".to_owned()),
        ("clock of board b6", "problem", "C0:00:00:00:00:0A is not there".to_owned()),
    ] {
        let finding = report["findings"].as_array().expect("findings").iter().find(|finding| finding["about"] == about);
        let is_right = finding.is_some_and(|finding| {
            let words = finding["found"].as_str().unwrap_or_default();
            finding["state"] == state && words.starts_with(&found) && (state == "ok") == finding["advice"].is_null()
        });
        assert!(is_right, "{about}, {found}: {report:#}");
    }
    assert_eq!(boards.map(|board| board.status().impossible.len()), [0, 0]);
}

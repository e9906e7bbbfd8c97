//! The demonstration as a visitor runs it: it ends by itself when every message has arrived.
#![cfg(feature = "broker")]

use std::process::{Command, Stdio};

/// Runs the demonstration, all of whose waits have bounds; returns whether it succeeded, and its output.
fn demo(arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    let output = command.args(["demo", "--once"]).args(arguments).stdin(Stdio::null()).output().expect("the program runs");
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn two_games_are_played_and_everything_arrives() {
    let (well, printed) = demo(&["--speed", "1.5", "--delay", "2"]);
    assert!(well, "{printed}");
    for line in ["board 1  arbiter", "board 2  public", "FLAG White", "alarm: incomplete move, White", "everything arrived"] {
        assert!(printed.contains(line), "no {line:?} in\n{printed}");
    }
}

#[test]
fn a_taken_port_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address");
    for which in ["--tcp", "--websocket"] {
        let (well, printed) = demo(&[which, &address.to_string()]);
        let words = format!("port {} of {}", address.port(), address.ip());
        assert!(!well && printed.contains(&words) && printed.contains("taken"), "{which}: {printed}");
    }
}

#[cfg(feature = "outputs")]
#[test]
fn the_boards_are_served_on_this_machine_only() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address");
    let (well, printed) = demo(&[&format!("--serve={address}")]);
    assert!(!well && printed.contains(&format!("livechess.listen: {address}: Address already in use")), "{printed}");
    let (well, printed) = demo(&["--serve=0.0.0.0:1982"]);
    assert!(!well && printed.contains("can be reached from other machines"), "{printed}");
}

//! The demonstration as a visitor runs it: it ends by itself when every message has arrived.
#![cfg(feature = "broker")]

#[cfg(feature = "outputs")]
use std::path::PathBuf;
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
    #[cfg(feature = "outputs")]
    the_file_has_both_games(&printed);
}

/// The file that was named at the start and at the end has the whole games, and nothing else is left behind.
#[cfg(feature = "outputs")]
fn the_file_has_both_games(printed: &str) {
    let named = |before: &str| printed.lines().find_map(|line| line.strip_prefix(before)).expect("a path").to_owned();
    let path = PathBuf::from(named("The games are in "));
    assert_eq!(path, PathBuf::from(named("PGN of the round: ")));
    let text = std::fs::read_to_string(&path).expect("the file");
    let folder = path.ancestors().nth(4).expect("the demonstration's folder");
    let left: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    std::fs::remove_dir_all(folder).expect("removed");
    assert_eq!(left, ["pgn"]);
    assert_eq!(text.matches("[Event ").count(), 2, "{text}");
    for (number, last) in [(0, "a6"), (1, "Qxc2#")] {
        let expected = flagfall::emulate::games::game(number).expected();
        let game = text.split("[Event ").nth(number + 1).expect("a game");
        // The last move of the first game was not pressed, so it may have no time.
        let timed = game.matches("[%clk ").count();
        assert!(timed >= expected.moves.len() && game.contains(last), "{timed} of {}: {game}", expected.moves.len());
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

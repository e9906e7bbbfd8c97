//! The organiser at a laptop: `flagfall event`, with the files of a pairing program.

use std::path::PathBuf;

use flagfall::wire::player::Player;
use tempfile::TempDir;

use super::games::TIME_CONTROL;
use crate::lichess::fake::{ROUND, ROUND_2};
use crate::program::{flagfall, text};

/// What the organiser says of the event.
pub(super) const EVENT: &str = "open26";
pub(super) const NAME: &str = "Example Open 2026";
pub(super) const PLACE: [&str; 2] = ["Utrecht", "NED"];
pub(super) const DATE: &str = "2026.11.21";

/// The players of a board. White at board 3 of round 1 is not known, in a word with which lichess drops a game.
pub(super) fn players(round: u32, board: usize) -> [Player; 2] {
    let player = |id: usize| {
        let fide_id = Some(99_000_000 + id as u32);
        Player { fide_id, ..Player::named(&format!("Player, Number {id}")) }
    };
    // In the second round everybody has the other colour.
    let (one, other) = (2 * board, 2 * board + 1);
    let (white, black) = if round == 1 { (one, other) } else { (other, one) };
    let white = if (round, board) == (1, 3) { Player::named("unknown") } else { player(white) };
    [white, player(black)]
}

/// The laptop.
pub(super) struct Organiser {
    dir: TempDir,
}

impl Organiser {
    /// Makes the event with this number of rounds, of which lichess shows two, binds each device to its board, and publishes.
    pub(super) fn new(broker: u16, delay: u32, rounds: u32, devices: &[String]) -> Organiser {
        let organiser = Organiser { dir: tempfile::tempdir().expect("a folder") };
        organiser.write("organiser.toml", &format!("[mqtt]\nport = {broker}\n"));
        let [site, country] = PLACE;
        let (delay, count) = (delay.to_string(), rounds.to_string());
        let new = ["new", EVENT, "--name", NAME, "--rounds", &count, "--time-control", TIME_CONTROL];
        organiser.done(&[&new[..], &["--site", site, "--country", country, "--delay", &delay]].concat());
        for round in 1..=rounds {
            let name = format!("round{round}.pgn");
            organiser.write(&name, &pairings(round, devices.len()));
            organiser.done(&["import", &name]);
        }
        let numbers: Vec<String> = (1..=devices.len()).map(|number| number.to_string()).collect();
        let pairs = numbers.iter().zip(devices).flat_map(|(number, device)| [number.as_str(), device]);
        organiser.done(&["bind"].into_iter().chain(pairs).collect::<Vec<_>>());
        organiser.publishes(&["publish"]);
        organiser.publishes(&["lichess", ROUND, "--round", "1"]);
        organiser.publishes(&["lichess", ROUND_2, "--round", "2"]);
        organiser
    }

    /// Writes a file beside the event's.
    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    /// Runs a command; returns its exit code and what it printed.
    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let mut command = flagfall(&["event"]);
        let output = command.args(words).current_dir(self.dir.path()).env_clear().output().expect("the program starts");
        let printed = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(printed).expect("text"))
    }

    #[track_caller]
    fn done(&self, words: &[&str]) {
        let (code, printed) = self.run(words);
        assert_eq!(code, Some(0), "{words:?}: {printed}");
    }

    /// Runs a command that needs the broker.
    pub(super) fn asks(&self, words: &[&str]) -> (Option<i32>, String) {
        let config = self.dir.path().join("organiser.toml");
        self.run(&[words, &["--config", text(&config)]].concat())
    }

    /// Runs a command that publishes.
    #[track_caller]
    pub(super) fn publishes(&self, words: &[&str]) {
        let (code, printed) = self.asks(words);
        assert_eq!(code, Some(0), "{words:?}: {printed}");
    }
}

/// The file of the pairing program.
fn pairings(round: u32, boards: usize) -> String {
    let pairing = |board: usize| {
        let [white, black] = players(round, board);
        let tags = |side: &str, Player { name, fide_id, .. }: Player| {
            let id = fide_id.map(|id| format!("[{side}FideId \"{id}\"]\n")).unwrap_or_default();
            format!("[{side} \"{}\"]\n{id}", name.unwrap_or_default())
        };
        format!("[Date \"{DATE}\"]\n[Round \"{round}.{board}\"]\n{}{}\n*\n\n", tags("White", white), tags("Black", black))
    };
    (1..=boards).map(pairing).collect()
}

//! A folder with a collector, and boards whose states a plain client publishes.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use flagfall::outputs::pgn::{self, Profile};
use flagfall::outputs::picture::Picture;
use flagfall::outputs::round::{Round, RoundGame};
use flagfall::wire::player::{Player, Players};
use flagfall_game::clock::control::TimeControl;
use serde_json::{Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};
use tempfile::TempDir;

use super::reader::plies_by_board;
use crate::program::{RunningProgram, flagfall, text};
use crate::support::mqtt::publish;
use crate::support::waiting::{PATIENCE, wait_until};

/// A folder with the configuration of a collector, its store and its outputs. It has one output of files, `tree`.
pub(crate) struct CollectHall {
    dir: TempDir,
    broker: u16,
}

impl CollectHall {
    /// `collect` has lines for the section of that name.
    pub(crate) fn new(broker: u16, node: &str, collect: &str) -> CollectHall {
        let hall = CollectHall { dir: tempfile::tempdir().expect("a folder"), broker };
        let config = format!(
            "node.name = \"{node}\"\n[event]\nid = \"open26\"\nround = \"5\"\n[mqtt]\nport = {broker}\n[collect]\ndir = {:?}\n{collect}",
            hall.path("store")
        );
        std::fs::write(hall.path("collect.toml"), config).expect("written");
        hall.add_output("tree", "files", &hall.path("tree"), "");
        hall
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn add_output(&self, name: &str, kind: &str, dir: &Path, more: &str) {
        self.add_lines(&format!("[[output]]\nname = \"{name}\"\nkind = \"{kind}\"\ndir = {dir:?}\n{more}"));
    }

    /// Adds lines to the configuration.
    pub(crate) fn add_lines(&self, lines: &str) {
        let mut file = std::fs::File::options().append(true).open(self.path("collect.toml")).expect("a configuration");
        file.write_all(lines.as_bytes()).expect("written");
    }

    pub(crate) fn start(&self) -> RunningProgram {
        RunningProgram::start(&mut flagfall(&["collect", "--config", text(&self.path("collect.toml"))]))
    }

    /// The file with all games of the round.
    pub(crate) fn games(&self) -> PathBuf {
        self.path("tree/open26/round-5/games.pgn")
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.path("tree/open26").join(name)).expect("a file");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Publishes the event and the pairings of the round.
    pub(crate) fn publish_event(&self) {
        let event = json!({"v": "1.1", "type": "meta.event", "rev": 1, "body": {
            "uuid": "6f1c0000-0000-4000-8000-00000000000a", "name": "Example Open 2026", "site": "Utrecht", "country": "NED", "rounds": 9,
            "round": "5", "time_control": "5400+30"}});
        publish(self.broker, "flagfall/1/meta/open26", &event.to_string(), &["-r"]);
        self.publish_round(1, json!({}));
    }

    /// The organiser makes the next round the current one, with the same pairings and this id at lichess.
    pub(crate) fn change_to(&self, rev: u32, number: u32, lichess: Option<&str>) {
        let pairing = |board: &str, number: u32| json!({"board": board, "number": number, "white": white(), "black": {"name": "Muster, Ben"}});
        let boards = [pairing("b1", 1), pairing("b2", 2)];
        let mut round = json!({"v": "1.1", "type": "meta.round", "rev": rev, "body": {"number": number, "boards": boards}});
        if let Some(id) = lichess {
            round["body"]["lichess_round"] = id.into();
        }
        publish(self.broker, &format!("flagfall/1/meta/open26/{number}"), &round.to_string(), &["-r"]);
        let event = json!({"v": "1.1", "type": "meta.event", "rev": rev, "body": {
            "uuid": "6f1c0000-0000-4000-8000-00000000000a", "name": "Example Open 2026", "rounds": 9, "round": number.to_string()}});
        publish(self.broker, "flagfall/1/meta/open26", &event.to_string(), &["-r"]);
    }

    /// Publishes the pairings of the round, with what the organiser asks of outputs.
    pub(crate) fn publish_round(&self, rev: u32, outputs: Value) {
        let pairing = |board: &str, number: u32| json!({"board": board, "number": number, "white": white(), "black": {"name": "Muster, Ben"}});
        let round = json!({"v": "1.1", "type": "meta.round", "rev": rev, "body": {
            "number": 5, "date": "2026-11-21", "boards": [pairing("b1", 1), pairing("b2", 2)], "outputs": outputs}});
        publish(self.broker, "flagfall/1/meta/open26/5", &round.to_string(), &["-r"]);
    }

    /// Waits until the files have all moves of these boards.
    #[track_caller]
    pub(crate) fn wait_for(&self, boards: &[Published]) {
        wait_until("the files have all moves", PATIENCE, || {
            let found = plies_by_board(&self.games());
            boards.iter().all(|board| found.get(&board.number) == Some(&board.plies()))
        });
    }

    /// What the file must have.
    pub(crate) fn expected(&self, boards: &[Published]) -> String {
        let round = Round {
            event: "Example Open 2026".to_owned(),
            site: "Utrecht NED".to_owned(),
            number: Some(5),
            date: Some("2026.11.21".to_owned()),
            time_control: Some(TimeControl::parse("5400+30").expect("a time control")),
            chess960: false,
            games: boards.iter().map(Published::game).collect(),
        };
        pgn::write_round(&round, Profile::Full)
    }
}

fn white() -> Player {
    Player { fide_id: Some(99_000_001), ..Player::named("Beispiel, Anna") }
}

/// A board whose states are published.
pub(crate) struct Published {
    id: &'static str,
    number: u32,
    position: Chess,
    moves: Vec<Value>,
}

impl Published {
    pub(crate) fn new(id: &'static str, number: u32) -> Published {
        Published { id, number, position: Chess::default(), moves: Vec::new() }
    }

    pub(crate) fn plies(&self) -> usize {
        self.moves.len()
    }

    /// Makes so many legal moves.
    pub(crate) fn play(&mut self, plies: usize) {
        for _ in 0..plies {
            let legal = self.position.legal_moves();
            let choice = (self.moves.len() * 7 + self.number as usize * 3) % legal.len();
            let san = SanPlus::from_move_and_play_unchecked(&mut self.position, legal[choice]).to_string();
            let ms = 5_400_000 - 3_000 * self.moves.len();
            self.moves.push(json!({"ply": self.moves.len() + 1, "san": san, "uci": "", "white_ms": ms, "black_ms": ms}));
        }
    }

    fn state(&self) -> String {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let body = json!({"game_no": 1, "initial_fen": fen, "moves": self.moves, "result": null,
                          "clock": {"white_ms": null, "black_ms": null, "running": "white", "read_us": 5}});
        json!({"v": "1.1", "type": "board.state", "game": format!("open26-5-{}-g1", self.id), "rev": self.moves.len(), "node": "pi-1",
               "boot": 1, "t": {"us": 9, "utc": "2026-11-21T13:02:11.412Z", "sync": "none"}, "body": body})
        .to_string()
    }

    pub(crate) fn publish(&self, broker: u16) {
        publish(broker, &format!("flagfall/1/public/open26/5/{}/state", self.id), &self.state(), &["-r"]);
    }

    /// The same for the audience without delay.
    pub(crate) fn publish_live(&self, broker: u16) {
        publish(broker, &format!("flagfall/1/live/open26/5/{}/state", self.id), &self.state(), &["-r"]);
    }

    /// The men after the moves, as a FEN has them.
    pub(crate) fn placement(&self) -> String {
        self.position.board().board_fen().to_string()
    }

    fn game(&self) -> RoundGame {
        let picture = Picture::read(self.state().as_bytes()).expect("a state");
        RoundGame {
            board: self.number,
            id: format!("open26-5-{}", self.id),
            players: Players { white: Some(white()), black: Some(Player::named("Muster, Ben")) },
            shown: Some(picture.body),
            ..RoundGame::default()
        }
    }
}

/// The names in a folder, without the file that is being written.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.retain(|name| name != ".flagfall-new");
    names.sort();
    names
}

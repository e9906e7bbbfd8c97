//! Sets up the emulated boards and clocks of the demonstration, and the configuration of a daemon that serves them.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use super::check::Check;
use super::logins::{Logins, SCREEN};
#[cfg(feature = "outputs")]
use super::pgn_file::{PgnFile, all_moves};
use super::view::{Named, View};
use crate::config::{
    Board, Broker, Collect, Config, Discovery, Event, Journal, Level, LiveChess, Loaded, Log, Mqtt, Node, Output, Screens,
};
use crate::emulate::PtyBoard;
use crate::emulate::games::{DemoGame, GAMES, game};
use crate::wire::player::Player;
use flagfall_hardware::emulator::script::Script;

/// The serial number of the first board.
const SERIAL: u16 = 4711;

/// The addresses of the demonstration.
pub(super) struct Listen {
    /// The broker, for MQTT.
    pub(super) tcp: String,
    /// The broker, for MQTT over WebSocket.
    pub(super) websocket: String,
    /// The LiveChess API, if it is offered.
    pub(super) livechess: Option<String>,
    /// The pages.
    pub(super) screens: String,
}

/// The emulated boards and the games that are played on them.
pub(super) struct SimulatedHall {
    /// The folder of journals, ports and the PGN of the round. Only the PGN stays in the end.
    folder: Folder,
    /// The users of the broker.
    pub(super) logins: Logins,
    tables: Vec<Table>,
}

struct Table {
    id: String,
    game: DemoGame,
    board: PtyBoard,
    port: PathBuf,
}

impl SimulatedHall {
    /// Sets up all boards. They are switched off, so that nothing happens before somebody looks.
    pub(super) fn set_up(speed: f64) -> Result<SimulatedHall> {
        let folder = Folder::make().context("a folder for the journals")?;
        let logins = Logins::make(&folder.0).context("the passwords")?;
        let tables = (0..GAMES).map(|number| {
            let (id, game) = ((number + 1).to_string(), game(number));
            let serial = SERIAL + number as u16;
            let board = PtyBoard::start(&id, game.settings(serial), &Script::new(), speed)?;
            let port = folder.0.join(format!("board-{id}"));
            board.mute(true)?;
            board.link_at(&port)?;
            Ok(Table { id, game, board, port })
        });
        let tables = tables.collect::<io::Result<Vec<Table>>>().context("a board on a pseudo-terminal")?;
        Ok(SimulatedHall { folder, logins, tables })
    }

    /// Switches all boards on; no man is moved yet.
    pub(super) fn switch_on(&self) -> Result<()> {
        self.tables.iter().try_for_each(|table| table.board.mute(false)).context("a board on a pseudo-terminal")
    }

    /// The players begin.
    pub(super) fn play(&self) -> Result<()> {
        self.tables.iter().try_for_each(|table| table.board.load(&table.game.script())).context("the hands")
    }

    /// The men are put back and the clocks are set as they were before the games.
    pub(super) fn set_up_again(&self) -> Result<()> {
        self.tables.iter().try_for_each(|table| table.board.load(&table.game.set_up_again())).context("the hands")
    }

    /// Whether all games are over.
    pub(super) fn done(&self) -> bool {
        self.tables.iter().all(|table| table.board.done())
    }

    /// How many hand motions could not be done; more than none is a fault of the emulation.
    pub(super) fn impossible(&self) -> usize {
        self.tables.iter().map(|table| table.board.status().impossible.len()).sum()
    }

    /// Ids of the devices, as they are in topics.
    pub(super) fn boards(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.id.as_str())
    }

    /// The configuration of a daemon for these boards.
    pub(super) fn configuration(&self, listen: Listen, delay: Duration) -> Loaded {
        let Listen { tcp, websocket, livechess, screens } = listen;
        let board = |table: &Table| Board {
            id: table.id.clone(),
            port: Some(table.port.clone()),
            white: Some(Player::named(table.game.white)),
            black: Some(Player::named(table.game.black)),
            time_control: Some(table.game.time_control.to_owned()),
            ..Board::default()
        };
        let config = Config {
            node: Node { name: Some("demo".to_owned()) },
            event: Event { id: "demo".to_owned(), delay: delay.as_secs() as u32, ..Event::default() },
            mqtt: Mqtt::default(),
            broker: Broker { enabled: true, tcp, websocket, user: self.logins.at_broker() },
            user: self.logins.with_roles(),
            screens: Screens {
                enabled: cfg!(feature = "screens"),
                listen: screens,
                public_user: Some(SCREEN.to_owned()),
                public_password_file: Some(self.logins.file(SCREEN)),
                ..Screens::default()
            },
            livechess: LiveChess {
                enabled: livechess.is_some(),
                listen: livechess.into_iter().collect(),
                ..LiveChess::default()
            },
            journal: Journal { dir: self.folder.0.join("journal"), ..Journal::default() },
            discovery: Discovery { folders: vec![self.folder.0.clone()] },
            log: Log { level: Level::Warn },
            board: self.tables.iter().map(board).collect(),
            collect: Collect { enabled: cfg!(feature = "outputs"), dir: self.folder.0.join("collected"), ..Collect::default() },
            output: vec![Output::of_files("pgn", self.folder.games())],
            ..Config::default()
        };
        Loaded { config, files: Vec::new(), hash: 0 }
    }

    /// The file to which the collector writes the games, and what it must have in the end.
    #[cfg(feature = "outputs")]
    pub(super) fn pgn_file(&self) -> PgnFile {
        let boards = self.tables.iter().map(|table| (table.id.clone(), all_moves(table.game.expected())));
        PgnFile { path: self.folder.games().join("demo/round-1/games.pgn"), boards: boards.collect() }
    }

    /// The view of these boards.
    pub(super) fn view(&self, colour: bool) -> View {
        let named = |table: &Table| Named {
            id: table.id.clone(),
            white: table.game.white.to_owned(),
            black: table.game.black.to_owned(),
        };
        View::new(colour, self.tables.iter().map(named).collect())
    }

    /// The check of what must arrive.
    pub(super) fn check(&self) -> Check {
        Check::new(self.tables.iter().map(|table| (table.id.clone(), table.game.expected())), true)
    }
}

/// A folder that is removed when it is not needed any more, but for the games in it.
struct Folder(PathBuf);

impl Folder {
    /// The folder of the games.
    fn games(&self) -> PathBuf {
        self.0.join("pgn")
    }

    fn make() -> io::Result<Folder> {
        let base = std::env::temp_dir();
        for attempt in 0..100 {
            let path = base.join(format!("flagfall-demo-{}-{attempt}", std::process::id()));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own cleaning.
        for entry in std::fs::read_dir(&self.0).into_iter().flatten().flatten().filter(|entry| entry.path() != self.games()) {
            let path = entry.path();
            _ = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
        _ = std::fs::remove_dir(&self.0);
    }
}

//! Shows one board to programs on this machine (`outputs::tap`).

use std::sync::Arc;

use flagfall_game::effect::Audience;
use flagfall_game::game::Game;
use flagfall_protocols::square::{Color, Placement};
use shakmaty::fen::Fen;
use shakmaty::{EnPassantMode, Position};

use super::device;
use super::station_config::StationConfig;
use crate::outputs::tap::{ClockPicture, Device, GamePicture, Picture, Seat, Tap, ToldMove};
use crate::session::station::Station;
use crate::system_clock::MonotonicTime;
use crate::wire::device::DeviceState;
use crate::wire::player::Pair;
use crate::wire::time::Anchor;

/// The tap of a board that was not heard yet.
pub(super) fn new(config: &StationConfig) -> Tap {
    let seat =
        Seat { id: config.setting.board.board.clone(), transport: config.wanted.transport().to_owned(), is_elsewhere: false };
    let game = GamePicture {
        round: config.setting.board.round.clone(),
        players: config.setting.players.clone().unwrap_or_default(),
        ..GamePicture::default()
    };
    Tap::new(seat, Device { serial: config.wanted.serial().map(str::to_owned), ..Device::default() }, game)
}

/// Makes the pictures of a board.
pub(super) struct Pictures {
    tap: Arc<Tap>,
    /// The game as it was shown last, and the revision of its state.
    game: Arc<GamePicture>,
    shown: Option<u32>,
    /// Whether made moves wait for their press: then the sensors show nothing that the game does not.
    until_press: bool,
}

impl Pictures {
    pub(super) fn new(tap: Arc<Tap>, until_press: bool) -> Pictures {
        let game = Arc::clone(&tap.latest().game);
        Pictures { tap, game, shown: None, until_press }
    }

    /// Shows the board as it is now.
    pub(super) fn show(&mut self, now: MonotonicTime, station: &Station, device: &device::Device, anchor: &Anchor) {
        let game = station.game();
        // A game that is not the round's is shown to arbiters only: the game before it stays.
        if !station.is_unpublished() {
            self.follow_game(game, station.live_rev());
        }
        let status = device.status(now);
        // Programs see nothing of a board without a pairing but that it is there.
        let is_paired = !station.is_unpaired();
        let known = Placement::parse(&game.reported_position(Audience::Live).board().board_fen().to_string());
        let known = known.filter(|_| is_paired).unwrap_or(Placement::EMPTY);
        self.tap.show(Picture {
            number: 0,
            device: Device {
                online: status.state != DeviceState::Offline,
                serial: status.serial,
                port: status.port,
                battery: status.battery_percent,
            },
            placement: if is_paired && !self.until_press { game.placement() } else { known },
            since: now,
            known,
            rotated: game.is_rotated(),
            clock: clock(game, anchor).filter(|_| is_paired),
            game: Arc::clone(&self.game),
        });
    }

    fn follow_game(&mut self, game: &Game, rev: u32) {
        if self.shown.replace(rev) != Some(rev) {
            let GamePicture { round, players, .. } = &*self.game;
            self.game = Arc::new(GamePicture { round: round.clone(), players: players.clone(), ..game_picture(game) });
        }
    }
}

fn game_picture(game: &Game) -> GamePicture {
    let made: Vec<_> = game.moves().chain(game.pending()).map(|played| played.made.latest).collect();
    let used = |index: usize| {
        let [before, at] = [index.checked_sub(1)?, index].map(|index| made.get(index));
        Some(at?.since(*before?).as_secs() as u32)
    };
    let known = game.known_result();
    let first = if game.start().turn().is_white() { Color::White } else { Color::Black };
    let moves = game.live_moves().enumerate().map(|(index, told)| {
        let mover = if index % 2 == 0 { first } else { first.other() };
        let left = match mover {
            Color::White => told.clocks.white,
            Color::Black => told.clocks.black,
        };
        ToldMove {
            san: told.san.to_string(),
            seconds_left: left.map(|left| left.millis() / 1000),
            seconds_used: used(index).unwrap_or_default(),
        }
    });
    GamePicture {
        initial_fen: Fen::from_position(game.start(), EnPassantMode::Legal).to_string(),
        is_on: known.is_none() && game.live_plies() > 0,
        moves: moves.collect(),
        result: known.map(|known| known.result.into()),
        ..GamePicture::default()
    }
}

/// The chess clock; none if it is not there, was not heard, or does not show both times.
fn clock(game: &Game, anchor: &Anchor) -> Option<ClockPicture> {
    let clock = game.clock();
    let (white, black, read) = (clock.times.white?, clock.times.black?, clock.read?);
    clock.present.then(|| ClockPicture {
        seconds: Pair { white: white.millis() / 1000, black: black.millis() / 1000 },
        running: clock.running,
        read_ms: anchor.utc_at(read).0 / 1000,
    })
}

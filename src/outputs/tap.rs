//! Gives programs on this machine what one board shows, at once and without the broker. The station puts pictures in and never waits;
//! a reader that is slow misses some of them and gets the latest one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagfall_game::follow;
use flagfall_protocols::square::{Color, Placement};
use flagfall_protocols::time::Instant;
use tokio::sync::broadcast;

use crate::system_clock::MonotonicTime;
use crate::wire::outcome::GameResult;
use crate::wire::player::{Pair, Players};

/// The number of pictures that wait for a slow reader. A man that is put down takes about half a second.
pub const PICTURES: usize = 64;

/// What never changes of a board while the program runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    /// The board's id.
    pub id: String,
    /// How its device is reached: `serial`, `ble` or `hid`; empty if that is not known.
    pub transport: String,
    /// Its device is at another machine: positions change with made moves only.
    pub is_elsewhere: bool,
}

/// What a board shows at one moment. Nothing in it is only for arbiters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// A later picture of the board has a higher number.
    pub number: u64,
    /// The device.
    pub device: Device,
    /// What the sensors show, White's men on their own side.
    pub placement: Placement,
    /// Since when they show it.
    pub since: MonotonicTime,
    /// The position of the game as everybody may know it; it gives names to men that the board does not identify.
    pub known: Placement,
    /// White sits at the right-hand side of the connector.
    pub rotated: bool,
    /// The chess clock, if it is connected and was heard.
    pub clock: Option<ClockPicture>,
    /// The game.
    pub game: Arc<GamePicture>,
}

/// The device of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Whether it answers.
    pub online: bool,
    /// Its own serial number, if it is known.
    pub serial: Option<String>,
    /// The port that is open, if one is.
    pub port: Option<String>,
    /// The charge of its battery in percent, if it reports one.
    pub battery: Option<u8>,
}

/// What a chess clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPicture {
    /// The times in whole seconds.
    pub seconds: Pair<u32>,
    /// Whose clock runs.
    pub running: Option<Color>,
    /// When it was read, in milliseconds since 1970.
    pub read_ms: i64,
}

/// A game as everybody may know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GamePicture {
    /// The id of the round to which it belongs.
    pub round: String,
    /// Its players, as far as they are known.
    pub players: Players,
    /// The start position, FEN.
    pub initial_fen: String,
    /// Whether it is played at this moment.
    pub is_on: bool,
    /// The made moves.
    pub moves: Vec<ToldMove>,
    /// The result, if it is known.
    pub result: Option<GameResult>,
}

/// A made move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldMove {
    /// Standard algebraic notation.
    pub san: String,
    /// The time on the clock of the player who made it, in seconds, if it is known.
    pub seconds_left: Option<u32>,
    /// The time since the move before, in seconds; 0 for the first move, and if it is not known.
    pub seconds_used: u32,
}

impl Picture {
    /// A board that was never heard.
    pub fn unknown(device: Device) -> Picture {
        Picture {
            number: 0,
            device,
            placement: Placement::EMPTY,
            since: MonotonicTime::default(),
            known: Placement::EMPTY,
            rotated: false,
            clock: None,
            game: Arc::default(),
        }
    }

    /// The placement of a FEN: men that are not identified have the names of the game, and a square whose man nobody can name is empty.
    pub fn fen(&self) -> String {
        follow::with_names(&self.placement, &self.known).to_string()
    }

    /// The time since which the sensors show this, as a follower counts it.
    pub fn since(&self) -> Instant {
        Instant(self.since.0)
    }
}

/// The pictures of one board.
#[derive(Debug)]
pub struct Tap {
    /// The board.
    pub seat: Seat,
    latest: Mutex<Arc<Picture>>,
    changes: broadcast::Sender<Arc<Picture>>,
}

impl Tap {
    /// A board that was never heard. `game` is what is known before.
    pub fn new(seat: Seat, device: Device, game: GamePicture) -> Tap {
        let picture = Picture { game: Arc::new(game), ..Picture::unknown(device) };
        Tap { seat, latest: Mutex::new(Arc::new(picture)), changes: broadcast::Sender::new(PICTURES) }
    }

    /// The latest picture.
    pub fn latest(&self) -> Arc<Picture> {
        Arc::clone(&self.lock())
    }

    /// The latest picture, and all that follow.
    pub fn subscribe(&self) -> (Arc<Picture>, broadcast::Receiver<Arc<Picture>>) {
        let latest = self.lock();
        (Arc::clone(&latest), self.changes.subscribe())
    }

    /// Shows another picture, unless it is the same. [`Picture::since`] stays that of the picture before if the placement does.
    pub fn show(&self, mut picture: Picture) {
        let mut latest = self.lock();
        if picture.placement == latest.placement {
            picture.since = latest.since;
        }
        picture.number = latest.number;
        if picture != **latest {
            picture.number += 1;
            *latest = Arc::new(picture);
            // It fails only if nobody reads.
            let _ = self.changes.send(Arc::clone(&latest));
        }
    }

    /// The device does not answer any more. Everything else stays.
    pub fn set_offline(&self) {
        let mut picture = (*self.latest()).clone();
        picture.device.online = false;
        self.show(picture);
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Picture>> {
        // The value is complete at any time.
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_reader_gets_the_latest_picture_and_an_equal_one_is_not_sent() {
        let tap = Tap::new(Seat::default(), Device::default(), GamePicture::default());
        let (first, mut changes) = tap.subscribe();
        assert_eq!(first.fen(), "8/8/8/8/8/8/8/8");
        let shown = |placement, since| Picture { placement, since: MonotonicTime(since), ..Picture::unknown(Device::default()) };
        tap.show(shown(Placement::initial(), 7));
        tap.show(shown(Placement::initial(), 9));
        assert_eq!(changes.try_recv().expect("a picture").since, MonotonicTime(7));
        assert!(changes.try_recv().is_err());
        for since in 0..PICTURES as u64 + 1 {
            tap.show(shown(Placement::EMPTY, 10 + since));
            tap.show(shown(Placement::initial(), 10 + since));
        }
        assert!(matches!(changes.try_recv(), Err(broadcast::error::TryRecvError::Lagged(_))));
        assert_eq!(tap.latest().placement, Placement::initial());
        tap.set_offline();
        assert!(!tap.latest().device.online);
    }
}

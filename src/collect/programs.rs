//! Shows all boards of the event to programs on this machine, through the LiveChess API (`outputs/livechess/README.md#6`): the devices,
//! the positions after the made moves and the times, without the delay of the public.

mod devices;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use flagfall_protocols::square::{Color, Placement};
use serde::Deserialize;

use self::devices::Devices;
use super::model::{Game, Model};
use crate::config::OutputAudience;
use crate::outputs::livechess::{Hall, Programme};
use crate::outputs::pgn::{self, LastPart};
use crate::outputs::picture::{MAX_STATE, PictureClock, PictureTime};
use crate::outputs::tap::{ClockPicture, Device, GamePicture, Picture, Seat, Tap, ToldMove};
use crate::system_clock::monotonic;
use crate::wire::meta::MAX_BOARDS;
use crate::wire::outcome::GameResult;
use crate::wire::player::Pair;

/// What programs are shown.
pub(crate) struct Programs {
    hall: Arc<Hall>,
    devices: Devices,
    /// The boards that are shown or read: a client that reads a board goes on when it is shown again.
    taps: BTreeMap<String, Arc<Tap>>,
    games: BTreeMap<(String, String), Kept>,
    /// The clock of each board of the present round as it was published last, and by which node.
    clocks: BTreeMap<String, (String, ClockPicture)>,
    /// The numbers of the organiser's messages that are shown, and the present round.
    shown: Option<Mark>,
    /// Something has changed that is not shown yet.
    changed: bool,
}

/// The present round, and the numbers of the organiser's messages.
type Mark = (String, Option<u64>, Vec<(String, u64)>);

/// A game as it was collected and as it is shown.
struct Kept {
    game: Game,
    shown: Arc<GamePicture>,
    placement: Placement,
}

/// A message on `live/…/clock`.
#[derive(Deserialize)]
struct ClockMessage {
    #[serde(default)]
    node: String,
    #[serde(default)]
    t: PictureTime,
    body: PictureClock,
}

impl Programs {
    pub(crate) fn new(hall: Arc<Hall>) -> Programs {
        Programs {
            hall,
            devices: Devices::default(),
            taps: BTreeMap::new(),
            games: BTreeMap::new(),
            clocks: BTreeMap::new(),
            shown: None,
            changed: true,
        }
    }

    /// Notes the status of a device; an empty payload deletes it.
    ///
    /// # Errors
    /// It is not used.
    pub(crate) fn note_device(&mut self, device: &str, payload: &[u8]) -> Result<(), String> {
        self.changed = true;
        self.devices.note(device, payload)
    }

    /// Something else has changed than games and the organiser's messages: the status of a node, or the connection.
    pub(crate) fn note_change(&mut self) {
        self.changed = true;
    }

    /// Notes the times of a board and shows them.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn note_clock(&mut self, model: &Model, round: &str, board: &str, payload: &[u8]) -> Result<(), String> {
        if payload.len() > MAX_STATE {
            return Err(format!("the message has {} bytes, the limit is {MAX_STATE}", payload.len()));
        }
        let ClockMessage { node, t, body } = serde_json::from_slice(payload).map_err(|error| error.to_string())?;
        let has_room = self.clocks.len() < MAX_BOARDS || self.clocks.contains_key(board);
        let Some(clock) = clock(&body, t.utc_of(body.read_us)).filter(|_| has_room && round == model.current_round()) else {
            return Ok(());
        };
        self.clocks.insert(board.to_owned(), (node, clock));
        if let Some(tap) = self.taps.get(board) {
            let clock = self.clock(board, self.games.get(&(round.to_owned(), board.to_owned())));
            let clock = clock.filter(|_| !model.is_unpaired(round, board));
            tap.show(Picture { clock, ..(*tap.latest()).clone() });
        }
        Ok(())
    }

    /// Shows what has changed. `games_changed`: the model has. Without a connection to the broker no board answers.
    pub(crate) fn wake(&mut self, model: &Model, games_changed: bool, connected: bool) {
        if !std::mem::take(&mut self.changed) && !games_changed {
            return;
        }
        let round = model.current_round();
        if self.shown.as_ref().is_some_and(|(shown, ..)| shown != round) {
            self.clocks.clear();
        }
        self.keep_games(model);
        let boards = self.boards(model, round);
        for board in &boards {
            let device = self.devices.of(model, round, board);
            self.show(round, board, !model.is_unpaired(round, board), Device { online: device.online && connected, ..device });
        }
        self.hall.set_elsewhere(boards.iter().filter_map(|board| self.taps.get(board).cloned()).collect());
        self.taps.retain(|board, tap| boards.contains(board) || Arc::strong_count(tap) > 1);
        let past = self.games.iter().filter(|((of, _), _)| of != round);
        let past: BTreeMap<_, _> = past.map(|(key, kept)| (key.clone(), Arc::clone(&kept.shown))).collect();
        let rounds = model.pairings.iter().map(|(id, told)| (id.clone(), told.rev)).collect();
        let mark = (round.to_owned(), model.event.as_ref().map(|event| event.rev), rounds);
        let is_same = self.shown.as_ref() == Some(&mark);
        self.hall.update(|programme| {
            programme.games = past;
            if !is_same {
                *programme = Programme {
                    event: model.fixed.event.clone(),
                    round: round.to_owned(),
                    published: model.event.as_ref().map(|event| event.body.clone()),
                    rounds: model.pairings.iter().map(|(id, told)| (id.clone(), told.body.clone())).collect(),
                    games: std::mem::take(&mut programme.games),
                    is_whole: true,
                };
            }
        });
        self.shown = Some(mark);
    }

    /// The ids of the boards of a round: those with a pairing, a device or a game.
    fn boards(&self, model: &Model, round: &str) -> BTreeSet<String> {
        let paired = model.pairings.get(round).into_iter().flat_map(|told| &told.body.boards);
        let paired = paired.map(|pairing| pairing.board.clone());
        let played = self.games.keys().filter(|(of, _)| of == round).map(|(_, board)| board.clone());
        let served = self.devices.boards(&model.fixed.event, round).map(str::to_owned);
        paired.chain(played).chain(served).take(MAX_BOARDS).collect()
    }

    /// Makes the pictures of games that have changed.
    fn keep_games(&mut self, model: &Model) {
        self.games.retain(|(round, board), _| !model.is_unpaired(round, board));
        for ((_, round), boards) in model.rounds.iter().filter(|((audience, _), _)| *audience == OutputAudience::Live) {
            for (id, board) in &boards.boards {
                let Some(game) = board.games.last().filter(|_| !model.is_unpaired(round, id)) else { continue };
                let key = (round.clone(), id.clone());
                if self.games.get(&key).is_none_or(|kept| kept.game != *game) {
                    self.games.insert(key, Kept::new(game, round, model.chess960()));
                }
            }
        }
    }

    /// Shows a board; if it is not paired, only that it is there.
    fn show(&mut self, round: &str, board: &str, is_paired: bool, device: Device) {
        let kept = self.games.get(&(round.to_owned(), board.to_owned()));
        let game = kept.map(|kept| Arc::clone(&kept.shown));
        let game = game.unwrap_or_else(|| Arc::new(GamePicture { round: round.to_owned(), ..GamePicture::default() }));
        let placement = kept.map_or(Placement::EMPTY, |kept| kept.placement);
        let clock = self.clock(board, kept).filter(|_| is_paired);
        let tap = self.taps.entry(board.to_owned()).or_insert_with(|| {
            let seat = Seat { id: board.to_owned(), transport: String::new(), is_elsewhere: true };
            Arc::new(Tap::new(seat, Device::default(), GamePicture::default()))
        });
        let since = monotonic();
        tap.show(Picture { device, placement, since, known: placement, clock, game, ..Picture::unknown(Device::default()) });
    }

    /// The newer one of the times in the state of a board and in its last message about the clock.
    fn clock(&self, board: &str, kept: Option<&Kept>) -> Option<ClockPicture> {
        let of_state = kept.and_then(|kept| clock(kept.game.clock(), kept.game.clock_read));
        let message = self.clocks.get(board).filter(|(node, _)| kept.is_none_or(|kept| kept.game.node == *node));
        let of_message = message.map(|(_, clock)| *clock);
        [of_state, of_message].into_iter().flatten().max_by_key(|clock| clock.read_ms)
    }
}

impl Kept {
    fn new(game: &Game, round: &str, chess960: bool) -> Kept {
        let body = game.whole(chess960);
        let LastPart { plies, position, result } = pgn::last_part(&body, chess960);
        let black_begins = body.initial_fen.split(' ').nth(1) == Some("b");
        let moves = body.moves.iter().take(plies).enumerate().map(|(index, made)| {
            let left = if (index % 2 == 0) == black_begins { made.black_ms } else { made.white_ms };
            ToldMove { san: made.san.clone(), seconds_left: left.map(|ms| ms / 1000), seconds_used: 0 }
        });
        let shown = GamePicture {
            round: round.to_owned(),
            moves: moves.collect(),
            is_on: result == GameResult::Open && body.plies() > 0,
            result: Some(result).filter(|result| *result != GameResult::Open),
            players: body.players.unwrap_or_default(),
            initial_fen: body.initial_fen,
        };
        let placement = Placement::parse(&position).unwrap_or(Placement::EMPTY);
        Kept { game: game.clone(), shown: Arc::new(shown), placement }
    }
}

/// A clock that shows both times. `read` is when, microseconds since 1970.
fn clock(clock: &PictureClock, read: Option<i64>) -> Option<ClockPicture> {
    let seconds = Pair { white: clock.white_ms? / 1000, black: clock.black_ms? / 1000 };
    let running = clock.running.map(Color::from);
    Some(ClockPicture { seconds, running, read_ms: read? / 1000 })
}

#[cfg(test)]
mod tests {
    use super::super::model::Fixed;
    use super::*;

    #[test]
    fn boards_that_nobody_shows_or_reads_are_forgotten() {
        let [event, round] = ["e", "1"].map(str::to_owned);
        let model = Model::new(Fixed { event, round, ..Fixed::default() });
        let mut programs = Programs::new(Arc::default());
        let mut read = None;
        for number in 0..9 {
            let status = format!(r#"{{"body":{{"state":"online","kind":"board","board":"e/1/b{number}"}}}}"#);
            programs.note_device("dgt-1", status.as_bytes()).expect("a status");
            programs.wake(&model, false, true);
            read = read.or_else(|| programs.taps.get("b0").cloned());
        }
        assert_eq!(programs.taps.keys().collect::<Vec<_>>(), ["b0", "b8"]);
        drop(read);
    }
}

//! Answers HTTP GET (`livechess/README.md#4`): the boards, and the round as a tournament of its own. A known client fails if a key is
//! missing or added, so the keys of these types are fixed.

use std::sync::Arc;

use flagfall_protocols::bytes::crc32;
use serde::Serialize;

use super::feed::Clock;
use super::natural;
use crate::outputs::names;
use crate::outputs::tap::{GamePicture, Picture, Seat, ToldMove};
use crate::wire::outcome::GameResult;
use crate::wire::player::Player;

/// One board with its latest picture.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) seat: Seat,
    pub(super) picture: Arc<Picture>,
}

impl Shown {
    /// The number by which a client knows the board.
    pub(super) fn serial(&self) -> String {
        self.picture.device.serial.clone().unwrap_or_else(|| self.seat.id.clone())
    }
}

/// What the node plays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The event's id.
    pub(super) event: String,
    /// The round's id.
    pub(super) round: String,
}

#[derive(Serialize)]
pub(super) struct Eboard {
    serialnr: String,
    source: Option<String>,
    state: &'static str,
    battery: Option<String>,
    comment: Option<String>,
    board: String,
    flipped: bool,
    clock: Option<Clock>,
}

/// The numbers of the boards as clients get them: those that answer first, since some clients always take the first one.
pub(super) fn in_order(boards: &[Shown]) -> Vec<usize> {
    let mut order = by_id(boards);
    order.sort_by_key(|index| !boards[*index].picture.device.online);
    order
}

/// The numbers of the boards by their ids.
fn by_id(boards: &[Shown]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..boards.len()).collect();
    order.sort_by(|one, other| natural::compare(&boards[*one].seat.id, &boards[*other].seat.id));
    order
}

/// All boards.
pub(super) fn eboards(boards: &[Shown]) -> Vec<Eboard> {
    in_order(boards).into_iter().map(|index| eboard(&boards[index])).collect()
}

fn eboard(shown: &Shown) -> Eboard {
    let (picture, device) = (&shown.picture, &shown.picture.device);
    Eboard {
        serialnr: shown.serial(),
        source: device.port.clone(),
        state: if device.online { "ACTIVE" } else { "NOTRESPONDING" },
        battery: device.battery.map(|percent| format!("{percent}%")),
        comment: None,
        board: picture.fen(),
        flipped: picture.rotated,
        clock: picture.clock.map(|clock| Clock::new(clock, false)),
    }
}

#[derive(Serialize)]
struct Tournament<'a> {
    uuid: String,
    description: &'a str,
    rounds: u32,
}

#[derive(Serialize)]
struct WholeTournament<'a> {
    uuid: String,
    name: &'a str,
    description: &'a str,
    location: &'static str,
    country: &'static str,
    rounds: u32,
    eboards: Vec<String>,
}

#[derive(Serialize)]
struct Round {
    nr: u32,
    date: Option<String>,
    pairings: Vec<Pairing>,
}

#[derive(Serialize)]
struct Pairing {
    nr: usize,
    uuid: String,
    white: Person,
    black: Person,
    live: bool,
    result: Option<&'static str>,
}

#[derive(Serialize)]
struct Person {
    fname: Option<String>,
    mname: Option<String>,
    lname: Option<String>,
    title: Option<String>,
    federation: Option<String>,
    gender: Option<String>,
    fideid: Option<String>,
}

#[derive(Serialize)]
struct Game {
    chess960: u16,
    result: Option<&'static str>,
    comment: Option<String>,
    clock: Option<Clock>,
    moves: Vec<String>,
}

/// The body for a path below `/api/v1.0/`; none if there is nothing.
pub(super) fn get(path: &str, place: &Place, boards: &[Shown]) -> Option<String> {
    let tournament = uuid(&place.event);
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["eboards"] => json(&eboards(boards)),
        ["tournaments"] => json(&[Tournament { uuid: tournament, description: &place.event, rounds: 1 }]),
        ["tournament", wanted] if *wanted == tournament => json(&WholeTournament {
            uuid: tournament,
            name: &place.event,
            description: &place.event,
            location: "",
            country: "",
            rounds: 1,
            eboards: by_id(boards).into_iter().map(|index| boards[index].serial()).collect(),
        }),
        // Rounds count from 0, and there is the present one only.
        ["round", wanted, "0"] if *wanted == tournament => json(&round(place, boards)),
        ["game", wanted] => {
            let index = by_id(boards).into_iter().zip(1..).find(|(_, number)| game_uuid(place, *number) == **wanted)?.0;
            json(&game(&boards[index].picture))
        }
        _ => None,
    }
}

fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string_pretty(value).ok()
}

/// The number of the round for people: that of its id, or 1.
fn number(round: &str) -> u32 {
    round.parse().unwrap_or(1)
}

fn round(place: &Place, boards: &[Shown]) -> Round {
    let pairing = |(nr, index): (usize, usize)| {
        let Shown { seat, picture } = &boards[index];
        Pairing {
            nr,
            uuid: game_uuid(place, nr),
            white: person(seat.players.white.as_ref(), "White", nr),
            black: person(seat.players.black.as_ref(), "Black", nr),
            live: picture.game.is_on,
            result: result(&picture.game),
        }
    };
    Round { nr: number(&place.round), date: None, pairings: (1..).zip(by_id(boards)).map(pairing).collect() }
}

/// A player. `Family, Given` has two parts; another name is a family name as a whole.
fn person(player: Option<&Player>, side: &str, board: usize) -> Person {
    let name = names::player(player.and_then(|player| player.name.as_deref()), side, board as u32);
    let (family, given) = match name.split_once(',') {
        Some((family, given)) => (family.trim().to_owned(), Some(given.trim().to_owned()).filter(|given| !given.is_empty())),
        None => (name, None),
    };
    Person {
        fname: given,
        mname: None,
        lname: Some(family),
        title: player.and_then(|player| player.title.clone()),
        federation: player.and_then(|player| player.federation.clone()),
        gender: None,
        fideid: player.and_then(|player| player.fide_id).map(|id| id.to_string()),
    }
}

fn result(game: &GamePicture) -> Option<&'static str> {
    match game.result? {
        GameResult::WhiteWins => Some("WHITEWIN"),
        GameResult::BlackWins => Some("BLACKWIN"),
        GameResult::Draw => Some("DRAW"),
        GameResult::Open => None,
    }
}

fn game(picture: &Picture) -> Game {
    Game {
        chess960: start_number(&picture.game.initial_fen),
        result: result(&picture.game),
        comment: None,
        clock: picture.clock.map(|clock| Clock::new(clock, false)),
        moves: picture.game.moves.iter().map(move_text).collect(),
    }
}

/// `e4 5391`, or without a clock `e4 +12`: a client takes a move without a number for one that was guessed.
fn move_text(told: &ToldMove) -> String {
    match told.seconds_left {
        Some(left) => format!("{} {left}", told.san),
        None => format!("{} +{}", told.san, told.seconds_used),
    }
}

/// The number of a start position of Chess960, 0 to 959; 518 = that of chess, also for every other position.
fn start_number(fen: &str) -> u16 {
    const CHESS: u16 = 518;
    let white = fen.split(' ').next().and_then(|board| board.rsplit('/').next()).unwrap_or_default();
    scharnagl(white).unwrap_or(CHESS)
}

/// The number of a first rank by Scharnagl's method; none if no game of Chess960 begins with it.
fn scharnagl(rank: &str) -> Option<u16> {
    let mut men: Vec<u8> = rank.bytes().collect();
    let mut sorted = men.clone();
    sorted.sort_unstable();
    let at = |men: &[u8], man: u8| men.iter().position(|other| *other == man);
    let (king, rooks) = (at(&men, b'K')?, [at(&men, b'R')?, men.iter().rposition(|man| *man == b'R')?]);
    let bishops: Vec<usize> = men.iter().enumerate().filter(|(_, man)| **man == b'B').map(|(file, _)| file).collect();
    let (light, dark) = (bishops.iter().find(|file| *file % 2 == 1)?, bishops.iter().find(|file| *file % 2 == 0)?);
    if sorted != b"BBKNNQRR" || !(rooks[0] < king && king < rooks[1]) {
        return None;
    }
    let bishops = (light / 2 + 4 * (dark / 2)) as u16;
    men.retain(|man| *man != b'B');
    let queen = at(&men, b'Q')? as u16;
    men.retain(|man| *man != b'Q');
    let (first, second) = (at(&men, b'N')?, men.iter().rposition(|man| *man == b'N')?);
    // Pairs of five places: 01 02 03 04 12 13 14 23 24 34.
    let knights = (first * (9 - first) / 2 + second - first - 1) as u16;
    Some(knights * 96 + queen * 16 + bishops)
}

/// A fixed uuid of an event.
fn uuid(event: &str) -> String {
    let digits: String = (0..4).map(|part| format!("{:08x}", crc32(format!("{part} {event}").as_bytes()))).collect();
    hyphened(&digits)
}

/// The uuid of a game: the event's, with the numbers of round and board as its last eight digits.
fn game_uuid(place: &Place, board: usize) -> String {
    let event: String = uuid(&place.event).split('-').collect();
    hyphened(&format!("{}{:04x}{:04x}", &event[..24], number(&place.round) & 0xffff, board & 0xffff))
}

/// 32 digits in the usual groups.
fn hyphened(digits: &str) -> String {
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]).join("-")
}

#[cfg(test)]
mod tests;

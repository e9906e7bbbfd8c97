//! Answers HTTP GET (`livechess/README.md#4`): the boards, and the event as a tournament. A known client fails if a key is missing or
//! added, so the keys of these types are fixed.

use std::sync::Arc;

use serde::Serialize;

use super::feed::Clock;
use super::natural;
use super::programme::{Programme, Table};
use crate::outputs::names;
use crate::outputs::tap::{Picture, Seat, ToldMove};
use crate::wire::meta::PairingResult;
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
pub(super) fn by_id(boards: &[Shown]) -> Vec<usize> {
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
    location: &'a str,
    country: &'a str,
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
    nr: u32,
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
pub(super) fn get(path: &str, programme: &Programme, boards: &[Shown]) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["eboards"] => json(&eboards(boards)),
        ["tournaments"] => {
            let (uuid, description) = (programme.uuid(), programme.name());
            json(&[Tournament { uuid, description, rounds: programme.round_count() }])
        }
        ["tournament", wanted] if *wanted == programme.uuid() => json(&tournament(programme, boards)),
        ["round", wanted, place] if *wanted == programme.uuid() => json(&round(programme, place.parse().ok()?, boards)?),
        ["game", wanted] => json(&find_game(programme, wanted, boards)?),
        _ => None,
    }
}

fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string_pretty(value).ok()
}

fn tournament<'a>(programme: &'a Programme, boards: &[Shown]) -> WholeTournament<'a> {
    let published = programme.published.as_ref();
    // A known client finds a board by its number less one, so a number without a board has that of the board before it.
    let mut serials: Vec<String> = Vec::new();
    for table in programme.tables(&programme.round, boards) {
        let Some(serial) = table.board.map(Shown::serial) else { continue };
        let before = serials.last().unwrap_or(&serial).clone();
        serials.resize((table.number as usize).saturating_sub(1), before);
        serials.push(serial);
    }
    WholeTournament {
        uuid: programme.uuid(),
        name: programme.name(),
        description: programme.name(),
        location: published.map_or("", |event| &event.site),
        country: published.map_or("", |event| &event.country),
        rounds: programme.round_count(),
        eboards: serials,
    }
}

/// A round. Rounds count from 0.
fn round(programme: &Programme, place: u32, boards: &[Shown]) -> Option<Round> {
    let (id, nr) = programme.round_at(place)?;
    let tables = id.map(|id| programme.tables(id, boards)).unwrap_or_default();
    let date = id.and_then(|id| programme.rounds.get(id)?.date.clone());
    Some(Round { nr, date, pairings: tables.iter().map(|table| pairing(programme, nr, table)).collect() })
}

fn pairing(programme: &Programme, round: u32, table: &Table<'_>) -> Pairing {
    let players = match (table.pairing, table.game) {
        (Some(pairing), _) => [Some(&pairing.white), Some(&pairing.black)],
        (None, game) => [game.and_then(|game| game.players.white.as_ref()), game.and_then(|game| game.players.black.as_ref())],
    };
    Pairing {
        nr: table.number,
        uuid: programme.game_uuid(round, table.number),
        white: person(players[0], "White", table.number),
        black: person(players[1], "Black", table.number),
        live: table.game.is_some_and(|game| game.is_on),
        result: result(table),
    }
}

/// A player. `Family, Given` has two parts; another name is a family name as a whole.
fn person(player: Option<&Player>, side: &str, board: u32) -> Person {
    let name = names::player(player.and_then(|player| player.name.as_deref()), side, board);
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

/// The result of the game on the board, or without moves the forfeit of its pairing. Another result that the organiser has noted is not
/// shown: the public may not know it yet.
fn result(table: &Table<'_>) -> Option<&'static str> {
    let has_moves = table.game.is_some_and(|game| !game.moves.is_empty());
    let forfeit = table.pairing.and_then(|pairing| pairing.result).filter(|_| !has_moves);
    match (table.game.and_then(|game| game.result), forfeit) {
        (Some(GameResult::WhiteWins), _) => Some("WHITEWIN"),
        (Some(GameResult::BlackWins), _) => Some("BLACKWIN"),
        (Some(GameResult::Draw), _) => Some("DRAW"),
        // The word names the winner: a known client shows the first one as 1-0.
        (_, Some(PairingResult::BlackForfeits)) => Some("WHITEFORFAIT"),
        (_, Some(PairingResult::WhiteForfeits)) => Some("BLACKFORFAIT"),
        _ => None,
    }
}

/// The game with this uuid.
fn find_game(programme: &Programme, uuid: &str, boards: &[Shown]) -> Option<Game> {
    let number = u32::from_str_radix(uuid.get(28..32)?, 16).ok()?;
    let present = programme.number(&programme.round) == number;
    let published = || programme.rounds.iter().find(|(_, round)| round.number == number).map(|(id, _)| id);
    let round = if present { &programme.round } else { published()? };
    let tables = programme.tables(round, boards);
    let table = tables.iter().find(|table| programme.game_uuid(number, table.number) == uuid)?;
    Some(game(table, round))
}

fn game(table: &Table<'_>, round: &str) -> Game {
    let shown = table.board.filter(|shown| shown.picture.game.round == round);
    let moves = table.game.map(|game| game.moves.as_slice()).unwrap_or_default();
    Game {
        chess960: start_number(table.game.map_or("", |game| &game.initial_fen)),
        result: result(table),
        comment: None,
        clock: shown.and_then(|shown| shown.picture.clock).map(|clock| Clock::new(clock, false)),
        moves: moves.iter().map(move_text).collect(),
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

#[cfg(test)]
mod tests;

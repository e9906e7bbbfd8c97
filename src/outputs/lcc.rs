//! Writes a round as the JSON files that LiveChess keeps beside its PGN (`outputs/README.md#2`).

use serde::Serialize;

use super::names;
use super::pgn::{self, LegalMove};
use super::round::{Round, RoundGame};
use crate::system_clock::Utc;
use crate::wire::meta::PairingResult;
use crate::wire::outcome::GameResult;
use crate::wire::player::Player;

/// The number of the initial position of chess among those of Chess960.
const STANDARD: u32 = 518;

/// What is known of an event with all its rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tournament {
    /// Identifies it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The town.
    pub location: String,
    /// The country, three letters.
    pub country: String,
    /// Whether it is Chess960.
    pub chess960: bool,
    /// The time control in PGN notation; empty if it is not known.
    pub time_control: String,
    /// For each round from the first: how many games it has, and how many of them are on.
    pub rounds: Vec<(usize, usize)>,
    /// The devices of the present round.
    pub devices: Vec<String>,
}

#[derive(Serialize)]
struct TournamentFile<'a> {
    id: &'a str,
    name: &'a str,
    location: &'a str,
    country: &'a str,
    website: &'a str,
    rules: &'static str,
    chess960: bool,
    timecontrol: &'a str,
    rounds: Vec<RoundEntry>,
    eboards: &'a [String],
}

#[derive(Serialize)]
struct RoundEntry {
    count: usize,
    live: usize,
}

#[derive(Serialize)]
struct IndexFile {
    date: Option<String>,
    pairings: Vec<PairingEntry>,
}

#[derive(Serialize)]
struct PairingEntry {
    white: Person,
    black: Person,
    result: &'static str,
    live: bool,
}

#[derive(Serialize)]
struct Person {
    fname: Option<String>,
    mname: Option<String>,
    lname: String,
    title: Option<String>,
    federation: Option<String>,
    gender: Option<String>,
    /// A number or null: a text here makes lichess refuse the whole round.
    fideid: Option<u32>,
}

#[derive(Serialize)]
struct GameFile<'a> {
    live: bool,
    #[serde(rename = "serialNr")]
    serial: &'a str,
    #[serde(rename = "firstMove")]
    first_move: Option<i64>,
    /// The number of the start position; none in Chess960, where it is not known.
    chess960: Option<u32>,
    result: Option<&'static str>,
    comment: Option<&'a str>,
    clock: Option<ClockEntry>,
    moves: Vec<String>,
}

#[derive(Serialize)]
struct ClockEntry {
    white: Option<u32>,
    black: Option<u32>,
    run: bool,
    /// When the clock was read, milliseconds since 1970.
    time: Option<i64>,
}

/// Writes `tournament.json`.
pub fn tournament(event: &Tournament) -> String {
    text(&TournamentFile {
        id: &event.id,
        name: &names::tag_value(&event.name),
        location: &names::tag_value(&event.location),
        country: &event.country,
        website: "",
        rules: "STANDARD",
        chess960: event.chess960,
        timecontrol: &event.time_control,
        rounds: event.rounds.iter().map(|(count, live)| RoundEntry { count: *count, live: *live }).collect(),
        eboards: &event.devices,
    })
}

/// Writes `index.json` of a round.
pub fn index(round: &Round) -> String {
    let entry = |game: &RoundGame| {
        let result = pgn::result_of(round, game);
        PairingEntry {
            white: person(game.players.white.as_ref(), "White", game.board),
            black: person(game.players.black.as_ref(), "Black", game.board),
            result: index_result(result, game),
            live: is_on(game, result),
        }
    };
    let date = round.date.as_ref().map(|date| date.replace('.', "-"));
    text(&IndexFile { date, pairings: round.games.iter().map(entry).collect() })
}

/// Writes `game-<board>.json`. `device` is the serial number of the board's device, `first_move` when the first move was made, and
/// `clock_read` when the clock was read, if they are known.
pub fn game(round: &Round, game: &RoundGame, device: &str, first_move: Option<Utc>, clock_read: Option<Utc>) -> String {
    let result = pgn::result_of(round, game);
    let seconds = |ms: Option<u32>| ms.map(|ms| ms / 1000);
    let moves = pgn::legal_moves(round, game).into_iter().map(|LegalMove { san, left_ms, used_ms }| {
        let left = seconds(left_ms).map(|left| left.to_string()).unwrap_or_default();
        let used = seconds(used_ms).map(|used| format!("+{used}")).unwrap_or_default();
        format!("{san} {left}{used}").trim_end().to_owned()
    });
    let clock = game.shown.as_ref().map(|shown| &shown.clock);
    let clock = clock.filter(|clock| clock.white_ms.is_some() || clock.black_ms.is_some());
    text(&GameFile {
        live: is_on(game, result),
        serial: device,
        first_move: first_move.map(|at| at.0 / 1000),
        chess960: (!round.chess960).then_some(STANDARD),
        result: match result {
            GameResult::WhiteWins => Some("WHITEWIN"),
            GameResult::BlackWins => Some("BLACKWIN"),
            GameResult::Draw => Some("DRAW"),
            GameResult::Open => None,
        },
        comment: None,
        clock: clock.map(|clock| ClockEntry {
            white: seconds(clock.white_ms),
            black: seconds(clock.black_ms),
            run: clock.running.is_some(),
            time: clock_read.map(|at| at.0 / 1000),
        }),
        moves: moves.collect(),
    })
}

/// Whether the game is on: it has moves and no result.
fn is_on(game: &RoundGame, result: GameResult) -> bool {
    result == GameResult::Open && game.shown.as_ref().is_some_and(|shown| shown.plies() > 0)
}

/// The result in the index. A forfeit is written as the result that it gives; the format has no other words.
fn index_result(result: GameResult, game: &RoundGame) -> &'static str {
    let played = game.shown.as_ref().is_some_and(|shown| shown.plies() > 0);
    match (result, game.pairing_result.filter(|_| !played)) {
        (GameResult::WhiteWins, _) => "1-0",
        (GameResult::BlackWins, _) => "0-1",
        (GameResult::Draw, _) => "1/2-1/2",
        (GameResult::Open, Some(PairingResult::WhiteWins | PairingResult::BlackForfeits)) => "1-0",
        (GameResult::Open, Some(PairingResult::BlackWins | PairingResult::WhiteForfeits)) => "0-1",
        (GameResult::Open, Some(PairingResult::Draw)) => "1/2-1/2",
        (GameResult::Open, _) => "*",
    }
}

/// A player: what stands before the comma of the name is the last name.
fn person(player: Option<&Player>, side: &str, board: u32) -> Person {
    let name = names::player(player.and_then(|player| player.name.as_deref()), side, board);
    let (last, first) = match name.split_once(',') {
        Some((last, first)) => (last.trim().to_owned(), Some(first.trim().to_owned()).filter(|first| !first.is_empty())),
        None => (name, None),
    };
    Person {
        fname: first,
        mname: None,
        lname: last,
        title: player.and_then(|player| player.title.clone()),
        federation: player.and_then(|player| player.federation.clone()),
        gender: None,
        fideid: player.and_then(|player| player.fide_id),
    }
}

/// The structs have numbers, texts and lists only, which JSON can represent.
fn text(file: &impl Serialize) -> String {
    serde_json::to_string(file).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::picture::{Body, PictureClock, PictureMove};
    use crate::wire::player::{Players, Side};

    const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn round() -> (Round, RoundGame) {
        let played = |san: &str, white_ms, black_ms| PictureMove { san: san.to_owned(), white_ms, black_ms };
        let moves = vec![
            played("e4", Some(5_430_000), Some(5_400_000)),
            played("e5", Some(5_430_000), None),
            played("Nf3", Some(5_421_500), None),
        ];
        let clock = PictureClock { white_ms: Some(5_421_500), running: Some(Side::Black), ..PictureClock::default() };
        let shown = Body { game_no: 1, initial_fen: INITIAL.to_owned(), moves, clock, ..Body::default() };
        let white = Player { fide_id: Some(99_000_001), ..Player::named("Beispiel, Anna") };
        let players = Players { white: Some(white), black: None };
        let game = RoundGame { board: 12, id: "e-5-12".to_owned(), players, shown: Some(shown), ..RoundGame::default() };
        let control = flagfall_game::clock::control::TimeControl::parse("5400+30").expect("a time control");
        let round = Round { time_control: Some(control), date: Some("2026.11.21".to_owned()), ..Round::default() };
        (Round { games: vec![game.clone()], ..round }, game)
    }

    #[test]
    fn a_game_has_its_moves_with_times() {
        let (round, played) = round();
        let text = game(&round, &played, "24012", Some(Utc(1_000_000)), Some(Utc(9_000_500)));
        let expected = concat!(
            r#"{"live":true,"serialNr":"24012","firstMove":1000,"chess960":518,"result":null,"comment":null,"#,
            r#""clock":{"white":5421,"black":null,"run":true,"time":9000},"moves":["e4 5430","e5","Nf3 5421+38"]}"#
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn the_number_at_fide_is_a_number() {
        let (round, _) = round();
        let expected = concat!(
            r#"{"date":"2026-11-21","pairings":[{"white":{"fname":"Anna","mname":null,"lname":"Beispiel","title":null,"#,
            r#""federation":null,"gender":null,"fideid":99000001},"black":{"fname":null,"mname":null,"lname":"Black 12","#,
            r#""title":null,"federation":null,"gender":null,"fideid":null},"result":"*","live":true}]}"#
        );
        assert_eq!(index(&round), expected);
    }

    #[test]
    fn a_forfeit_is_a_result_of_the_index_only_without_moves() {
        let (mut round, mut played) = round();
        played.pairing_result = Some(PairingResult::WhiteForfeits);
        round.games = vec![played.clone(), RoundGame { shown: None, ..played }];
        let index: serde_json::Value = serde_json::from_str(&index(&round)).expect("JSON");
        let results = [0, 1].map(|at| (index["pairings"][at]["result"].clone(), index["pairings"][at]["live"].clone()));
        assert_eq!(results, [("*".into(), true.into()), ("0-1".into(), false.into())]);
    }

    #[test]
    fn a_tournament_lists_its_rounds() {
        let event = Tournament {
            id: "u".to_owned(),
            name: "Open \"26\"".to_owned(),
            rounds: vec![(2, 0), (1, 1)],
            ..Tournament::default()
        };
        let expected = concat!(
            r#"{"id":"u","name":"Open '26'","location":"","country":"","website":"","rules":"STANDARD","chess960":false,"#,
            r#""timecontrol":"","rounds":[{"count":2,"live":0},{"count":1,"live":1}],"eboards":[]}"#
        );
        assert_eq!(tournament(&event), expected);
    }
}

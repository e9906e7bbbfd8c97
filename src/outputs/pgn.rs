//! Writes a round as PGN (`outputs/README.md#1`). Every game that is written is legal: a game ends before the first move that cannot be
//! played.

mod movetext;
mod tags;

#[cfg(test)]
mod tests;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};

use self::movetext::Movetext;
use super::picture::{Body, PictureMove};
use super::round::{Round, RoundGame};
use crate::wire::outcome::GameResult;

/// For whom the PGN is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For lichess and programs that fetch it: `%clk` only, no line breaks in a game's moves, one game for each board.
    Relay,
    /// For files and viewers: also `%emt` and the time of the first move; lines of at most 79 columns; a game with several parts is
    /// several games.
    Full,
}

/// One part of a game: legal moves from a start position.
struct Part<'a> {
    initial_fen: &'a str,
    start: Chess,
    /// The moves that can be played, with their times.
    moves: Vec<(SanPlus, &'a PictureMove)>,
    end: Chess,
    /// Whether every move of the state could be played.
    whole: bool,
}

/// Writes all games of a round, in their order. Games are separated by one blank line.
pub fn write_round(round: &Round, profile: Profile) -> String {
    let mut out = String::new();
    for game in &round.games {
        write_game(round, game, profile, &mut out);
    }
    out
}

/// Writes one game: in [`Profile::Full`] each part as a game of its own, in [`Profile::Relay`] the first part with the result of the game.
pub fn write_game(round: &Round, game: &RoundGame, profile: Profile, out: &mut String) {
    let nothing = Body::default();
    let shown = game.shown.as_ref().unwrap_or(&nothing);
    let earlier = shown.segments.iter().map(|part| (part.initial_fen.as_str(), &part.moves));
    let parts: Vec<Part<'_>> = earlier
        .chain([(shown.initial_fen.as_str(), &shown.moves)])
        .map(|(initial_fen, moves)| Part::new(initial_fen, moves, round.chess960))
        .collect();
    let result = result(shown, parts.last());
    let written = if profile == Profile::Relay { 1 } else { parts.len() };
    for (index, part) in parts.iter().take(written).enumerate() {
        if !out.is_empty() {
            out.push('\n');
        }
        // The game goes on in the next part.
        let goes_on = index + 1 < written;
        let result = if goes_on { GameResult::Open } else { result };
        tags::write(round, game, profile, index, part, result, out);
        out.push('\n');
        let mut text = Movetext::new(out, profile);
        text.add_moves(part, round.time_control.as_ref());
        text.finish(result_name(result));
    }
}

impl<'a> Part<'a> {
    fn new(initial_fen: &'a str, moves: &'a [PictureMove], chess960: bool) -> Part<'a> {
        let mode = CastlingMode::from_chess960(chess960);
        let fen = initial_fen.parse::<Fen>().ok();
        let start = fen.and_then(|fen| fen.into_position::<Chess>(mode).ok());
        let (known, start) = (start.is_some() || moves.is_empty(), start.unwrap_or_default());
        let mut part = Part { initial_fen, end: start.clone(), start, moves: Vec::new(), whole: known };
        for played in moves.iter().take_while(|_| known) {
            let san = played.san.parse::<SanPlus>().ok();
            let Some(mv) = san.and_then(|SanPlus { san, .. }| san.to_move(&part.end).ok()) else {
                part.whole = false;
                break;
            };
            part.moves.push((SanPlus::from_move_and_play_unchecked(&mut part.end, mv), played));
        }
        part
    }
}

/// The result of the game: that of the state, or that of a mate or stalemate on the board.
fn result(shown: &Body, last: Option<&Part<'_>>) -> GameResult {
    let on_board = || {
        let end = &last.filter(|part| part.whole)?.end;
        match (end.is_checkmate(), end.turn()) {
            (true, shakmaty::Color::White) => Some(GameResult::BlackWins),
            (true, shakmaty::Color::Black) => Some(GameResult::WhiteWins),
            (false, _) => end.is_stalemate().then_some(GameResult::Draw),
        }
    };
    shown.result.filter(|result| *result != GameResult::Open).or_else(on_board).unwrap_or(GameResult::Open)
}

fn result_name(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWins => "1-0",
        GameResult::BlackWins => "0-1",
        GameResult::Draw => "1/2-1/2",
        GameResult::Open => "*",
    }
}

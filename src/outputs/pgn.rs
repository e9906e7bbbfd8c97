//! Writes a round as PGN (`outputs/README.md#1`). Every game that is written is legal: a game ends before the first move that cannot be
//! played.

mod movetext;
mod tags;
mod times;
mod without_moves;

#[cfg(test)]
mod tests;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};

use self::movetext::Movetext;
use self::without_moves::WithoutMoves;
use super::picture::{Body, PictureMove, PictureSegment};
use super::round::{Round, RoundGame};
use crate::wire::outcome::GameResult;
use crate::wire::player::Side;

/// For whom the PGN is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For lichess and programs that fetch it: `%clk` only, no line breaks in a game's moves, one game for each board.
    Relay,
    /// For files and viewers: also `%emt` and the time of the first move; lines of at most 79 columns; a game with several parts is
    /// several games.
    Full,
    /// For the organiser: as [`Profile::Full`], and how the game ended. It is never given to an output.
    Archive,
}

/// One part of a game: legal moves from a start position.
struct Part<'a> {
    initial_fen: &'a str,
    start: Chess,
    /// The moves that can be played, with their times.
    moves: Vec<(SanPlus, &'a PictureMove)>,
    end: Chess,
    /// Whose clock runs, if this part of the game goes on.
    runs: Option<Color>,
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

/// Writes one game: in [`Profile::Relay`] the first part with the result of the game, else each part as a game of its own.
pub fn write_game(round: &Round, game: &RoundGame, profile: Profile, out: &mut String) {
    let nothing = Body::default();
    let shown = game.shown.as_ref().unwrap_or(&nothing);
    let parts = parts(shown, round.chess960);
    let result = result(shown, parts.last());
    let without_moves = WithoutMoves::of(game, profile).filter(|_| result == GameResult::Open && shown.plies() == 0);
    let result_word = without_moves.as_ref().map_or(result_name(result), |told| told.token);
    let written = if profile == Profile::Relay { 1 } else { parts.len() };
    for (index, part) in parts.iter().take(written).enumerate() {
        if !out.is_empty() {
            out.push('\n');
        }
        // The game goes on in the next part.
        let goes_on = index + 1 < written;
        let word = if goes_on { result_name(GameResult::Open) } else { result_word };
        tags::write(round, game, profile, index, part, word, out);
        if profile == Profile::Archive {
            tags::write_termination(if goes_on { Some("unterminated") } else { game.termination }, out);
        }
        out.push('\n');
        let mut text = Movetext::new(out, profile);
        text.add_moves(part, round.time_control.as_ref());
        match without_moves.as_ref().filter(|_| !goes_on) {
            Some(told) => text.finish_with(told.comment, told.token),
            None => text.finish(word),
        }
    }
}

/// The number of half-moves of all parts that can be played, and whether these are all.
pub fn legal_plies(shown: &Body, chess960: bool) -> (usize, bool) {
    let parts = parts(shown, chess960);
    (parts.iter().map(|part| part.moves.len()).sum(), parts.iter().all(|part| part.whole))
}

/// A move with its times, for other formats.
pub(super) struct LegalMove {
    /// Standard algebraic notation.
    pub(super) san: String,
    /// The time that the player has after it, milliseconds.
    pub(super) left_ms: Option<u32>,
    /// The time that it took, milliseconds.
    pub(super) used_ms: Option<u32>,
}

/// The moves of the first part of a game that can be played.
pub(super) fn legal_moves(round: &Round, game: &RoundGame) -> Vec<LegalMove> {
    let Some(shown) = &game.shown else { return Vec::new() };
    let part = parts(shown, round.chess960).swap_remove(0);
    let times = times::times(&part, round.time_control.as_ref());
    let moves = part.moves.iter().zip(times);
    moves.map(|((san, _), time)| LegalMove { san: san.to_string(), left_ms: time.left_ms, used_ms: time.used_ms }).collect()
}

/// The number of half-moves that [`write_game`] writes in [`Profile::Relay`].
pub fn first_part_plies(round: &Round, game: &RoundGame) -> usize {
    game.shown.as_ref().map_or(0, |shown| parts(shown, round.chess960)[0].moves.len())
}

/// The result of a game as [`write_game`] gives it, without the pairing's own result.
pub fn result_of(round: &Round, game: &RoundGame) -> GameResult {
    game.shown.as_ref().map_or(GameResult::Open, |shown| result(shown, parts(shown, round.chess960).last()))
}

/// Whether a mate or stalemate stands on the board, by the rules of chess.
pub fn is_decided(shown: &Body, chess960: bool) -> bool {
    parts(shown, chess960).last().and_then(result_on_board).is_some()
}

/// The last part of a game, as far as it can be played.
pub struct LastPart {
    /// Its half-moves.
    pub plies: usize,
    /// The men after them, as a FEN has them.
    pub position: String,
    /// The result of the game, as [`write_game`] gives it.
    pub result: GameResult,
}

/// The last part of a game.
pub fn last_part(shown: &Body, chess960: bool) -> LastPart {
    let parts = parts(shown, chess960);
    let last = parts.last();
    LastPart {
        plies: last.map_or(0, |part| part.moves.len()),
        position: last.map(|part| part.end.board().board_fen().to_string()).unwrap_or_default(),
        result: result(shown, last),
    }
}

/// All parts of a game with moves; the last one also without. What was set up before a game was joined in progress is no part of it.
fn parts(shown: &Body, chess960: bool) -> Vec<Part<'_>> {
    let earlier = shown
        .segments
        .iter()
        .filter(|part| !part.moves.is_empty())
        .map(|part| Part::new(&part.initial_fen, &part.moves, chess960));
    let running = shown.clock.running.filter(|_| shown.result.is_none());
    let runs = running.map(|side| if side == Side::White { Color::White } else { Color::Black });
    earlier.chain([Part { runs, ..Part::new(&shown.initial_fen, &shown.moves, chess960) }]).collect()
}

/// The position after the moves of a part, FEN; none if one of them cannot be played.
pub fn end_position(part: &PictureSegment, chess960: bool) -> Option<String> {
    let played = Part::new(&part.initial_fen, &part.moves, chess960);
    played.whole.then(|| Fen::from_position(&played.end, EnPassantMode::Legal).to_string())
}

impl<'a> Part<'a> {
    fn new(initial_fen: &'a str, moves: &'a [PictureMove], chess960: bool) -> Part<'a> {
        let mode = CastlingMode::from_chess960(chess960);
        let fen = initial_fen.parse::<Fen>().ok();
        let start = fen.and_then(|fen| fen.into_position::<Chess>(mode).ok());
        let (known, start) = (start.is_some() || moves.is_empty(), start.unwrap_or_default());
        let mut part = Part { initial_fen, end: start.clone(), start, moves: Vec::new(), runs: None, whole: known };
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
    shown.result.filter(|result| *result != GameResult::Open).or_else(|| result_on_board(last?)).unwrap_or(GameResult::Open)
}

/// The result that a mate or stalemate at the end of a part gives.
fn result_on_board(last: &Part<'_>) -> Option<GameResult> {
    let end = &last.end;
    match (last.whole && end.is_checkmate(), end.turn()) {
        (true, Color::White) => Some(GameResult::BlackWins),
        (true, Color::Black) => Some(GameResult::WhiteWins),
        (false, _) => (last.whole && end.is_stalemate()).then_some(GameResult::Draw),
    }
}

fn result_name(result: GameResult) -> &'static str {
    match result {
        GameResult::WhiteWins => "1-0",
        GameResult::BlackWins => "0-1",
        GameResult::Draw => "1/2-1/2",
        GameResult::Open => "*",
    }
}

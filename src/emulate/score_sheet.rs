//! Reads recorded games, with their moves and clock readings, from a PGN file.

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Move, Position};

/// A recorded game, up to its last legal move.
#[derive(Clone, Debug, Default)]
pub struct ScoreSheet {
    /// White's name as in the tag, empty if there is none; the same holds for the other tags.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// How it ended, in the words of lichess.
    pub termination: String,
    /// PGN notation, or whatever the tag holds.
    pub time_control: String,
    /// The moves, all legal.
    pub moves: Vec<Move>,
    /// The reading of the mover's clock after each move; none where that was not recorded.
    pub clocks: Vec<Option<Duration>>,
    /// The illegal move that follows the last legal one, if there is one, as it is written.
    pub illegal_tail: Option<String>,
    /// Why the game cannot be played, if it cannot.
    pub unplayable: Option<&'static str>,
}

impl ScoreSheet {
    /// Whether the record says that a flag fell.
    pub fn time_forfeit(&self) -> bool {
        self.termination.eq_ignore_ascii_case("time forfeit")
    }

    /// Whether any move has a clock reading.
    pub fn has_clocks(&self) -> bool {
        self.clocks.iter().any(Option::is_some)
    }
}

/// Reads all games.
///
/// # Errors
/// The file cannot be read, or a part of it is longer than any game.
pub fn read(pgn: impl io::Read) -> io::Result<Vec<ScoreSheet>> {
    Reader::new(pgn).read_games(&mut Scribe).collect()
}

struct Scribe;

/// A game while it is read.
struct Writing {
    sheet: ScoreSheet,
    position: Chess,
    over: bool,
}

impl Visitor for Scribe {
    type Tags = ScoreSheet;
    type Movetext = Writing;
    type Output = ScoreSheet;

    fn begin_tags(&mut self) -> ControlFlow<ScoreSheet, ScoreSheet> {
        ControlFlow::Continue(ScoreSheet::default())
    }

    fn tag(&mut self, sheet: &mut ScoreSheet, name: &[u8], value: RawTag<'_>) -> ControlFlow<ScoreSheet> {
        let text = || value.decode_utf8_lossy().into_owned();
        match name {
            b"White" => sheet.white = text(),
            b"Black" => sheet.black = text(),
            b"Result" => sheet.result = text(),
            b"Termination" => sheet.termination = text(),
            b"TimeControl" => sheet.time_control = text(),
            b"FEN" => {
                let other = text().parse::<Fen>().ok().and_then(|fen| fen.into_position::<Chess>(CastlingMode::Standard).ok());
                if other.is_none_or(|start| start != Chess::default()) {
                    sheet.unplayable = Some("it does not begin with the initial position");
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, sheet: ScoreSheet) -> ControlFlow<ScoreSheet, Writing> {
        ControlFlow::Continue(Writing { over: sheet.unplayable.is_some(), sheet, position: Chess::default() })
    }

    fn san(&mut self, game: &mut Writing, san: SanPlus) -> ControlFlow<ScoreSheet> {
        if game.over {
            return ControlFlow::Continue(());
        }
        match san.san.to_move(&game.position) {
            Ok(mv) => {
                game.position.play_unchecked(mv);
                game.sheet.moves.push(mv);
                game.sheet.clocks.push(None);
            }
            Err(_) => {
                game.sheet.illegal_tail = Some(san.to_string());
                game.over = true;
            }
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Writing, comment: RawComment<'_>) -> ControlFlow<ScoreSheet> {
        let clock = clock(comment.as_bytes());
        if let (false, Some(last), Some(_)) = (game.over, game.sheet.clocks.last_mut(), clock) {
            *last = clock;
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Writing) -> ScoreSheet {
        let mut sheet = game.sheet;
        if sheet.moves.is_empty() {
            sheet.unplayable = sheet.unplayable.or(Some("it has no moves"));
        }
        sheet
    }
}

/// The time of a `[%clk h:mm:ss]` comment; seconds may have a fraction.
fn clock(comment: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(comment).ok()?;
    let (_, rest) = text.split_once("[%clk ")?;
    let (time, _) = rest.split_once(']')?;
    let mut parts = time.trim().split(':').rev();
    let seconds: f64 = parts.next()?.parse().ok()?;
    let minutes: u64 = parts.next()?.parse().ok()?;
    let hours: u64 = parts.next().map_or(Ok(0), str::parse).ok()?;
    let fits = (0.0..60.0).contains(&seconds) && minutes < 60 && hours < 100 && parts.next().is_none();
    fits.then(|| Duration::from_secs(hours * 3600 + minutes * 60) + super::dice::seconds(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read() {
        for (text, millis) in [
            (" [%clk 1:30:50] ", Some(5_450_000)),
            ("[%emt 0:00:03] [%clk 0:00:09.5] good", Some(9_500)),
            ("[%clk 12:05]", Some(725_000)),
            ("[%clk 0:61:00]", None),
            ("[%clk 5]", None),
            ("[%clk 0:00:09", None),
            ("no", None),
        ] {
            assert_eq!(clock(text.as_bytes()), millis.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn an_illegal_tail_ends_the_game() {
        let games =
            read(&b"[White \"A\"]\n\n1. e4 { [%clk 0:01:00] } e5 2. Ke4 { [%clk 0:00:50] } Nc6 1-0\n\n1. d4 *\n"[..]).unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].moves.len(), games[0].illegal_tail.as_deref()), (2, Some("Ke4")));
        assert_eq!(games[0].clocks, [Some(Duration::from_secs(60)), None]);
        assert_eq!((games[1].moves.len(), games[1].unplayable), (1, None));
    }
}

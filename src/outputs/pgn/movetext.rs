//! Writes the moves of a game in PGN, with times in comments.

use std::fmt::Write as _;

use flagfall_game::clock::control::{Method, TimeControl};
use shakmaty::{Color, Position};

use super::{Part, Profile};

/// The longest line in [`Profile::Full`], in columns.
const COLUMNS: usize = 79;

/// A text that grows by words, with the length of its last line.
pub(super) struct Movetext<'a> {
    out: &'a mut String,
    profile: Profile,
    column: usize,
}

impl<'a> Movetext<'a> {
    pub(super) fn new(out: &'a mut String, profile: Profile) -> Movetext<'a> {
        Movetext { out, profile, column: 0 }
    }

    pub(super) fn add_moves(&mut self, part: &Part<'_>, control: Option<&TimeControl>) {
        let mut turn = part.start.turn();
        let mut number = part.start.fullmoves().get();
        // The players' last times, in milliseconds.
        let mut last: [Option<u32>; 2] = [None; 2];
        // A number stands before each of White's moves, before the first move, and after a comment.
        let mut numbered = true;
        for (san, played) in &part.moves {
            if turn == Color::White {
                self.add(&format!("{number}."));
            } else if numbered {
                self.add(&format!("{number}..."));
            }
            self.add(&san.to_string());
            let now = if turn == Color::White { played.white_ms } else { played.black_ms };
            let before = std::mem::replace(&mut last[turn as usize], now);
            let used = control.filter(|_| self.profile == Profile::Full).and_then(|control| used(control, number, before?, now?));
            numbered = self.add_times(now, used);
            number += u32::from(turn == Color::Black);
            turn = !turn;
        }
    }

    /// Ends the game with its result.
    pub(super) fn finish(mut self, result: &str) {
        self.add(result);
        self.out.push('\n');
    }

    /// Adds the comment with the time that the player has and the time that the move took, milliseconds. Returns false if neither is
    /// known.
    fn add_times(&mut self, now: Option<u32>, used: Option<u32>) -> bool {
        let mut comment = String::new();
        for (command, time) in [("clk", now), ("emt", used)] {
            let Some(seconds) = time.map(|time| time / 1000) else { continue };
            let (begin, minutes) = (if comment.is_empty() { '{' } else { ' ' }, seconds / 60);
            // Writing to a String does not fail.
            let _ = write!(comment, "{begin}[%{command} {}:{:02}:{:02}]", minutes / 60, minutes % 60, seconds % 60);
        }
        if comment.is_empty() {
            return false;
        }
        comment.push('}');
        self.add(&comment);
        true
    }

    /// Adds a word, on the next line if this one has no room for it.
    fn add(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 {
            let full = self.profile == Profile::Full && self.column + 1 + length > COLUMNS;
            self.out.push(if full { '\n' } else { ' ' });
            self.column = if full { 0 } else { self.column + 1 };
        }
        self.out.push_str(word);
        self.column += length;
    }
}

/// The time that a move took, milliseconds: the player's last time and the additional time of the period, less the present time. None
/// if the clock gives time in another way, or if it may have added the time of the next period.
fn used(control: &TimeControl, number: u32, before: u32, now: u32) -> Option<u32> {
    let mut period = 0;
    while let Some(required) = control.required(period).filter(|_| !control.is_last(period)) {
        if number <= required {
            break;
        }
        period += 1;
    }
    if control.required(period) == Some(number) && !control.is_last(period) {
        return None;
    }
    let added = match control.period(period).method {
        Method::TimeOnly => 0,
        Method::Fischer => control.period(period).per_move_ms,
        Method::Bronstein | Method::UsDelay => return None,
    };
    (before + added).checked_sub(now)
}

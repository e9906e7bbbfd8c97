//! Writes the moves of a game in PGN, with times in comments.

use std::fmt::Write as _;

use flagfall_game::clock::control::TimeControl;
use shakmaty::Color;

use super::times::times;
use super::{Part, Profile};

/// The longest line in columns; in [`Profile::Relay`] there is no limit.
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
        // A number stands before each of White's moves, before the first move, and after a comment.
        let mut numbered = true;
        for ((san, _), time) in part.moves.iter().zip(times(part, control)) {
            if time.mover == Color::White {
                self.add(&format!("{}.", time.number));
            } else if numbered {
                self.add(&format!("{}...", time.number));
            }
            self.add(&san.to_string());
            numbered = self.add_times(time.left_ms, time.used_ms.filter(|_| self.profile != Profile::Relay));
        }
    }

    /// Ends the game with its result.
    pub(super) fn finish(mut self, result: &str) {
        self.add(result);
        self.out.push('\n');
    }

    /// Ends a game without moves with its result, behind a comment if there is one.
    pub(super) fn finish_with(mut self, comment: Option<&str>, result: &str) {
        if let Some(comment) = comment {
            self.add(&format!("{{{comment}}}"));
        }
        self.finish(result);
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
            let full = self.profile != Profile::Relay && self.column + 1 + length > COLUMNS;
            self.out.push(if full { '\n' } else { ' ' });
            self.column = if full { 0 } else { self.column + 1 };
        }
        self.out.push_str(word);
        self.column += length;
    }
}

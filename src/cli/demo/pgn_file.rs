//! The file with the games of the demonstration, as the collector writes it for broadcasts.

use std::path::PathBuf;

use crate::emulate::games::Expected;

/// The file, and the moves that it must have in the end.
pub(super) struct PgnFile {
    pub(super) path: PathBuf,
    /// The moves of each board, SAN, with the board's number.
    pub(super) boards: Vec<(String, Vec<String>)>,
}

impl PgnFile {
    /// What the file lacks; none if every game is whole.
    pub(super) fn missing(&self) -> Option<String> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) => return Some(format!("{}: {error}", self.path.display())),
        };
        let lacks = self.boards.iter().find(|(board, moves)| moves_of(&text, board) != *moves);
        lacks.map(|(board, _)| format!("{}: board {board} has not all its moves", self.path.display()))
    }
}

/// All moves that spectators see of a game.
pub(super) fn all_moves(expected: Expected) -> Vec<String> {
    expected.moves.into_iter().chain(expected.unpressed).collect()
}

/// The moves of the game of a board, without comments and numbers.
fn moves_of(text: &str, board: &str) -> Vec<String> {
    let tag = format!("[Board \"{board}\"]");
    let Some((_, game)) = text.split_once(&tag) else { return Vec::new() };
    let moves = game.split("\n\n").nth(1).unwrap_or_default();
    let mut in_comment = false;
    let mut found = Vec::new();
    for word in moves.split_whitespace() {
        in_comment |= word.starts_with('{');
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        if !in_comment && !is_number && word != "*" {
            found.push(word.to_owned());
        }
        in_comment &= !word.ends_with('}');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_numbers_are_no_moves() {
        let text = "[Event \"x\"]\n[Board \"1\"]\n\n1. d4 *\n\n[Event \"x\"]\n[Board \"2\"]\n[White \"Ada\"]\n\n\
                    1. e4 {[%clk 0:00:31] [%emt 0:00:01]} 1... e5\n{[%clk 0:00:30]} 2. O-O-O# 1-0\n";
        assert_eq!(moves_of(text, "2"), ["e4", "e5", "O-O-O#"]);
        assert_eq!(moves_of(text, "1"), ["d4"]);
        assert_eq!(moves_of(text, "3"), Vec::<String>::new());
    }
}

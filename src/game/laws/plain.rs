//! Formats plain text for terminals and printed lines: a board in letters, and sentences in short lines.

use alloc::string::String;

use shakmaty::{Board, File, Rank, Square};

/// The board in nine lines: rank 8 first, White's men in capitals, an empty square as `.`, the files below.
pub fn diagram(board: &Board) -> String {
    let mut text = String::with_capacity(9 * 20);
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.char());
        for file in File::ALL {
            text.push(' ');
            text.push(board.piece_at(Square::from_coords(file, rank)).map_or('.', shakmaty::Piece::char));
        }
        text.push('\n');
    }
    text.push(' ');
    for file in File::ALL {
        text.push(' ');
        text.push(file.char());
    }
    text.push('\n');
    text
}

/// The text in lines of at most `width` columns, each after `indent`. Lines are broken between words; a longer word is cut.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let room = width.saturating_sub(indent.chars().count()).max(1);
    let mut lines = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for word in text.split_whitespace() {
        let long = word.chars().count();
        if column > 0 && column + 1 + long > room {
            lines.push('\n');
            column = 0;
        }
        if column > 0 {
            lines.push(' ');
            column += 1;
        }
        for letter in word.chars() {
            if column == room {
                lines.push('\n');
                column = 0;
            }
            if column == 0 {
                lines.push_str(indent);
            }
            lines.push(letter);
            column += 1;
        }
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_position() {
        let lines = diagram(&Board::new());
        let lines: alloc::vec::Vec<&str> = lines.lines().collect();
        assert_eq!(lines.len(), 9);
        assert_eq!((lines[0], lines[4]), ("8 r n b q k b n r", "4 . . . . . . . ."));
        assert_eq!((lines[7], lines[8]), ("1 R N B Q K B N R", "  a b c d e f g h"));
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three", 7, ""), "one two\nthree\n");
        assert_eq!(wrap("one two three", 8, "  "), "  one\n  two\n  three\n");
        assert_eq!(wrap("abcdefgh ij", 5, " "), " abcd\n efgh\n ij\n");
        assert_eq!(wrap("", 5, " "), "\n");
    }
}

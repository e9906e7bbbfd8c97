//! A board in letters, for terminals and printed lines.

use alloc::string::String;

use shakmaty::{Board, Color, File, Rank, Square};

/// Nine lines: rank 8 first, White's men in capitals, an empty square as `.`, the files below.
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

/// `White` or `Black`.
pub const fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
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
}

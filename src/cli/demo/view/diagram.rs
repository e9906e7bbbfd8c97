//! Draws the position on a board as a diagram. The letters are those of a FEN, and white men are capital letters.

use super::paint::{Paint, fit};

/// Nine rows of 18 columns: eight ranks and the names of the files. A square that cannot be read is `?`.
pub(super) fn rows(placement: &str, paint: Paint) -> Vec<String> {
    let mut rows = Vec::new();
    for (index, rank) in placement.split('/').take(8).enumerate() {
        let squares = rank.chars().flat_map(|c| match c.to_digit(10) {
            Some(count) => std::iter::repeat_n('.', count.min(8) as usize),
            None => std::iter::repeat_n(c, 1),
        });
        let mut row = paint.faint(&format!("{} ", 8 - index));
        for file in squares.chain(std::iter::repeat('?')).take(8).enumerate() {
            row.push_str(&square(index, file, paint));
        }
        rows.push(row);
    }
    rows.resize(8, " ".repeat(18));
    rows.push(paint.faint(&fit("  a b c d e f g h", 18)));
    rows
}

fn square(rank: usize, (file, man): (usize, char), paint: Paint) -> String {
    if !paint.colour {
        return format!("{man} ");
    }
    let ground = if (rank + file).is_multiple_of(2) { "48;5;108" } else { "48;5;65" };
    let ink = if man.is_uppercase() { "1;38;5;231" } else { "1;38;5;16" };
    let shown = if man == '.' { ' ' } else { man };
    paint.with(&format!("{ink};{ground}"), &format!("{shown} "))
}

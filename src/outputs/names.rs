//! Cleans texts that people wrote, so that every receiver can read them.

/// The largest length of a player's name, in characters.
pub const MAX_NAME: usize = 100;

/// Names by which a receiver means that a player is not known. lichess drops such a game and does not say so
/// (`outputs/README.md#1`).
const UNKNOWN: [&str; 4] = ["?", "??", "unknown", "bye"];

/// What a spreadsheet takes for the beginning of a formula.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

/// Writes a text as a cell of CSV. An apostrophe makes what would be a formula a text.
pub fn csv_cell(text: &str) -> String {
    let plain = if is_formula(text) { format!("'{text}") } else { text.to_owned() };
    match plain.contains([',', '"', '\n', '\r', ';', '\t']) {
        true => format!("\"{}\"", plain.replace('"', "\"\"")),
        false => plain,
    }
}

/// The text of a cell that [`csv_cell`] wrote, without the quotation marks around it.
pub fn of_csv_cell(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_formula(text)).unwrap_or(cell)
}

/// Makes a text fit for the value of a PGN tag: no control characters, no blanks at the ends and no two blanks in a row. `"` becomes `'`
/// and `\` becomes `/`, because common readers do not undo the escapes of the standard. The text ends after [`MAX_NAME`] characters.
pub fn tag_value(text: &str) -> String {
    let mut clean = String::new();
    for word in text.split(|char: char| char.is_whitespace() || char.is_control()).filter(|word| !word.is_empty()) {
        if !clean.is_empty() {
            clean.push(' ');
        }
        clean.extend(word.chars().map(|char| match char {
            '"' => '\'',
            '\\' => '/',
            char => char,
        }));
    }
    match clean.char_indices().nth(MAX_NAME) {
        Some((end, _)) => clean[..end].trim_end().to_owned(),
        None => clean,
    }
}

/// The number at the end of a board's id, 1 to 9999; none if it ends otherwise.
pub fn board_number(id: &str) -> Option<u32> {
    let digits = id.rsplit(|char: char| !char.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().ok().filter(|number| (1..=9999).contains(number))
}

/// The name of a player for receivers. If nobody knows it, it is the side and the number of the board: `White 12`.
pub fn player(name: Option<&str>, side: &str, board: u32) -> String {
    let name = tag_value(name.unwrap_or_default());
    if is_known(&name) { name } else { format!("{side} {board}") }
}

/// Whether receivers take this for the name of a player.
pub fn is_known(name: &str) -> bool {
    let name = name.trim();
    name.chars().count() >= 2 && !UNKNOWN.iter().any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;

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
mod tests {
    use super::*;

    #[test]
    fn a_tag_value_has_no_character_that_a_reader_misreads() {
        for (text, clean) in [
            ("Beispiel, Anna", "Beispiel, Anna"),
            ("  Beispiel,\t Anna\n", "Beispiel, Anna"),
            ("O\"Neil\\x", "O'Neil/x"),
            ("a\u{0}b\u{7f}c", "a b c"),
            ("", ""),
        ] {
            assert_eq!(tag_value(text), clean, "{text:?}");
        }
        assert_eq!(tag_value(&"ж".repeat(300)).chars().count(), MAX_NAME);
    }

    #[test]
    fn no_cell_begins_as_a_formula() {
        for (text, cell) in [
            ("Beispiel, Anna", "\"Beispiel, Anna\""),
            ("1-0", "1-0"),
            ("1/2-1/2", "1/2-1/2"),
            ("2143", "2143"),
            ("", ""),
            ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
            ("+31", "'+31"),
            ("-1+1", "'-1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "\"'\r=1\""),
            ("'=1", "''=1"),
            ("'t Hart", "'t Hart"),
        ] {
            assert_eq!(csv_cell(text), cell, "{text:?}");
            let plain = if cell.starts_with('"') { cell[1..cell.len() - 1].replace("\"\"", "\"") } else { cell.to_owned() };
            assert_eq!(of_csv_cell(&plain), text);
        }
    }

    #[test]
    fn a_name_that_a_receiver_would_drop_is_replaced() {
        for (name, shown) in
            [(Some("Ann"), "Ann"), (Some("A"), "White 7"), (Some("BYE"), "White 7"), (Some(" ? "), "White 7"), (None, "White 7")]
        {
            assert_eq!(player(name, "White", 7), shown, "{name:?}");
        }
    }

    #[test]
    fn a_board_has_the_number_at_the_end_of_its_id() {
        for (id, number) in
            [("12", Some(12)), ("b07", Some(7)), ("hall-2-19", Some(19)), ("b", None), ("0", None), ("10000", None)]
        {
            assert_eq!(board_number(id), number, "{id}");
        }
    }
}

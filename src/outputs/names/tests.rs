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
    for (id, number) in [("12", Some(12)), ("b07", Some(7)), ("hall-2-19", Some(19)), ("b", None), ("0", None), ("10000", None)] {
        assert_eq!(board_number(id), number, "{id}");
    }
}

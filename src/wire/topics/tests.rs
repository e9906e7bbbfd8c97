use super::*;

#[test]
fn ids_of_devices() {
    for (driver, serial, id, same) in [
        ("one", "24012", "one-24012", true),
        ("one", "1025", "one-01025", true),
        ("one", "01025", "one-1025", true),
        ("one", "1025", "one-10250", false),
        ("one_line", "01025", "one-line-01025", true),
        ("one", "01025", "one-line-01025", false),
        ("one_line", "01025", "one-01025", false),
        ("one", "01025", "board-1", false),
        ("one", "01025", "", false),
        ("one", "AB 7", "one-ab-7", true),
    ] {
        assert_eq!(is_device(id, driver, serial), same, "{driver} {serial} {id}");
        assert!(is_device(&device_id(driver, serial), driver, serial), "{driver} {serial}");
    }
    assert_eq!(serial_of_device("one-line-01025", "one_line"), Some("01025"));
    assert_eq!(serial_of_device("one-line-", "one_line"), None);
}

#[test]
fn an_event_names_its_board() {
    let board = Board { root: "a/b".to_owned(), event: "open26".to_owned(), round: "9".to_owned(), board: "12".to_owned() };
    assert_eq!(Board::of_event(&board.audit(), "arbiter"), Some(board.clone()));
    assert_eq!(Board::of_event(&board.live_move(), "live"), Some(board.clone()));
    for other in
        ["", "flagfall/1/other", "flagfall/1/live/open26/9/12", "flagfall/1/live/Open26/9/12/move", "a/b/1/public/x/1/2/move"]
    {
        assert_eq!(Board::of_event(other, "live"), None, "{other}");
    }
}

#[test]
fn the_pgn_of_a_board_is_known_by_its_topic() {
    let board = Board { root: "a/public".to_owned(), board: PGN.to_owned(), ..Board::default() };
    for topic in [board.live_pgn(), board.public_pgn(), Board::default().public_pgn()] {
        assert!(is_board_pgn(&topic), "{topic}");
    }
    let root = "public";
    let others = [output_status(root, "x", PGN), meta_round(root, "x", PGN), reply(root, "x", PGN), board.live_state()];
    for topic in others.into_iter().chain([PGN.to_owned(), String::new()]) {
        assert!(!is_board_pgn(&topic), "{topic}");
    }
}

//! Finding a board: under another name, by its own number, among others.

use std::time::Duration;

use flagfall_hardware::port::{LinkProblem, Ports, Wanted};
use flagfall_hardware::pty::Pty;

use super::support::{Board, Folder, Heard, any, by_path, by_serial, many_links, now};
use crate::seconds::within;

#[test]
fn a_board_that_comes_back_under_another_path_is_found() {
    let folder = Folder::new();
    let (mut board, mut path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let heard = Heard::start(by_path(&folder, "a"), &Ports::new());
    assert_eq!(heard.up().1, path);
    for _ in 0..5 {
        folder.unlink("a");
        // Made before the old one goes, so that it cannot get its number.
        let (next, next_path) = Pty::pair().unwrap();
        drop(std::mem::replace(&mut board, next));
        heard.down();
        assert_ne!(path, next_path);
        path = next_path;
        let back = now();
        folder.link("a", &path);
        let (at, opened) = heard.up();
        assert_eq!(opened, path);
        within(at.saturating_sub(back), 2_000_000);
    }
}

#[test]
fn a_board_is_found_by_its_own_number() {
    let folder = Folder::new();
    let boards = [1001, 1002, 1003].map(Board::start);
    for (name, board) in ["a", "b", "c"].into_iter().zip(&boards) {
        folder.link(name, &board.path);
    }
    let heard = Heard::start(by_serial(&folder, "01002"), &Ports::new());
    let (_, path, asked) = heard.up_or_asked();
    assert_eq!((path, asked), (boards[1].path.clone(), true));
    let heard = Heard::start(by_path(&folder, "a"), &Ports::new());
    let (_, path, asked) = heard.up_or_asked();
    assert_eq!((path, asked), (boards[0].path.clone(), false), "nobody asked there");
}

#[test]
fn sisters_find_a_board_each() {
    let _alone = many_links();
    let folder = Folder::new();
    let boards: Vec<Board> = (2001..=2020).map(Board::start).collect();
    let ports = Ports::new();
    for board in &boards {
        folder.link(&format!("x{}", board.path.file_name().unwrap().display()), &board.path);
    }
    let heard: Vec<Heard> =
        (2001..=2020).rev().map(|serial| Heard::start(by_serial(&folder, &serial.to_string()), &ports)).collect();
    for (heard, board) in heard.iter().rev().zip(&boards) {
        assert_eq!(heard.up().1, board.path);
    }
}

#[test]
fn what_was_learnt_finds_the_board_again() {
    let folder = Folder::new();
    let other = Board::start(3001);
    folder.link("other", &other.path);
    let board = Board::start(3002);
    folder.link("a", &board.path);
    let heard = Heard::start(by_path(&folder, "a"), &Ports::new());
    assert_eq!(heard.up().1, board.path);
    heard.thread.learn("3002".to_owned());
    folder.unlink("a");
    let again = Board::start(3002);
    drop(board);
    heard.down();
    let back = now();
    folder.link("renamed", &again.path);
    let (at, path) = heard.up();
    assert_eq!(path, again.path);
    within(at - back, 2_000_000);
}

#[test]
fn a_silent_port_holds_nothing_up() {
    let folder = Folder::new();
    let (_silent, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let heard = Heard::start(by_serial(&folder, "4001"), &Ports::new());
    // It is asked for three seconds; the board comes before they are over.
    heard.quiet(Duration::from_millis(500));
    let board = Board::start(4001);
    let back = now();
    folder.link("b", &board.path);
    let (at, path) = heard.up();
    assert_eq!(path, board.path);
    within(at - back, 2_000_000);
}

#[test]
fn nobody_who_answers_is_not_found() {
    let folder = Folder::new();
    let (_silent, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let other = Board::start(5001);
    folder.link("b", &other.path);
    let heard = Heard::start(by_serial(&folder, "5002"), &Ports::new());
    assert_eq!(heard.missing(), LinkProblem::NotFound);
}

#[test]
fn a_port_that_a_sister_is_configured_for_is_not_asked() {
    let folder = Folder::new();
    let ports = Ports::new();
    let (board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    // The sister's port is there but held by somebody else, so the sister has it not.
    let held = flagfall_hardware::serial::Serial::open(&path, 9600).unwrap();
    let sister = Heard::start(by_path(&folder, "a"), &ports);
    assert!(matches!(sister.missing(), LinkProblem::Busy { .. }));
    let heard = Heard::start(by_serial(&folder, "6001"), &ports);
    assert_eq!(heard.missing(), LinkProblem::NotFound);
    drop(held);
    assert_eq!(sister.up().1, path);
    drop(board);
}

#[test]
fn the_only_port_needs_no_configuration() {
    let folder = Folder::new();
    let missing = folder.path().join("not/yet/there");
    let heard = Heard::start(Wanted { folders: vec![missing.clone()], ..any(&folder) }, &Ports::new());
    assert_eq!(heard.missing(), LinkProblem::NotFound);
    let (_one, first) = Pty::pair().unwrap();
    std::fs::create_dir_all(&missing).unwrap();
    std::os::unix::fs::symlink(&first, missing.join("a")).unwrap();
    assert_eq!(heard.up().1, first, "in a folder that came later");

    let folder = Folder::new();
    let (_two, second) = Pty::pair().unwrap();
    folder.link("a", &first);
    folder.link("b", &second);
    let heard = Heard::start(any(&folder), &Ports::new());
    match heard.missing() {
        LinkProblem::Several(paths) => assert!(paths.contains(&first) && paths.contains(&second), "{paths:?}"),
        trouble => panic!("{trouble}"),
    }
}

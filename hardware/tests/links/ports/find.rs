//! Finding a board: under another name, by its serial number, among others.

use std::time::Duration;

use flagfall_hardware::port::{LinkProblem, Wanted};
use flagfall_hardware::pty::Pty;

use super::support::{Board, Folder, TestLink, any, by_path, by_serial, many_links, now, reactor};
use crate::seconds::within;

#[test]
fn a_board_that_comes_back_under_another_path_is_found() {
    let folder = Folder::new();
    let (mut board, mut path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    assert_eq!(test_link.up().1, path);
    for _ in 0..5 {
        folder.unlink("a");
        // The new terminal is made before the old one is closed, so that it cannot get the same number.
        let (next, next_path) = Pty::pair().unwrap();
        drop(std::mem::replace(&mut board, next));
        test_link.down();
        assert_ne!(path, next_path);
        path = next_path;
        let back = now();
        folder.link("a", &path);
        let (at, opened) = test_link.up();
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
    let test_link = TestLink::start(by_serial(&folder, "01002"), &reactor());
    let (_, path, asked) = test_link.up_or_asked();
    assert_eq!((path, asked), (boards[1].path.clone(), true));
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    let (_, path, asked) = test_link.up_or_asked();
    assert_eq!((path, asked), (boards[0].path.clone(), false), "no question was sent there");
}

#[test]
fn twenty_links_find_a_board_each() {
    let _alone = many_links();
    let folder = Folder::new();
    let boards: Vec<Board> = (2001..=2020).map(Board::start).collect();
    let ports = reactor();
    for board in &boards {
        folder.link(&format!("x{}", board.path.file_name().unwrap().display()), &board.path);
    }
    let test_link: Vec<TestLink> =
        (2001..=2020).rev().map(|serial| TestLink::start(by_serial(&folder, &serial.to_string()), &ports)).collect();
    for (test_link, board) in test_link.iter().rev().zip(&boards) {
        assert_eq!(test_link.up().1, board.path);
    }
}

#[test]
fn a_learned_serial_number_finds_the_board_again() {
    let folder = Folder::new();
    let other = Board::start(3001);
    folder.link("other", &other.path);
    let board = Board::start(3002);
    folder.link("a", &board.path);
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    assert_eq!(test_link.up().1, board.path);
    test_link.link.learn("3002".to_owned());
    folder.unlink("a");
    let again = Board::start(3002);
    drop(board);
    test_link.down();
    let back = now();
    folder.link("renamed", &again.path);
    let (at, path) = test_link.up();
    assert_eq!(path, again.path);
    within(at - back, 2_000_000);
}

#[test]
fn a_silent_port_delays_no_search() {
    let folder = Folder::new();
    let (_silent, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let test_link = TestLink::start(by_serial(&folder, "4001"), &reactor());
    // The silent port is asked for three seconds. The board appears before they are over.
    test_link.quiet(Duration::from_millis(500));
    let board = Board::start(4001);
    let back = now();
    folder.link("b", &board.path);
    let (at, path) = test_link.up();
    assert_eq!(path, board.path);
    within(at - back, 2_000_000);
}

#[test]
fn a_port_without_the_wanted_board_is_reported_as_not_found() {
    let folder = Folder::new();
    let (_silent, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let other = Board::start(5001);
    folder.link("b", &other.path);
    let test_link = TestLink::start(by_serial(&folder, "5002"), &reactor());
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
}

#[test]
fn a_port_that_another_link_is_configured_for_is_not_asked() {
    let folder = Folder::new();
    let ports = reactor();
    let (board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    // The port of the other link exists, but another program holds it, so the other link does not have it.
    let held = flagfall_hardware::serial::Serial::open(&path, 9600).unwrap();
    let other_link = TestLink::start(by_path(&folder, "a"), &ports);
    assert!(matches!(other_link.missing(), LinkProblem::Busy { .. }));
    let test_link = TestLink::start(by_serial(&folder, "6001"), &ports);
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    drop(held);
    assert_eq!(other_link.up().1, path);
    drop(board);
}

#[test]
fn the_only_port_needs_no_configuration() {
    let folder = Folder::new();
    let missing = folder.path().join("not/yet/there");
    let test_link = TestLink::start(Wanted { folders: vec![missing.clone()], ..any(&folder) }, &reactor());
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    let (_one, first) = Pty::pair().unwrap();
    std::fs::create_dir_all(&missing).unwrap();
    std::os::unix::fs::symlink(&first, missing.join("a")).unwrap();
    assert_eq!(test_link.up().1, first, "the folder was created later");

    let folder = Folder::new();
    let (_two, second) = Pty::pair().unwrap();
    folder.link("a", &first);
    folder.link("b", &second);
    let test_link = TestLink::start(any(&folder), &reactor());
    match test_link.missing() {
        LinkProblem::Several(paths) => assert!(paths.contains(&first) && paths.contains(&second), "{paths:?}"),
        problem => panic!("{problem}"),
    }
}

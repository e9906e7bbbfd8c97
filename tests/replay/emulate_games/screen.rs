//! The screen of the demonstration and its check of the messages of two boards.

use flagfall::cli::demo::check::Check;
use flagfall::cli::demo::view::{Named, View};
use flagfall::emulate::games::{Expected, GAMES, game};
use flagfall::publish::Message;
use flagfall::wire::topics::Board;
use flagfall_protocols::time::Instant;

use crate::support::table;

fn topics(number: usize) -> Board {
    Board { event: "demo".to_owned(), round: "1".to_owned(), board: (number + 1).to_string(), ..Board::default() }
}

fn played() -> Vec<Message> {
    let play = |number| {
        let demo = game(number);
        table::run(demo.settings(1), &demo.script(), Some(demo.time_control), topics(number), 5_000_000).messages
    };
    let mut all: Vec<Message> = (0..GAMES).flat_map(play).collect();
    all.sort_by_key(|message| message.at);
    all
}

fn boards() -> Vec<Named> {
    let named = |number: usize| {
        let demo = game(number);
        Named { id: (number + 1).to_string(), white: demo.white.to_owned(), black: demo.black.to_owned() }
    };
    (0..GAMES).map(named).collect()
}

fn expected() -> Vec<(String, Expected)> {
    (0..GAMES).map(|number| ((number + 1).to_string(), game(number).expected())).collect()
}

fn assert_fits_screen(frame: &str) {
    assert!(frame.lines().count() <= 20, "{frame}");
    for row in frame.lines() {
        assert!(row.chars().count() <= 80, "{} columns: {row}", row.chars().count());
    }
}

/// The text without colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, text)| text))
}

#[test]
fn the_picture_fits_at_every_moment_and_ends_as_it_should() {
    let (mut view, mut coloured) = (View::new(false, boards()), View::new(true, boards()));
    assert_fits_screen(&view.frame());
    let (mut lines, mut middle) = (Vec::new(), None);
    for message in played() {
        if message.at >= Instant(30_000_000) {
            middle.get_or_insert_with(|| view.frame());
        }
        lines.extend(view.handle_message(&message.topic, message.payload.as_bytes()));
        coloured.handle_message(&message.topic, message.payload.as_bytes());
        assert_fits_screen(&view.frame());
        assert_fits_screen(&without_colours(&coloured.frame()));
    }
    let frames = [(middle.expect("the game lasts longer"), include_str!("middle.txt")), (view.frame(), include_str!("end.txt"))];
    for (frame, expected) in frames {
        assert!(frame == expected, "the screen shows:\n{frame}");
    }
    assert!(coloured.frame().contains("\x1b[1;97;41mWHITE FLAG"), "the flag is red");
    for wanted in [
        "board 1  arbiter   1  game armed",
        "board 1  live      1  1. e4",
        "board 2  arbiter  23  10... Rc8, pressed",
        "board 1  arbiter  43  WHITE FLAG. Not yet: Black wins if",
    ] {
        assert!(lines.iter().any(|line| line.contains(wanted)), "no `{wanted}` in\n{}", lines.join("\n"));
    }
}

#[test]
fn messages_about_other_boards_are_not_shown() {
    let mut view = View::new(false, boards());
    let before = view.frame();
    assert_eq!(view.handle_message("flagfall/1/live/demo/1/9/move", br#"{"no":1,"body":{"ply":1,"san":"e4"}}"#), None);
    assert_eq!(view.handle_message("flagfall/1/node/pi/status", b"{}"), None);
    assert_eq!(view.frame(), before);
    let broken = view.handle_message("flagfall/1/live/demo/1/1/move", b"{").expect("a problem");
    assert!(broken.contains("no JSON"), "{broken}");
    let nasty = view.handle_message("flagfall/1/live/demo/1/1/move", br#"{"no":1,"body":{"ply":1,"san":"e4\u001b[2J"}}"#);
    assert!(nasty.is_some_and(|line| !line.contains('\x1b')), "a payload cannot steer the terminal");
}

#[test]
fn all_that_was_played_must_arrive() {
    let messages = played();
    let mut check = Check::new(expected(), false);
    assert!(!check.missing().is_empty(), "nothing has arrived yet");
    for message in &messages {
        check.handle_message(&message.topic, message.payload.as_bytes());
        check.handle_message(&message.topic, message.payload.as_bytes());
    }
    assert_eq!(check.missing(), [""; 0]);
    assert!(!Check::new(expected(), true).missing().is_empty(), "nothing came to the public");
}

type Lost<'a> = &'a dyn Fn(&Message) -> bool;

/// If one of these messages is missing, the check names it.
#[test]
fn every_lost_message_is_named() {
    let messages = played();
    let without = |lost: Lost<'_>| {
        let mut check = Check::new(expected(), false);
        for message in messages.iter().filter(|message| !lost(message)) {
            check.handle_message(&message.topic, message.payload.as_bytes());
        }
        check.missing()
    };
    let event = |audience: &'static str, number| {
        move |message: &Message| message.number == number && message.topic.contains(audience) && message.topic.contains("/1/1/")
    };
    let named = |word: &'static str| move |message: &Message| message.topic.contains(word);
    let cases: [(Lost<'_>, &str); 7] = [
        (&event("/live/", 7), "board 1: live: events 7 of 39"),
        (&event("/live/", 39), "board 1: live moves: ply 39 is nothing instead of a6"),
        (&event("/arbiter/", 5), "board 1: arbiter: events 5 of"),
        (&named("/ruling"), "board 1: the ruling"),
        (&named("/alert/1"), "board 1: the alarm of the flag"),
        (&named("live/demo/1/2/state"), "board 2: live: no state"),
        (&named("arbiter/demo/1/2/state"), "board 2: ending null instead of Some(\"checkmate\")"),
    ];
    for (lost, report) in cases {
        let missing = without(lost);
        assert!(missing.iter().any(|line| line.starts_with(report)), "`{report}` is not in {missing:#?}");
    }
    let mut check = Check::new(expected(), false);
    check.handle_message("flagfall/1/live/demo/1/1/move", b"{");
    assert!(check.missing().contains(&"1 payloads are no JSON".to_owned()));
}

/// The first line for an arbiter, for every kind of finding.
#[test]
fn the_proposal_is_shown_in_words() {
    let winnable = r#"{"verdict":"winnable","line":["a6a7"]}"#;
    let material = r#"{"verdict":"unwinnable","reason":"material"}"#;
    let not_asked = r#"{"verdict":"not_asked"}"#;
    for (flag, outcome, required, verdict, shown) in [
        (
            "white",
            "black_wins",
            "null",
            winnable,
            "do: go and stop the clocks|Proposal: Black wins|39 completed|Black can still mate",
        ),
        ("black", "draw", "null", material, "BLACK FLAG  3 s ago|Proposal: draw|White cannot mate: material"),
        ("white", "game_goes_on", "40", not_asked, "do: nothing|Proposal: the game goes on|39 of 40 completed|row 12"),
        ("white", "result_not_entered", "null", not_asked, "do: ask for the result|the result was not entered"),
        ("white", "undecided", "null", r#"{"verdict":"undecided"}"#, "Proposal: you decide|not decided"),
    ] {
        let mut view = View::new(false, boards());
        let ruling = format!(
            r#"{{"t":{{"us":9000000}},"body":{{"flag":"{flag}","outcome":"{outcome}","row":"12","articles":["6.9","6.4"],
            "alternatives":[],"expired_at":[5000000,6000000],"completed":39,"required":{required},"winnable":{verdict},
            "unknown":[]}}}}"#
        );
        assert_eq!(view.handle_message("flagfall/1/arbiter/demo/1/1/ruling", ruling.as_bytes()), None, "a state is no event");
        let frame = view.frame();
        assert_fits_screen(&frame);
        for words in shown.split('|').chain(["unknown: nothing; Art. 6.9, 6.4"]) {
            assert!(frame.contains(words), "{flag} {outcome}: no `{words}` in\n{frame}");
        }
    }
}

#[test]
fn a_decision_is_shown_and_a_deleted_ruling_is_not() {
    let topic = "flagfall/1/arbiter/demo/1/1/ruling";
    let mut view = View::new(false, boards());
    let before = view.frame();
    let ruling = |more: &str| format!(r#"{{"t":{{"us":9000000}},"body":{{"flag":"white","outcome":"undecided"{more}}}}}"#);
    view.handle_message(topic, ruling("").as_bytes());
    assert!(view.frame().contains("do: go and stop the clocks"));
    view.handle_message(topic, ruling(r#","decision":{"result":"0-1","at":1}"#).as_bytes());
    assert!(view.frame().contains("decided: 0-1") && !view.frame().contains("do:"), "{}", view.frame());
    view.handle_message(topic, b"");
    assert_eq!(view.frame(), before);
    view.handle_message(topic, br#"{"t":{"us":9000000},"body":{"decision":{"result":"0-1","at":1}}}"#);
    assert!(!view.frame().contains("FLAG"), "a decision without a flag:\n{}", view.frame());
}

#[test]
fn a_turned_board_is_shown_from_white() {
    let mut view = View::new(false, boards());
    let state = br#"{"body":{"board":"RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr","rotated":true,"stage":"armed"}}"#;
    view.handle_message("flagfall/1/arbiter/demo/1/2/state", state);
    let frame = view.frame();
    assert!(frame.contains("\n8 r n b q k b n r ") && frame.contains("\n1 R N B Q K B N R"), "{frame}");
}

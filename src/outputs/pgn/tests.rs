use flagfall_game::clock::control::TimeControl;

use super::*;
use crate::outputs::picture::{PictureClock, PictureSegment};
use crate::wire::player::{Player, Players, Side};

const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn moves(text: &str) -> Vec<PictureMove> {
    // `e4/10000/9000`: the move with White's and Black's time, milliseconds.
    let time = |text: Option<&str>| text.and_then(|text| text.parse().ok());
    let one = |word: &str| {
        let mut parts = word.split('/');
        let san = parts.next().unwrap_or_default().to_owned();
        PictureMove { san, white_ms: time(parts.next()), black_ms: time(parts.next()) }
    };
    text.split_whitespace().map(one).collect()
}

fn round(control: &str, body: Body) -> Round {
    let player = |name: &str, rating| Player { name: Some(name.to_owned()), rating, ..Player::default() };
    let players = Players { white: Some(player("Beispiel, Anna", Some(2143))), black: Some(player("?", None)) };
    let game = RoundGame { board: 12, id: "open26-5-12".to_owned(), players, shown: Some(body), ..RoundGame::default() };
    Round {
        event: "Example \"Open\" 2026".to_owned(),
        number: Some(5),
        time_control: TimeControl::parse(control).ok(),
        games: vec![game],
        ..Round::default()
    }
}

fn body(text: &str) -> Body {
    Body { game_no: 1, initial_fen: INITIAL.to_owned(), moves: moves(text), ..Body::default() }
}

/// The moves of the games that are written, without their tags.
fn movetexts(round: &Round, profile: Profile) -> Vec<String> {
    let text = write_round(round, profile);
    text.split("\n\n").filter(|block| !block.starts_with('[')).map(|block| block.trim_end().to_owned()).collect()
}

#[test]
fn a_game_with_all_its_tags() {
    let round = round("5400+30", body("e4/5424000/5430000 c5/5424000/5421000"));
    let should = "[Event \"Example 'Open' 2026\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"5.12\"]\n[White \"Beispiel, Anna\"]\n\
                  [Black \"Black 12\"]\n[Result \"*\"]\n[Board \"12\"]\n[WhiteElo \"2143\"]\n[TimeControl \"5400+30\"]\n\
                  [GameId \"open26-5-12\"]\n\n1. e4 {[%clk 1:30:24]} c5 {[%clk 1:30:21]} *\n";
    assert_eq!(write_round(&round, Profile::Relay), should.replace("c5 {", "1... c5 {"));
}

#[test]
fn a_start_position_may_have_the_last_number_of_a_move() {
    let body = Body { initial_fen: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 4294967295".to_owned(), ..body("e4 Kd7 e5") };
    let texts = movetexts(&round("300", body), Profile::Full);
    assert_eq!(texts, ["4294967295. e4 Kd7 4294967295. e5 *"]);
}

#[test]
fn times_that_a_move_took() {
    for (control, text, should) in [
        // 30 s are added with each move, so 26 s less on the clock are 56 s.
        ("5400+30", "e4/5424000/- e5/-/5421000 Nf3/5398000/- Nc6", "2. Nf3 {[%clk 1:29:58] [%emt 0:00:56]} 2... Nc6 *"),
        // More time than before and than was added: another cause, so nothing is written.
        ("300", "e4/200000/- e5 Nf3/210000/-", "2. Nf3 {[%clk 0:03:30]} *"),
        // The second move ends the period, and the clock may have added the next one.
        ("2/300:300", "e4/290000/- e5 Nf3/280000/-", "2. Nf3 {[%clk 0:04:40]} *"),
        ("2/300:300", "e4 e5 Nf3/280000/- Nc6 Bc4/270000/-", "3. Bc4 {[%clk 0:04:30] [%emt 0:00:10]} *"),
        // An arbiter gave White two minutes in Black's turn, so nobody knows how long Black's and White's moves took.
        (
            "300",
            "e4/290000/300000 e5/290000/290000 Nf3/280000/290000 Nc6/400000/270000 d4/380000/270000",
            "Nc6 {[%clk 0:04:30]} 3. d4 {[%clk 0:06:20]} *",
        ),
        ("300", "e4/290000/300000 e5/290000/290000 Nf3/280000/290000 Nc6/280000/270000", "Nc6 {[%clk 0:04:30] [%emt 0:00:20]} *"),
        // The clock gives no additional time, although some is configured, or gives some although none is.
        (
            "300+30",
            "e4/300000/300000 e5/300000/299000 Nf3/298000/299000 Nc6/298000/296000 d4/293000/296000",
            "3. d4 {[%clk 0:04:53]} *",
        ),
        ("300", "e4/300000/300000 e5/300000/300000 Nf3/325000/300000 Nc6/325000/327000", "Nc6 {[%clk 0:05:27]} *"),
        // A move that was not pressed gave no time: White's clock runs on, and Black's stands.
        (
            "300+30",
            "e4/300000/300000 e5/300000/300000 Nf3/325000/300000 Nc6/322000/300000",
            "2. Nf3 {[%clk 0:05:25]} 2... Nc6 {[%clk 0:05:00]} *",
        ),
        (
            "300+30",
            "e4/300000/300000 e5/300000/300000 Nf3/325000/300000 Nc6/325000/322000",
            "2. Nf3 {[%clk 0:05:25] [%emt 0:00:05]} 2... Nc6 {[%clk 0:05:22]} *",
        ),
        // A clock with delay gives time back.
        ("300d3", "e4/290000/- e5 Nf3/280000/-", "2. Nf3 {[%clk 0:04:40]} *"),
    ] {
        let written = movetexts(&round(control, body(text)), Profile::Full).concat().replace('\n', " ");
        assert!(written.ends_with(should), "{control}: {written}");
    }
}

/// The last move may not have been pressed: then the clock has given no time for it. While the game goes on, the clock that runs shows
/// whether it was.
#[test]
fn the_last_move_may_not_be_pressed() {
    let moves = "f3/300000/300000 e5/300000/300000 g4/325000/300000 d6/325000/290000";
    for (running, result, should) in [
        (Some(Side::White), None, "d6 {[%clk 0:04:50] [%emt 0:00:40]} *"),
        (Some(Side::Black), None, "d6 {[%clk 0:04:50]} *"),
        (None, None, "d6 {[%clk 0:04:50]} *"),
        (Some(Side::White), Some(GameResult::Draw), "d6 {[%clk 0:04:50]} 1/2-1/2"),
    ] {
        let clock = PictureClock { running, ..PictureClock::default() };
        let shown = Body { clock, result, ..body(moves) };
        let written = movetexts(&round("300+30", shown), Profile::Full).concat().replace('\n', " ");
        assert!(written.ends_with(should), "{running:?}: {written}");
    }
}

#[test]
fn a_game_ends_before_the_first_move_that_cannot_be_played() {
    for (text, should) in
        [("e4 e5 Ke3 Nc6", "1. e4 e5 *"), ("e4 <script> e5", "1. e4 *"), ("f3 e5 g4 Qh4#", "1. f3 e5 2. g4 Qh4# 0-1"), ("", "*")]
    {
        assert_eq!(movetexts(&round("300", body(text)), Profile::Relay), [should], "{text}");
    }
    let broken = Body { initial_fen: "nonsense".to_owned(), ..body("e4") };
    assert_eq!(movetexts(&round("300", broken), Profile::Relay), ["*"]);
}

#[test]
fn a_result_is_that_of_the_state_or_that_of_the_board() {
    let mate = "f3 e5 g4 Qh4#";
    for (text, result, should) in [
        ("e4", Some(GameResult::Draw), "1. e4 1/2-1/2"),
        ("e4", Some(GameResult::Open), "1. e4 *"),
        (mate, Some(GameResult::Open), "1. f3 e5 2. g4 Qh4# 0-1"),
        (mate, Some(GameResult::Draw), "1. f3 e5 2. g4 Qh4# 1/2-1/2"),
    ] {
        let round = round("300", Body { result, ..body(text) });
        assert_eq!(movetexts(&round, Profile::Relay), [should], "{text}");
        let last = should.rsplit(' ').next().unwrap_or_default();
        assert!(write_round(&round, Profile::Relay).contains(&format!("[Result \"{last}\"]")));
    }
}

#[test]
fn a_game_of_two_parts_is_two_games_in_full_and_one_for_a_relay() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7";
    let segments = vec![PictureSegment { initial_fen: INITIAL.to_owned(), moves: moves("e4 e5") }];
    let body = Body { initial_fen: fen.to_owned(), segments, result: Some(GameResult::BlackWins), ..body("Kd7 e4") };
    let round = round("300", body);
    assert_eq!(movetexts(&round, Profile::Relay), ["1. e4 e5 0-1"]);
    assert_eq!(movetexts(&round, Profile::Full), ["1. e4 e5 *", "7... Kd7 8. e4 0-1"]);
    let text = write_round(&round, Profile::Full);
    assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n[GameId \"open26-5-12-2\"]")), "{text}");
}

#[test]
fn an_empty_part_is_no_part() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7";
    let set_up = PictureSegment { initial_fen: INITIAL.to_owned(), moves: Vec::new() };
    let joined = Body { initial_fen: fen.to_owned(), segments: vec![set_up.clone(), set_up], ..body("Kd7 e4") };
    let round = round("300", joined);
    assert_eq!(movetexts(&round, Profile::Relay), ["7... Kd7 8. e4 *"]);
    assert_eq!(movetexts(&round, Profile::Full), ["7... Kd7 8. e4 *"]);
    assert!(write_round(&round, Profile::Full).contains("[GameId \"open26-5-12\"]"), "it is the first part");
    let game = &round.games[0];
    let json: serde_json::Value =
        serde_json::from_str(&crate::outputs::lcc::game(&round, game, "24012", None, None)).expect("JSON");
    assert_eq!((&json["moves"], first_part_plies(&round, game)), (&serde_json::json!(["Kd7", "e4"]), 2));
}

#[test]
fn lines_of_the_full_profile_are_short_and_no_comment_is_broken() {
    let text: String = (0..40).map(|n| format!("Nf3/{n}000/1 Nf6/1/{n}000 Ng1/{n}000/1 Ng8/1/{n}000 ")).collect();
    let round = round("300", body(&text));
    for line in write_round(&round, Profile::Full).lines() {
        assert!(line.chars().count() <= 79, "{line}");
        assert_eq!(line.matches('{').count(), line.matches('}').count(), "{line}");
    }
    assert_eq!(movetexts(&round, Profile::Relay).concat().lines().count(), 1);
}

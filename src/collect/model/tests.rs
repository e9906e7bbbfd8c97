use super::*;
use crate::collect::render::Renderer;
use crate::config::{FleetNode, Output};
use crate::outputs::picture::{Body, MAX_PLIES};
use crate::wire::output::BoardMessage;

fn model() -> Model {
    let [event, round, node] = ["e", "1", "c"].map(str::to_owned);
    Model::new(Fixed { event, round, node, ..Fixed::default() })
}

fn at(second: u64) -> MonotonicTime {
    MonotonicTime((second + 1) * 1_000_000)
}

fn picture(node: &str, moves: &[&str]) -> Picture {
    let moves: Vec<String> = moves.iter().map(|san| format!(r#"{{"san":"{san}","white_ms":null,"black_ms":null}}"#)).collect();
    let initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let body = format!(r#"{{"game_no":1,"initial_fen":"{initial}","moves":[{}],"result":null}}"#, moves.join(","));
    let text = format!(r#"{{"game":"e-1-b12-g1","rev":{},"node":"{node}","boot":1,"body":{body}}}"#, moves.len());
    Picture::read(text.as_bytes()).expect("a state")
}

fn status(model: &mut Model, node: &str, state: &str) {
    model.take_status(node, format!(r#"{{"boot":1,"body":{{"state":"{state}"}}}}"#).as_bytes(), at(0));
}

fn public(model: &mut Model, board: &str, picture: Picture) {
    model.take_picture((OutputAudience::Public, "1", board), picture, at(0)).expect("a game");
}

fn plies(model: &Model) -> usize {
    let board = &model.rounds[&(OutputAudience::Public, "1".to_owned())].boards["b12"];
    board.games[0].whole(false).plies()
}

#[test]
fn a_board_has_one_owner_while_that_serves_it() {
    let mut model = model();
    model.gathered(at(0));
    status(&mut model, "a", "ready");
    public(&mut model, "b12", picture("a", &["e4", "e5"]));
    public(&mut model, "b12", picture("b", &["d4"]));
    assert_eq!((plies(&model), model.counters.two_nodes), (2, 1));
    let notes = model.notes(OutputAudience::Public, "1");
    assert!(
        matches!(&notes[..], [BoardMessage { board, message }] if board == "b12" && message.contains("a and b")),
        "{notes:?}"
    );
    // The owner lists the board no more: the state that waits is taken.
    model.take_info("a", br#"{"body":{"boards":["e/1/b11"]}}"#, at(1));
    assert_eq!(plies(&model), 2, "two moves were made, so a new game from the initial position is another one");
    assert_eq!(model.rounds[&(OutputAudience::Public, "1".to_owned())].boards["b12"].games.len(), 2);
}

#[test]
fn a_machine_to_which_the_file_gives_no_board_keeps_nobody_from_it() {
    for (given_to, plies_shown) in [("a", 1), ("b", 3), ("c", 3)] {
        let mut model = model();
        model.fixed.fleet.node.insert(given_to.to_owned(), FleetNode { boards: vec!["b12".to_owned()] });
        model.gathered(at(0));
        status(&mut model, "a", "ready");
        model.take_info("a", br#"{"body":{"boards":["e/1/b12"]}}"#, at(0));
        public(&mut model, "b12", picture("a", &["e4"]));
        public(&mut model, "b12", picture("b", &["d4", "d5", "c4"]));
        assert_eq!(plies(&model), plies_shown, "given to {given_to}");
    }
}

#[test]
fn an_owner_that_is_lost_is_followed_by_another_node() {
    let mut model = model();
    model.gathered(at(0));
    status(&mut model, "a", "ready");
    public(&mut model, "b12", picture("a", &["e4"]));
    public(&mut model, "b12", picture("b", &["d4", "d5", "c4"]));
    assert_eq!(plies(&model), 1);
    status(&mut model, "a", "lost");
    assert_eq!(plies(&model), 3);
    assert_eq!(model.notes(OutputAudience::Public, "1"), []);
}

#[test]
fn nothing_is_decided_before_the_retained_messages_were_read() {
    let mut model = model();
    public(&mut model, "b12", picture("a", &["e4", "e5"]));
    public(&mut model, "b12", picture("b", &["d4"]));
    assert_eq!((plies(&model), model.counters.two_nodes), (2, 0));
    status(&mut model, "a", "ready");
    model.gathered(at(2));
    assert_eq!(plies(&model), 2);
}

fn round_message(rev: u32, boards: &str) -> Vec<u8> {
    format!(r#"{{"v":"1.1","type":"meta.round","rev":{rev},"body":{{"number":1,"boards":[{boards}]}}}}"#).into_bytes()
}

#[test]
fn the_number_of_a_message_of_the_organiser_must_grow() {
    let mut model = model();
    let one = r#"{"board":"b12","number":3}"#;
    assert_eq!(model.take_round("1", &round_message(5, one), at(0)), Ok(()));
    assert_eq!(model.take_round("1", &round_message(5, one), at(0)), Ok(()), "the same message again");
    assert!(model.take_round("1", &round_message(5, ""), at(0)).is_err());
    assert!(model.take_round("1", &round_message(4, one), at(0)).is_err());
    assert!(model.take_round("1", &round_message(6, r#"{"board":"../x","number":3}"#), at(0)).is_err());
    assert_eq!(model.pairing("1", "b12").map(|pairing| pairing.number), Some(3));
    let event = |rev| {
        format!(
            r#"{{"v":"1.1","type":"meta.event","rev":{rev},"body":{{"uuid":"{:032}","name":"E","rounds":3,"round":"2"}}}}"#,
            0
        )
    };
    assert_eq!(model.take_event(event(2).as_bytes()), Ok(()));
    assert!(model.take_event(event(1).as_bytes()).is_err());
    assert_eq!(model.current_round(), "2");
}

#[test]
fn boards_have_the_numbers_of_their_pairings_or_of_their_ids() {
    let mut model = model();
    model.gathered(at(0));
    model.take_round("1", &round_message(1, r#"{"board":"hall","number":12}"#), at(0)).expect("pairings");
    for board in ["b12", "b7", "hall", "a7", "x"] {
        public(&mut model, board, picture("a", &["e4"]));
    }
    let boards = &model.rounds[&(OutputAudience::Public, "1".to_owned())].boards;
    let numbers: Vec<(&str, u32)> = boards.iter().map(|(id, board)| (id.as_str(), board.number)).collect();
    assert_eq!(numbers, [("a7", 14), ("b12", 13), ("b7", 7), ("hall", 12), ("x", 15)]);
}

#[test]
fn a_board_without_a_pairing_makes_room_for_one_that_has_its_number() {
    let mut model = model();
    model.gathered(at(0));
    for board in ["b7", "b8"] {
        public(&mut model, board, picture("a", &["e4"]));
    }
    model.take_round("1", &round_message(1, r#"{"board":"b8","number":7}"#), at(0)).expect("pairings");
    let boards = &model.rounds[&(OutputAudience::Public, "1".to_owned())].boards;
    assert_eq!((boards["b7"].number, boards["b8"].number), (8, 7));
}

#[test]
fn a_board_without_a_pairing_is_in_no_output_until_it_is_paired() {
    let mut model = model();
    model.gathered(at(0));
    let output: Output = serde_json::from_str(r#"{"name":"o","kind":"files"}"#).expect("an output");
    let games = |model: &Model| {
        let rounds = Renderer::default().render(model, &output);
        let games = rounds.iter().flat_map(|round| &round.games).map(|game| (game.board.clone(), game.plies));
        games.collect::<Vec<_>>()
    };
    let of = |board: &str, plies| (board.to_owned(), plies);
    let second = |moves: &[&str]| Picture { body: Body { game_no: 2, ..picture("a", moves).body }, ..picture("a", moves) };
    public(&mut model, "b1", picture("a", &["d4"]));
    public(&mut model, "b12", picture("a", &["e4", "e5"]));
    assert_eq!(games(&model), [of("b1", 1), of("b12", 2)], "no pairings at all");
    let one = r#"{"board":"b1","number":1}"#;
    model.take_round("1", &round_message(1, one), at(0)).expect("pairings");
    assert_eq!(games(&model), [of("b1", 1)]);
    public(&mut model, "b12", second(&["e4", "e5", "Nf3"]));
    let notes = model.notes(OutputAudience::Public, "1");
    assert!(matches!(&notes[..], [note] if note.board == "b12" && note.message.contains("no pairing")), "{notes:?}");
    // What was played before it is not of the round.
    let both = format!(r#"{one},{{"board":"b12","number":2}}"#);
    model.take_round("1", &round_message(2, &both), at(0)).expect("pairings");
    assert_eq!((games(&model), model.notes(OutputAudience::Public, "1")), (vec![of("b1", 1), of("b12", 3)], vec![]));
    model.take_round("1", &round_message(3, one), at(0)).expect("pairings");
    assert_eq!(games(&model), [of("b1", 1)]);
}

#[test]
fn an_owner_that_was_not_heard_yet_keeps_its_board_for_half_a_minute() {
    let mut model = model();
    model.gathered(at(0));
    public(&mut model, "b12", picture("a", &["e4"]));
    public(&mut model, "b12", picture("b", &["d4", "d5"]));
    model.wake(at(29));
    assert_eq!(plies(&model), 1);
    model.wake(at(30));
    assert_eq!(plies(&model), 2);
}

#[test]
fn a_reset_is_carried_out_once() {
    let mut model = model();
    model.gathered(at(0));
    let pairing = |reset| format!(r#"{{"board":"b12","number":12,"reset":{reset}}}"#);
    public(&mut model, "b12", picture("a", &["e4", "e5"]));
    model.take_round("1", &round_message(1, &pairing(4)), at(0)).expect("pairings");
    public(&mut model, "b12", Picture { boot: 2, ..picture("a", &["e4"]) });
    assert_eq!(plies(&model), 2, "the counter that was there at first counts as done");
    model.take_round("1", &round_message(2, &pairing(5)), at(1)).expect("pairings");
    assert_eq!(plies(&model), 1);
}

#[test]
fn a_game_without_an_end_does_not_grow() {
    let mut model = model();
    model.gathered(at(0));
    let moves = ["Ra2", "Ke7", "Ra1", "Ke8"].repeat(MAX_PLIES / 4);
    let state = |game_no, rev| {
        let initial_fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1".to_owned();
        let Picture { body, .. } = picture("a", &moves);
        Picture { rev, body: Body { game_no, initial_fen, ..body }, ..picture("a", &[]) }
    };
    for game_no in 1..5 {
        // It goes on from where the game before it ended.
        public(&mut model, "b12", state(game_no, 1));
        assert!(plies(&model) <= 2 * MAX_PLIES, "{}", plies(&model));
    }
}

#[test]
fn boards_from_the_disk_may_have_any_number() {
    let mut model = model();
    let boards = r#"{"boards":{"a":{"number":4294967295,"games":[],"offset":0},"b":{"number":3,"games":[],"offset":0}}}"#;
    model.restore(OutputAudience::Public, "1", serde_json::from_str(boards).expect("boards"));
    public(&mut model, "x", picture("a", &["e4"]));
    model.take_round("1", &round_message(1, r#"{"board":"c","number":3}"#), at(0)).expect("pairings");
    assert!(model.rounds[&(OutputAudience::Public, "1".to_owned())].boards["b"].number > 3);
}

#[test]
fn there_are_no_more_boards_and_rounds_than_there_can_be() {
    let mut model = model();
    for number in 0..MAX_BOARDS + 5 {
        public(&mut model, &format!("b{number}"), picture("a", &[]));
    }
    for round in 0..MAX_ROUNDS + 5 {
        let has_room =
            model.take_picture((OutputAudience::Public, &format!("r{round}"), "b1"), picture("a", &[]), at(0)).expect("a state");
        assert_eq!(has_room, round < MAX_ROUNDS - 1, "round 1 is there already");
    }
    assert_eq!(model.rounds.len(), MAX_ROUNDS as usize);
    assert_eq!(model.rounds[&(OutputAudience::Public, "1".to_owned())].boards.len(), MAX_BOARDS);
    assert_eq!(model.counters.unreadable, 5 + 6);
}

use proptest::prelude::*;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

use super::*;
use crate::outputs::picture::{Body, PictureMove};
use crate::system_clock::Utc;
use crate::wire::outcome::GameResult;
use crate::wire::time::TimeSource;

const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const GAME: [&str; 8] = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6"];

fn moves(text: &[&str]) -> Vec<PictureMove> {
    text.iter().map(|san| PictureMove { san: (*san).to_owned(), white_ms: None, black_ms: None }).collect()
}

/// A state of node `n`, start 1, game 1, with the first moves of [`GAME`]; `rev` is their number.
fn state(plies: usize) -> Picture {
    Picture {
        game: "e-1-1-g1".to_owned(),
        rev: plies as u32,
        node: "n".to_owned(),
        boot: 1,
        t: Default::default(),
        body: Body { game_no: 1, initial_fen: INITIAL.to_owned(), moves: moves(&GAME[..plies]), ..Body::default() },
    }
}

fn from_boot(boot: u64, picture: Picture) -> Picture {
    Picture { boot, ..picture }
}

fn of_game(number: u32, picture: Picture) -> Picture {
    Picture { body: Body { game_no: number, ..picture.body }, ..picture }
}

fn of_node(node: &str, picture: Picture) -> Picture {
    Picture { node: node.to_owned(), ..picture }
}

fn with_result(picture: Picture) -> Picture {
    Picture { body: Body { result: Some(GameResult::Draw), ..picture.body }, rev: picture.rev + 1, ..picture }
}

/// The node says that it is this game of the round.
fn nth(round_game: u32, picture: Picture) -> Picture {
    Picture { body: Body { round_game: Some(round_game), ..picture.body }, ..picture }
}

fn from(fen: &str, text: &[&str], picture: Picture) -> Picture {
    Picture { body: Body { initial_fen: fen.to_owned(), moves: moves(text), ..picture.body }, ..picture }
}

fn second(second: u64) -> MonotonicTime {
    MonotonicTime((second + 1) * 1_000_000)
}

/// The half-moves of each game of a board.
fn plies(board: &Board) -> Vec<usize> {
    board.games.iter().map(|game| game.whole(false).plies()).collect()
}

const ALL: Bound = Bound { games: None, chosen: None, chess960: false };
const ONE: Bound = Bound { games: Some(RoundBound { games: 1, start: None }), chosen: None, chess960: false };

/// Each row: what arrives in which second under which bound, and the half-moves of the games after each.
#[test]
fn what_is_believed() {
    let after_four = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let endgame = "4k3/8/8/8/8/8/8/4K2R w K - 0 40";
    type Step = (u64, Picture, &'static [usize]);
    let rows: Vec<(&str, Bound, Vec<Step>)> = vec![
        ("moves are added", ALL, vec![(0, state(0), &[0]), (1, state(2), &[2]), (2, state(5), &[5])]),
        ("an older state", ALL, vec![(0, state(5), &[5]), (1, state(3), &[5])]),
        ("a correction", ALL, vec![(0, state(5), &[5]), (1, Picture { rev: 9, ..state(3) }, &[3])]),
        (
            "a start that still reads its journal",
            ALL,
            vec![
                (0, state(5), &[5]),
                (1, from_boot(2, state(2)), &[5]),
                (30, from_boot(2, state(4)), &[5]),
                (40, from_boot(2, state(6)), &[6]),
            ],
        ),
        (
            "a start that has fewer moves for a minute",
            ALL,
            vec![
                (0, state(5), &[5]),
                (1, from_boot(2, state(2)), &[5]),
                (60, from_boot(2, state(2)), &[5]),
                (61, from_boot(2, state(2)), &[2]),
            ],
        ),
        ("other moves after a start", ALL, vec![(0, state(5), &[5]), (1, from_boot(2, from(INITIAL, &["d4"], state(1))), &[1])]),
        ("a late message of an earlier start", ALL, vec![(0, from_boot(2, state(5)), &[5]), (1, from_boot(1, state(8)), &[5])]),
        (
            "the next game",
            ALL,
            vec![(0, with_result(state(5)), &[5]), (1, of_game(2, state(0)), &[5]), (2, of_game(2, state(1)), &[5, 1])],
        ),
        ("the next game where the round has one", ONE, vec![(0, with_result(state(5)), &[5]), (1, of_game(2, state(3)), &[5])]),
        (
            "begun anew after a move",
            ONE,
            vec![(0, state(1), &[1]), (1, of_game(2, state(0)), &[0]), (2, of_game(2, state(4)), &[4])],
        ),
        (
            "set up again without a result",
            ONE,
            vec![(0, state(5), &[5]), (1, of_game(2, state(0)), &[5]), (2, of_game(2, state(4)), &[5])],
        ),
        (
            "set up again, and an arbiter has said that it is the round's game",
            ONE,
            vec![
                (0, nth(1, state(5)), &[5]),
                (1, nth(1, of_game(2, state(0))), &[0]),
                (2, nth(1, of_game(2, state(4))), &[4]),
                (3, of_game(3, state(4)), &[4]),
            ],
        ),
        ("a state of an earlier game", ALL, vec![(0, of_game(2, state(5)), &[5]), (1, state(8), &[5])]),
        ("another position", ONE, vec![(0, state(5), &[5]), (1, of_game(2, from(endgame, &["Rh8"], state(1))), &[6])]),
        (
            "a new node goes on from the same position",
            ONE,
            vec![(0, state(4), &[4]), (1, of_node("m", from(after_four, &["Bb5", "a6"], state(2))), &[6])],
        ),
        (
            "a new node whose board was not set up yet",
            ALL,
            vec![
                (0, state(4), &[4]),
                (1, of_node("m", state(0)), &[4]),
                (2, of_node("m", from(after_four, &["Bb5"], of_game(2, state(1)))), &[5]),
            ],
        ),
        (
            "an illegal move",
            ALL,
            vec![
                (0, state(4), &[4]),
                (1, Picture { rev: 9, ..from(INITIAL, &["e4", "Ke3"], state(2)) }, &[4]),
                (2, state(5), &[5]),
            ],
        ),
    ];
    for (name, bound, steps) in rows {
        let mut board = Board::new(1, None);
        for (index, (at, picture, expected)) in steps.into_iter().enumerate() {
            board.take(picture.clone(), &bound, second(at));
            assert_eq!(plies(&board), expected, "{name}: step {index}");
            board.take(picture, &bound, second(at));
            assert_eq!(plies(&board), expected, "{name}: step {index} again");
        }
    }
}

#[test]
fn the_parts_of_a_game_are_joined_where_they_fit() {
    let after_four = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let mut board = Board::new(1, None);
    board.take(state(4), &ONE, second(0));
    board.take(of_node("m", from(after_four, &["Bb5", "a6"], state(2))), &ONE, second(1));
    let whole = board.games[0].whole(false);
    assert_eq!((whole.segments.len(), whole.initial_fen.as_str(), whole.moves.len()), (0, INITIAL, 6));
    board.take(of_node("m", of_game(2, from("4k3/8/8/8/8/8/8/4K2R w K - 0 40", &["Rh8"], state(1)))), &ONE, second(2));
    let whole = board.games[0].whole(false);
    assert_eq!((whole.segments.len(), whole.moves.len(), board.games.len()), (1, 1, 1));
}

#[test]
fn a_game_that_is_joined_in_progress_has_one_part() {
    let endgame = "4k3/8/8/8/8/8/8/4K2R w K - 0 40";
    let joined = |text: &[&str], picture| of_game(2, from(endgame, text, picture));
    let mut board = Board::new(1, None);
    // The men stood in the initial position before the game was set up, at this node or at another one.
    board.take(state(0), &ONE, second(0));
    board.take(joined(&[], state(1)), &ONE, second(1));
    board.take(joined(&["Rh8"], state(2)), &ONE, second(2));
    board.take(of_node("m", joined(&["Rh8"], state(2))), &ONE, second(3));
    board.take(of_node("m", of_game(3, from(endgame, &["Rh7"], state(1)))), &ONE, second(4));
    let whole = board.games[0].whole(false);
    let parts: Vec<usize> = whole.segments.iter().map(|part| part.moves.len()).chain([whole.moves.len()]).collect();
    assert_eq!((parts, whole.initial_fen.as_str(), board.games.len()), (vec![1, 1, 1], endgame, 1));
}

#[test]
fn a_game_that_began_before_the_round_is_not_of_the_round() {
    let at = |minute: i64, picture: Picture| {
        let t = crate::outputs::picture::PictureTime { us: 0, utc: Utc(minute * 60_000_000).to_string(), sync: TimeSource::Ntp };
        Picture { t, ..picture }
    };
    let bound = Bound { games: Some(RoundBound { games: 1, start: Some(Utc(3_600_000_000)) }), ..ALL };
    let mut board = Board::new(1, None);
    board.take(at(40, state(0)), &bound, second(0));
    board.take(at(41, state(1)), &bound, second(1));
    assert_eq!((plies(&board), board.wrong.clone()), (vec![], Some(Wrong::Other(Unpublished::BeforeTheRound))));
    board.take(at(58, of_game(2, state(1))), &bound, second(2));
    assert_eq!((plies(&board), board.wrong.clone()), (vec![1], None));
    assert_eq!(board.games[0].first_move, Some(58 * 60_000_000));
}

#[test]
fn a_person_chooses_a_game_or_takes_the_state_as_it_is() {
    let mut board = Board::new(1, None);
    board.take(state(5), &ONE, second(0));
    board.take(of_game(2, state(3)), &ONE, second(1));
    assert_eq!(plies(&board), [5]);
    board.take(of_game(2, state(3)), &Bound { chosen: Some(2), ..ONE }, second(2));
    assert_eq!(plies(&board), [3]);

    let mut board = Board::new(1, None);
    board.take(state(5), &ONE, second(0));
    board.take(from_boot(2, state(1)), &ONE, second(1));
    assert_eq!(plies(&board), [5]);
    board.reset();
    board.settle(&ONE, second(2));
    assert_eq!(plies(&board), [1]);
}

#[test]
fn a_board_comes_back_from_the_disk() {
    let mut board = Board::new(7, None);
    board.take(with_result(state(5)), &ONE, second(0));
    let text = serde_json::to_string(&board).expect("JSON");
    let mut restored: Board = serde_json::from_str(&text).expect("a board");
    restored.restored(false);
    assert_eq!(restored.games, board.games);
    restored.take(of_game(2, state(4)), &ONE, second(1));
    assert_eq!(plies(&restored), [5], "the round has one game, and it is over");
}

/// Legal moves that follow from numbers.
fn played(choices: &[u8]) -> Vec<String> {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for choice in choices {
        let legal = position.legal_moves();
        let Some(mv) = legal.get(usize::from(*choice) % legal.len().max(1)).copied() else { break };
        moves.push(SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string());
    }
    moves
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A game that grows is published; its states arrive in any order, several times, and from earlier starts: the number of half-moves
    /// never falls, and what is kept is always a beginning of the game.
    #[test]
    fn no_game_gets_shorter(
        choices in prop::collection::vec(any::<u8>(), 1..60),
        arrivals in prop::collection::vec((any::<prop::sample::Index>(), 1..4_u64, 0..3_u64), 1..80),
    ) {
        let moves = played(&choices);
        let texts: Vec<&str> = moves.iter().map(String::as_str).collect();
        let mut board = Board::new(1, None);
        let (mut longest, mut now) = (0, 0);
        for (upto, boot, wait) in arrivals {
            now += wait;
            let upto = upto.index(texts.len() + 1);
            let picture = Picture { rev: upto as u32, boot, ..from(INITIAL, &texts[..upto], state(0)) };
            // A doubt lasts a minute, which is longer than this lasts.
            if now < 60 {
                board.take(picture, &ONE, second(now));
            }
            let shown = plies(&board).first().copied().unwrap_or_default();
            prop_assert!(shown >= longest, "{shown} after {longest}");
            longest = shown;
            if let Some(game) = board.games.first() {
                let kept: Vec<String> = game.whole(false).moves.into_iter().map(|mv| mv.san).collect();
                prop_assert_eq!(&kept[..], &moves[..kept.len()]);
            }
        }
    }

    /// Nothing that arrives makes it panic.
    #[test]
    fn any_states(steps in prop::collection::vec((0..4_usize, 0..4_u32, 0..4_u64, 0..4_u32, 0..9_usize, any::<bool>()), 0..40)) {
        let starts = [INITIAL, "4k3/8/8/8/8/8/8/4K2R w K - 0 40", "nonsense", ""];
        let mut board = Board::new(1, None);
        for (index, (start, game, boot, rev, count, chosen)) in steps.into_iter().enumerate() {
            let mut picture = of_game(game, Picture { rev, boot, ..from(starts[start], &GAME[..count.min(8)], state(0)) });
            picture.node = if game == 3 { "m".to_owned() } else { "n".to_owned() };
            let bound = Bound { chosen: chosen.then_some(1), ..ONE };
            board.take(picture, &bound, second(30 * index as u64));
            board.settle(&bound, second(30 * index as u64));
            prop_assert!(board.games.len() <= MAX_GAMES);
        }
    }
}

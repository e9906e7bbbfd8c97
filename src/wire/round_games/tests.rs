//! Tests which games of a board are the round's.

use super::*;

const MINUTE: i64 = 60 * 1_000_000;

fn game(number: u32, made_moves: u32, minute: i64) -> GameOnBoard {
    let first_move = (made_moves > 0).then_some(Utc(minute * MINUTE));
    GameOnBoard { number, made_moves, first_move, initial_position: true, ..GameOnBoard::default() }
}

fn over(game: GameOnBoard) -> GameOnBoard {
    GameOnBoard { over: true, settled: true, ..game }
}

const BEFORE: Option<Unpublished> = Some(Unpublished::BeforeTheRound);
const AFTER: Option<Unpublished> = Some(Unpublished::AfterTheRound);
const UNPAIRED: Option<Unpublished> = Some(Unpublished::NoPairing);
const ONE: RoundBound = RoundBound { games: 1, start: None };

/// Each row: the number of games, the minute of the start, and what the board shows one after the other with the answer.
#[test]
fn games_of_a_round() {
    let by_command = |game| GameOnBoard { by_command: true, ..game };
    let elsewhere = |game| GameOnBoard { initial_position: false, ..game };
    let no_time = |game| GameOnBoard { first_move: None, ..game };
    type Row<'a> = (&'a str, Option<(u32, Option<i64>)>, &'a [(GameOnBoard, Option<Unpublished>)]);
    let rows: &[Row<'_>] = &[
        (
            "no bound",
            None,
            &[(over(game(1, 4, 0)), None), (game(2, 0, 0), None), (over(game(2, 5, 1)), None), (game(3, 1, 2), None)],
        ),
        (
            "the next game after a mate",
            Some((1, None)),
            &[
                (game(0, 0, 0), None),
                (game(1, 0, 0), None),
                (over(game(1, 4, 0)), None),
                (game(2, 0, 0), AFTER),
                (game(2, 3, 9), AFTER),
            ],
        ),
        ("set up again after two moves", Some((1, None)), &[(game(1, 2, 0), None), (game(2, 0, 0), AFTER)]),
        (
            "set up again after one move",
            Some((1, None)),
            &[(game(1, 1, 0), None), (game(2, 0, 0), None), (game(2, 2, 1), None), (game(3, 0, 0), AFTER)],
        ),
        (
            "another position",
            Some((1, None)),
            &[(game(1, 9, 0), None), (elsewhere(game(2, 0, 0)), None), (elsewhere(game(2, 3, 9)), None), (game(3, 0, 0), AFTER)],
        ),
        ("another position after the end", Some((1, None)), &[(over(game(1, 9, 0)), None), (elsewhere(game(2, 0, 0)), AFTER)]),
        (
            "two games",
            Some((2, None)),
            &[(over(game(1, 9, 0)), None), (game(2, 0, 0), None), (over(game(2, 4, 1)), None), (game(3, 1, 2), AFTER)],
        ),
        (
            "before the start, and five minutes before it",
            Some((1, Some(60))),
            &[
                (game(1, 0, 0), None),
                (game(1, 1, 54), BEFORE),
                (over(game(1, 8, 54)), BEFORE),
                (game(2, 0, 0), None),
                (game(2, 1, 55), None),
                (over(game(2, 4, 55)), None),
                (game(3, 1, 80), AFTER),
            ],
        ),
        (
            "all moves taken back before the start",
            Some((1, Some(60))),
            &[
                (game(1, 3, 10), BEFORE),
                (game(1, 0, 0), None),
                (game(1, 1, 61), None),
                (game(1, 0, 0), None),
                (game(1, 1, 62), None),
            ],
        ),
        (
            "no synchronised clock, and later one",
            Some((1, Some(60))),
            &[
                (over(no_time(game(1, 9, 0))), None),
                (no_time(game(2, 4, 0)), None),
                (game(2, 4, 70), None),
                (over(game(2, 5, 70)), None),
                (game(3, 0, 0), AFTER),
            ],
        ),
        (
            "an arbiter begins another game",
            Some((1, Some(60))),
            &[
                (over(game(1, 9, 60)), None),
                (game(2, 1, 70), AFTER),
                (by_command(game(3, 0, 0)), None),
                (by_command(game(3, 1, 1)), None),
                (game(4, 0, 0), None),
                (over(game(4, 4, 90)), None),
                (game(5, 0, 0), AFTER),
            ],
        ),
        (
            "an arbiter begins the game anew",
            Some((2, None)),
            &[
                (game(1, 9, 0), None),
                (by_command(game(2, 0, 0)), None),
                (over(by_command(game(2, 5, 1))), None),
                (game(3, 4, 2), None),
                (game(4, 0, 0), AFTER),
            ],
        ),
    ];
    for (name, bound, steps) in rows {
        let bound = bound.map(|(games, start)| RoundBound { games, start: start.map(|minute| Utc(minute * MINUTE)) });
        let mut games = RoundGames::default();
        for (index, (shown, unpublished)) in steps.iter().enumerate() {
            for _ in 0..2 {
                assert_eq!(games.follow(bound.as_ref(), *shown), *unpublished, "{name}: step {index}");
            }
        }
    }
}

#[test]
fn a_higher_bound_publishes_the_game_on_the_board_and_a_lower_one_hides_none() {
    let (one, two) = (ONE, RoundBound { games: 2, start: None });
    let mut games = RoundGames::default();
    games.follow(Some(&one), over(game(1, 9, 0)));
    assert_eq!(games.follow(Some(&one), game(2, 3, 1)), AFTER);
    assert_eq!(games.follow(Some(&two), game(2, 3, 1)), None);
    assert_eq!(games.follow(Some(&one), game(2, 4, 1)), None, "what was published stays published");
    assert_eq!(games.follow(None, game(3, 4, 1)), None);
}

/// What is said after each step: whether an arbiter is asked, and which game of the round is on the board.
fn shown(games: &mut RoundGames, bound: &RoundBound, game: GameOnBoard) -> (Option<Unpublished>, bool, Option<u32>) {
    let unpublished = games.follow(Some(bound), game);
    assert_eq!(games.follow(Some(bound), game), unpublished);
    (unpublished, games.asks(), games.round_game())
}

#[test]
fn an_arbiter_is_asked_about_a_game_that_is_private_while_the_rounds_game_has_no_result() {
    // The men were set up again after two moves, for example because the colours were wrong (7.3).
    let asked = |games: &mut RoundGames| {
        assert_eq!(shown(games, &ONE, game(1, 2, 0)), (None, false, Some(1)));
        assert_eq!(shown(games, &ONE, game(2, 0, 0)), (AFTER, true, None));
        assert_eq!(shown(games, &ONE, game(2, 4, 1)), (AFTER, true, None));
    };
    // It is the round's game: it takes the place of the first one, and the next is private without a question.
    let mut games = RoundGames::default();
    asked(&mut games);
    games.decide(true, Unpublished::AfterTheRound);
    assert_eq!(shown(&mut games, &ONE, game(2, 5, 1)), (None, false, Some(1)));
    assert_eq!(shown(&mut games, &ONE, over(game(2, 9, 1))), (None, false, Some(1)));
    assert_eq!(shown(&mut games, &ONE, game(3, 1, 9)), (AFTER, false, None));
    // It is private: nobody is asked about it again, but about the next one.
    let mut games = RoundGames::default();
    asked(&mut games);
    games.decide(false, Unpublished::AfterTheRound);
    assert_eq!(shown(&mut games, &ONE, game(2, 0, 0)), (AFTER, false, None), "also when its moves are taken back");
    assert_eq!(shown(&mut games, &ONE, game(3, 6, 9)), (AFTER, true, None));
    let two = RoundBound { games: 2, start: None };
    assert_eq!(shown(&mut games, &two, game(3, 6, 9)), (None, false, Some(2)));
    // The kings met in the centre while the men were exchanged: nobody has shown a result.
    let mut games = RoundGames::default();
    games.follow(Some(&ONE), GameOnBoard { over: true, ..game(1, 2, 0) });
    assert_eq!(shown(&mut games, &ONE, game(2, 3, 1)), (AFTER, true, None));
    // With a result nobody is asked, but an arbiter may say that it is one more game of the round.
    let mut games = RoundGames::default();
    games.follow(Some(&ONE), over(game(1, 9, 0)));
    assert_eq!(shown(&mut games, &ONE, game(2, 3, 1)), (AFTER, false, None));
    games.decide(true, Unpublished::AfterTheRound);
    assert_eq!(shown(&mut games, &ONE, game(2, 4, 1)), (None, false, Some(2)));
}

#[test]
fn an_arbiter_is_asked_about_a_game_that_began_too_early_and_goes_on_in_the_round() {
    let bound = RoundBound { games: 1, start: Some(Utc(60 * MINUTE)) };
    let until = |game, minute: i64| GameOnBoard { latest_move: Some(Utc(minute * MINUTE)), ..game };
    let mut games = RoundGames::default();
    assert_eq!(shown(&mut games, &bound, until(game(1, 4, 50), 54)), (BEFORE, false, None));
    assert_eq!(shown(&mut games, &bound, until(game(1, 5, 50), 55)), (BEFORE, true, None));
    let mut private = games.clone();
    private.decide(false, Unpublished::BeforeTheRound);
    assert_eq!(shown(&mut private, &bound, until(game(1, 6, 50), 56)), (BEFORE, false, None));
    assert_eq!(shown(&mut private, &bound, until(game(2, 1, 60), 60)), (None, false, Some(1)), "the round's game comes");
    games.decide(true, Unpublished::BeforeTheRound);
    assert_eq!(shown(&mut games, &bound, until(game(1, 6, 50), 56)), (None, false, Some(1)));
    assert_eq!(shown(&mut games, &bound, until(game(2, 0, 50), 56)), (AFTER, true, None));
}

#[test]
fn a_board_without_a_pairing_has_no_game_of_the_round() {
    let none = RoundBound { games: 0, start: None };
    let mut games = RoundGames::default();
    for board in [game(1, 0, 0), over(game(1, 9, 0)), GameOnBoard { by_command: true, ..game(2, 3, 1) }, game(3, 2, 2)] {
        assert_eq!(shown(&mut games, &none, board), (UNPAIRED, false, None), "{board:?}");
    }
    // It is paired later: the game on it is the round's first one.
    assert_eq!(shown(&mut games, &ONE, game(3, 3, 2)), (None, false, Some(1)));
    assert_eq!(shown(&mut games, &none, game(3, 4, 2)), (UNPAIRED, false, Some(1)));
    assert_eq!(shown(&mut games, &ONE, over(game(3, 5, 2))), (None, false, Some(1)));
    assert_eq!(shown(&mut games, &ONE, game(4, 1, 3)), (AFTER, false, None));
}

#[test]
fn what_a_node_says_of_two_games_comes_first() {
    let nth = |round_game, game| GameOnBoard { round_game: Some(round_game), ..game };
    let one = nth(1, game(1, 9, 0));
    assert_eq!(one.relation_to(&nth(1, game(2, 3, 1))), Relation::BegunAnew);
    assert_eq!(one.relation_to(&nth(1, GameOnBoard { initial_position: false, ..game(2, 3, 1) })), Relation::GoesOn);
    assert_eq!(one.relation_to(&nth(2, GameOnBoard { initial_position: false, ..game(2, 3, 1) })), Relation::Another);
    assert_eq!(one.relation_to(&game(2, 3, 1)), Relation::Another);
    // So a collector follows an arbiter's answer.
    let mut games = RoundGames::default();
    games.follow(Some(&ONE), one);
    assert_eq!(games.follow(Some(&ONE), nth(1, game(2, 3, 1))), None);
}

#[test]
fn initial_positions() {
    for (fen, initial) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", true),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", false),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1", false),
        ("rnbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", false),
        ("", false),
    ] {
        assert_eq!(is_initial(fen), initial, "{fen}");
    }
}

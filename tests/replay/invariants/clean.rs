//! Clean events, in every order in which hands and sensors may give them.

use std::collections::BTreeSet;

use fastrand::Rng;
use flagfall::wire::moves::How;
use flagfall::wire::outcome::Ending;
use shakmaty::uci::UciMove;
use shakmaty::{Move, Position};

use crate::games::hands::Pace;
use crate::games::legal;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{BLITZ, Played, RAPID, game, play, position};
use crate::scene::outcome::alarms_of;
use crate::support::seeds::{campaign, ordinary};

const BULLET: Pace = Pace { name: "bullet", think: [0.3, 0.6], hand: [0.06, 0.15], press: [0.08, 0.2] };

/// Positions with the rare kinds of moves: both castlings of both players, each direction of en passant, each promotion with and
/// without a capture.
const KINDS: [(&str, &str); 24] = [
    ("r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1", "e1g1"),
    ("r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1", "e1c1"),
    ("r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R b KQkq - 0 1", "e8g8"),
    ("r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R b KQkq - 0 1", "e8c8"),
    ("4k3/1p1p4/8/2P5/8/8/8/4K3 b - - 0 1", "b7b5 c5b6"),
    ("4k3/1p1p4/8/2P5/8/8/8/4K3 b - - 0 1", "d7d5 c5d6"),
    ("4k3/8/8/8/5p2/8/4P1P1/4K3 w - - 0 1", "e2e4 f4e3"),
    ("4k3/8/8/8/5p2/8/4P1P1/4K3 w - - 0 1", "g2g4 f4g3"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7a8q"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7a8r"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7a8b"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7a8n"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7b8q"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7b8r"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7b8b"),
    ("1n2k3/P7/8/8/8/8/7P/4K3 w - - 0 1", "a7b8n"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2a1q"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2a1r"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2a1b"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2a1n"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1q"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1r"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1b"),
    ("4k3/7p/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1n"),
];

/// A game with a move of this kind, and a few random ones after it.
pub(crate) fn of_kind(rng: &mut Rng, pace: Pace, index: usize) -> Played {
    let (fen, ucis) = KINDS[index % KINDS.len()];
    let mut at = position(fen);
    let mut moves: Vec<Move> = Vec::new();
    for uci in ucis.split(' ') {
        let mv = uci.parse::<UciMove>().expect("UCI").to_move(&at).expect(uci);
        moves.push(mv);
        at.play_unchecked(mv);
    }
    while moves.len() < 6 && !legal::ends(&at) {
        let mv = rng.choice(at.legal_moves()).expect("the game is not over");
        moves.push(mv);
        at.play_unchecked(mv);
    }
    play(rng, pace, Some(fen), &moves)
}

/// Checks that the game has exactly the moves that were played, each with its press, and no alarm.
#[track_caller]
fn assert_exact(played: &Played) {
    let checked = CheckedGame::after_inputs(&played.reports);
    let state = checked.state();
    assert_eq!(checked.moves(), played.moves, "pending {:?}, board {}", state.pending, state.board);
    assert_eq!((checked.revisions, state.pending.len(), state.hints.len()), (0, 0, 0));
    for mv in &state.moves {
        assert!(mv.pressed_at.is_some() || mv.how == Some(How::GameEnd), "the press of {} is not found", mv.uci);
    }
    let dead = if state.ending == Some(Ending::DeadPosition) { vec!["dead_position".to_owned()] } else { Vec::new() };
    assert_eq!(alarms_of(&checked.game), dead);
}

/// Invariant 3.
#[test]
fn i03_clean_events_in_any_permitted_order_give_exactly_the_game() {
    let mut met = BTreeSet::new();
    campaign("invariant 3: every kind of move", 31_000..31_072, |seed| {
        let mut rng = Rng::with_seed(seed);
        let pace = [BULLET, BLITZ, RAPID][seed as usize / KINDS.len() % 3];
        let index = seed as usize % KINDS.len();
        met.insert(index);
        let played = of_kind(&mut rng, pace, index);
        assert_exact(&played);
        played.reports.len() as u64
    });
    assert!(met.len() == KINDS.len() || !ordinary(), "some kind of move was never played");
}

/// Invariant 3, of whole games.
#[test]
fn i03_clean_random_games_in_any_permitted_order_are_exact() {
    let mut castled = 0;
    campaign("invariant 3: random games", 32_000..32_009, |seed| {
        let mut rng = Rng::with_seed(seed);
        let played = game(&mut rng, [BULLET, BLITZ, RAPID][seed as usize % 3], 110);
        castled += played.moves.iter().filter(|uci| ["e1g1", "e1c1", "e8g8", "e8c8"].contains(&uci.as_str())).count();
        assert_exact(&played);
        played.reports.len() as u64
    });
    assert!(!ordinary() || castled > 0, "random games have castlings");
}

//! The committed moves are a legal game.

use fastrand::Rng;

use crate::invariants::chaos::Chaos;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{BLITZ, config, game};
use crate::support::seeds::{campaign, ordinary};

/// Invariant 1, with random play, noise, nonsense, gaps and arbiters' corrections. [`CheckedGame`] checks every step: each move is
/// published once, is added at the end and is legal; a revision follows a command; the list is as in the messages.
#[test]
fn i01_the_list_is_a_legal_game_that_only_a_named_cause_revises() {
    let (mut revisions, mut committed) = (0, 0);
    campaign("invariant 1: a legal list", 11_000..11_012, |seed| {
        let mut rng = Rng::with_seed(seed);
        let (mut chaos, reports) = if seed % 3 == 0 {
            let mut reports = game(&mut rng, BLITZ, 30).reports;
            reports.truncate(rng.usize(reports.len() / 3..reports.len()));
            (Chaos::after(rng.u64(..), &reports), reports)
        } else {
            Chaos::new(seed)
        };
        (chaos.commands, chaos.links) = (seed % 2 == 0, seed % 4 < 2);
        let mut checked = CheckedGame::new(config());
        reports.iter().for_each(|(at, input)| checked.feed(*at, input));
        let mut inputs = reports.len();
        for _ in 0..400 {
            for (at, input) in chaos.next(&checked.game) {
                let before = checked.list.len();
                checked.feed(at, &input);
                inputs += 1;
                committed += checked.list.len().saturating_sub(before);
            }
        }
        revisions += checked.revisions;
        inputs as u64
    });
    assert!(
        !ordinary() || (revisions > 0 && committed > 100),
        "too little was tried: {committed} moves and {revisions} revisions"
    );
}

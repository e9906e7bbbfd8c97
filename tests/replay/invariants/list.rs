//! What is committed is a legal game.

use fastrand::Rng;

use crate::invariants::chaos::Chaos;
use crate::invariants::ear::Ear;
use crate::invariants::table::{BLITZ, config, game};
use crate::support::seeds::{campaign, ordinary};

/// Invariant 1: random play, noise, nonsense, gaps and arbiters' corrections. The ear looks at every step: each move is told
/// once, at the end, and legal; a revision follows a command; the list is what the messages made it.
#[test]
fn i01_the_list_is_a_legal_game_that_only_a_named_cause_revises() {
    let (mut revisions, mut committed) = (0, 0);
    campaign("invariant 1: a legal list", 11_000..11_012, |seed| {
        let mut rng = Rng::with_seed(seed);
        let (mut chaos, told) = if seed % 3 == 0 {
            let mut told = game(&mut rng, BLITZ, 30).told;
            told.truncate(rng.usize(told.len() / 3..told.len()));
            (Chaos::after(rng.u64(..), &told), told)
        } else {
            Chaos::new(seed)
        };
        (chaos.commands, chaos.links) = (seed % 2 == 0, seed % 4 < 2);
        let mut ear = Ear::new(config());
        told.iter().for_each(|(at, input)| ear.feed(*at, input));
        let mut inputs = told.len();
        for _ in 0..400 {
            for (at, input) in chaos.next(&ear.game) {
                let before = ear.list.len();
                ear.feed(at, &input);
                inputs += 1;
                committed += ear.list.len().saturating_sub(before);
            }
        }
        revisions += ear.revisions;
        inputs as u64
    });
    assert!(!ordinary() || (revisions > 0 && committed > 100), "it was tried: {committed} moves and {revisions} revisions");
}

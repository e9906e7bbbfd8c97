//! Gaps of the link that hide more moves than a search finds, on a board whose log is not read: play that goes on is followed
//! exactly, under an open alarm (`reconstruct/README.md#3.6`).

#![allow(clippy::print_stdout, reason = "a campaign prints how many games are in step again")]

use fastrand::Rng;
use flagfall_game::alarm::AlarmKind;

use crate::games::exact::{BLITZ, RAPID, move_names, play};
use crate::support::seeds::{campaign, ordinary};

/// The plies of a game. The driver waits for the log for up to half a minute of them.
const PLIES: usize = 110;

#[test]
fn after_a_gap_with_many_moves_the_game_is_in_step_again() {
    let (mut lost, mut in_step) = (0, 0);
    campaign("gaps that nothing explains", 0..8, |seed| {
        let mut rng = Rng::with_seed(seed);
        let pace = [BLITZ, RAPID][(seed % 2) as usize];
        let mut played = play(&mut rng, pace, PLIES, false);
        let begins =
            |ply: usize| played.motions.iter().filter(|(_, index, _)| *index == ply).map(|(at, ..)| *at).reduce(f64::min);
        let first = rng.usize(4..30);
        let next = first + rng.usize(9..30);
        let Some((from, until)) = begins(first).zip(begins(next)) else { return 0 };
        // The hands rest between two moves.
        played.scene = played.scene.without_log();
        let outcome = played.scene.away(from - 0.2, until - from).wait(30.0).run();
        let game = outcome.station.game();
        let open = |kind| game.alarms().iter().any(|alarm| alarm.kind == kind && alarm.closed.is_none());
        let (expected, got) = (move_names(&played.moves), outcome.moves());
        if game.segments().count() == 0 {
            // Fewer moves may lead to the same position, and then an alarm asks which they were.
            lost += u32::from(open(AlarmKind::Unreachable));
            return got.len() as u64;
        }
        assert!(open(AlarmKind::Unreachable) && open(AlarmKind::LinkGap), "seed {seed}: {:?}", outcome.alarms());
        let label = format!("seed {seed}, away from ply {first} to {next} of {}", expected.len());
        assert!(expected[next..].ends_with(&got), "{label}: {got:?} came, {:?} were played", &expected[next..]);
        println!("{label}: {} of {} moves", got.len(), expected.len() - next);
        in_step += 1;
        got.len() as u64
    });
    println!("{in_step} games are in step again, {lost} are not");
    assert!(!ordinary() || in_step >= 4 * lost, "{in_step} games are in step again, {lost} are not");
}
